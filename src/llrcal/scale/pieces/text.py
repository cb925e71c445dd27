"""Lines of a text file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import IO

from llrcal.errors import TrialFileError
from llrcal.scale.pieces.columns import as_batch
from llrcal.scale.pieces.piece import NOTHING, Batch, Piece
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.spoofs import Spoof
from llrcal.trials.text.parsing import read_text
from llrcal.trials.text.sniffing import Layout

_BLOCK = 2**25  # bytes that are parsed at a time
_PIECE = 4 * _BLOCK
_PEEK = 2**20
_LINE = re.compile(r"(?<=, line )\d+")


class Block(Source):
    """Some lines of a file, in memory."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self._content = content

    @cached_property
    def compression(self) -> None:
        return None


@dataclass(frozen=True, kw_only=True)
class TextPiece(Piece):
    """The lines of a text file that begin between two of its bytes."""

    path: str
    start: int
    end: int | None
    """None for the whole of a file that is compressed, and can only be read from its start."""
    layout: Layout
    request: Request
    spoof: Spoof

    def batches(self) -> Iterator[Batch]:
        start = self.start
        for content in self._blocks(_BLOCK):
            yield self._batch(content, start)
            start += len(content)

    def peek(self) -> Batch:
        content = next(self._blocks(_PEEK), b"")
        return self._batch(content, self.start)

    def _batch(self, content: bytes, start: int) -> Batch:
        layout = self.layout if start == 0 else replace(self.layout, first_line=1)
        if not content.strip():
            return NOTHING
        if layout.quotes and content.count(b'"') % 2:
            raise TrialFileError(
                f"{self.path}: a line ends between quotation marks, so that it cannot be read in "
                "pieces; write the trials without such names"
            )
        try:
            table = read_text(Block(self.path, content), layout, self.request)
        except TrialFileError as problem:
            raise TrialFileError(self._with_line_of_file(str(problem), start)) from problem
        frame = table.frame
        scores, labels = frame["score"].to_numpy(), frame["label"].to_numpy()
        return as_batch(scores, labels, self.request, self.spoof, self.path)

    def _blocks(self, size: int) -> Iterator[bytes]:
        """The lines, many at a time; the first block begins where the piece does."""
        rest = b""
        for block in self._content(size):
            whole = block.rfind(b"\n") + 1
            if not whole:
                rest += block
                continue
            yield rest + block[:whole]
            rest = block[whole:]
        if rest:
            yield rest

    def _content(self, size: int) -> Iterator[bytes]:
        if self.end is None:
            yield from _joined(Source(self.path).blocks(), size)
            return
        with _opened(self.path) as file:
            file.seek(self.start)
            left = self.end - self.start
            while left and (block := file.read(min(size, left))):
                left -= len(block)
                yield block

    def _with_line_of_file(self, message: str, start: int) -> str:
        """A message with the number of a line in the file, and not in the block."""
        before = sum(content.count(b"\n") for content in self._before(start))
        return _LINE.sub(lambda found: str(int(found.group()) + before), message)

    def _before(self, end: int) -> Iterator[bytes]:
        """The content of the file before a byte."""
        with Source(self.path).open() as file:
            while end and (block := file.read(min(_BLOCK, end))):
                end -= len(block)
                yield block


def text_pieces(source: Source, layout: Layout, request: Request, spoof: Spoof) -> list[Piece]:
    """The pieces of a text file of trials, cut at ends of lines."""
    path = source.name
    size = Path(path).stat().st_size
    head = source.head
    lines = max(head.count(b"\n"), 1)
    per_byte = lines / max(len(head), 1)
    if source.compression:
        rows = int(4 * size * per_byte)  # most score files shrink to a quarter or so
        spans: list[tuple[int, int | None]] = [(0, None)]
    else:
        cuts = [0, *_line_starts(path, range(_PIECE, size, _PIECE)), size]
        spans = [(a, b) for a, b in pairwise(cuts) if a < b]
        rows = 0
    return [
        TextPiece(
            name=f"{path}, from byte {start:,}",
            rows=rows if end is None else int((end - start) * per_byte) + 1,
            path=path,
            start=start,
            end=end,
            layout=layout,
            request=request,
            spoof=spoof,
        )
        for start, end in spans
    ]


def _line_starts(path: str, places: range) -> Iterator[int]:
    """Where the next line after each place begins."""
    with _opened(path) as file:
        for place in places:
            file.seek(place)
            file.readline()
            yield file.tell()


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    try:
        with Path(path).open("rb") as file:
            yield file
    except OSError as problem:
        raise TrialFileError(f"{path}: cannot be read: {problem.strerror or problem}") from problem


def _joined(blocks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Small blocks as larger ones."""
    held: list[bytes] = []
    for block in blocks:
        held.append(block)
        if sum(map(len, held)) >= size:
            yield b"".join(held)
            held = []
    if held:
        yield b"".join(held)
