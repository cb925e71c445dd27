"""The results of one pass over the trials, for each class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import DegenerateError
from llrcal.evaluation.costs import cost
from llrcal.onepass.grid import Grid
from llrcal.onepass.sample import GrowingSample, Sample
from llrcal.onepass.summary import GrowingSummary, Summary
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


def _merged(one: Summary | None, other: Summary | None) -> Summary | None:
    if one is None or other is None:
        return None
    try:
        return one.merge(other)
    except DegenerateError:  # a few scores are not binned until there are many
        return None


class GrowingSide:
    """The results for one class, of arrays that come one after the other."""

    def __init__(self, plan: Plan) -> None:
        self._count, self._least, self._greatest = 0, np.inf, -np.inf
        self._infinite = [0, 0]
        self._sample = None if plan.ceiling is None else GrowingSample(plan.ceiling)
        self._summary = None if plan.grid is None else GrowingSummary(plan.grid)
        self._kept: list[Array] | None = [] if plan.keep else None
        self._sign, self._cost = plan.sign, ExactSum()

    def add(self, scores: Array) -> None:
        """Survey some scores of the class."""
        if not len(scores):
            return
        self._count += len(scores)
        if self._count > MOST_KEPT:
            self._kept = None
        if self._kept is not None:
            self._kept.append(scores)
        if self._sign is not None:
            self._cost = self._cost.merge(cost(scores, self._sign))
        least, greatest = float(scores.min()), float(scores.max())
        if not (math.isfinite(least) and math.isfinite(greatest)):
            self._infinite[0] += int((scores == -np.inf).sum())
            self._infinite[1] += int((scores == np.inf).sum())
            scores = scores[np.isfinite(scores)]
            least, greatest = scores.min(initial=np.inf), scores.max(initial=-np.inf)
        self._least = min(self._least, float(least))
        self._greatest = max(self._greatest, float(greatest))
        if self._sample is not None:
            self._sample.add(scores)
        if self._summary is not None:
            try:
                self._summary.add(scores)
            except DegenerateError:  # possibly the wrong bins, which is found out later
                self._summary = None

    @property
    def side(self) -> Side:
        """The results for what was added, kept scores in one array, which is faster to send."""
        kept = None if self._kept is None else tuple(self._kept)
        if kept and len(kept) > 1:
            kept = (np.concatenate(kept),)
        return Side(
            self._count,
            self._least,
            self._greatest,
            (self._infinite[0], self._infinite[1]),
            None if self._sample is None else self._sample.sample,
            None if self._summary is None else self._summary.summary,
            kept,
            None if self._sign is None else self._cost,
        )


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
        tar, non, left_out = GrowingSide(self.tar), GrowingSide(self.non), 0
        for batch in piece.batches():
            tar.add(batch.tar)
            non.add(batch.non)
            left_out += batch.left_out
        return Survey(tar.side, non.side, left_out)


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
