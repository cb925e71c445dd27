"""Text that is cut anywhere is read as if it were whole, and lines are told by their number."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import llrcal
from llrcal import TrialFileError
from llrcal.arrays import Array
from llrcal.onepass.two_classes import Both
from llrcal.scale import piece as piece_module
from llrcal.scale import text as text_piece
from llrcal.scale.files import pieces_of
from llrcal.trials import source
from llrcal.trials.request import Request
from tests import beyond_memory
from tests.examples import examples
from tests.scale.sets import trials, words

pytestmark = pytest.mark.slow

COUNT = 3000
SCORES, IS_TARGET = trials(COUNT)
LINES = [
    f"{score!r}\t{word}\n" for score, word in zip(SCORES.tolist(), words(IS_TARGET), strict=True)
]
HEADER = "score\tlabel\n"

LINE = st.tuples(
    st.floats(-1e3, 1e3).map(repr) | st.sampled_from(["0", "-1.5e-3", "+2.25"]),
    st.sampled_from(["target", "nontarget"]),
).map(" ".join)
EMPTY = st.sampled_from(["", "  ", "# a comment with words"])
TRIALS = st.lists(LINE | LINE | LINE | EMPTY, max_size=12)


def read(path: Path, piece: int, block: int) -> list[Both[Array]]:
    """Batches of a file that is cut after about so many bytes, and read in blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_piece, "_PIECE", piece)
        patch.setattr(text_piece, "_BLOCK", block)
        patch.setattr(source, "_BLOCK", block)
        return [b for p in pieces_of(path, Request("trials")) for b in p.batches()]


@examples(150)
@given(
    TRIALS,
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 120),
    st.integers(1, 60),
)
def test_cut_anywhere(
    lines: list[str], end: str, last_ends: bool, packed: bool, piece: int, block: int
) -> None:
    content = end.join(["1.5 target", "-0.5 nontarget", *lines]) + (end if last_ends else "")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trials.txt"
        path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
        whole = llrcal.read_trials(path)
        batches = read(path, piece, block)
    np.testing.assert_array_equal(np.concatenate([b.tar for b in batches]), whole.tar)
    np.testing.assert_array_equal(np.concatenate([b.non for b in batches]), whole.non)


def test_text_is_cut(tmp_path: Path) -> None:
    """Or else the test above could not fail."""
    path = tmp_path / "trials.tsv"
    path.write_text(HEADER + "".join(LINES))
    assert len(read(path, 5000, 1000)) > 50
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert len(read(path, 5000, 1000)) > 50


def test_a_glance_at_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "trials.tsv"
    path.write_text(HEADER + "".join(LINES))
    monkeypatch.setattr(text_piece, "_PIECE", 20_000)
    monkeypatch.setattr(piece_module, "PEEK", 30)
    for piece in pieces_of(path, Request("trials")):
        peeked, _ = piece.peek()
        assert 0 < len(peeked.tar) + len(peeked.non) < 60
        first = next(iter(piece.batches()))
        assert np.isin(peeked.non, first.non).all()


FAULTS = {
    "abc\ttarget\n": "the score 'abc' is not a number",
    "nan\ttarget\n": "the score is not a number",
    "inf\ttarget\n": "the score 'inf' is infinite",
    "1.5\twhat\n": "the label 'what'",
    "1.5\n": "has 1 column",
    "1.5\ttarget\tmore\n": "has 3 columns",
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("line", [40, 2900])
def test_faults_are_told_with_the_line_of_the_file(
    fault: str, packed: bool, line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (text_piece, source):
        monkeypatch.setattr(module, "_BLOCK", 1500)
    monkeypatch.setattr(text_piece, "_PIECE", 5000)
    content = (HEADER + "".join([*LINES[:line], fault, *LINES[line:]])).encode()
    path = tmp_path / "trials.tsv"
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(TrialFileError) as whole:
        llrcal.read_trials(path)
    with pytest.raises(TrialFileError) as parts:
        beyond_memory.fit(path)
    assert f"trials.tsv, line {line + 2}: {FAULTS[fault]}" in str(parts.value)
    assert str(parts.value) == str(whole.value)


@pytest.mark.parametrize("packed", [False, True])
def test_bytes_that_are_not_text_are_told_with_their_place(
    packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (text_piece, source):
        monkeypatch.setattr(module, "_BLOCK", 1500)
    monkeypatch.setattr(text_piece, "_PIECE", 5000)
    monkeypatch.setattr(source, "_HEAD", 1000)
    content = (HEADER + "".join(LINES)).encode() + b"1.5\ttarget\xff\n"
    path = tmp_path / "trials.tsv"
    path.write_bytes(gzip.compress(content) if packed else content)
    for read_it in (llrcal.read_trials, beyond_memory.fit):
        with pytest.raises(TrialFileError, match=f"byte at offset {len(content) - 2} is not"):
            read_it(path)


@pytest.mark.parametrize("what", ["_BLOCK", "_PIECE"])
def test_lines_that_end_within_quotation_marks(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial is on one line, wherever the text is cut."""
    rows = enumerate(zip(SCORES.tolist(), words(IS_TARGET), strict=True))
    lines = [f'"model {i}",{score!r},{word}\n' for i, (score, word) in rows]
    lines[2000] = lines[2000].replace(" ", "\n")  # beyond what is looked at to tell the layout
    content = "enrol,score,label\n" + "".join(lines)
    path = tmp_path / "trials.csv"
    path.write_text(content)
    for offset in range(-60, 60, 5):
        monkeypatch.setattr(text_piece, what, content.index("\n2000") + offset)
        with pytest.raises(TrialFileError, match="line 2002: has a quotation mark without its par"):
            [b for p in pieces_of(path, Request("trials")) for b in p.batches()]


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "trials.tsv"
    path.write_text(HEADER + "".join(LINES))
    (piece,) = pieces_of(path, Request("trials"))
    path.unlink()
    with pytest.raises(TrialFileError, match=r"trials\.tsv: cannot be read: No such file"):
        list(piece.batches())
