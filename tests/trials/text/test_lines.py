"""Text with other scores: documents are put together piece by piece, and read back the same way.

What comes out must have the same comments, header and other values, and the right number for each
score.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from llrcal.arrays import Array, Floats
from llrcal.errors import OptionError, TrialFileError
from llrcal.trials import source
from llrcal.trials.request import ReadOptions, Request
from llrcal.trials.source import Source
from llrcal.trials.text import grammar
from llrcal.trials.text.lines import Answers, rewritten
from llrcal.trials.text.sniffing import Layout, sniff
from tests.examples import examples

SIGNS = {"space": " ", "tab": "\t", "comma": ",", "semicolon": ";"}


Piece = bytes | float
"""Bytes, or the value of a score."""


@dataclass(frozen=True)
class Document:
    """A text file in pieces, and what has to be known to read it."""

    pieces: tuple[Piece, ...]
    texts: tuple[str, ...]
    """The scores as they are written."""
    separator: Any
    width: int
    place: int
    header: bool

    @property
    def content(self) -> bytes:
        texts = iter(self.texts)
        written = [next(texts).encode() if isinstance(p, float) else p for p in self.pieces]
        return b"".join(written)

    @property
    def request(self) -> Request:
        roles = ["-"] * self.width
        roles[self.place] = "score"
        options = ReadOptions(columns=",".join(roles), separator=self.separator, header=self.header)
        return options.request("scores")


# ----------------------------------------------------------------------- documents of any form

LETTERS = st.sampled_from("abcXYZ019_./-+=:|'~$\\\u00e9\u6f22\U0001f600\u00a0\u2028\u0301")
BLANKS = st.text(" \t", max_size=3)
RUN = st.text(" \t", min_size=1, max_size=3)
SPACES = st.text(" ", max_size=2)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-100, 100).map("{:.5f}".format),
    st.sampled_from(
        ["+1.5", "1E5", "1e-3", ".5", "5.", "-0", "007.50", "5e-324", "-1.7976931348623157e308"]
    ),
    st.sampled_from(
        ["0.1000000000000000055511151231257827", "2.5e-320", "9007199254740993", "1e22"]
    ),
)


@st.composite
def ids(draw: st.DrawFn, separator: str) -> str:
    """A value of any other column, the way it stands in the file."""
    more = LETTERS if separator == "space" else LETTERS | st.sampled_from(" #")
    name = "v" + draw(st.text(more, max_size=5)) + "w"
    if separator == "space":
        return name
    if separator in ("comma", "semicolon") and draw(st.booleans()):
        inside = draw(st.text(LETTERS | st.sampled_from(' ,;#"'), max_size=5))
        return '"' + f"v{inside}".replace('"', '""') + '"'
    return draw(SPACES) + name + draw(SPACES)


@st.composite
def rows(draw: st.DrawFn, separator: str, width: int, place: int) -> list[tuple[str, str, str]]:
    """What comes before each value of a line, the value (none for the score), and what after."""
    out = []
    for i in range(width):
        before, after = "" if i == 0 else SIGNS[separator], ""
        if separator == "space":
            before = draw(BLANKS if i == 0 else RUN)
            after = draw(BLANKS) if i == width - 1 else ""
        if i != place:
            out.append((before, draw(ids(separator)), after))
            continue
        if separator != "space":
            quote = draw(st.sampled_from(["", '"'] if separator != "tab" else [""]))
            before, after = f"{before}{quote}{draw(SPACES)}", f"{draw(SPACES)}{quote}{after}"
        out.append((before, "", after))
    return out


IDLE = st.lists(BLANKS | st.text(LETTERS, max_size=5).map("#{}".format), max_size=2)
"""Blank lines and comments."""


@st.composite
def documents(draw: st.DrawFn) -> Document:
    separator = draw(st.sampled_from(sorted(SIGNS)))
    width = draw(st.integers(1 if separator == "space" else 2, 5))
    place = draw(st.integers(0, width - 1))
    header = draw(st.booleans())
    ends = st.sampled_from(draw(st.sampled_from([[b"\n"], [b"\r\n"], [b"\r"], [b"\n", b"\r\n"]])))
    pieces: list[Piece] = [b"\xef\xbb\xbf"] if draw(st.booleans()) else []
    texts: list[str] = []
    for is_header in [True] * header + [False] * draw(st.integers(1, 4)):
        for idle in draw(IDLE):
            pieces += [idle.encode(), draw(ends)]
        for before, value, after in draw(rows(separator, width, place)):
            if value or is_header:
                pieces.append(f"{before}{value or 'score'}{after}".encode())
            else:
                texts.append(draw(NUMBERS))
                pieces += [before.encode(), float(texts[-1]), after.encode()]
        pieces.append(draw(ends))
    if draw(st.booleans()):
        pieces.pop()  # the last line has no end
    return Document(tuple(pieces), tuple(texts), separator, width, place, header)


# -------------------------------------------------------------------------------- the oracle


def answer(score: float) -> float:
    """Something with all the digits that a double can have."""
    return score / 3


def answers(scores: Floats) -> dict[str, Array]:
    return {"llr": scores / 3}


def answers_and_more(scores: Floats) -> dict[str, Array]:
    return {**answers(scores), "sign": np.where(scores < 0, "minus", "plus")}


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def check(document: Document, output: bytes, layout: Layout, *, added: bool) -> None:
    """Each line of the output is what it was, but for the score and the columns that are added."""
    before, after = (
        re.split("(\r\n|\n|\r)", content.decode("utf-8-sig"))
        for content in (document.content, output)
    )
    assert before[1::2] == after[1::2]  # the ends of lines
    scores = iter(piece for piece in document.pieces if isinstance(piece, float))
    joint = layout.grammar.separator if document.width > 1 else " "
    for number, (old, new) in enumerate(zip(before[::2], after[::2], strict=True), 1):
        if not old.strip(" \t") or old.startswith("#"):
            assert new == old
        elif number == layout.header_line:
            assert new == old + f"{joint}sign" * added
        else:
            expected, found = layout.grammar.split(old), layout.grammar.split(new)
            score = next(scores)
            if added:
                assert found.pop() == ("minus" if score < 0 else "plus")
            assert bits(float(found.pop(document.place))) == bits(answer(score))
            expected.pop(document.place)
            assert found == expected


def rewritten_file(
    path: Path, request: Request, more: Answers = answers, *, block: int | None = None
) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        if block is not None:
            patch.setattr(source, "_BLOCK", block)
            patch.setattr(grammar, "_BLOCK", 2 * block)
        file = Source(str(path))
        return b"".join(rewritten(file, sniff(file, request), request, more))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines") / "scores.txt"


@pytest.mark.slow
@examples(200)
@given(
    document=documents(),
    block=st.sampled_from([None, 1, 2, 3, 5, 16, 61]),
    added=st.booleans(),
)
@example(
    document=Document((b"\xef\xbb\xbf", 1.0), ("1",), "space", 1, 0, header=False),
    block=1,
    added=True,
)
def test_all_but_the_scores_stays(
    path: Path, document: Document, block: int | None, added: bool
) -> None:
    path.write_bytes(document.content)
    output = rewritten_file(
        path, document.request, answers_and_more if added else answers, block=block
    )
    assert output.startswith(b"\xef\xbb\xbf") == document.content.startswith(b"\xef\xbb\xbf")
    check(document, output, sniff(Source(str(path)), document.request), added=added)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a\n  m1\t t1   1.5 \n\nm2 t2 3\r\n", "# a\nm1 t1 0.5\n\nm2 t2 1.0\r\n"),
        ("id, score\na , 1.5\n", "id, score\na,0.5\n"),
        ('id,score\n"a,b","1.5"\n', 'id,score\n"a,b",0.5\n'),
        ('"enrol" "score"\n"a b" 1.5\n"#" 3\n', '"enrol" "score"\n"a b" 0.5\n"#" 1.0\n'),
    ],
)
def test_the_form_of_lines(path: Path, text: str, expected: str) -> None:
    path.write_text(text, newline="")
    assert rewritten_file(path, Request("scores")).decode() == expected


# ---------------------------------------------------------------------------- what is refused

MANY = 1500
"""More lines than are looked at to find out the form of a file."""


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("a b 1.5", "a b", "has 2 columns where 3 are expected"),
        ("a b 1.5", "a b 1.5 c", "has 4 columns where 3 are expected"),
        ("a b 1.5", "a b x", "the score 'x' is not a number"),
        ("a b 1.5", "a b 1e400", "too large for a double"),
        ("a b 1.5", "a b 1.5\rc d 2.5", "line 1501: "),
        ("a b 1.5 target", "a b 1.5\rtarget", "line 1501: "),
        ("a\tb\t1.5", "a\tb\t", "has no score"),
        ("a\tb\t1.5", "a\tb\t1.5\t", "has 4 columns where 3 are expected"),
        ("a,b,1.5", 'a,b,"1.5', "line 1501: "),
        ("a,b,1.5", 'a,"b"c,1.5', "line 1501: "),
    ],
)
def test_a_line_of_another_form_is_refused_by_its_number(
    path: Path, good: str, bad: str, words: str
) -> None:
    path.write_text(f"{good}\n" * MANY + f"{bad}\n" + f"{good}\n", newline="")
    with pytest.raises(TrialFileError) as caught:
        rewritten_file(path, Request("scores"))
    assert f"line {MANY + 1}: " in str(caught.value)
    assert words in str(caught.value)


def test_infinite_llrs_where_they_are_allowed(path: Path) -> None:
    path.write_text("a b 1.5\nc d -inf\ne f Infinity\n")
    request = ReadOptions(allow_infinite=True).request("scores")
    assert rewritten_file(path, request) == b"a b 0.5\nc d -inf\ne f inf\n"


def test_bytes_that_are_not_utf8_are_named_by_their_offset(path: Path) -> None:
    content = b"\xef\xbb\xbf" + b"a b 1.5\n" * 50_000 + b"caf\xe9 b 1.5\n"
    path.write_bytes(content)
    for block in (None, 4096):
        with pytest.raises(TrialFileError, match=f"offset {content.index(0xE9)} is not UTF-8"):
            rewritten_file(path, Request("scores"), block=block)


def test_a_column_that_is_there_is_not_added_again(path: Path) -> None:
    path.write_text("enrol,test,score,sign\na,b,1.5,plus\n")
    with pytest.raises(OptionError, match="has a column 'sign' already"):
        rewritten_file(path, Request("scores"), answers_and_more)
    assert rewritten_file(path, Request("scores")).endswith(b"\na,b,0.5,plus\n")
