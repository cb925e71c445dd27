"""Rows on disk: divided by a key, so that what belongs together can be worked on part by part.

Joins, repeated trials and sorting all do so. Files are temporary and have no name, so that the
system deletes them with the process, however it ends.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from io import FileIO
from tempfile import TemporaryFile, gettempdir
from threading import Lock

import numpy as np
import polars as pl

from llrcal.arrays import Array, Floats
from llrcal.scale.piece import Piece, present, spans
from llrcal.trials.table_reading import refuse_after_fork

TRIALS = np.dtype([("score", np.float64), ("label", np.int8)])
ROWS_OF_A_PART = 2**21
"""Rows that are worked on at a time."""
_HELD = 2**20  # rows of a file that are held in memory until there are more
_MOST_BITS = 16  # NumPy sorts numbers of so many bits fast


@dataclass(frozen=True)
class Spill:
    """Rows of some pieces, and how to divide them."""

    pieces: tuple[Piece, ...]
    kind: np.dtype
    rows_of: Callable[[Piece], Array]
    """The rows of a piece, of this kind."""
    number_of: Callable[[Array], Array]
    """The number of the part that each of some rows belongs to."""
    what: str
    """What is being done when the rows are read, for progress."""


def part_count(rows: int) -> int:
    """How many parts to make of so many rows."""
    return -(-max(rows, 1) // ROWS_OF_A_PART)


def parts_by_hash(*sides: Sequence[Piece]) -> int:
    """How many parts to make by hashes, none of them too large: a power of two."""
    rows = max(sum(piece.rows for piece in pieces) for pieces in sides)
    return 1 << min((part_count(rows) - 1).bit_length(), _MOST_BITS)


def number_by_hash(parts: int, rows: Array) -> Array:
    """The part of each row: the leading bits of its hash."""
    bits = parts.bit_length() - 1
    return (rows["hash"] >> np.uint64(63 - bits) >> np.uint64(1)).astype(np.uint16)


def number_by_score(cuts: Floats, rows: Array) -> Array:
    """The part of each row: the range between two cuts that its score lies in."""
    return np.searchsorted(cuts, rows["score"], side="right").astype(np.uint16)


@contextmanager
def _in_the_temporary_folder() -> Iterator[None]:
    """Let an error name the folder: files in it have no names."""
    try:
        yield
    except OSError as problem:
        reason = f"{problem.strerror}, for temporary files; name another folder for them by TMPDIR"
        raise OSError(problem.errno, reason, gettempdir()) from problem


class SpillFile:
    """Rows of one kind, one after another: a few in memory, more in a file nobody else sees."""

    def __init__(self, kind: np.dtype) -> None:
        self.kind = np.dtype(kind)
        self._lock = Lock()
        self._held: list[Array] = []
        self._written = self.count = 0

    def __reduce__(self) -> tuple[Callable[..., SpillFile], tuple[np.dtype, Array]]:
        return _filled, (self.kind, self.get(0, self.count))

    @cached_property
    def _file(self) -> FileIO:
        file = TemporaryFile(prefix="llrcal-", buffering=0)  # noqa: SIM115
        weakref.finalize(self, file.close)
        return file

    def put(self, rows: Array) -> int:
        """Add rows, which must not change any more; where the first of them is."""
        with self._lock:
            start = self.count
            self._held.append(rows)
            self.count += len(rows)
            if self.count - self._written > _HELD:
                with _in_the_temporary_folder():
                    self._write()
        return start

    def _write(self) -> None:
        self._file.seek(self._written * self.kind.itemsize)
        for some in self._held:
            data = np.ascontiguousarray(some).view(np.uint8).data
            while data:
                data = data[self._file.write(data) :]
        self._held, self._written = [], self.count

    def get(self, start: int, count: int) -> Array:
        """Some consecutive rows."""
        rows = np.empty(count, self.kind)
        with self._lock:
            on_disk = min(max(self._written - start, 0), count)
            data = rows[:on_disk].view(np.uint8).data
            self._file.seek(start * self.kind.itemsize)
            while data:
                data = data[self._file.readinto(data) :]
            if on_disk < count:
                self._held = [np.concatenate(self._held)]
                first = start + on_disk - self._written
                rows[on_disk:] = self._held[0][first : first + count - on_disk]
        return rows

    def pieces(self, name: str, label: int | None = None) -> list[Piece]:
        """The rows as they are now, which are trials; one label for all of them, if it is given."""
        return [
            Piece(name=name, rows=end - start, reader=partial(_read_spill, self, start, end, label))
            for start, end in spans(self.count)
        ]


def _filled(kind: np.dtype, rows: Array) -> SpillFile:
    """A file with rows: what a pickle or a copy becomes."""
    file = SpillFile(kind)
    file.put(rows)
    return file


def _read_spill(
    file: SpillFile,
    start: int,
    end: int,
    label: int | None,
    columns: Sequence[str],
    at_a_time: int,
) -> Iterator[pl.DataFrame]:
    """Read trials on disk: scores and labels, or scores of one class."""
    refuse_after_fork()
    for first in range(start, end, at_a_time):
        frame = frame_of(file.get(first, min(at_a_time, end - first)))
        if label is not None:
            frame = frame.with_columns(label=pl.lit(label, pl.Int8))
        yield present(frame, columns)


def trial_rows(scores: Array, labels: Array | int) -> Array:
    """Trials as rows."""
    rows = np.empty(len(scores), TRIALS)
    rows["score"], rows["label"] = scores, labels
    return rows


def frame_of(rows: Array) -> pl.DataFrame:
    """Rows as a table."""
    names = rows.dtype.names or ()
    return pl.DataFrame({name: np.ascontiguousarray(rows[name]) for name in names})


class Partitions:
    """Rows that can be fetched part by part."""

    def __init__(self, spill: Spill, parts: int) -> None:
        self._file, self._spill, self._parts = SpillFile(spill.kind), spill, parts
        self._blocks: list[tuple[int, Array]] = []
        """Where each block of rows begins, and where each of its parts does within it."""

    def put(self, pieces: Sequence[Piece]) -> int:
        """The work on some pieces: put their rows where they belong. Any threads may do so."""
        for piece in pieces:
            rows = self._spill.rows_of(piece)
            number = self._spill.number_of(rows)
            order = np.argsort(number, kind="stable")
            edges = np.searchsorted(number[order], np.arange(self._parts + 1))
            self._blocks.append((self._file.put(rows[order]), edges))
        return self._file.count

    def part(self, number: int) -> pl.DataFrame:
        """All rows of one part."""
        found = [
            self._file.get(start + int(edges[number]), int(edges[number + 1] - edges[number]))
            for start, edges in self._blocks
        ]
        return frame_of(np.concatenate([np.empty(0, self._spill.kind), *found]))
