"""Text files that are damaged, or mean something else than they seem to."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import llrcal
from llrcal.errors import TrialFileError
from llrcal.files.compression import zstd
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.files import LABELLED, holds, labelled, put

TAR, NON = [1.5, 3.5], [-2.5, 0.25]
MANY = "".join(
    f"m{i} t{i} {(-1) ** i * 1.25} {('target', 'nontarget')[i % 2]}\n" for i in range(3000)
)


def with_line(line: str) -> Any:
    """Three thousand good lines, of which the last but one is replaced."""
    lines = MANY.splitlines(keepends=True)
    return labelled("".join([*lines[:2998], line + "\n", lines[2999]]))


def with_score(score: str) -> Any:
    return with_line(f"m2998 t2998 {score} target")


def missing_values_for_names() -> Any:
    text = "NA null 1.5 target\nnan NaN -2.5 nontarget\nNone x 0.5 target\n"
    trials = llrcal.read_trials(put("scores.txt", text))
    assert trials.ids is not None
    return trials.ids["enrol"].to_list() + trials.ids["test"].to_list()


def check_names(names: list[str]) -> None:
    assert names == ["NA", "nan", "None", "null", "NaN", "x"]


def packed(content: bytes, name: str = "scores.txt.gz") -> Any:
    return lambda: llrcal.read_trials(put(name, content))


def folder_for_a_file() -> Any:
    Path("scores").mkdir()
    return llrcal.read_trials("scores")


def many_digits() -> Any:
    text = "a x 0.1000000000000000055511151231257827 target\nb y -1e-400 nontarget\n"
    return llrcal.read_trials(put("scores.txt", text)).scores


def check_many_digits(scores: Any) -> None:
    assert scores.tolist() == [0.1, 0.0]


def formula_ids() -> Any:
    trials = llrcal.read_trials(
        put("scores.csv", "enrol,test,score,label\n=1+1,x,1.5,target\n@a,y,-2.5,nontarget\n")
    )
    assert trials.ids is not None
    return trials.ids["enrol"].to_list()


def check_formula_ids(ids: list[str]) -> None:
    assert ids == ["=1+1", "@a"]


LINE = "line 2999"
CASES = (
    Case(
        "a byte-order mark",
        labelled(b"\xef\xbb\xbf" + LABELLED.encode()),
        Answered(holds(TAR, NON)),
        "Left out.",
    ),
    Case(
        "lines that end in CR and LF",
        labelled(LABELLED.replace("\n", "\r\n")),
        Answered(holds(TAR, NON)),
        "Read.",
    ),
    Case(
        "lines that end in CR alone",
        labelled(LABELLED.replace("\n", "\r")),
        Answered(holds(TAR, NON)),
        "Read.",
    ),
    Case(
        "UTF-16",
        labelled(LABELLED.encode("utf-16")),
        Refused(TrialFileError, "is UTF-16 text", "scores.txt", "save it as UTF-8"),
        "Refused, with the remedy.",
        "pandas: UnicodeDecodeError",
    ),
    Case(
        "comments and blank lines",
        labelled("# by me\n" + LABELLED.replace("m2 t1", "\n# again\n\nm2 t1")),
        Answered(holds(TAR, NON, "2 lines that begin with # left out")),
        "Left out; comments are counted in a note.",
        "pandas: ParserError",
    ),
    Case(
        "a file cut in the middle of a number",
        labelled("target 1.5\nnontarget -2.5\nnontarget -0."),
        Answered(holds([1.5], [-2.5, 0.0], "the last line has no end: is the file complete?")),
        "Read, with a note that the last line has no end.",
        "-0.0 in silence, everywhere",
    ),
    Case(
        "a file cut in the middle of a line",
        labelled(MANY[:-12]),
        Refused(TrialFileError, "3 columns where 4", "line 3000"),
        "Refused, and the line named.",
        "pandas: filled up with NaN",
    ),
    Case(
        "a line with a column too few",
        with_line("m2998 t2998 1.5"),
        Refused(TrialFileError, "has 3 columns where 4", LINE),
        "Refused, and the line named.",
        "pandas: filled up with NaN",
    ),
    Case(
        "a line with a column too many",
        with_line("m2998 t2998 1.5 target more"),
        Refused(TrialFileError, "has 5 columns where 4", LINE),
        "Refused, and the line named.",
    ),
    Case(
        "a decimal comma in one line",
        with_score("1,5"),
        Refused(TrialFileError, "the score '1,5' is not a number", LINE),
        "Refused, and the line named.",
        "pandas: a column of texts; genfromtxt: NaN",
    ),
    Case(
        "`inf` among scores",
        with_score("inf"),
        Refused(TrialFileError, "infinite", LINE, "only LLRs may be"),
        "Refused.",
    ),
    Case(
        "infinite LLRs",
        lambda: llrcal.read_trials(
            put("llrs.txt", "a x inf target\nb y -Infinity nontarget\n"), allow_infinite=True
        ),
        Answered(holds([math.inf], [-math.inf])),
        "Read where LLRs are expected.",
    ),
    Case(
        "`nan` among scores",
        with_score("nan"),
        Refused(TrialFileError, "NaN", LINE, "on_nan='drop'"),
        "Refused, and the line named.",
    ),
    Case(
        "digits of full width",
        with_score("\uff11.\uff15"),
        Refused(TrialFileError, "is not a number", LINE),
        "Refused.",
        "genfromtxt: 1.5",
    ),
    Case(
        "a number with more digits than doubles have, and one too small",
        many_digits,
        Answered(check_many_digits),
        "Rounded to the nearest double.",
    ),
    Case(
        "ids `NA`, `null` and `nan`",
        missing_values_for_names,
        Answered(check_names),
        "Ids are texts, and never parsed.",
        "pandas: missing values",
    ),
    Case(
        "ids that are formulas",
        formula_ids,
        Answered(check_formula_ids),
        "Read as they are; nothing runs them.",
    ),
    Case(
        "a line of five megabytes",
        lambda: llrcal.read_trials(put("scores.txt", b"a x 1.5 target\n" * 5 + b"1" * 5_000_000)),
        Refused(
            TrialFileError, "is longer than 4194304 bytes", "scores.txt", "not a file of trials"
        ),
        "Refused before it is parsed.",
        "pandas, numpy: read",
    ),
    Case(
        "nothing but one line of six megabytes",
        lambda: llrcal.read_trials(put("scores.txt", b"1 " * 3_000_000)),
        Refused(
            TrialFileError, "is longer than 4194304 bytes", "scores.txt", "not a file of trials"
        ),
        "Refused before it is parsed.",
    ),
    Case(
        "an empty file",
        labelled(""),
        Refused(TrialFileError, "holds no trials", "scores.txt", "empty"),
        "Refused.",
    ),
    Case(
        "a header and nothing else",
        labelled("enrol,test,score,label\n"),
        Refused(TrialFileError, "no trials", "scores.txt"),
        "Refused.",
    ),
    Case(
        "gzip, cut off",
        packed(gzip.compress(MANY.encode())[:-500]),
        Refused(TrialFileError, "cut off or damaged", "scores.txt.gz", "copy the file again"),
        "Refused; no part of it is used.",
        "pandas: EOFError",
    ),
    Case(
        "gzip with one wrong bit",
        packed(bytes(b ^ (i == 5000) for i, b in enumerate(gzip.compress(MANY.encode())))),
        Refused(TrialFileError, "cut off or damaged", "scores.txt.gz", "copy the file again"),
        "Refused by its checksum.",
    ),
    Case(
        "zstd, cut off",
        packed(zstd.compress(MANY.encode())[:-100], "scores.zst"),
        Refused(TrialFileError, "cut off or damaged", "scores.zst", "copy the file again"),
        "Refused; no part of it is used.",
    ),
    Case(
        "a gzip bomb of zeros",
        lambda: llrcal.read_trials(put("scores.gz", gzip.compress(bytes(80_000_000), 9))),
        Refused(TrialFileError, "scores.gz", "scores.gz"),
        "Refused: a thousandfold swelling is no score file.",
        "pandas: read whole",
    ),
    Case(
        "a zstd bomb of trials",
        lambda: llrcal.read_trials(
            put("scores.zst", zstd.compress(b"a x 1.5 target\n" * 6_000_000))
        ),
        Refused(TrialFileError, "expand to", "scores.zst", "decompress the file first"),
        "Refused while it swells, before it is parsed.",
    ),
    Case(
        "a file that is not there",
        lambda: llrcal.read_trials("none.txt"),
        Refused(TrialFileError, "cannot be read: No such file", "none.txt"),
        "Refused.",
    ),
    Case(
        "a folder for a file",
        folder_for_a_file,
        Refused(TrialFileError, "is a folder", "scores", "not a file"),
        "Refused.",
    ),
    Case(
        "a NUL byte in the name of a file",
        lambda: llrcal.read_trials("a\0b"),
        Refused(TrialFileError, "is not the name of a file", "'a\\x00b'"),
        "Refused.",
    ),
)

SECTION = Section("C", "Text files", "Damaged files, and files that mean something else.", CASES)
