"""Text as it comes: any line end, blank or comment is read, any fault is found with its line."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llrcal import LlrcalError, TrialFileError, Trials, read_trials
from tests.trials.files import (
    EXAMPLE,
    Row,
    Rows,
    Written,
    assert_reads,
    kaldi,
    lines,
    named_csv,
    named_tsv,
    wespeaker,
)

DEEP = 3000  # lines, of more than 300 kB: beyond whatever is looked at to tell the layout
MANY: Rows = tuple(
    Row(f"speaker-{i % 97:05d}", f"recording-{i:080d}", f"{(i * 37 % 101) / 8 - 6}", i % 2)
    for i in range(DEEP)
)
JOINTS = {"blank": " ", "tab": "\t", "comma": ",", "semicolon": ";"}
each_joint = pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)


def labelled(rows: Rows, joint: str = " ") -> str:
    return lines(
        rows, lambda r: (r.enrol, r.test, r.score, r.word("nontarget", "target")), joint=joint
    )


def read(folder: Path, content: str | bytes, **options: Any) -> Trials:
    path = folder / "a.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_trials(path, **options)


HARMLESS: dict[str, Callable[[str], str]] = {
    "mark of the order of bytes": lambda text: "\ufeff" + text,
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "old Macintosh": lambda text: text.replace("\n", "\r"),
    "no last line end": lambda text: text.removesuffix("\n"),
    "blank lines everywhere": lambda text: "\n\n" + text.replace("\n", "\n\n") + "\n\n\n",
    "Windows with blank lines": lambda text: "\r\n" + text.replace("\n", "\r\n\r\n"),
    "lines of blanks": lambda text: "   \n" + text.replace("\n", "\n \t \n"),
    "lines of blanks without an end": lambda text: text + "   ",
    "comments": lambda text: "# first\n" + text.replace("\n", "\n# x 1 target\n"),
    "comments of Windows": lambda text: "#\r\n" + text.replace("\n", "\r\n#,,,\r\n"),
    "comments and blank lines": lambda text: "# first\n\n#second\n\n" + text + "\n# last",
    "mark and comment": lambda text: "\ufeff# first\n" + text,
    "mark and blank line": lambda text: "\ufeff\n" + text,
    "carriage return in a comment": lambda text: "# 10%\r# 100%\n" + text,
    "trailing blanks": lambda text: text.replace("\n", "  \n"),
    "leading blanks": lambda text: " " + text.replace("\n", "\n  ").removesuffix("  "),
    "trailing blanks of Windows": lambda text: text.replace("\n", " \r\n"),
}
SPACIOUS = {
    "runs of blanks": lambda text: text.replace(" ", "    "),
    "tabs within blanks": lambda text: text.replace(" ", " \t ", 5).replace(" \t ", "\t", 2),
    "columns under each other": lambda text: "".join(
        "".join(f"{field:>30}" for field in line.split()) + "\n" for line in text.splitlines()
    ),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
@each_joint
def test_what_does_no_harm(tmp_path: Path, joint: str, change: Callable[[str], str]) -> None:
    trials = read(tmp_path, change(labelled(EXAMPLE, joint)))
    assert_reads(trials, EXAMPLE, ("enrol", "test"))


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
@pytest.mark.parametrize("write", [named_csv, named_tsv], ids=["csv", "tsv"])
def test_what_does_no_harm_to_a_header(
    tmp_path: Path, write: Callable[[Rows], Written], change: Callable[[str], str]
) -> None:
    trials = read(tmp_path, change(write(EXAMPLE).scores))
    assert_reads(trials, EXAMPLE, ("enrol", "test"))


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_does_no_harm_to_single_numbers(tmp_path: Path, change: Callable[[str], str]) -> None:
    tar, non = tmp_path / "tar.txt", tmp_path / "non.txt"
    tar.write_bytes(change("1.5\n-2.5\n3\n").encode())
    non.write_bytes(change("0.5\n7e-1\n").encode())
    assert read_trials(tar, nontargets=non).scores.tolist() == [1.5, -2.5, 3, 0.5, 0.7]


@pytest.mark.parametrize("change", SPACIOUS.values(), ids=SPACIOUS)
@pytest.mark.parametrize("write", [kaldi, wespeaker], ids=["kaldi", "wespeaker"])
def test_blanks_of_any_number(
    tmp_path: Path, write: Callable[[Rows], Written], change: Callable[[str], str]
) -> None:
    written = write(EXAMPLE)
    changed = Written(change(written.scores), written.key and change(written.key))
    assert_reads(read_trials(*changed.save(tmp_path)), EXAMPLE, ("enrol", "test"))


@pytest.mark.parametrize("joint", [", ", " , ", "; ", " ;", "\t ", " \t"])
def test_blanks_beside_separators_belong_to_nobody(tmp_path: Path, joint: str) -> None:
    assert_reads(read(tmp_path, labelled(EXAMPLE, joint)), EXAMPLE, ("enrol", "test"))
    if joint != " , ":  # a sign between blanks could be a column as well
        text = named_csv.separated_by(joint, "named")(EXAMPLE).scores
        assert_reads(read(tmp_path, text), EXAMPLE, ("enrol", "test"))


def test_harmless_things_deep_in_a_file(tmp_path: Path) -> None:
    rows = labelled(MANY).splitlines(keepends=True)
    rows[2_900] = f"# nothing\n\n \t\n  {rows[2_900]}".replace(" ", "  ")
    trials = read(tmp_path, "".join(rows))
    assert_reads(trials, MANY, ("enrol", "test"))
    assert "1 lines that begin with # left out" in trials.notes[0].text


def test_blocks_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blanks beside commas are for the grammar, which reads block by block."""
    text = "#c\n" + named_csv.separated_by(", ", "padded")(MANY[:1500]).scores.replace(
        "\n", "\n#d\n", 7
    )
    text = text.replace("eng", "", 1)
    for size in (1000, 2**20):
        monkeypatch.setattr("llrcal.trials.source._BLOCK", size)
        monkeypatch.setattr("llrcal.trials.text.grammar._BLOCK", 2 * size)
        trials = read(tmp_path, text, keep=["language"])
        assert_reads(trials, MANY[:1500], ("enrol", "test"))
        assert trials.kept is not None
        assert trials.kept["language"].to_list() == [None, *["eng"] * 1499]
        assert "8 lines that begin with #" in trials.notes[0].text
        with pytest.raises(TrialFileError, match="line 1509: has 6 columns where 5 are expected"):
            read(tmp_path, text.removesuffix("\n") + ",x")
        rows = text.split("\n")
        rows[199] = rows[199].replace("eng", "e\rg")
        with pytest.raises(TrialFileError, match="line 200: has a carriage return in it"):
            read(tmp_path, "\n".join(rows))


def test_an_end_of_line_is_missed_and_comments_are_counted(tmp_path: Path) -> None:
    text = labelled(EXAMPLE)
    assert "no end" not in read(tmp_path, text).notes[0].text
    assert "#" not in read(tmp_path, text).notes[0].text
    cut = read(tmp_path, text[:-1])
    assert "the last line has no end: is the file complete?" in cut.notes[0].text
    noted = read(tmp_path, f"\ufeff#a\n{text}#b\n{'#c' * 50}\n x\n".replace(" x\n", ""))
    assert "3 lines that begin with # left out" in noted.notes[0].text
    in_ids = read(tmp_path, text.replace("id", "i#d"))
    assert "#" not in in_ids.notes[0].text


def test_ids_that_begin_with_the_sign_of_a_comment(tmp_path: Path) -> None:
    """They are counted as comments."""
    text = labelled(EXAMPLE).replace("id10300", "#id10300")
    trials = read(tmp_path, text)
    assert len(trials) == len(EXAMPLE) - 2
    assert "2 lines that begin with # left out" in trials.notes[0].text
    after_a_blank = read(tmp_path, " " + text.replace("\n", "\n "))
    assert len(after_a_blank) == len(EXAMPLE)  # which is no comment


@pytest.mark.parametrize(
    "name", ["NA", "null", "nan", "NaN", "-", "1e5", "inf", "None", "N/A", "''", '"', "a'b", '"x"',
             "0x1F", "1_000", "true", "../x", "\\", "%00", "é", "語", "\u00a0", "a\u2028b"]
)  # fmt: skip
def test_ids_are_never_anything_but_texts(tmp_path: Path, name: str) -> None:
    rows = (Row("a", name, "0.5", 1), *EXAMPLE, Row(f"{name}2", "b", "1.5", 0))
    for joint in " \t":
        assert_reads(read(tmp_path, labelled(rows, joint)), rows, ("enrol", "test"))
    if '"' not in name:
        assert_reads(read(tmp_path, labelled(rows, ",")), rows, ("enrol", "test"))


@pytest.mark.parametrize(
    ("enrol", "test"),
    [('"a,b"', "a,b"), ('"a ""b"" c"', 'a "b" c'), ('"a;b"', "a;b"), ('"#a"', "#a"), ('" a"', " a"),
     ("'a b'", "'a b'"), ('"a\tb"', "a\tb"), ('"é, 語"', "é, 語"), ('"""x"""', '"x"')],
)  # fmt: skip
def test_quoted_fields(tmp_path: Path, enrol: str, test: str) -> None:
    """The id as it is written, and as it is meant."""
    text = f'{enrol},t1,"1.5",target\nc,"t2",-1.5,"nontarget"\n'
    for content in (text, "enrol,test,score,label\n" + text):
        trials = read(tmp_path, content)
        assert trials.scores.tolist() == [1.5, -1.5]
        assert trials.ids is not None
        assert trials.ids.rows() == [(test, "t1"), ("c", "t2")]


FAULTS = {
    "a b 1.5": "has 3 columns where",
    "a b 1.5 target x": "has 5 columns where",
    "a b": "has 2 columns where",
    "a b nan target": r"the score is not a number \(NaN\); remove or repair it",
    "a b NaN target": "the score is not a number",
    "a b -nan target": "the score is not a number",
    "a b inf target": "the score 'inf' is infinite; only LLRs may be",
    "a b -Infinity target": "the score '-Infinity' is infinite",
    "a b 1e400 target": "the score '1e400' is too large",
    "a b 1_000 target": "the score '1_000' is not a number",
    "a b \uff15 target": "the score '\uff15' is not a number",
    "a b 0x1p3 target": "the score '0x1p3' is not a number",
    "a b 1.5e target": "the score '1.5e' is not a number",
    "a b 1.5f target": "the score '1.5f' is not a number",
    "a b high target": "the score 'high' is not a number",
    "a b target 1.5": "the score 'target' is not a number",
    "a b 1.5 tragte": "the label 'tragte' is neither target nor non-target; if it is",
    "a b 1.5 2": "the label '2' is neither",
    "a b 1.5 nan": "the label 'nan' is neither",
}


@each_joint
def test_faults_have_a_line(tmp_path: Path, joint: str) -> None:
    whole = ["# line 1", "", *labelled(MANY, joint).splitlines()]
    for number, (fault, message) in enumerate(FAULTS.items()):
        place = (500, 2_900)[number % 2]
        rows = [*whole[:place], fault.replace(" ", joint), *whole[place + 1 :]]
        with pytest.raises(TrialFileError, match=rf"a\.txt, line {place + 1}: {message}"):
            read(tmp_path, "\r\n".join(rows) + "\r\n")


NOTHING = {
    "|b|1.5|target": "has no enrol",
    "a||1.5|target": "has no test",
    "a|b||target": "has no score",
    "a|b|1.5|": "has no label",
    "|||": "has no enrol",
}
IN_QUOTES = {
    'a"x,b,1.5,target': "has a quotation mark without its partner",
    '"a,b,1.5,target': "has a quotation mark without its partner",
    'a,b,1.5,target"': "has a quotation mark without its partner",
    '"a\nx",b,1.5,target': "has a quotation mark without its partner",  # a trial is on one line
    '"",b,1.5,target': "has no enrol",
    'a,b,"",target': "has no score",
}


@pytest.mark.parametrize("joint", ["\t", ",", ";"])
def test_nothing_where_there_should_be_something(tmp_path: Path, joint: str) -> None:
    faults = {line.replace("|", joint): message for line, message in NOTHING.items()}
    faults.pop("\t\t\t", None)  # a line of tabs is blank
    rows = labelled(MANY, joint).splitlines()
    for line, message in (faults | (IN_QUOTES if joint == "," else {})).items():
        rows[2_900] = line
        with pytest.raises(TrialFileError, match=f"line 2901: {message}"):
            read(tmp_path, "\n".join(rows) + "\n")


@each_joint
def test_columns_are_counted_even_if_nobody_wants_them(tmp_path: Path, joint: str) -> None:
    """A line with a column too many has another value where the score should be."""
    body = lines(
        MANY, lambda r: ("q", r.enrol, r.test, r.score, r.word("0", "1"), "x"), joint=joint
    )
    whole = [joint.join(("snr", "enrol", "test", "score", "label", "lang")), *body.splitlines()]
    for place, changed in (
        (2_900, "q a b 1.5"),
        (500, "q a b 1.5 target x y"),
        (2_900, "q a b target x"),
        (2_800, "q 1 7 b 1.5 target x"),
        *([(2_900, "q a  1.5 1 x")] if joint == " " else []),
    ):
        rows = [*whole]
        rows[place] = changed.replace(" ", joint)
        with pytest.raises(TrialFileError, match=rf"line {place + 1}: has \d columns where"):
            read(tmp_path, "\n".join(rows) + "\n")


def test_a_nul_byte_in_a_column_that_nobody_wants(tmp_path: Path) -> None:
    rows = named_csv(MANY).scores.splitlines()
    rows[2_900] = rows[2_900].replace("eng", "e\0g")
    with pytest.raises(TrialFileError, match="line 2901: has a NUL byte"):
        read(tmp_path, "\n".join(rows))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n\n \n", "holds no trials"),
        (b"# a\n#b", "holds no trials"),
        (b"# a\nenrol,test,score,label\n\n#b\n", "holds no trials, only a header"),
        (b"a b 1.5 target", "no .*non-target scores"),
        (bytes(range(1, 32)) * 50, "columns"),
        (b"BZh91AY&SY" + bytes(range(256)) * 9, "NUL byte|not UTF-8"),
    ],
)
def test_nothing_to_read(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(LlrcalError, match=message):
        read(tmp_path, content)


def test_line_ends_that_change_deep_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the beginning would pass for a single line, and a header skips a line."""
    text = named_csv(MANY).scores
    place = text.index("\n", len(text) * 9 // 10)
    mixed = text[:place].replace("\n", "\r") + text[place:]
    with pytest.raises(TrialFileError, match=r"line 1: has \d+ columns where most have 5"):
        read(tmp_path, mixed)
    monkeypatch.setattr("llrcal.trials.source._HEAD", 2**10)
    monkeypatch.setattr("llrcal.trials.source.LONGEST_LINE", len(text) // 8)
    with pytest.raises(TrialFileError, match="some lines end in a carriage return, others do not"):
        read(tmp_path, mixed)


def test_a_carriage_return_within_a_line(tmp_path: Path) -> None:
    rows = labelled(MANY).splitlines()
    rows[2_900] = "a b 1.5 target\rc d 1.5 target"
    with pytest.raises(TrialFileError, match="line 2901: has 7 columns where 4"):
        read(tmp_path, "\n".join(rows))


ODD_NUMBERS = "1e-320 5e-324 1e-400 -0 +.5 5. 1.e3 00012 1E5 9007199254740993"


def test_numbers_are_read_to_the_last_bit(tmp_path: Path) -> None:
    rng = random.Random(1)
    texts = [repr(rng.uniform(-50, 50)) for _ in range(300)]
    texts += [f"{rng.uniform(-9, 9):.{digits}e}" for digits in range(25) for _ in range(20)]
    texts += ODD_NUMBERS.split()
    texts += ["123456789" * 5, "2.2250738585072011e-308", f"1{'0' * 300}", f"0.{'0' * 300}1"]
    rows = tuple(Row("a", f"b{i}", text, i % 2) for i, text in enumerate(texts))
    for joint in " ,":
        trials = read(tmp_path, labelled(rows, joint))
        expected = np.array([float(text) for text in texts])
        assert trials.scores.tobytes() == expected.tobytes()
