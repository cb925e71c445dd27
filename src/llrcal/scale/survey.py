"""What one pass over the trials tells of each class."""

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
"""Scores of the rarer class that are kept, and sent to whoever counts among them."""


@dataclass(frozen=True)
class Plan:
    """What is looked for in one class."""

    ceiling: int | None = None
    """Up to which keys to sample; None for no sample."""
    grid: Grid | None = None
    """Bins to summarise in; None for no summary."""
    keep: bool = False
    """Whether to keep the scores themselves, as long as they are not too many."""
    sign: float | None = None
    """Sign of the LLR in its cost, to add up costs; None where the scores are no LLRs."""


@dataclass(frozen=True)
class Side:
    """What is known of one class; what the plan does not ask for is None."""

    count: int
    least: float
    greatest: float
    """Of the finite scores, as all that follows but for the costs and what is kept."""
    infinite: tuple[int, int]
    """How many are minus infinity, and how many are infinity."""
    sample: Sample | None
    summary: Summary | None
    """None also where the bins do not reach far enough."""
    kept: tuple[Array, ...] | None
    """None also where there are too many."""
    cost: ExactSum | None

    @classmethod
    def of(cls, scores: Array, plan: Plan) -> Side:
        """Survey some scores of a class."""
        is_finite = np.isfinite(scores)
        finite = scores if is_finite.all() else scores[is_finite]
        infinite = len(scores) - len(finite)
        below = int((scores == -np.inf).sum()) if infinite else 0
        summed_up = None
        if plan.sign is not None:
            summed_up = cost(scores, plan.sign) if len(scores) else ExactSum()
        return cls(
            len(scores),
            float(finite.min(initial=np.inf)),
            float(finite.max(initial=-np.inf)),
            (below, infinite - below),
            None if plan.ceiling is None else Sample.below(plan.ceiling, finite),
            None if plan.grid is None else _summary(finite, plan.grid),
            (scores,) if plan.keep and len(scores) <= MOST_KEPT else None,
            summed_up,
        )

    def merge(self, other: Side) -> Side:
        """The same of both; associative and commutative, but for the order of what is kept."""
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
        """Least and greatest finite score; NaN where none is finite."""
        some = self.count > sum(self.infinite)
        return (self.least + 0.0, self.greatest + 0.0) if some else (np.nan, np.nan)  # no -0

    @property
    def compact(self) -> Side:
        """The same with what is kept in one array, which is quicker to send."""
        if not self.kept or len(self.kept) == 1:
            return self
        return replace(self, kept=(np.concatenate(self.kept),))


def _summary(scores: Array, grid: Grid) -> Summary | None:
    try:
        return Summary.of(scores, grid)
    except DegenerateError:  # these may be the wrong bins, which will turn out
        return None


def _merged(one: Summary | None, other: Summary | None) -> Summary | None:
    if one is None or other is None:
        return None
    try:
        return one.merge(other)
    except DegenerateError:  # few scores are not looked for in the bins, until they are many
        return None


@dataclass(frozen=True)
class Survey:
    """What is known of both classes."""

    tar: Side
    non: Side
    left_out: int = 0
    """Trials that were dropped, as the user asked."""

    def merge(self, other: Survey) -> Survey:
        """The same of both."""
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
    """The work on one piece."""

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
    """A few trials of both classes, for a first idea."""

    tar: Array
    non: Array
    counts: tuple[int, int]
    """How many targets and non-targets there are, about, in the pieces that were looked at."""

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
