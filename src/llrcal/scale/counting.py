"""Counts of the commoner class among the values of the rarer one, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Counted, Counting, Groups, Sieve, next_above, pool
from llrcal.scale.pieces.piece import Batch, Piece

_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


@dataclass(frozen=True)
class CountAmong:
    """The work on one piece: the scores of one class, counted among sorted values."""

    values: Floats
    of_tar: bool

    def __call__(self, piece: Piece) -> Counted:
        counting = Counting(self._sieve)
        for batch in piece.batches():
            counting.add(_class(batch, of_tar=self.of_tar))
        return counting.counted

    @cached_property
    def _sieve(self) -> Sieve:
        return Sieve(self.values)


@dataclass(frozen=True)
class CountAll:
    """The work on one piece: the scores of both classes, counted among sorted values."""

    values: Floats

    def __call__(self, piece: Piece) -> Counted:
        counting = Counting(self._sieve)
        for arrays in piece.scores():
            for scores in arrays:
                counting.add(scores)
        return counting.counted

    @cached_property
    def _sieve(self) -> Sieve:
        return Sieve(self.values)


@dataclass(frozen=True)
class ScoresOfClass:
    """The work on one piece: all scores of one class."""

    of_tar: bool

    def __call__(self, piece: Piece) -> tuple[Array, ...]:
        return tuple(_class(batch, of_tar=self.of_tar) for batch in piece.batches())


@dataclass(frozen=True)
class NextAbove:
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
    """Distinct scores in rising order, and how often each occurs."""

    values: Floats
    counts: Counts

    @classmethod
    def of(cls, scores: Array) -> Distinct:
        values, counts = np.unique(scores, return_counts=True)
        return cls(values.astype(np.float64, copy=False), counts)

    def below(self, thresholds: Floats) -> Counts:
        """The number of scores below each threshold."""
        return np.asarray(self._total[np.searchsorted(self.values, thresholds)])

    def among(self, values: Floats) -> Counted:
        """These scores, counted among other values."""
        below, up_to = (self._total[np.searchsorted(self.values, values, side)] for side in _SIDES)
        least = float(self.values[0]) if len(self.values) else np.inf
        return Counted(below, up_to, int(self._total[-1]), least)

    @property
    def _total(self) -> Counts:
        return np.concatenate([[0], np.cumsum(self.counts)])


def groups_of(rare: Distinct, common: Counted, *, rare_is_tar: bool) -> Groups:
    """The groups of two classes, given one class counted among the values of the other."""
    return pool(rare.values, rare.counts, common, rare_is_tar=rare_is_tar)


@dataclass(frozen=True)
class Between:
    """The work on one piece: the scores of both classes from one score up to another."""

    low: float
    high: float | None
    """None for no upper limit, so that infinity is included."""

    def __call__(self, piece: Piece) -> Stretch:
        batches = (Stretch((self._part(b.tar),), (self._part(b.non),)) for b in piece.batches())
        return reduce(Stretch.merge, batches, Stretch())

    def _part(self, scores: Array) -> Array:
        within = scores >= self.low
        return scores[within] if self.high is None else scores[within & (scores < self.high)]


@dataclass(frozen=True)
class Stretch:
    """All scores in a stretch of the score axis."""

    tar: tuple[Array, ...] = ()
    non: tuple[Array, ...] = ()

    def merge(self, other: Stretch) -> Stretch:
        return Stretch(self.tar + other.tar, self.non + other.non)

    def pooled(self, *, rare_is_tar: bool) -> Pooled:
        """The groups of this stretch, pooled by PAV.

        What is pooled within a stretch is also pooled in the whole, so few groups need to be kept.
        """
        tar, non = (Distinct.of(np.concatenate([*p, np.empty(0)])) for p in (self.tar, self.non))
        rare, common = (tar, non) if rare_is_tar else (non, tar)
        if not len(rare.values):
            return Pooled(_of_one_class(common, rare_is_tar=rare_is_tar), 0.0)
        every = groups_of(rare, common.among(rare.values), rare_is_tar=rare_is_tar)
        higher = float((every.tar * (np.cumsum(every.non) - every.non / 2)).sum())
        return Pooled(_pooled(every), higher)


@dataclass(frozen=True)
class Pooled:
    """Pooled groups, and a number that can no longer be computed from them."""

    groups: Groups
    higher: float
    """Pairs of a target and a non-target in which the target scores higher; ties count half."""


def _pooled(every: Groups) -> Groups:
    hull = Hull.of(every)
    first = hull.first_group
    return Groups(every.low[first], every.excludes_low[first], hull.tar, hull.non)


def _of_one_class(common: Distinct, *, rare_is_tar: bool) -> Groups:
    """One group for scores of only the commoner class; no group if there are none."""
    count = common.counts.sum(keepdims=True) if len(common.values) else common.counts
    none = np.zeros_like(count)
    tar, non = (none, count) if rare_is_tar else (count, none)
    return Groups(common.values[:1] + 0.0, np.zeros(len(count), bool), tar, non)


def joined(stretches: Sequence[Pooled]) -> Pooled:
    """The groups of consecutive stretches, in rising order, pooled again where they meet."""
    parts = [stretch.groups for stretch in stretches]
    higher, below = 0.0, 0
    for stretch in stretches:
        higher += stretch.higher + float(stretch.groups.tar.sum()) * below
        below += int(stretch.groups.non.sum())
    every = Groups(
        np.concatenate([groups.low for groups in parts]),
        np.concatenate([groups.excludes_low for groups in parts]),
        np.concatenate([groups.tar for groups in parts]),
        np.concatenate([groups.non for groups in parts]),
    )
    return Pooled(_pooled(every), higher)
