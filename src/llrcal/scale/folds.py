"""Folds of the scores in pieces: each class by itself, or in one whatever the labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import LlrcalError
from llrcal.onepass.chunks import Mergeable, MergedByFields, New
from llrcal.onepass.grid import ALL_KEYS, Grid, Sample, SampleFold
from llrcal.onepass.summary import Summary, SummaryFold
from llrcal.onepass.sums import CostFold, ExactSum
from llrcal.onepass.two_classes import Both
from llrcal.scale.piece import Piece

MOST_KEPT = 2**23
"""The most scores of the rarer class that are kept, and sent to workers that count."""

_Value = TypeVar("_Value", bound=Mergeable)


def fold_pieces(tar: New[_Value], non: New[_Value], pieces: Sequence[Piece]) -> Both[_Value]:
    """The work on some pieces: fold the scores of each class by themselves."""
    of_tar, of_non, left_out = tar(), non(), 0
    for piece in pieces:
        for batch in piece.batches():
            of_tar.add(batch.tar)
            of_non.add(batch.non)
            left_out += batch.left_out
    return Both(of_tar.value, of_non.value, left_out)


def fold_one_class(new: New[_Value], of_tar: bool | None, pieces: Sequence[Piece]) -> _Value:
    """The work on some pieces: fold the scores of one class, or all if labels do not matter.

    If trials are left out, some of their scores may be among all.
    """
    fold = new()
    for piece in pieces:
        for batch in piece.batches(labelled=of_tar is not None):
            fold.add(batch.tar if of_tar else batch.non)
    return fold.value


@dataclass(frozen=True)
class Kept(MergedByFields):
    """Scores as they are, in some arrays; merging is commutative but for their order."""

    count: int = 0
    """How many they are, or stand for."""
    arrays: tuple[Array, ...] = ()

    @property
    def scores(self) -> Array:
        return np.concatenate(self.arrays) if self.arrays else np.empty(0)


class KeepFold:
    """Keeps the scores of arrays; with a step, some of them, and the extremes."""

    def __init__(self, step: int = 1) -> None:
        self._step = step
        self._kept = Kept()

    def add(self, scores: Array) -> None:
        """Keep some scores."""
        some = scores
        if self._step > 1 and len(scores):
            some = np.concatenate([scores[:: self._step], [scores.min(), scores.max()]])
        self._kept = self._kept.merge(Kept(len(scores), (some,)))

    @property
    def value(self) -> Kept:
        """What was kept, in one array, which is faster to send."""
        return Kept(self._kept.count, (self._kept.scores,))


@dataclass(frozen=True)
class Plan:
    """What to find out about the scores of a class in a pass; None and False for nothing."""

    ceiling: int | None = None
    """The largest key to sample."""
    grid: Grid | None = None
    """Bins to summarise in."""
    keep: bool = False
    """Whether to keep the scores themselves, as long as they are not too many."""
    sign: float | None = None
    """Sign of the LLR in its cost, to add up costs; None if the scores are not LLRs."""


@dataclass(frozen=True)
class Side:
    """What is known of one class after a pass.

    The bins of a summary follow from a sample of all scores. A few of them mostly tell which they
    will be, so scores are put into these while the sample is taken. If they turn out to be others,
    another pass is needed.
    """

    count: int
    least: float
    greatest: float
    """Of the finite scores, as are sample and summary."""
    infinite: tuple[int, int]
    """The numbers of scores that are minus infinity and plus infinity."""
    sample: Sample | None
    summary: Summary | None
    """None, too, if scores lie beyond bins that were a guess."""
    kept: Kept | None
    """None if they were not to be kept, or are too many."""
    cost: ExactSum
    """The sum of the costs of LLRs; zero if the scores are not LLRs."""

    def merge(self, other: Side) -> Side:
        """The same of both sets of scores together."""
        count = self.count + other.count
        sample = self.sample.merge(other.sample) if self.sample and other.sample else None
        summary = None
        if self.summary and other.summary:
            try:
                summary = self.summary.merge(other.summary)
            except LlrcalError:  # few scores are not binned until there are many
                if sample is None:  # the bins are no guess
                    raise
        kept = None
        if self.kept and other.kept and count <= MOST_KEPT:
            kept = self.kept.merge(other.kept)
        return Side(
            count,
            min(self.least, other.least),
            max(self.greatest, other.greatest),
            (self.infinite[0] + other.infinite[0], self.infinite[1] + other.infinite[1]),
            sample,
            summary,
            kept,
            self.cost.merge(other.cost),
        )

    @property
    def range(self) -> tuple[float, float]:
        """Least and greatest finite score; NaN if none is finite."""
        some = self.count > sum(self.infinite)
        return (self.least + 0.0, self.greatest + 0.0) if some else (np.nan, np.nan)  # no -0

    @property
    def missing(self) -> Plan | None:
        """What another pass must find; None if there is a summary in the bins that suit."""
        if self.sample is None or not self.sample.is_enough:
            return Plan(ceiling=ALL_KEYS)
        grid = Grid.of_sample(self.sample)
        return None if self.summary and self.summary.grid == grid else Plan(grid=grid)


class SideFold:
    """What is known of one class, each array while it is in the processor's cache."""

    def __init__(self, plan: Plan) -> None:
        self._count, self._least, self._greatest = 0, np.inf, -np.inf
        self._infinite = [0, 0]
        self._sample = None if plan.ceiling is None else SampleFold(plan.ceiling)
        self._summary = None if plan.grid is None else SummaryFold(plan.grid)
        self._kept = KeepFold() if plan.keep else None
        self._cost = None if plan.sign is None else CostFold(plan.sign)

    def add(self, scores: Array) -> None:
        """Add some scores; raises as a summary does, unless the bins are a guess."""
        if not len(scores):
            return
        self._count += len(scores)
        if self._count > MOST_KEPT:
            self._kept = None
        for fold in (self._kept, self._cost):
            if fold:
                fold.add(scores)
        least, greatest = float(scores.min()), float(scores.max())
        if not (math.isfinite(least) and math.isfinite(greatest)):
            self._infinite[0] += int((scores == -np.inf).sum())
            self._infinite[1] += int((scores == np.inf).sum())
            scores = scores[np.isfinite(scores)]
            least, greatest = scores.min(initial=np.inf), scores.max(initial=-np.inf)
        self._least = min(self._least, float(least))
        self._greatest = max(self._greatest, float(greatest))
        if self._sample:
            self._sample.add(scores)
        if self._summary:
            try:
                self._summary.add(scores)
            except LlrcalError:
                if not self._sample:
                    raise
                self._summary = None

    @property
    def value(self) -> Side:
        """What is known of what was added."""
        return Side(
            self._count,
            self._least,
            self._greatest,
            (self._infinite[0], self._infinite[1]),
            self._sample.value if self._sample else None,
            self._summary.value if self._summary else None,
            self._kept.value if self._kept else None,
            self._cost.value if self._cost else ExactSum(),
        )
