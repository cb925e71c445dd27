"""Who is who: speakers found in columns, ids and lists, and what only looks like speakers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.errors import OptionError, TrialFileError
from llrcal.trials.conventions import person_in
from llrcal.trials.request import ReadOptions
from llrcal.trials.speakers import InIds
from llrcal.trials.systems import read_systems
from tests.conftest import real_scores

PEOPLE = [f"id{10_270 + i}" for i in range(6)]
RECORDINGS = [
    (who, f"{who}/{video}/{i:05}.wav") for who in PEOPLE for video in "xy" for i in (1, 2)
]


def trials(
    name: Callable[[str, str], str] = lambda _who, one: one,
    model: Callable[[str, str], str] | None = None,
) -> pl.DataFrame:
    """Every pair of recordings as a trial, in random order, with names made from who and what."""
    pairs = [(a, b) for a in RECORDINGS for b in RECORDINGS if a < b]
    rows = random.Random(3)
    rows.shuffle(pairs)
    return pl.DataFrame(
        {
            "enrol": [(model or name)(*a) for a, _ in pairs],
            "test": [name(*b) for _, b in pairs],
            "score": [float(i) for i in range(len(pairs))],
            "label": ["target" if a[0] == b[0] else "nontarget" for a, b in pairs],
            "who_a": [a[0] for a, _ in pairs],
            "who_b": [b[0] for _, b in pairs],
        }
    ).unique(["enrol", "test"], maintain_order=True)


def assert_known(found: llrcal.Trials, frame: pl.DataFrame) -> None:
    """The speakers are those of the frame, by name."""
    assert found.speakers is not None
    assert found.speaker_names is not None
    names = np.empty((len(found), 2), object)
    for side, chosen in zip(found.speakers, (found.labels, ~found.labels), strict=True):
        names[chosen] = found.speaker_names[side]
    assert names.tolist() == [list(row) for row in frame.select("who_a", "who_b").rows()]


def said(found: llrcal.Trials) -> list[str]:
    return [str(note) for note in found.notes if note.code == "speakers"]


# ------------------------------------------------------------------------------------- in ids


def test_ids_of_voxceleb(tmp_path: Path) -> None:
    frame = trials()
    found = llrcal.read_trials(frame)
    assert_known(found, frame)
    (note,) = said(found)
    assert note.startswith("the frame: 6 speakers in their ids ('id")
    assert re.search(r"speakers</t\w>\s*<td[^>]*>6<", found._repr_html_())
    path = tmp_path / "scores.txt"
    order = ["enrol", "test", "score", "label"]
    frame.select(order).write_csv(path, separator=" ", include_header=False)
    assert_known(llrcal.read_trials(path), frame)
    assert not llrcal.read_trials(path, speakers_from="none").has_speakers
    # Labels in a key are labels, too.
    scores, key = (frame.select("enrol", "test", one) for one in ("score", "label"))
    assert_known(llrcal.read_trials(scores, key.reverse()), frame)
    systems = read_systems({"a": (frame, "score"), "b": (frame, "score")}, options=ReadOptions())
    assert systems.speaker_names is not None
    assert systems.speaker_names.tolist() == PEOPLE


@pytest.mark.parametrize(
    "name",
    [
        lambda _who, one: f"data/vox1/wav/{one}",
        lambda who, one: f"corpus/{who}/{one.replace('/', '_')}",
    ],
    ids=["three folders before", "one folder before"],
)
def test_folders_that_all_share_are_passed_over(name: Callable[[str, str], str]) -> None:
    frame = trials(name)
    assert_known(llrcal.read_trials(frame), frame)


def test_models_may_be_called_like_their_speakers() -> None:
    frame = trials(model=lambda who, _one: who)
    assert_known(llrcal.read_trials(frame), frame)


def test_real_ids_of_voxceleb() -> None:
    path = real_scores("voxceleb1_three_systems", "speaker.txt.gz")
    found = llrcal.read_trials(path, columns="score=plda")
    assert found.speaker_names is not None
    assert len(found.speaker_names) == 40
    assert "Eartha_Kitt" in found.speaker_names


def _numbered(_who: str, one: str) -> str:
    return f"{RECORDINGS.index((_who, one))}/1.wav"


LOOK_ALIKES = {
    "a session": lambda _who, one: f"session{one[-5]}/{one.replace('/', '-')}",
    "one folder for all": lambda _who, one: f"wav/{one.replace('/', '-')}",
    "a folder for each": _numbered,
    "a data set": lambda who, one: f"set{int(who[-1]) % 3}/{one.replace('/', '-')}",
    "no folder": lambda _who, one: one.replace("/", "-"),
    "some have a folder": lambda who, one: one.replace("/", "-") if who == PEOPLE[0] else one,
}


@pytest.mark.parametrize("kind", LOOK_ALIKES)
def test_what_looks_like_speakers_is_not_taken(kind: str) -> None:
    found = llrcal.read_trials(trials(LOOK_ALIKES[kind]))
    assert not found.has_speakers
    assert said(found) == []


@pytest.mark.parametrize("row", [0, 100], ids=["the first", "another"])
def test_one_label_that_contradicts_is_enough(row: int) -> None:
    frame = trials()
    labels = frame["label"].to_list()
    labels[row] = "nontarget" if labels[row] == "target" else "target"
    frame = frame.with_columns(label=pl.Series(labels))
    assert not llrcal.read_trials(frame).has_speakers
    insisting = llrcal.read_trials(frame, speakers_from="{speaker}/{rest}")
    assert_known(insisting, frame)
    assert "speakers contradict the labels: 1 of " in said(insisting)[1]


def test_spoofs_say_nothing() -> None:
    frame = trials()
    spoofed = pl.Series(
        [("spoof" if i % 5 == 0 else word) for i, word in enumerate(frame["label"])]
    )
    frame = frame.with_columns(label=spoofed)
    assert_known(llrcal.read_trials(frame, spoof="nontarget"), frame)


def test_without_nontargets_nothing_is_guessed() -> None:
    """Folders of languages, say, agree with targets and spoofs as well."""
    frame = trials().with_columns(pl.col("label").replace("nontarget", "spoof"))
    assert not llrcal.read_trials(frame, spoof="only").has_speakers


# ------------------------------------------------------------------------------- by a pattern


PATTERNS = {
    "{speaker}_{rest}": lambda who, one: f"{who}_{one.replace('/', '_')}",
    "{corpus}-{speaker}.{}": lambda who, one: f"vox-{who}.{one.replace('/', '.')}",
    "{rest}+({speaker})": lambda who, one: f"{one}+({who})",
    r"^(?P<speaker>id\d+)-": lambda who, one: f"{who}-{one}",
    r"(a|b)_(?<speaker>id\d+)": lambda who, one: f"x/{one.replace('/', '.')}/b_{who}",
    "{speaker} {rest}": lambda who, one: f"{who} {one}\n\x07",
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns(pattern: str) -> None:
    frame = trials(PATTERNS[pattern])
    found = llrcal.read_trials(frame, speakers_from=pattern)
    assert_known(found, frame)
    assert f"6 speakers by {pattern!r}" in said(found)[0]


def test_a_pattern_by_hand() -> None:
    """Each field takes as little as it can, as in a regular expression of Python."""
    rng = random.Random(0)
    for pattern, same in {
        "{speaker}_{rest}": r"(?s)(.+?)_(.*?)",
        "{a}_{speaker}": r"(?s)(?:.*?)_(.+?)",
        "{a}/{speaker}/{b}.wav": r"(?s)(?:.*?)/(.+?)/(?:.*?)\.wav",
    }.items():
        ids = [
            "".join(rng.choices("ab_/.wv\n", k=rng.randrange(12))) + end
            for end in ("", ".wav")
            for _ in range(300)
        ]
        rule = InIds.by_pattern(pattern)
        matches = [re.fullmatch(same, one) for one in ids]
        expected = [one and one[1] for one in matches]
        assert rule.speakers(pl.Series(ids, dtype=pl.String)).to_list() == expected


def test_the_pattern_of_no_use() -> None:
    frame = trials()
    with pytest.raises(TrialFileError, match=r"the frame: 23 of 23 .* by '{speaker}_x', such as"):
        llrcal.read_trials(frame, speakers_from="{speaker}_x")
    with pytest.raises(TrialFileError, match="there are no enrol ids"):
        llrcal.read_trials(frame.drop("enrol", "test"), speakers_from="{speaker}/{rest}")


# ---------------------------------------------------------------------------------- in a list


@pytest.mark.parametrize("separator", [" ", "\t", ",", "  \t "], ids=repr)
def test_a_list_of_recordings(tmp_path: Path, separator: str) -> None:
    frame = trials(lambda who, one: f"{PEOPLE.index(who)}{one[2:]}".replace("/", ""))
    path = tmp_path / "utt2spk"
    lines = {f"{PEOPLE.index(who)}{one[2:]}".replace("/", ""): who for who, one in RECORDINGS}
    path.write_text("".join(f"{one}{separator}{who}\r\n" for one, who in lines.items()) + "\n")
    found = llrcal.read_trials(frame, speakers_from=path)
    assert_known(found, frame)
    assert f"6 speakers by {path}" in said(found)[0]
    # A file that changes is read again.
    path.write_text(path.read_text().replace(PEOPLE[0], "somebody"))
    again = llrcal.read_trials(frame, speakers_from=str(path))
    assert again.speaker_names is not None
    assert "somebody" in again.speaker_names


def test_models_that_a_list_names_as_speakers(tmp_path: Path) -> None:
    frame = trials(model=lambda who, _one: who)
    path = tmp_path / "utt2spk"
    path.write_text("".join(f"{one} {who}\n" for who, one in RECORDINGS))
    assert_known(llrcal.read_trials(frame, speakers_from=path), frame)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "23 of 23 enrol ids have no speaker by .*utt2spk, such as 'id102"),
        ("a\n", "line 1 has 1 columns; a list of speakers has the id"),
        ("\na s\na b c\n", "line 3 has 3 columns"),
        ("a s\na t\nb u\nb u\n", "has two speakers for 'a', on lines 1 and 2$"),
        (b"a \xff\n", "is not text"),
    ],
    ids=["empty", "one column", "three columns", "two speakers", "not text"],
)
def test_lists_that_are_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = tmp_path / "utt2spk"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(TrialFileError, match=message):
        llrcal.read_trials(trials(), speakers_from=path)


# --------------------------------------------------------------------------------- in columns


NAMES = [
    ("speaker_A", "speaker_B"), ("subject1", "subject2"), ("Person 1", "Person 2"),
    ("source_a", "source_b"), ("enrol_speaker", "test_speaker"), ("spk1", "spk2"),
    ("reference_subject_id", "probe_subject_id"), ("talker_x", "talker_y"),
]  # fmt: skip


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
def test_columns_with_the_usual_names(names: tuple[str, str], tmp_path: Path) -> None:
    frame = trials(lambda _who, one: one.replace("/", "-"))
    known = frame.with_columns(frame["who_a"].rename(names[0]), frame["who_b"].rename(names[1]))
    found = llrcal.read_trials(known.drop("who_a", "who_b"))
    assert_known(found, frame)
    assert f"enrol_speaker={names[0]},test_speaker={names[1]}" in str(found.notes[0])
    path = tmp_path / "scores.csv"
    known.drop("who_a", "who_b").write_csv(path)
    assert_known(llrcal.read_trials(path), frame)
    assert not llrcal.read_trials(path, speakers_from="none").has_speakers
    by_name = f"enrol_speaker={names[0]},test_speaker={names[1]}"
    assert_known(llrcal.read_trials(path, columns=by_name), frame)


def test_labels_follow_from_speakers_but_not_from_sources() -> None:
    frame = trials()
    called = {"who_a": "subject1", "who_b": "subject2"}
    found = llrcal.read_trials(frame.drop("label").rename(called))
    assert found.labels.tolist() == (frame["label"] == "target").to_list()
    called = {"who_a": "source1", "who_b": "source2"}
    with pytest.raises(TrialFileError, match="looks like the label"):
        llrcal.read_trials(frame.drop("label").rename(called))


def test_labels_may_be_those_of_another_column() -> None:
    frame = trials()
    called = {"who_a": "subject1", "who_b": "subject2", "label": "verdict"}
    words = frame.rename(called)
    with pytest.raises(TrialFileError, match=r"those of verdict, or follow from the sp.*subject2"):
        llrcal.read_trials(words)
    by_label: tuple[dict[str, str], ...] = (
        {"label": "verdict"},
        {"enrol_speaker": "subject1", "test_speaker": "subject2"},
    )
    for columns in by_label:
        found = llrcal.read_trials(words, columns=columns)
        assert found.labels.tolist() == (frame["label"] == "target").to_list()
    assert llrcal.read_trials(words.rename({"verdict": "decision"})).has_speakers


def test_columns_that_contradict_the_labels() -> None:
    """Of data sets, for example; then ids may still name the speakers."""
    frame = trials()
    sets = frame.with_columns(source_1=pl.lit("vox1"), source_2=pl.lit("vox1"))
    found = llrcal.read_trials(sets)
    assert_known(found, frame)
    assert said(found)[0].startswith("the frame: 240 of 240 non-targets have one speaker, so the")
    plain = sets.with_columns(pl.col("enrol", "test").str.replace_all("/", "-"))
    assert not llrcal.read_trials(plain).has_speakers
    columns = {"enrol_speaker": "source_1", "test_speaker": "source_2"}
    insisting = llrcal.read_trials(plain, columns=columns)
    assert insisting.has_speakers
    assert "speakers contradict the labels: 240 of 240" in said(insisting)[0]


def test_two_pairs_of_columns() -> None:
    """The most telling word decides."""
    frame = trials()
    more = frame.with_columns(
        source_1=pl.lit("a"), source_2=pl.lit("b"), spk_1="who_a", spk_2="who_b"
    )
    found = llrcal.read_trials(more)
    assert_known(found, frame)
    assert "enrol_speaker=spk_1,test_speaker=spk_2" in str(found.notes[0])


@pytest.mark.parametrize(
    "name", ["speaker", "source", "person", "speaker1_file", "resource1", "subject12", "y", "id_1"]
)
def test_names_that_say_nothing(name: str) -> None:
    assert person_in(name) is None


def test_missing_speakers_are_told_with_a_way_out() -> None:
    frame = trials().with_columns(subject1=pl.lit(None, pl.String), subject2="who_b")
    with pytest.raises(TrialFileError, match=r"subject1.* 276 missing.*speakers_from='none'"):
        llrcal.read_trials(frame)
    assert not llrcal.read_trials(frame, speakers_from="none").has_speakers


# ---------------------------------------------------------------------------------- the option


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("{who}_{rest}", "no such file; give a list of recordings"),
        ("utt2spk", "no such file"),
        (3, "is 3, and there is no such file"),
        ("x" * 10_000, "no such file"),
        ("a\0b", "no such file"),
        ("{speaker}{speaker}", "must have {speaker} once"),
        ("(?P<speaker>[", "unclosed character class"),
        ("(?=x)(?P<speaker>.)", "look-around"),
        ("(?P<speaker>(?:a{1000}){1000}){100}", "size limit"),
        (r"\(?P<speaker>", r"has no group \(\?P<speaker>"),
    ],
    ids=lambda value: str(value)[:20].replace("\0", "0"),
)
def test_what_cannot_be_asked_for(given: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ReadOptions(speakers_from=given)


def test_columns_and_a_rule_exclude_each_other() -> None:
    named = {"enrol_speaker": "a", "test_speaker": "b"}
    with pytest.raises(OptionError, match="give either columns or speakers_from"):
        ReadOptions(columns=named, speakers_from="{speaker}_{rest}")


def test_expressions_take_linear_time() -> None:
    """One that takes Python's own engine years."""
    rule = InIds.by_expression("(?P<speaker>(a+)+)$")
    assert rule.speakers(pl.Series(["a" * 50_000 + "b"])).to_list() == [None]
