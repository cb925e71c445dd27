"""Both classes in rising order: distinct scores, and groups pooled range by range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from llrcal.arrays import Array, Counts, Floats
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Counted, Groups, pool
from llrcal.scale.pieces.piece import Piece
from llrcal.scale.spill import TRIALS, trial_rows

_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


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


def class_rows(piece: Piece) -> Array:
    """The scores of a piece as rows to be divided, each with its class."""
    batches = ((batch.non, batch.tar) for batch in piece.batches())
    found = (trial_rows(scores, label) for both in batches for label, scores in enumerate(both))
    return np.concatenate([np.empty(0, TRIALS), *found])


@dataclass(frozen=True)
class Pooled:
    """Pooled groups, and a number that can no longer be computed from them."""

    groups: Groups
    higher: float
    """Pairs of a target and a non-target in which the target scores higher; ties count half."""


def pool_range(rows: pl.DataFrame, *, rare_is_tar: bool) -> tuple[Pooled, None]:
    """The groups of a range of the score axis, pooled by PAV.

    What is pooled within a range is also pooled in the whole, so few groups need to be kept.
    """
    scores, is_tar = rows["score"].to_numpy(), rows["label"].to_numpy() == 1
    tar, non = Distinct.of(scores[is_tar]), Distinct.of(scores[~is_tar])
    rare, common = (tar, non) if rare_is_tar else (non, tar)
    if not len(rare.values):
        return Pooled(_of_one_class(common, rare_is_tar=rare_is_tar), 0.0), None
    every = groups_of(rare, common.among(rare.values), rare_is_tar=rare_is_tar)
    higher = float((every.tar * (np.cumsum(every.non) - every.non / 2)).sum())
    return Pooled(_pooled(every), higher), None


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


def join_ranges(ranges: Sequence[Pooled]) -> Pooled:
    """The groups of consecutive ranges, in rising order, pooled again where they meet."""
    parts = [one.groups for one in ranges]
    higher, below = 0.0, 0
    for one in ranges:
        higher += one.higher + float(one.groups.tar.sum()) * below
        below += int(one.groups.non.sum())
    every = Groups(
        np.concatenate([groups.low for groups in parts]),
        np.concatenate([groups.excludes_low for groups in parts]),
        np.concatenate([groups.tar for groups in parts]),
        np.concatenate([groups.non for groups in parts]),
    )
    return Pooled(_pooled(every), higher)
