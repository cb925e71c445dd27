"""A piece of a set of trials: the unit of reading, on this or another machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import LlrcalError
from llrcal.files.fingerprint import FileFingerprint
from llrcal.onepass.two_classes import Both
from llrcal.scale.columns import NO_SCORES, by_class
from llrcal.trials.request import Request
from llrcal.trials.trials import Transform, known_after

BATCH = 2**21
"""The approximate number of trials held in memory at a time."""
PEEK = 2**15
"""The number of trials for a glance at a piece."""
ROWS = 2 * BATCH
"""Trials of a piece, at most, where it can be cut anywhere."""
_IN_CACHE = 2**17  # trials that are taken apart at a time

_AS_THEY_ARE = Request()
Reader = Callable[[Sequence[str], int], Iterator[pl.DataFrame]]
"""Reads columns, given by role, of so many trials at a time, or about so many.

Roles are those of :class:`llrcal.trials.table.Table`; what is not there is left out. A reader can
be pickled, and raises an LlrcalError that names the file if trials cannot be read.
"""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Where some trials are, and how to read them. Small enough to send to another machine."""

    name: str
    """For people: the file, and the part of it."""
    rows: int
    """The number of trials, or an estimate of it."""
    reader: Reader
    request: Request = _AS_THEY_ARE
    """What is read, and what becomes of spoofs and of scores that are NaN."""
    file: str = ""
    """The file, without the part of it."""
    score_name: str | None = None
    """What the file calls its scores, if it has column names."""
    forensic: bool = False
    """Whether its labels are hypotheses, Hp and Hd."""
    names_speakers: bool = False
    """Whether the file names the speakers of its trials, as far as its columns tell."""
    is_counted: bool = False
    """Whether it holds distinct scores, and how many trials have each."""
    has_ids: bool = False
    """Whether trials have ids, as far as is known before they are read."""
    fingerprint: FileFingerprint | None = None
    """That of the file, which must not change from one pass to the next."""
    transforms: tuple[Transform, ...] = ()
    """What is made of the scores, one after the other: negated, multiplied, calibrated."""

    @classmethod
    def of_arrays(cls, tar: Array, non: Array, name: str = "arrays") -> Piece:
        """Trials in memory."""
        labels = np.repeat(np.array([1, 0], np.int8), [len(tar), len(non)])
        frame = pl.DataFrame({"score": np.concatenate([tar, non]), "label": labels})
        return cls(name=name, rows=frame.height, reader=partial(read_frame, frame))

    def read(self, columns: Sequence[str], at_a_time: int | None = None) -> Iterator[pl.DataFrame]:
        """Columns of the trials, by role; those that are not there are left out."""
        frames = self.reader(columns, at_a_time or BATCH)
        return self.fingerprint.watched(frames) if self.fingerprint else frames

    def batches(self, *, labelled: bool = True) -> Iterator[Both[Array]]:
        """The trials by class, in parts that stay in the cache while they are worked on.

        If labels are not needed, all trials count as non-targets. Some of those that were to be
        left out for their labels are then among them.
        """
        for frame in self.read(self._columns(labelled=labelled)):
            for part in frame.iter_slices(_IN_CACHE):
                yield self._batch(part)

    def peek(self) -> tuple[Both[Array], int]:
        """Some of the trials, for a glance, and about how many there are."""
        frames = self.read(self._columns(labelled=True), PEEK)
        first = next(frames, pl.DataFrame({"score": NO_SCORES}))
        rows = first.height if next(frames, None) is None else self.rows  # or this was all
        return self._batch(first.gather_every(first.height // PEEK + 1)), rows

    def _columns(self, *, labelled: bool) -> tuple[str, ...]:
        return ("score", "label") if labelled and self.request.needs_label else ("score",)

    def _batch(self, frame: pl.DataFrame) -> Both[Array]:
        batch = by_class(frame, self.request, self.file or self.name)
        if not self.transforms:
            return batch
        return Both(self.transformed(batch.tar), self.transformed(batch.non), batch.left_out)

    def transformed(self, scores: Array) -> Array:
        """What is made of some of the scores."""
        try:
            for transform in self.transforms if len(scores) else ():
                scores = transform(scores)
        except LlrcalError as problem:
            raise problem.within(self.name) from problem
        return scores


def with_transform(pieces: Sequence[Piece], transform: Transform) -> tuple[Piece, ...]:
    """The same trials, with something else made of their scores."""
    known = known_after(transform)
    return tuple(
        replace(piece, transforms=(*piece.transforms, transform), **known) for piece in pieces
    )


def read_frame(
    frame: pl.DataFrame, columns: Sequence[str], _at_a_time: int
) -> Iterator[pl.DataFrame]:
    """Read a table in memory."""
    yield present(frame, columns)


def read_side_by_side(
    readers: Sequence[Reader], columns: Sequence[str], at_a_time: int
) -> Iterator[pl.DataFrame]:
    """Read several columns of scores of the same trials, each by a reader of its own."""
    every = (reader(columns, at_a_time) for reader in readers)
    for first, *others in zip(*every, strict=True):
        yield first.with_columns(
            other["score"].alias(f"score {number}") for number, other in enumerate(others, 1)
        )


def present(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Those of some columns that a table has."""
    return frame.select(column for column in columns if column in frame.columns)


def spans(rows: int) -> Iterator[tuple[int, int]]:
    """Where pieces of so many rows in all begin and end."""
    return ((start, min(start + ROWS, rows)) for start in range(0, rows, ROWS))


Bundle = tuple[Piece, ...]
"""Pieces that are read one after the other."""


def bundled(pieces: Sequence[Piece], most: int) -> list[Bundle]:
    """The same trials in at most ``most`` bundles."""
    count = min(len(pieces), most)
    edges = [len(pieces) * i // count for i in range(count + 1)]
    return [tuple(pieces[start:end]) for start, end in pairwise(edges)]
