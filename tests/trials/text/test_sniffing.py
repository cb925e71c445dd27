"""What a file is: one reading or a refusal, and never the wrong trials."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import LlrcalError, TrialFileError, read_trials
from tests.trials.files import (
    BY_RECORDING,
    CONVENTIONS,
    Row,
    Rows,
    Written,
    assert_reads,
    by_recording,
    kaldi,
    lines,
    recordings,
    sitw,
    speechbrain,
    two_columns_of_numbers,
    voxceleb,
)

pytestmark = pytest.mark.slow

Write = Callable[[Rows], Written]

LETTERS = "abcxyzABCXYZ"
ORDINARY: dict[str, Callable[[int], str]] = {
    "numbers": lambda i: str(10_000 + 7919 * i % 90_000),
    "small numbers": lambda i: str(2 + i),
    "speakers": lambda i: f"id{10_001 + i}",
    "digests": lambda i: f"{(i + 1) * 0x9E3779B97F4A7C15 % 2**64:016x}",
    "paths": lambda i: f"id{i % 7}/{i * 48271 % 65537:x}/{i:05d}.wav",
    "letter and digits": lambda i: f"{'FM'[i % 2]}{i:02d}",
    "sessions": lambda i: f"{i // 9 + 1}.{i % 9 + 1}",
    "dates": lambda i: f"2021-03-{i % 28 + 1:02d}_{i}",
    "language": lambda i: f"Jürgen{i}",
}
"""Names that people give to models and recordings."""
NAMES = {name: st.integers(0, 99).map(of) for name, of in ORDINARY.items()} | {
    "padded numbers": st.integers(0, 999).map("{:06d}".format),
    "hexadecimal": st.integers(0, 16**4).map("{:x}".format),
    "one letter": st.sampled_from(LETTERS),
    "dashes": st.builds("{}-{}".format, st.integers(1, 9), st.sampled_from(LETTERS)),
    "signed": st.integers(-50, 50).map("{:+d}".format),
    "odd words": st.sampled_from(
        ["NA", "null", "nan", "-", "--", "1e5", "inf", "None", "n/a", "1_000", "0x1f", "a'b", "x#1",
         "test", "model", "score", "target", "true", "no", "1", "0", "-1", "a", "b", "spoof",
         "bonafide", "A07", "utt", "label", "+1", "Hp", "5.", ".5", "y", "side", "LLR", "\u00a0x"]
    ),
}  # fmt: skip
SCORES = {
    "real": st.floats(-30, 30, allow_subnormal=False).map(repr),
    "rounded": st.integers(-99_999, 99_999).map(lambda n: f"{n / 1e5:.5f}"),
    "whole": st.integers(-40, 900).map(str),
    "counts": st.integers(0, 12).map(str),
    "binary": st.integers(0, 1).map(str),
    "signs": st.sampled_from(["1", "-1"]),
    "exponents": st.builds("{}{:.3e}".format, st.sampled_from(["", "-"]), st.floats(1e-9, 1e9)),
    "labels with a point": st.sampled_from(["0.0", "1.0"]),
}


@st.composite
def trial_lists(draw: st.DrawFn) -> Rows:
    """Trials of both classes, with names and scores that each follow a habit."""
    enrol, test = (
        draw(st.sampled_from([*NAMES.values(), st.one_of(*NAMES.values())])) for _ in "et"
    )
    scores = draw(st.sampled_from([*SCORES.values(), st.one_of(*SCORES.values())]))
    pairs = draw(st.lists(st.tuples(enrol, test), min_size=2, max_size=12, unique=True))
    kinds = [1, 0, *draw(st.lists(st.integers(0, 1), min_size=len(pairs), max_size=len(pairs)))]
    return tuple(Row(*pair, draw(scores), kind) for pair, kind in zip(pairs, kinds, strict=False))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sniffing")


EVERY_WRITER = (
    *CONVENTIONS,
    *BY_RECORDING,
    recordings,
    two_columns_of_numbers,
)
AMBIGUOUS = (kaldi, sitw, speechbrain, voxceleb)
"""Three or four columns in which whole numbers may be names, scores or labels."""


@pytest.mark.parametrize("write", EVERY_WRITER, ids=lambda write: write.name)
def test_never_other_trials(folder: Path, write: Write) -> None:
    """One reading or a refusal, whatever the names; and not a refusal of nearly everything."""
    found: list[bool] = []

    @given(rows=trial_lists())
    def check(rows: Rows) -> None:
        if write is recordings:
            rows = by_recording(rows)
        if write in BY_RECORDING:  # a recording is bona fide or not
            rows = tuple({row.test: row for row in rows}.values())
        written = write(rows)
        try:
            trials = read_trials(*written.save(folder), spoof="nontarget")
        except LlrcalError:
            found.append(False)
        else:
            found.append(True)
            assert_reads(trials, rows, written.ids)

    check()
    assert sum(found) >= (0.2 if write in AMBIGUOUS else 0.7) * len(found)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, Rows]:
    """A CSV or TSV with a header, columns in any order, quoted where that is needed."""
    names = st.text("ab ,;\"'#é\t-", min_size=1, max_size=6)
    names = names.filter(lambda name: name == name.strip() and not name.startswith("#"))
    pairs = draw(st.lists(st.tuples(names, names), min_size=2, max_size=8, unique=True))
    scores = draw(st.sampled_from([SCORES["real"], SCORES["whole"], SCORES["exponents"]]))
    rows = tuple(
        Row(*pair, draw(scores), kind)
        for pair, kind in zip(pairs, [1, 0, 1, 1, 0, 0, 1, 0], strict=False)
    )
    words = draw(st.sampled_from([("0", "1"), ("False", "True"), ("nontarget", "target")]))
    columns = {
        draw(st.sampled_from(["enrol", "modelid", "Model", "enroll_id"])): [r.enrol for r in rows],
        draw(st.sampled_from(["test", "segmentid", "Probe", "test-id"])): [r.test for r in rows],
        draw(st.sampled_from(["score", "LLR", "Similarity"])): [r.score for r in rows],
        draw(st.sampled_from(["label", "target", "targettype"])): [r.word(*words) for r in rows],
        "language": ["eng"] * len(rows),
        "decision": [draw(st.sampled_from(["0", "1"])) for _ in rows],
    }
    order = draw(st.permutations(list(columns)))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=draw(st.sampled_from(",;")), lineterminator="\n")
    writer.writerow(order)
    writer.writerows(zip(*(columns[name] for name in order), strict=True))
    return out.getvalue(), rows


@given(table=tables())
def test_tables_with_names_are_read_whatever_is_in_the_ids(
    folder: Path, table: tuple[str, Rows]
) -> None:
    text, rows = table
    path = folder / "table.csv"
    path.write_text(text)
    assert_reads(read_trials(path), rows, ("enrol", "test"))


BOTH_WAYS = r"can be read in 2 ways: {}.*; or {}.*Choose one: columns='"


@pytest.mark.parametrize(
    ("text", "key", "first", "second"),
    [
        ("a b 1 0\nc d 0 1\n", None, "wespeaker", "SpeechBrain"),
        ("a b 1 1\nc d 0 0\n", None, "wespeaker", "SpeechBrain"),
        ("a b 1.0 0\nc d 0.0 1\n", None, "wespeaker", "SpeechBrain"),
        ("a b -1 1\nc d 1 -1\n", None, "wespeaker", "SpeechBrain"),
        ("1 0\n0 1\n", None, "scores and labels", "labels and scores"),
        ("1 2 57\n3 4 3\n", "1 2 target\n3 4 non\n", "Kaldi scores", "VoxCeleb scores"),
        ("17 ab 57\n18 cd 3\n", "17 ab target\n18 cd non\n", "Kaldi scores", "VoxCeleb scores"),
        ("1.1 2.1 3.5\n1.2 2.2 4.5\n", "1.1 2.1 tar\n1.2 2.2 non\n", "Kaldi", "VoxCeleb"),
        ("a a 0 1.5\na b 1 2.5\n", None, "SpeechBrain", "bob"),
        ("a a 7 1\na b 8 0\n", None, "wespeaker", "bob"),
        ("a x A01 target 1.5\nb y A02 non 2.5\n".replace(" x", "").replace(" y", ""), None,
         "SpeechBrain", "ASVspoof 2019"),
    ],
)  # fmt: skip
def test_two_readings_are_both_named(
    tmp_path: Path, text: str, key: str | None, first: str, second: str
) -> None:
    paths = Written(text, key).save(tmp_path)
    with pytest.raises(TrialFileError, match=BOTH_WAYS.format(first, second)):
        read_trials(*paths)


def test_what_is_told_settles_it(tmp_path: Path) -> None:
    (path,) = Written("a b 1 0\nc d 0 1\n").save(tmp_path)
    for told in ({"columns": "enrol,test,score,label"}, {"convention": "wespeaker"}):
        assert read_trials(path, **told).labels.tolist() == [False, True]  # type: ignore[arg-type]
    for told in ({"columns": "enrol,test,label,score"}, {"convention": "speechbrain"}):
        assert read_trials(path, **told).labels.tolist() == [True, False]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("roles", "lines"),
    [
        ("- - s l", "a b 57 1|c d 3 0"),
        ("- - l s", "a b 1 57|c d 0 3"),
        ("- - l s", "a b 1 1.5|c d 0 0.5"),
        ("- - s l", "a b 0.5 1|c d 0.25 0"),
        ("- - s l", "1.1 2.1 57 target|1.2 2.2 3 nontarget"),
        ("- - s l", "0 1 0.5 target|1 0 0.25 nontarget"),
        ("- - s l", "F01 M02 0.5 1|F02 M01 0.25 0"),
        ("- - l s", "F01 M02 1 0.5|F02 M01 0 0.25"),
        ("l s", "1 0.5|0 0.25"),
        ("s l", "5 1|3 0"),
        ("l s", "1 5|0 3"),
    ],
)
def test_numbers_that_can_be_told_apart(tmp_path: Path, roles: str, lines: str) -> None:
    rows = [dict(zip(roles.split(), line.split(), strict=True)) for line in lines.split("|")]
    trials = read_trials(*Written(lines.replace("|", "\n")).save(tmp_path))
    assert trials.scores.tolist() == [float(row["s"]) for row in rows]
    assert trials.labels.tolist() == [True, False]


def test_somebody_compared_with_himself(tmp_path: Path) -> None:
    """As in bob's files, a name is there twice; but two recordings would make all of the trials."""
    rows = [Row(f"m{i % 5}", f"m{i // 5}", f"{i}.5", int(i % 5 == i // 5)) for i in range(40)]
    text = lines(rows, lambda r: (r.enrol, r.test, r.word("0", "1"), r.score))
    assert_reads(read_trials(*Written(text).save(tmp_path)), rows, ("enrol", "test"))


def test_a_key_of_numbers_is_a_key(tmp_path: Path) -> None:
    """Its second column could be a score; it is none, where a key is asked for."""
    paths = Written("17 23 0.5\n18 24 -0.5\n", "17 23 target\n18 24 nontarget\n").save(tmp_path)
    assert read_trials(*paths).labels.tolist() == [True, False]


@pytest.mark.parametrize("name", ["dec", "decision", "Decisions", "accept", "prediction"])
def test_decisions_are_no_labels(tmp_path: Path, name: str) -> None:
    text = f"enrol,test,score,{name}\na,b,1.5,True\nc,d,-1.5,False\n"
    (path,) = Written(text).save(tmp_path)
    with pytest.raises(
        TrialFileError, match="looks like the label; name it: columns='label=NAME', or give"
    ):
        read_trials(path)
    trials = read_trials(path, columns=f"label={name}")
    assert trials.labels.tolist() == [True, False]


def test_a_decision_beside_a_label(tmp_path: Path) -> None:
    text = "enrol,test,dec,score,truth\na,b,True,1.5,0\nc,d,False,-1.5,1\n"
    trials = read_trials(*Written(text).save(tmp_path))
    assert trials.labels.tolist() == [False, True]


@pytest.mark.parametrize(
    ("header", "line", "message"),
    [
        ("enrol,test,score,label,key", "a,b,1.5,target,target", "2 columns could be the label"),
        ("enrol,test,score,label", "a,b,high,target", "'score' should be the score, but does not"),
        ("enrol,test,score,label", "a,b,1.5,maybe", "'label' should be the label, but does not"),
        ("enrol,test,comment,label", "a,b,good,target", "looks like the score; name it"),
        (
            "enrol,test,score,language",
            "a,b,1.5,eng",
            "score, language looks like the label",
        ),
    ],
)
def test_names_that_do_not_settle_it(tmp_path: Path, header: str, line: str, message: str) -> None:
    (path,) = Written(f"{header}\n{line}\n{line}\n").save(tmp_path)
    with pytest.raises(TrialFileError, match=message):
        read_trials(path)


def test_names_that_nobody_knows(tmp_path: Path) -> None:
    text = "person,recording,plda,gt\nanna,r1,1.5,1\nbert,r2,-1.5,0\n"
    (path,) = Written(text).save(tmp_path)
    with pytest.raises(TrialFileError):
        read_trials(path)
    told = read_trials(path, columns="enrol=person,test=recording,score=plda,label=gt")
    assert told.scores.tolist() == [1.5, -1.5]
    assert told.ids is not None
    assert told.ids.rows() == [("anna", "r1"), ("bert", "r2")]
    by_place = read_trials(path, columns="enrol,test,score,label", header=True)
    assert by_place.ids is not None
    assert by_place.ids.equals(told.ids)
    many = Written(text + "carl,r3,2.5,1\n" * 50).save(tmp_path)
    with pytest.raises(TrialFileError, match="line 1: the score 'plda' is not a number"):
        read_trials(*many, columns="enrol,test,score,label", duplicates="all")


def test_a_name_that_is_not_there(tmp_path: Path) -> None:
    (path,) = Written("enrol,test,score,label\na,b,1.5,1\nc,d,2.5,0\n").save(tmp_path)
    with pytest.raises(TrialFileError, match="there is no column 'plda'; the columns are enrol"):
        read_trials(path, columns="score=plda")
    path.write_text("a,b,1.5,1\nc,d,2.5,0\n")  # names for a file that has none are not forgotten
    with pytest.raises(TrialFileError, match="there is no column 'plda'; the columns are a, b"):
        read_trials(path, columns="score=plda")
    path.write_text("enrol,test,score,score,label\na,b,1.5,2,1\nc,d,2.5,2,0\n")
    with pytest.raises(TrialFileError, match="there are 2 columns 'score'"):
        read_trials(path, columns="score=score")


def test_a_column_of_labels_called_target(tmp_path: Path) -> None:
    (path,) = Written("model test score target\na b 1.5 True\nc d -1.5 False\n").save(tmp_path)
    trials = read_trials(path)
    assert trials.scores.tolist() == [1.5, -1.5]
    assert trials.ids is not None
    assert trials.ids.rows() == [("a", "b"), ("c", "d")]
    scores, key = Written(
        "a b 1.5\nc d -1.5\n", "modelid segmentid target\na b target\nc d nontarget\n"
    ).save(tmp_path)
    assert len(read_trials(scores, key)) == 2
    key.write_text("file1 file2 target\na b target\nc d nontarget\n")
    with pytest.raises(
        TrialFileError, match=r"1 trials of .* have no score, such as \(file1 file2\)"
    ):
        read_trials(scores, key)
    assert len(read_trials(scores, key, header=None, missing="skip")) == 2


@pytest.mark.parametrize(
    "score",
    ["n/a", "NA", "null", "None", "-", "?", "x", "1,5", "1_000", "0x10", "1.5f", "1e", "+", "--1",
     "\uff11\uff0e\uff15", "\u0663"],
)  # fmt: skip
@pytest.mark.parametrize("joint", [" ", ",", "\t", ";"])
def test_a_first_score_that_is_none_does_not_make_a_header(
    tmp_path: Path, score: str, joint: str
) -> None:
    if joint == "," and "," in score:
        return
    rows = [Row("a", f"b{i}", f"{i}.5", i % 2) for i in range(1, 40)]
    text = lines(
        [Row("a", "b0", score, 1), *rows],
        lambda r: (r.enrol, r.test, r.score, r.word("nontarget", "target")),
        joint=joint,
    )
    (path,) = Written(text).save(tmp_path)
    with pytest.raises(TrialFileError, match=r"line 1: the score '.*' is not a number"):
        read_trials(path)


def test_a_header_as_told(tmp_path: Path) -> None:
    (path,) = Written("a b 1.5 target\nc d -1.5 nontarget\ne f 2.5 target\n").save(tmp_path)
    assert len(read_trials(path, header=False)) == 3
    assert len(read_trials(path, header=True, columns="enrol,test,score,label")) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;b;1,5;target\nc;d;2,25;nontarget\n", "column 3 has numbers with a decimal comma"),
        ("a\tb\t-1,5\ttarget\nc\td\t2,25\tnontarget\n", "column 3 has numbers with a decimal"),
        ("enrol;test;score;label\na;b;1,5;1\nc;d;2,5;0\n", "column 3 has numbers with a decimal"),
        ("1,5\n2,5\n", "column 1 has numbers with a decimal comma, or two columns"),
        ("a,b,1,5,target\nc,d,2,5,nontarget\n", "the columns look like text, text, number, num"),
        ("enrol,test,score,label\na,b,1,5,target\nc,d,2,5,non\n", "line 1: has 4 columns where"),
        ("a,b,1,5,target\nc,d,2,nontarget\ne,f,3,target\n", "line 1: has 5 columns where most"),
    ],
)
def test_decimal_commas(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TrialFileError, match=message):
        read_trials(*Written(text).save(tmp_path))


def test_whole_numbers_with_a_comma_between_them(tmp_path: Path) -> None:
    (path,) = Written("5,1\n3,0\n").save(tmp_path)
    trials = read_trials(path, separator="comma")
    assert (trials.scores.tolist(), trials.labels.tolist()) == ([5, 3], [True, False])
    path.write_text("score,label\n5,1\n3,0\n")
    assert read_trials(path).scores.tolist() == [5, 3]


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ("a b target\nc d non\n", "a b 1.5\nc d 2.5\n", "scores.txt.*no scores: this is a key"),
        ("a b 1.5\nc d 2.5\n", "a b 1.5\nc d 2.5\n", "key.txt.*no labels: this is not a key"),
        ("a b\nc d\n", None, "the columns look like text, text"),
        ("a\nb\n", None, "the columns look like text"),
        ("a b c d e f 1.5 target\nc d e f g h 2.5 non\n", None, "name them: columns='"),
    ],
)
def test_files_of_the_wrong_kind(tmp_path: Path, text: str, key: str | None, message: str) -> None:
    with pytest.raises(TrialFileError, match=message):
        read_trials(*Written(text, key).save(tmp_path))


def test_blanks_within_ids(tmp_path: Path) -> None:
    for joint in ",;\t":
        text = f"Anna B{joint}file 1{joint}1.5{joint}target\nC D{joint}f 2{joint}-1.5{joint}non\n"
        trials = read_trials(*Written(text).save(tmp_path))
        assert trials.ids is not None
        assert trials.ids.rows() == [("Anna B", "file 1"), ("C D", "f 2")]


def test_two_separators_that_both_part_the_line(tmp_path: Path) -> None:
    text = "x y\ta\ttarget\nz w\tb\tnontarget\n"  # x y and a, or x and y with side a
    paths = Written("x y\ta\t1.5\nz w\tb\t2.5\n", text).save(tmp_path)
    with pytest.raises(TrialFileError, match=r"separated by tab; or .*separated by space"):
        read_trials(*paths)
    trials = read_trials(*paths, separator="tab")
    assert trials.ids is not None
    assert trials.ids.rows() == [("x y", "a"), ("z w", "b")]


@given(rows=trial_lists())
def test_the_sniffer_reads_what_it_is_told(folder: Path, rows: Rows) -> None:
    """Where it must refuse to guess, a word is enough: whatever the names look like."""
    written = lines(rows, lambda r: (r.enrol, r.test, r.word("0", "1"), r.score))
    (path,) = Written(written).save(folder)
    assert_reads(read_trials(path, convention="speechbrain"), rows, ("enrol", "test"))


def test_ordinary_files_are_not_refused(folder: Path) -> None:
    """Every convention with the names that people use, and scores that are no whole numbers."""
    for write in (*CONVENTIONS, *BY_RECORDING):
        for place, enrol in enumerate(ORDINARY.values()):
            for test in (enrol, [*ORDINARY.values()][place - 1]):
                rows = tuple(
                    Row(
                        enrol(i % 9), test(i + 9), f"{(i * 37 % 101) / 16 - 3:.4f}", int(i % 3 == 0)
                    )
                    for i in range(40)
                )
                written = write(rows)
                trials = read_trials(*written.save(folder), spoof="nontarget")
                assert_reads(trials, rows, written.ids)
