"""Checks on the bytes of a text file, for what a fast parser would miss."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from llrcal.errors import TrialFileError
from llrcal.trials.source import Source, whole_lines
from llrcal.trials.text.bad_lines import SKIPPED
from llrcal.trials.text.fields import COMMENT, has_stray_quotes, is_data
from llrcal.trials.text.sniffing import Layout

_BLOCK = 2**20


@dataclass(frozen=True)
class ByteChecks:
    """What is found in one pass over the bytes of a text file, without parsing it.

    A parser that skips columns does not count them. No parser minds a NUL, and each has its own
    idea of carriage returns and quotation marks that are out of place.
    """

    has_fault: bool
    """Whether a NUL byte, a carriage return or a quotation mark is out of place, or a line has too
    many or too few columns."""
    comments: int
    """The number of lines that begin with #."""
    is_whole: bool
    """Whether the last line is terminated."""
    has_tabs: bool = False

    @classmethod
    def of(cls, source: Source, layout: Layout) -> Self:
        """The checks of a file, up to its first fault."""
        end = source.line_end
        if _is_plain(source, layout, end):
            return cls(has_fault=False, comments=0, is_whole=True)
        start = end + COMMENT.encode()
        counts_columns = bool(SKIPPED & set(layout.roles))
        comments, block, has_tabs, in_quotes = 0, end, False, False
        blocks = source.blocks() if source.path else [source.content]
        for number, block in enumerate(whole_lines(blocks, end, source.name)):
            if number == 0:
                block = block.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901
            if end == b"\r" and b"\n" in block:
                raise TrialFileError(
                    f"{source.name}: some lines end in a carriage return, others do not"
                )
            is_stray = False
            if layout.quotes and b'"' in block:
                is_stray, in_quotes = _stray_quotes(block, end, layout, in_quotes=in_quotes)
            above = layout.first_line - 1 if number == 0 else 0  # R names no column of row names
            is_ragged = counts_columns and _is_ragged(block.split(end, above)[-1], end, layout)
            if b"\0" in block or _has_stray_return(block, end) or is_stray or is_ragged:
                return cls(has_fault=True, comments=comments, is_whole=True)
            has_tabs = has_tabs or b"\t" in block
            if start[-1] in block:  # far cheaper than looking for both
                comments += block.count(start) + block.startswith(start[-1:])
        whole = block.endswith(end)
        return cls(has_fault=False, comments=comments, is_whole=whole, has_tabs=has_tabs)

    def __str__(self) -> str:
        """What the user should know."""
        out = f", {self.comments} lines that begin with # left out" if self.comments else ""
        return out if self.is_whole else f"{out}; the last line has no end: is the file complete?"


def _is_plain(source: Source, layout: Layout, end: bytes) -> bool:
    """Whether nothing in a file calls for a closer look, which is the common case.

    Every column is read, there are no special characters, and there is an end of line in every
    block and at the very end.
    """
    if source.path is None or layout.quotes or layout.padded or SKIPPED & set(layout.roles):
        return False
    special = b"\0\r#\t" if layout.separator == " " else b"\0\r#"
    buffer, size, last = bytearray(_BLOCK), 0, 0
    with Path(source.path).open("rb", buffering=0) as file:
        while size := file.readinto(buffer) or 0:
            block = buffer if size == len(buffer) else buffer[:size]
            if end not in block or any(byte in block for byte in special):
                return False
            last = block[-1]
    return last == end[0]


def _has_stray_return(block: bytes, end: bytes) -> bool:
    """Whether there is a carriage return within a line that is not a comment."""
    if end == b"\r" or b"\r" not in block:
        return False
    block = _without_comments(block, end)
    return block.count(b"\r") - block.endswith(b"\r") > block.count(b"\r\n")


def _stray_quotes(
    block: bytes, end: bytes, layout: Layout, *, in_quotes: bool
) -> tuple[bool, bool]:
    """Whether a quotation mark is out of place, and whether one is open at the end of the block.

    Every other one opens: at the beginning of a value, or right after one that closed, which makes
    a quotation mark within the value. The others close.
    """
    if layout.padded:
        lines = block.decode(errors="replace").split(end.decode())
        stray = (has_stray_quotes(line, layout.separator) for line in lines if is_data(line))
        return any(stray), False
    array = np.frombuffer(end + _without_comments(block, end) + end, np.uint8)
    places = np.flatnonzero(array == ord('"'))
    edges = [ord(layout.separator), *b'"\r\n', *(b"\t" if layout.separator == " " else b"")]
    opening, closing = places[in_quotes::2], places[1 - in_quotes :: 2]
    are_fine = np.isin(array[opening - 1], edges).all() and np.isin(array[closing + 1], edges).all()
    return not are_fine, bool((len(places) + in_quotes) % 2)


def _without_comments(block: bytes, end: bytes) -> bytes:
    if COMMENT.encode() not in block:
        return block
    return re.sub(rb"(?:\A|(?<=%b))#[^%b]*" % (end, end), b"", block)


def _is_ragged(block: bytes, end: bytes, layout: Layout) -> bool:
    """Whether a line has more or fewer columns than the layout."""
    array = np.frombuffer(block, np.uint8)
    if not len(array):
        return False
    ends = np.flatnonzero(array == end[0])
    if not block.endswith(end):
        ends = np.append(ends, len(block))
    starts = np.concatenate([[0], ends[:-1] + 1])
    is_sign = (array == ord(layout.separator)).view(np.uint8)
    signs = np.add.reduceat(is_sign, starts, dtype=np.int64)
    is_odd = signs != len(layout.roles) - 1
    if layout.separator == " " and re.search(rb"  |[\r\n] |^ ", block):
        is_odd[:] = True  # a run of blanks separates two columns, not three
    for i in np.flatnonzero(is_odd):
        line = block[starts[i] : ends[i]].decode(errors="replace").removesuffix("\r")
        if is_data(line) and len(layout.fields(line)) != len(layout.roles):
            return True
    return False
