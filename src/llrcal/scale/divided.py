"""Rows on disk, divided into parts by their hashes; and trials on disk.

Files are temporary and have no name, so that the system deletes them with the process, however it
ends.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import FileIO
from tempfile import TemporaryFile
from threading import Lock

import numpy as np

from llrcal.arrays import Array
from llrcal.scale.pieces.columns import as_batch
from llrcal.scale.pieces.piece import BATCH, PEEK, Batch, Piece
from llrcal.trials.request import Request


class Pile:
    """Arrays of one type, put one after another into a file that nobody else sees."""

    def __init__(self, kind: np.dtype) -> None:
        self.kind = np.dtype(kind)
        self._lock = Lock()
        self.count = 0

    @cached_property
    def _file(self) -> FileIO:
        file = TemporaryFile(prefix="llrcal-", buffering=0)  # noqa: SIM115
        weakref.finalize(self, file.close)
        return file

    def put(self, rows: Array) -> int:
        """Add rows; where the first of them is."""
        with self._lock:
            start = self.count
            self._file.seek(start * self.kind.itemsize)
            data = np.ascontiguousarray(rows).view(np.uint8).data
            while data:
                data = data[self._file.write(data) :]
            self.count += len(rows)
        return start

    def get(self, start: int, count: int) -> Array:
        """Some consecutive rows."""
        rows = np.empty(count, self.kind)
        data = rows.view(np.uint8).data
        with self._lock:
            self._file.seek(start * self.kind.itemsize)
            while data:
                data = data[self._file.readinto(data) :]
        return rows


class Divided:
    """Rows with hashes, which can be fetched part by part."""

    def __init__(self, kind: np.dtype, bits: int) -> None:
        self._pile, self._bits = Pile(kind), bits
        self._blocks: list[tuple[int, Array]] = []
        """Where each block of rows begins, and where each of its parts does within it."""

    def put(self, rows: Array) -> None:
        """Add rows; any number of threads may do so."""
        number = parts_of(rows["hash"], self._bits)
        order = np.argsort(number, kind="stable")
        edges = np.searchsorted(number[order], np.arange(2**self._bits + 1))
        self._blocks.append((self._pile.put(rows[order]), edges))

    @property
    def count(self) -> int:
        """The number of rows."""
        return self._pile.count

    def part(self, number: int) -> Array:
        """All rows of one part."""
        found = [
            self._pile.get(start + int(edges[number]), int(edges[number + 1] - edges[number]))
            for start, edges in self._blocks
        ]
        return np.concatenate([np.empty(0, self._pile.kind), *found])


def parts_of(hashes: Array, bits: int) -> Array:
    """The number of the part that each hash belongs to: its leading bits."""
    kind = np.uint16 if bits <= 16 else np.uint32  # the first sorts fast
    if not bits:
        return np.zeros(len(hashes), kind)
    return (hashes >> np.uint64(64 - bits)).astype(kind)


@dataclass(frozen=True, kw_only=True)
class PilePiece(Piece):
    """Scores and labels on disk."""

    held: Pile
    labels: Pile
    start: int
    request: Request

    def batches(self) -> Iterator[Batch]:
        for start in range(self.start, self.start + self.rows, BATCH):
            yield self._batch(start, min(BATCH, self.start + self.rows - start))

    def peek(self) -> Batch:
        return self._batch(self.start, min(self.rows, PEEK))

    def _batch(self, start: int, count: int) -> Batch:
        scores, labels = self.held.get(start, count), self.labels.get(start, count)
        return as_batch([scores], labels, self.request, self.name)
