"""Passes over trials in pieces, each made only when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from operator import add
from typing import TypeVar

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.errors import ScoreError
from llrcal.evaluation.llrs import EvidenceSums
from llrcal.onepass.ends import Ends
from llrcal.onepass.grid import Grid
from llrcal.onepass.ranks import Counted, Groups
from llrcal.onepass.sample import ALL_KEYS, Sample, likely_ceiling
from llrcal.onepass.summary import KEPT_UP_TO, Summary
from llrcal.onepass.sums import ExactSum
from llrcal.onepass.table import check_reach
from llrcal.scale.costs import Costs, CostsBy
from llrcal.scale.counting import (
    CountAll,
    CountAmong,
    Distinct,
    NextAbove,
    Pooled,
    ScoresOfClass,
    groups_of,
    joined,
)
from llrcal.scale.engines.engine import Engine
from llrcal.scale.evidence import EndsOf, Evidence, evidence_of
from llrcal.scale.pieces.piece import Piece
from llrcal.scale.survey import MOST_KEPT, Glance, Plan, Side, Survey, Surveyor
from llrcal.scoring_rule import ScoringRule

_Value = TypeVar("_Value")

_LOOKED_AT = 8  # pieces, for the glance
_MANY_TIMES = 16  # as many scores in one class as in the other


class Passes:
    """Pieces of trials, and an engine that makes passes over them.

    ``summarised`` says whether the first pass computes summaries, ``ranked`` whether it keeps the
    scores of the rarer class, and ``costed`` whether it adds up the costs of LLRs. Anything not
    announced here is still available, at the price of another pass.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        engine: Engine,
        *,
        summarised: bool = False,
        ranked: bool = False,
        costed: bool = False,
    ) -> None:
        if not pieces:
            raise ScoreError("there are no trials")
        self.pieces = tuple(pieces)
        self.engine = engine
        self._summarised, self._ranked, self._costed = summarised, ranked, costed

    @property
    def rows(self) -> int:
        """The number of trials, or an estimate of it."""
        return sum(piece.rows for piece in self.pieces)

    @cached_property
    def survey(self) -> Survey:
        """The results of one pass, planned after a glance at some pieces."""
        survey = self._surveyed([self._plan(is_tar=True), self._plan(is_tar=False)], "reading")
        for side, name in ((survey.tar, "target"), (survey.non, "non-target")):
            if not side.count:
                raise ScoreError(f"no {name} scores in {self._where}")
        return survey

    def _plan(self, *, is_tar: bool) -> Plan:
        glance = self._glance
        scores, count = (glance.tar if is_tar else glance.non), glance.counts[not is_tar]
        expected = self.rows * count // max(sum(p.rows for p in self._looked_at), 1)
        plan = Plan(
            keep=self._ranked and is_tar == glance.rare_is_tar and expected <= MOST_KEPT,
            sign=(-1.0 if is_tar else 1.0) if self._costed else None,
        )
        if not self._summarised or not len(scores):
            return plan
        grid = grid_of(Sample.of(scores))
        # If there are far fewer than expected, the sample is too small and costs another pass.
        return replace(plan, ceiling=likely_ceiling(expected // 4), grid=grid)

    @property
    def _where(self) -> str:
        names = [piece.name for piece in self.pieces]
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @cached_property
    def _glance(self) -> Glance:
        return self.engine.reduce(
            self._looked_at, Glance.at, Glance.merge, "looking at a few pieces"
        )

    @property
    def _looked_at(self) -> list[Piece]:
        return some_of(self.pieces)

    def _surveyed(self, plans: list[Plan], what: str) -> Survey:
        tar, non = plans
        return self._over_all(Surveyor(tar, non), Survey.merge, what)

    def _over_all(
        self, work: Callable[[Piece], _Value], merge: Callable[[_Value, _Value], _Value], what: str
    ) -> _Value:
        return self.engine.reduce(self.engine.bundled(self.pieces), work, merge, what)

    @cached_property
    def samples(self) -> tuple[Sample, Sample]:
        """Samples of both classes."""
        known = [known_sample(side) for side in self.survey.sides]
        plans = [Plan(ceiling=ALL_KEYS if sample is None else None) for sample in known]
        return _pair(known, lambda: [side.sample for side in self._sides(plans, "sampling")])

    @cached_property
    def summaries(self) -> tuple[Summary, Summary]:
        """Summaries of both classes, in the bins that follow from the samples of all trials.

        In all but a few per cent of cases these are the bins that the glance suggested.

        Raises
        ------
        DegenerateError
            If a score lies outside the range that bins can cover.
        """
        sides = self.survey.sides
        grids = [grid_of(sample) for sample in self.samples]
        known = [known_summary(side, grid) for side, grid in zip(sides, grids, strict=True)]
        for side, grid in zip(sides, grids, strict=True):
            if side.count > KEPT_UP_TO:  # fewer scores are kept exactly
                check_reach(side.least, side.greatest, grid)
        plans = [Plan(grid=g if k is None else None) for k, g in zip(known, grids, strict=True)]
        again = "reading again, in other bins"
        return _pair(known, lambda: [side.summary for side in self._sides(plans, again)])

    def _sides(self, plans: list[Plan], what: str) -> tuple[Side, Side]:
        return self._surveyed(plans, what).sides

    def costs_by(self, rule: ScoringRule) -> tuple[ExactSum, ExactSum]:
        """The sums of the costs of each class by a scoring rule, if the scores are LLRs."""
        costs = self._over_all(CostsBy(rule), Costs.merge, "adding up costs")
        return costs.tar, costs.non

    @property
    def evidence(self) -> tuple[EvidenceSums, EvidenceSums]:
        """Sums of the LRs and LLRs of each class, if the scores are LLRs."""
        found = self._over_all(evidence_of, Evidence.merge, "adding up likelihood-ratios")
        return found.tar, found.non

    def ends(self, edges: Floats) -> Ends:
        """The least and the greatest score of either class in stretches that begin at the edges."""
        return self._over_all(EndsOf(edges), Ends.merge, "finding ends")

    def counted(self, values: Floats, *, of_tar: bool) -> Counted:
        """One class, counted among sorted values."""
        work = CountAmong(values, of_tar=of_tar)
        return self._over_all(work, Counted.merge, "counting")

    def next_above(self, values: Floats) -> Floats:
        """The smallest score of the commoner class above each value."""
        work = NextAbove(values, of_tar=not self.survey.rare_is_tar)
        return self._over_all(work, np.minimum, "finding knots")

    @cached_property
    def rare(self) -> Distinct | None:
        """The rarer class; None if it is too large to be kept in memory."""
        rare = self.survey.rare
        if rare.count > MOST_KEPT:
            return None
        kept = rare.kept
        if kept is None:
            work = ScoresOfClass(of_tar=self.survey.rare_is_tar)
            kept = self._over_all(work, add, "gathering the rarer class")
        return Distinct.of(np.concatenate(kept))

    @cached_property
    def groups(self) -> Groups:
        """Both classes in rising order, in the groups that PAV works on."""
        rare_is_tar = self.survey.rare_is_tar
        if self.rare is None:
            return self.pooled.groups
        counted = self.common_among(self.rare.values)
        return groups_of(self.rare, counted, rare_is_tar=rare_is_tar)

    def common_among(self, values: Floats) -> Counted:
        """The commoner class, counted among sorted values."""
        survey, rare = self.survey, self.rare
        tar, non = survey.sides
        common = non if survey.rare_is_tar else tar
        is_rare = common.count >= _MANY_TIMES * survey.rare.count
        if rare is None or survey.left_out or not is_rare:
            return self.counted(values, of_tar=not survey.rare_is_tar)
        # Hardly more work, but it needs no labels, and no copy of the scores of either class.
        every = self._over_all(CountAll(values), Counted.merge, "counting")
        own = rare.among(values)
        least = -np.inf if common.infinite[0] else common.least
        return Counted(every.below - own.below, every.up_to - own.up_to, common.count, least)

    @cached_property
    def pooled(self) -> Pooled:
        """Both classes if neither can be kept in memory: sorted one stretch at a time."""
        rare_is_tar = self.survey.rare_is_tar
        return joined(self.engine.stretches(self.pieces, self._cuts, rare_is_tar=rare_is_tar))

    @property
    def higher(self) -> float:
        """The share of pairs in which the target scores higher, from the sorted stretches."""
        return self.pooled.higher / (self.survey.tar.count * self.survey.non.count)

    @property
    def _cuts(self) -> Floats:
        """Scores that divide the axis into stretches with about equal numbers of trials."""
        parts = -(-sum(side.count for side in self.survey.sides) // self.engine.most_in_a_stretch)
        values, weights = [], []
        for sample, side in zip(self.samples, self.survey.sides, strict=True):
            scores, counts = sample.sorted()
            values.append(scores)
            weights.append(counts * (side.count / max(counts.sum(), 1)))
        every, weight = np.concatenate(values), np.concatenate(weights)
        order = np.argsort(every, kind="stable")
        total = np.cumsum(weight[order])
        if not len(total):  # nothing is finite
            return every
        at = np.searchsorted(total, total[-1] * np.arange(1, parts) / parts)
        return np.unique(every[order][at])


def some_of(pieces: Sequence[Piece]) -> list[Piece]:
    """A few pieces to look at, evenly spread."""
    count = min(len(pieces), _LOOKED_AT)
    return [pieces[i * len(pieces) // count] for i in range(count)]


def grid_of(sample: Sample) -> Grid:
    """Bins that suit a sample."""
    with np.errstate(over="ignore", invalid="ignore"):  # reported later, as an invalid unit
        return Grid.of_sample(sample)


def known_sample(side: Side) -> Sample | None:
    """The sample of a class, if the survey has it."""
    if side.kept is not None:
        return Sample.of(_finite(side.kept))
    return side.sample if side.sample is not None and side.sample.is_enough else None


def known_summary(side: Side, grid: Grid) -> Summary | None:
    """The summary of a class in the given bins, if the survey has it."""
    if side.summary is not None and side.summary.grid == grid:
        return side.summary
    return None if side.kept is None else Summary.of(_finite(side.kept), grid)


def _finite(kept: tuple[Array, ...]) -> Array:
    scores = np.concatenate(kept)
    return np.asarray(scores[np.isfinite(scores)])


def _pair(
    known: list[_Value | None], others: Callable[[], list[_Value | None]]
) -> tuple[_Value, _Value]:
    """The known values of both classes, or those of another pass if one is missing."""
    if any(value is None for value in known):
        known = [k if k is not None else o for k, o in zip(known, others(), strict=True)]
    match known:
        case [tar, non] if tar is not None and non is not None:
            return tar, non
    raise AssertionError("a pass did not return what it was asked for")
