"""Whatever people write is read: the same scores, labels and ids, in the order of the file."""

from __future__ import annotations

import os
import shlex
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from llrcal import OptionError, TrialFileError, read_trials
from llrcal.inputs.labels import LABEL_OF_WORD, Label
from llrcal.notes import Note
from llrcal.trials.conventions import NAMES, ConventionName
from tests.trials.files import (
    BY_RECORDING,
    CONVENTIONS,
    EXAMPLE,
    PACKED,
    SPOOFED,
    WITH_SPOOFS,
    Row,
    Rows,
    Written,
    assert_reads,
    bob4,
    bob5,
    by_recording,
    kaldi,
    lines,
    lir,
    named_csv,
    recordings,
    two_columns_of_numbers,
    wespeaker,
)

Write = Callable[[Rows], Written]
every_convention = pytest.mark.parametrize("write", CONVENTIONS, ids=lambda write: write.name)


@pytest.mark.parametrize("packed", PACKED.values(), ids=PACKED)
@every_convention
def test_what_is_written_is_read(
    tmp_path: Path, write: Write, packed: Callable[[bytes], bytes]
) -> None:
    written = write(EXAMPLE)
    paths = written.save(tmp_path, packed)
    trials = read_trials(*paths)
    assert_reads(trials, EXAMPLE, written.ids)
    assert trials.source == str(tmp_path / "scores.txt")
    for path, note in zip(paths, trials.notes, strict=False):
        assert note.text.startswith(f"{path}: 7 trials; ")


@pytest.mark.parametrize("write", [recordings, two_columns_of_numbers], ids=lambda w: w.name)
def test_what_is_written_without_pairs_is_read(tmp_path: Path, write: Write) -> None:
    rows = by_recording(EXAMPLE)
    written = write(rows)
    assert_reads(read_trials(*written.save(tmp_path)), rows, written.ids)


@pytest.mark.parametrize("packed", PACKED.values(), ids=PACKED)
@pytest.mark.parametrize("write", BY_RECORDING, ids=lambda write: write.name)
def test_bona_fide_recordings_and_spoofs(
    tmp_path: Path, write: Write, packed: Callable[[bytes], bytes]
) -> None:
    rows = by_recording(EXAMPLE)  # what is no target is a spoof here
    written = write(rows)
    paths = written.save(tmp_path, packed)
    with pytest.raises(TrialFileError, match="4 of 7 trials are spoofs; choose how to count"):
        read_trials(*paths)
    for spoof in ("nontarget", "only"):
        assert_reads(read_trials(*paths, spoof=spoof), rows, ("test",))


@pytest.mark.parametrize("write", WITH_SPOOFS, ids=lambda write: write.name)
def test_each_choice_of_what_to_make_of_spoofs(tmp_path: Path, write: Write) -> None:
    written = write(SPOOFED)
    paths = written.save(tmp_path)
    with pytest.raises(TrialFileError, match="1 of 8 trials are spoofs"):
        read_trials(*paths)
    left_out = read_trials(*paths, spoof="omit")
    assert_reads(left_out, EXAMPLE, written.ids)
    assert left_out.notes[-1] == Note.of("spoof", "1 spoof trials left out")
    beside = read_trials(*paths, spoof="nontarget")
    assert_reads(beside, SPOOFED, written.ids)
    assert beside.notes[-1].text == "1 spoof trials count as non-targets"
    only = read_trials(*paths, spoof="only")
    assert_reads(only, [row for row in SPOOFED if row.kind], written.ids)
    assert only.notes[-1].text == "1 spoof trials are the only non-targets"


def test_spoofs_are_of_no_concern_where_there_are_none(tmp_path: Path) -> None:
    paths = wespeaker(EXAMPLE).save(tmp_path)
    for spoof in ("omit", "nontarget", "only"):
        assert_reads(read_trials(*paths, spoof=spoof), EXAMPLE, ("enrol", "test"))
    with pytest.raises(OptionError, match="spoof cannot be 'keep'; choose error, omit"):
        read_trials(*paths, spoof="keep")  # type: ignore[arg-type]


@pytest.mark.parametrize("write", [bob4, bob5], ids=lambda write: write.name)
def test_bob_says_who_is_speaking(tmp_path: Path, write: Write) -> None:
    trials = read_trials(*write(EXAMPLE).save(tmp_path))
    assert trials.tar_speakers is not None
    assert trials.non_speakers is not None
    assert (trials.tar_speakers[:, 0] == trials.tar_speakers[:, 1]).all()
    assert (trials.non_speakers[:, 0] != trials.non_speakers[:, 1]).all()
    claimed = [row.enrol for row in EXAMPLE if row.kind == 1]
    pairs = set(zip(claimed, trials.tar_speakers[:, 0].tolist(), strict=True))
    assert len(pairs) == len(set(claimed)) == len({code for _, code in pairs})


def test_hypotheses_are_told_from_other_labels(tmp_path: Path) -> None:
    assert read_trials(*lir(EXAMPLE).save(tmp_path)).forensic
    assert read_trials(*lir(EXAMPLE).save(tmp_path)).score_name == "LLR"
    assert not read_trials(*named_csv(EXAMPLE).save(tmp_path)).forensic
    scores, key = tmp_path / "s.txt", tmp_path / "k.txt"
    scores.write_text("1.5\n-1.5\n")
    key.write_text("Hp\nHd\n")
    assert read_trials(scores, key).forensic


def test_every_word_for_a_label(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    for word, kind in LABEL_OF_WORD.items():
        words = [f"a\tb{i}\t{i}.5\t{word}\n" for i in range(20)]
        other = "nontarget" if kind is Label.TARGET else "target"
        path.write_text("".join(words) + f"c\td\t99.5\t{other}\n")
        trials = read_trials(path, spoof="only" if kind is Label.SPOOF else "error")
        in_question = trials.tar if kind is Label.TARGET else trials.non
        assert in_question.tolist() == [i + 0.5 for i in range(20)]


@pytest.mark.parametrize("label", ["tArget", "targets", "2", "hp", "maybe", "TRUE?"])
def test_a_word_that_is_no_label(tmp_path: Path, label: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(wespeaker(EXAMPLE * 3).scores.replace("nontarget", label, 1))
    with pytest.raises(TrialFileError, match=rf"line 2: the label '{label.replace('?', '.')}' is"):
        read_trials(path, duplicates="all")


def test_words_of_the_user(tmp_path: Path) -> None:
    body = lines(EXAMPLE, lambda r: (r.enrol, r.test, r.score, r.word("Anders", "Gleich")))
    path = tmp_path / "a.txt"
    path.write_text(body)
    with pytest.raises(TrialFileError, match="the columns look like text, text, number, text"):
        read_trials(path)
    assert_reads(read_trials(path, labels="Gleich,Anders"), EXAMPLE, ("enrol", "test"))
    turned = read_trials(path, labels="Anders, Gleich")
    assert turned.labels.tolist() == [row.kind == 0 for row in EXAMPLE]
    path.write_text(body + "c d 1.0 Echo\n")
    assert len(read_trials(path, labels="Gleich,Anders,Echo", spoof="omit")) == len(EXAMPLE)
    wrong: tuple[Any, ...] = ("a,a", "a,,b", "a,b,c,d", (1, 0), b"a,b")
    for labels in wrong:
        with pytest.raises(OptionError, match="give the words for target and non-target"):
            read_trials(path, labels=labels)


def test_numbers_of_the_user_turn_labels_round(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(lines(EXAMPLE, lambda r: (r.enrol, r.test, r.score, r.word("1", "0"))))
    assert_reads(read_trials(path, labels="0,1"), EXAMPLE, ("enrol", "test"))


def test_three_numbers_are_not_two(tmp_path: Path) -> None:
    """1, -1 and 0 say target, non-target and no trial at all in some keys."""
    path = tmp_path / "a.txt"
    path.write_text("a b 1.5 1\nc d -1.5 -1\n")
    assert read_trials(path).labels.tolist() == [True, False]
    path.write_text("a b 1.5 1\nc d -1.5 -1\ne f 0.5 0\n")
    with pytest.raises(TrialFileError, match="labels are 1, 0 and -1"):
        read_trials(path)


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ("enrol,test,score,label", lambda r: (r.enrol, r.test, r.score, r.word("0", "1"))),
        ("label,score,test,enrol", lambda r: (r.word("0", "1"), r.score, r.test, r.enrol)),
        ("-,score,enrol,-,label,test", lambda r: (
            "7", r.score, r.enrol, "0.5", r.word("0", "1"), r.test)),
    ],
)  # fmt: skip
def test_columns_as_told(
    tmp_path: Path, columns: str, line: Callable[[Row], tuple[str, ...]]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(lines(EXAMPLE, line))
    trials = read_trials(path, columns=columns)
    assert_reads(trials, EXAMPLE, ("enrol", "test"))
    assert "columns as given" in trials.notes[0].text


def test_names_and_tuples_in_place_of_strings(tmp_path: Path) -> None:
    scores, key = tmp_path / "s.csv", tmp_path / "k.txt"
    named = lines(EXAMPLE, lambda r: (r.enrol, r.score, r.test, "7"), joint=",")
    scores.write_text("a,b=c,test,llr\n" + named)
    key.write_text(lines(EXAMPLE, lambda r: (r.word("N", "Y"), r.test, r.enrol)))
    trials = read_trials(
        scores,
        key,
        columns={"enrol": "a", "score": "b=c"},
        key_columns=("label", "test", "enrol"),
        labels=["Y", "N"],
    )
    assert_reads(trials, EXAMPLE, ("enrol", "test"))


def test_every_convention_has_a_name_that_types_know() -> None:
    assert {*NAMES} == set(get_args(ConventionName))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("enrol,test,score", "has 4 columns, but 3 were named"),
        ("enrol,test,label,score", "column 3 was named as the label, but looks like number"),
        ("score,test,-,label", "column 1 was named as the score, but looks like text"),
        ("enrol,test,-,label", "no column was named as the score"),
        ("enrol,test,score,-", "no column was named as the label"),
    ],
)
def test_columns_that_are_not_as_told(tmp_path: Path, columns: str, message: str) -> None:
    (path,) = wespeaker(EXAMPLE).save(tmp_path)
    with pytest.raises(TrialFileError, match=message):
        read_trials(path, columns=columns)


def test_a_convention_as_told(tmp_path: Path) -> None:
    (path,) = bob4(EXAMPLE).save(tmp_path)
    assert_reads(read_trials(path, convention="bob4"), EXAMPLE, ("enrol", "test"))
    with pytest.raises(TrialFileError, match="this is not the format bob5"):
        read_trials(path, convention="bob5")


def test_bob_with_the_targets_last(tmp_path: Path) -> None:
    """Thousands of lines in which nobody is who they claim to be: told, they are read."""
    rows = [f"a x{i} p{i} 0.5\n" for i in range(1500)]
    path = tmp_path / "bob.txt"
    path.write_text("".join(rows) + "a a q 1.5\n")
    with pytest.raises(TrialFileError, match="name them: columns="):
        read_trials(path)
    trials = read_trials(path, convention="bob4")
    assert (len(trials.tar), len(trials.non)) == (1, 1500)


class Pipe:
    """A named pipe that gives its content once, and then has no writer any more."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=(content,), daemon=True).start()


@pytest.mark.parametrize("packed", PACKED.values(), ids=PACKED)
def test_named_pipes(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    """A second look at a pipe would wait for ever."""
    labelled = Pipe(tmp_path / "labelled", packed(wespeaker(EXAMPLE).scores.encode()))
    assert_reads(read_trials(labelled.path), EXAMPLE, ("enrol", "test"))
    written = kaldi(EXAMPLE)
    scores = Pipe(tmp_path / "scores", packed(written.scores.encode()))
    key = Pipe(tmp_path / "key", packed(str(written.key).encode()))
    assert_reads(read_trials(scores.path, key.path), EXAMPLE, ("enrol", "test"))
    tar = Pipe(tmp_path / "tar", packed(b"1.5\n2.5\n"))
    non = Pipe(tmp_path / "non", packed(b"-1.5\n"))
    assert read_trials(tar.path, nontargets=non.path).scores.tolist() == [1.5, 2.5, -1.5]


def test_a_table_of_a_forensic_case(tmp_path: Path) -> None:
    path = tmp_path / "case.csv"
    path.write_text(
        "Known speaker,Questioned speaker,Known recording,Questioned recording,score,Truth\n"
        "ann,ann,a1,a2,2.5,same speaker\nann,bob,a1,b1,-1.5,Different speakers\n"
        "bob,bob,b1,b2,1.5,Same Speaker\n"
    )
    trials = read_trials(path)
    assert trials.labels.tolist() == [True, False, True]
    assert trials.ids is not None
    assert trials.ids.columns == ["enrol", "test"]
    assert trials.has_speakers


def test_a_likely_score_is_suggested_and_a_name_may_have_a_comma(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{i},{i / 7 - 2},{i / 9},{'yes' if i > 9 else 'no'}\n" for i in range(20)]
    for names, advice in (
        ('Nr,"cosine, mean",snr', '"score=cosine, mean"'),
        (",snr,Score of it", "score=Score of it"),
        ("Nr,a,b", "score=NAME"),
    ):
        path.write_text(f"{names},label\n{''.join(rows)}")
        with pytest.raises(TrialFileError, match=r"3 columns could be the score") as caught:
            read_trials(path)
        [setting] = [one for one in caught.value.args if not isinstance(one, str)]
        assert setting.value == advice
        if "NAME" not in advice:
            assert shlex.split(setting.option) == ["--columns", advice]
            column = 1 if "cosine" in advice else 2
            found = read_trials(path, columns=advice).scores.tolist()
            assert found == [float(row.split(",")[column]) for row in rows]
