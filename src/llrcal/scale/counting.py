"""How many scores of the commoner class lie among values of the rarer one, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.ranks import RUN, Counted, Groups, Sieve, counted_by_sorting, next_above, pool
from llrcal.scale.piece import Batch, Piece


@dataclass(frozen=True)
class Counter:
    """The work on one piece: count one class among sorted values."""

    values: Floats
    of_tar: bool

    def __call__(self, piece: Piece) -> Counted:
        counted = (self._counted(_class(batch, of_tar=self.of_tar)) for batch in piece.batches())
        return reduce(Counted.merge, counted, self._counted(np.empty(0)))

    def _counted(self, scores: Array) -> Counted:
        if len(scores) <= RUN:
            return counted_by_sorting(scores, self.values)
        return self._sieve.count(scores)

    @cached_property
    def _sieve(self) -> Sieve:
        return Sieve(self.values)


@dataclass(frozen=True)
class Gatherer:
    """The work on one piece: the scores of one class themselves."""

    of_tar: bool

    def __call__(self, piece: Piece) -> tuple[Array, ...]:
        return tuple(_class(batch, of_tar=self.of_tar) for batch in piece.batches())


@dataclass(frozen=True)
class Finder:
    """The work on one piece: the smallest score of one class above each of some values."""

    values: Floats
    of_tar: bool

    def __call__(self, piece: Piece) -> Floats:
        found = [
            next_above(scores, self.values)
            for batch in piece.batches()
            if len(scores := _class(batch, of_tar=self.of_tar))
        ]
        return reduce(np.minimum, found, np.full(len(self.values), np.inf))


def _class(batch: Batch, *, of_tar: bool) -> Array:
    return batch.tar if of_tar else batch.non


@dataclass(frozen=True)
class Distinct:
    """Scores in rising order, and how often each is there."""

    values: Floats
    counts: Counts

    @classmethod
    def of(cls, scores: Array) -> Distinct:
        values, counts = np.unique(scores, return_counts=True)
        return cls(values.astype(np.float64, copy=False), counts)

    def below(self, thresholds: Floats) -> Counts:
        """How many scores are smaller than each threshold."""
        total = np.concatenate([[0], np.cumsum(self.counts)])
        return np.asarray(total[np.searchsorted(self.values, thresholds)])


@dataclass(frozen=True)
class Stretch:
    """A stretch of the score axis: the rarer class in it, and the commoner one counted among it."""

    rare: Distinct
    counted: Counted

    @classmethod
    def of(cls, rare: Distinct, common: Distinct) -> Stretch:
        total = np.concatenate([[0], np.cumsum(common.counts)])
        below, up_to = (
            total[np.searchsorted(common.values, rare.values, side)] for side in ("left", "right")
        )
        least = float(common.values[0]) if len(common.values) else np.inf
        return cls(rare, Counted(below, up_to, int(total[-1]), least))


def groups_of(stretches: list[Stretch], *, rare_is_tar: bool) -> Groups:
    """The groups of consecutive stretches, in rising order."""
    before = np.cumsum([0, *(stretch.counted.count for stretch in stretches)])
    each = list(zip(stretches, before, strict=False))
    counted = Counted(
        np.concatenate([stretch.counted.below + count for stretch, count in each]),
        np.concatenate([stretch.counted.up_to + count for stretch, count in each]),
        int(before[-1]),
        min(stretch.counted.least for stretch in stretches),
    )
    values = np.concatenate([stretch.rare.values for stretch in stretches])
    counts = np.concatenate([stretch.rare.counts for stretch in stretches])
    return pool(values, counts, counted, rare_is_tar=rare_is_tar)


@dataclass(frozen=True)
class Parted:
    """The work on one piece: the scores of both classes from one score up to another."""

    low: float
    high: float | None
    """None for all above, infinity among them."""

    def __call__(self, piece: Piece) -> Parts:
        batches = (Parts((self._part(b.tar),), (self._part(b.non),)) for b in piece.batches())
        return reduce(Parts.merge, batches, Parts())

    def _part(self, scores: Array) -> Array:
        within = scores >= self.low
        return scores[within] if self.high is None else scores[within & (scores < self.high)]


@dataclass(frozen=True)
class Parts:
    """Scores of a stretch, not sorted yet."""

    tar: tuple[Array, ...] = ()
    non: tuple[Array, ...] = ()

    def merge(self, other: Parts) -> Parts:
        return Parts(self.tar + other.tar, self.non + other.non)

    def stretch(self, *, rare_is_tar: bool) -> Stretch:
        """The stretch of these scores."""
        tar, non = (Distinct.of(np.concatenate([*p, np.empty(0)])) for p in (self.tar, self.non))
        return Stretch.of(tar, non) if rare_is_tar else Stretch.of(non, tar)
