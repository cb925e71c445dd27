"""Lines of a text file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.scale.piece import Piece, present
from llrcal.trials.conventions import SPEAKERS, are_counts
from llrcal.trials.request import Request
from llrcal.trials.source import (
    LONGEST_LINE,
    Readable,
    Source,
    reading_errors,
    too_long,
    whole_lines,
)
from llrcal.trials.text.parsing import read_text
from llrcal.trials.text.sniffing import Layout

_BLOCK = 2**23  # bytes that are parsed at a time; the system gives more than 2^25 anew each time
_PIECE = 4 * _BLOCK


def _read_lines(
    path: str,
    start: int,
    end: int | None,
    layout: Layout,
    request: Request,
    length: float,
    columns: Sequence[str],
    at_a_time: int,
) -> Iterator[pl.DataFrame]:
    """Read the lines of a text file that begin between two byte offsets, many at a time.

    The end is None for the whole of a compressed file, which can only be read from its start.
    ``length`` is that of a line, on average, in bytes.
    """
    size = min(_BLOCK, int(at_a_time * length) + 1)
    blocks = Source(path).blocks() if end is None else _bytes(path, start, end, size)
    for content in whole_lines(blocks, b"\n", path, at_least=size // 2):
        if content and not content.isspace():
            # Only the first block has a header.
            here = layout if start == 0 else replace(layout, first_line=1)
            try:
                frame = read_text(Source(path, content), here, request).frame
            except TrialFileError as problem:
                raise problem.moved(line=_lines_before(path, start), offset=start) from problem
            yield present(frame, columns)
        start += len(content)


def _bytes(path: str, start: int, end: int, size: int) -> Iterator[bytes]:
    with reading_errors(path), Path(path).open("rb") as file:
        file.seek(start)
        yield from _up_to(end - start, file, size)


def _lines_before(path: str, place: int) -> int:
    """The number of lines in a file before a byte."""
    with Source(path).open() as file:
        return sum(block.count(b"\n") for block in _up_to(place, file, _BLOCK))


def text_pieces(source: Source, layout: Layout, request: Request) -> list[Piece]:
    """The pieces of a text file of trials, cut at ends of lines."""
    path = source.name
    size = Path(path).stat().st_size
    head = source.head
    lines = max(head.count(b"\n"), 1)
    per_byte = lines / max(len(head), 1)
    if source.compression:
        rows = int(4 * size * per_byte)  # most score files compress to about a quarter
        spans: list[tuple[int, int | None]] = [(0, None)]
    else:
        cuts = [0, *_line_starts(path, range(_PIECE, size, _PIECE)), size]
        spans = [(a, b) for a, b in pairwise(cuts) if a < b]
        rows = 0
    return [
        Piece(
            name=f"{path}, from byte {start:,}",
            rows=rows if end is None else int((end - start) * per_byte) + 1,
            reader=partial(_read_lines, path, start, end, layout, request, 1 / per_byte),
            request=request,
            file=path,
            score_name=layout.score_name,
            forensic=layout.forensic,
            names_speakers=set(SPEAKERS) <= set(layout.roles),
            has_ids="test" in layout.roles,
            is_counted=are_counts(layout.header or ()),
        )
        for start, end in spans
    ]


def _line_starts(path: str, places: range) -> Iterator[int]:
    """Where the first line after each place begins."""
    with reading_errors(path), Path(path).open("rb") as file:
        for place in places:
            file.seek(place)
            if len(file.readline(LONGEST_LINE + 1)) > LONGEST_LINE:
                raise too_long(path, "a line")
            yield file.tell()


def _up_to(count: int, file: Readable, size: int) -> Iterator[bytes]:
    """At most ``count`` bytes of a file, in blocks of ``size`` bytes."""
    while count and (block := file.read(min(size, count))):
        count -= len(block)
        yield block
