"""The results of one pass over the trials, for each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import DegenerateError
from llrcal.evaluation.cllr import cost
from llrcal.onepass.grid import Grid
from llrcal.onepass.sample import Sample
from llrcal.onepass.summary import Summary
from llrcal.onepass.sums import ExactSum
from llrcal.scale.pieces.piece import Piece

MOST_KEPT = 2**23
"""The most scores of the rarer class that are kept, and sent to workers that count."""


@dataclass(frozen=True)
class Plan:
    """What to compute for one class."""

    ceiling: int | None = None
    """The largest key to sample; None for no sample."""
    grid: Grid | None = None
    """Bins to summarise in; None for no summary."""
    keep: bool = False
    """Whether to keep the scores themselves, as long as they are not too many."""
    sign: float | None = None
    """Sign of the LLR in its cost, to add up costs; None if the scores are not LLRs."""


@dataclass(frozen=True)
class Side:
    """The results for one class; None for what the plan does not ask for."""

    count: int
    least: float
    greatest: float
    """Of the finite scores, as is everything below except the costs and the kept scores."""
    infinite: tuple[int, int]
    """The numbers of scores that are minus infinity and plus infinity."""
    sample: Sample | None
    summary: Summary | None
    """Also None if the bins do not cover all scores."""
    kept: tuple[Array, ...] | None
    """Also None if there are too many."""
    cost: ExactSum | None

    @classmethod
    def of(cls, scores: Array, plan: Plan) -> Side:
        """Survey some scores of a class."""
        finite = scores
        summary = None if plan.grid is None else _summary(scores, plan.grid)
        least, greatest = (summary.least, summary.greatest) if summary else _ends(scores)
        if not np.isfinite([least, greatest]).all() and len(scores):
            finite = scores[np.isfinite(scores)]
            summary = None if plan.grid is None else _summary(finite, plan.grid)
            least, greatest = _ends(finite)
        infinite = len(scores) - len(finite)
        below = int((scores == -np.inf).sum()) if infinite else 0
        summed_up = None
        if plan.sign is not None:
            summed_up = cost(scores, plan.sign) if len(scores) else ExactSum()
        return cls(
            len(scores),
            least,
            greatest,
            (below, infinite - below),
            None if plan.ceiling is None else Sample.below(plan.ceiling, finite),
            summary,
            (scores,) if plan.keep and len(scores) <= MOST_KEPT else None,
            summed_up,
        )

    def merge(self, other: Side) -> Side:
        """The results for both; associative, and commutative but for the order of ``kept``."""
        count = self.count + other.count
        kept = None
        if self.kept is not None and other.kept is not None and count <= MOST_KEPT:
            kept = self.kept + other.kept
        return Side(
            count,
            min(self.least, other.least),
            max(self.greatest, other.greatest),
            (self.infinite[0] + other.infinite[0], self.infinite[1] + other.infinite[1]),
            self.sample.merge(other.sample) if self.sample and other.sample else None,
            _merged(self.summary, other.summary),
            kept,
            self.cost.merge(other.cost) if self.cost and other.cost else None,
        )

    @property
    def range(self) -> tuple[float, float]:
        """Least and greatest finite score; NaN if none is finite."""
        some = self.count > sum(self.infinite)
        return (self.least + 0.0, self.greatest + 0.0) if some else (np.nan, np.nan)  # no -0

    @property
    def compact(self) -> Side:
        """The same with the kept scores in one array, which is faster to send."""
        if not self.kept or len(self.kept) == 1:
            return self
        return replace(self, kept=(np.concatenate(self.kept),))


def _ends(scores: Array) -> tuple[float, float]:
    return float(scores.min(initial=np.inf)), float(scores.max(initial=-np.inf))


def _summary(scores: Array, grid: Grid) -> Summary | None:
    try:
        return Summary.of(scores, grid)
    except DegenerateError:  # possibly the wrong bins, which is found out later
        return None


def _merged(one: Summary | None, other: Summary | None) -> Summary | None:
    if one is None or other is None:
        return None
    try:
        return one.merge(other)
    except DegenerateError:  # a few scores are not binned until there are many
        return None


@dataclass(frozen=True)
class Survey:
    """The results for both classes."""

    tar: Side
    non: Side
    left_out: int = 0
    """The number of trials dropped at the user's request."""

    def merge(self, other: Survey) -> Survey:
        """The results for both together."""
        return Survey(
            self.tar.merge(other.tar),
            self.non.merge(other.non),
            self.left_out + other.left_out,
        )

    @cached_property
    def rare_is_tar(self) -> bool:
        return self.tar.count <= self.non.count

    @property
    def rare(self) -> Side:
        return self.tar if self.rare_is_tar else self.non

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.tar, self.non


@dataclass(frozen=True)
class Surveyor:
    """The work on one piece: survey it."""

    tar: Plan
    non: Plan

    def __call__(self, piece: Piece) -> Survey:
        nothing = Survey(Side.of(np.empty(0), self.tar), Side.of(np.empty(0), self.non))
        batches = (
            Survey(Side.of(batch.tar, self.tar), Side.of(batch.non, self.non), batch.left_out)
            for batch in piece.batches()
        )
        found = reduce(Survey.merge, batches, nothing)
        return Survey(found.tar.compact, found.non.compact, found.left_out)


@dataclass(frozen=True)
class Glance:
    """A few trials of both classes, for planning."""

    tar: Array
    non: Array
    counts: tuple[int, int]
    """The approximate numbers of targets and non-targets in the pieces that were read."""

    @classmethod
    def at(cls, piece: Piece) -> Glance:
        sides = piece.peek().sides
        seen = max(sum(map(len, sides)), 1)
        tar, non = (scores[np.isfinite(scores)] for scores in sides)
        return cls(tar, non, (len(tar) * piece.rows // seen, len(non) * piece.rows // seen))

    def merge(self, other: Glance) -> Glance:
        return Glance(
            np.concatenate([self.tar, other.tar]),
            np.concatenate([self.non, other.non]),
            (self.counts[0] + other.counts[0], self.counts[1] + other.counts[1]),
        )

    @property
    def rare_is_tar(self) -> bool:
        return self.counts[0] <= self.counts[1]
