"""What can be told of a text file without parsing it, and a fast parser would miss."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from llrcal.errors import TrialFileError
from llrcal.trials.source import LONGEST_LINE, Source
from llrcal.trials.text.faults import SKIPPED
from llrcal.trials.text.sniffing import COMMENT, Layout, has_stray_quotes, is_data

_BLOCK = 2**20


@dataclass(frozen=True)
class Survey:
    """What can be told of a text file without parsing it, in one pass over its bytes.

    A parser that skips columns does not count them. None of them minds a NUL, and each has its own
    idea of carriage returns and quotation marks that are out of place.
    """

    has_fault: bool
    """Whether a NUL byte, a carriage return or a quotation mark is where none should be, or a line
    has more or fewer columns than there should be."""
    comments: int
    """The number of lines that begin with a #."""
    is_whole: bool
    """Whether the last line has an end."""
    has_tabs: bool = False

    @classmethod
    def of(cls, source: Source, layout: Layout) -> Self:
        """The survey of a file, up to its first fault."""
        end = b"\n" if b"\n" in source.head or b"\r" not in source.head else b"\r"
        if _is_plain(source, layout, end):
            return cls(has_fault=False, comments=0, is_whole=True)
        start = end + COMMENT.encode()
        counts_columns = bool(SKIPPED & set(layout.roles))
        comments, block, has_tabs, in_quotes = 0, end, False, False
        for block in _whole_lines(source, end):
            if end == b"\r" and b"\n" in block:
                raise TrialFileError(
                    f"{source.name}: some lines end in a carriage return, others do not"
                )
            is_stray = False
            if layout.quotes and b'"' in block:
                is_stray, in_quotes = _stray_quotes(block, end, layout, in_quotes=in_quotes)
            is_ragged = counts_columns and _is_ragged(block, end, layout)
            if b"\0" in block or _has_stray_return(block, end) or is_stray or is_ragged:
                return cls(has_fault=True, comments=comments, is_whole=True)
            has_tabs = has_tabs or b"\t" in block
            if start[-1] in block:  # far cheaper than to look for both
                comments += block.count(start) + block.startswith(start[-1:])
        whole = block.endswith(end)
        return cls(has_fault=False, comments=comments, is_whole=whole, has_tabs=has_tabs)

    def __str__(self) -> str:
        """What a reader should know."""
        out = f", {self.comments} lines that begin with # left out" if self.comments else ""
        return out if self.is_whole else f"{out}; the last line has no end: is the file whole?"


def _is_plain(source: Source, layout: Layout, end: bytes) -> bool:
    """Whether nothing in a file asks for a closer look, which is the common case.

    No column goes unread, no byte means anything but itself, and there is an end of line in every
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


def _whole_lines(source: Source, end: bytes) -> Iterator[bytes]:
    """The content in blocks that end where a line does."""
    rest = b""
    for number, block in enumerate(source.blocks() if source.path else [source.content]):
        joined = rest + (block.removeprefix(codecs.BOM_UTF8) if number == 0 else block)
        cut = joined.rfind(end) + 1
        rest = joined[cut:]
        if len(rest) > LONGEST_LINE:
            raise TrialFileError(
                f"{source.name}: a line is longer than {LONGEST_LINE} bytes; this is not a file "
                "of trials"
            )
        if cut:
            yield joined[:cut]
    if rest:
        yield rest


def _has_stray_return(block: bytes, end: bytes) -> bool:
    """Whether there is a carriage return within a line that is no comment."""
    if end == b"\r" or b"\r" not in block:
        return False
    block = _without_comments(block, end)
    return block.count(b"\r") - block.endswith(b"\r") > block.count(b"\r\n")


def _stray_quotes(
    block: bytes, end: bytes, layout: Layout, *, in_quotes: bool
) -> tuple[bool, bool]:
    """Whether a quotation mark holds no value together, and whether one is open at the end.

    Of all of them, every other one opens: at the beginning of a value, or right after one that
    closed, which makes a quotation mark within the value. The others close.
    """
    if layout.padded:
        lines = block.decode(errors="replace").split(end.decode())
        stray = (has_stray_quotes(line, layout.separator) for line in lines if is_data(line))
        return any(stray), False
    array = np.frombuffer(end + _without_comments(block, end) + end, np.uint8)
    places = np.flatnonzero(array == ord('"'))
    edges = [ord(layout.separator), *b'"\r\n']
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
    ends = np.flatnonzero(array == end[0])
    if not block.endswith(end):
        ends = np.append(ends, len(block))
    starts = np.concatenate([[0], ends[:-1] + 1])
    is_sign = (array == ord(layout.separator)).view(np.uint8)
    signs = np.add.reduceat(is_sign, starts, dtype=np.int64)
    is_odd = signs != len(layout.roles) - 1
    if layout.separator == " " and re.search(rb"  |[\r\n] |^ ", block):
        is_odd[:] = True  # a run of blanks parts two columns, not three
    for i in np.flatnonzero(is_odd):
        line = block[starts[i] : ends[i]].decode(errors="replace").removesuffix("\r")
        if is_data(line) and len(layout.fields(line)) != len(layout.roles):
            return True
    return False
