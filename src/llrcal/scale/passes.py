"""Passes over trials in pieces, each made only when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import TypeVar

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.errors import ScoreError
from llrcal.evaluation.costs import cost
from llrcal.evaluation.llrs import EvidenceSums
from llrcal.onepass.chunks import Mergeable
from llrcal.onepass.ends import Ends, EndsFold, edges_above
from llrcal.onepass.ranks import Counted, Groups
from llrcal.onepass.sample import NO_SAMPLE, Sample, likely_ceiling
from llrcal.onepass.summary import KEPT_UP_TO, Plan, Summary, Survey, check_reach
from llrcal.onepass.sums import ExactSum
from llrcal.scale.counting import (
    Distinct,
    Pooled,
    class_rows,
    groups_of,
    join_ranges,
    pool_range,
)
from llrcal.scale.engines.engine import Engine
from llrcal.scale.folds import (
    MOST_KEPT,
    Both,
    ByClass,
    CountAmong,
    KeepFold,
    Kept,
    OneClass,
    Side,
    SideFold,
    Total,
)
from llrcal.scale.pieces.piece import Piece
from llrcal.scale.spill import TRIALS, ByScore, Spill, part_count
from llrcal.scoring_rule import ScoringRule

_Value = TypeVar("_Value", bound=Mergeable)

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

    @cached_property
    def survey(self) -> Both[Side]:
        """The results of one pass, planned after a glance at some pieces."""
        plans = ByClass(self._plan(is_tar=True), self._plan(is_tar=False))
        survey = self.over_all(plans, Both.merge, "reading")
        for side, name in ((survey.tar, "target"), (survey.non, "non-target")):
            if not side.count:
                raise ScoreError(f"no {name} scores in {self._where}")
        return survey

    def _plan(self, *, is_tar: bool) -> Callable[[], SideFold]:
        glance = self._glance
        expected = glance.counts[not is_tar]
        keep = self._ranked and is_tar == glance.rare_is_tar and expected <= MOST_KEPT
        sign = (-1.0 if is_tar else 1.0) if self._costed else None
        plan = glance.plan((glance.tar, glance.non)[not is_tar], expected)
        if not self._summarised:
            plan = replace(plan, grid=None)
        # What is kept can be surveyed later.
        return partial(SideFold, Plan() if keep else plan, keep=keep, sign=sign)

    @property
    def _where(self) -> str:
        names = [piece.name for piece in self.pieces]
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"

    @cached_property
    def _glance(self) -> Glance:
        return Glance.at_some(self.pieces, self.engine)

    @cached_property
    def rare_is_tar(self) -> bool:
        return self.survey.tar.count <= self.survey.non.count

    @property
    def _rare_side(self) -> Side:
        return self.survey.tar if self.rare_is_tar else self.survey.non

    def over_all(
        self,
        work: Callable[[Sequence[Piece]], _Value],
        merge: Callable[[_Value, _Value], _Value],
        what: str,
    ) -> _Value:
        """The value of all pieces together."""
        return self.engine.reduce(self.pieces, work, merge, what)

    @cached_property
    def summaries(self) -> tuple[Summary, Summary]:
        """Summaries of both classes, in the bins that follow from the samples of all trials.

        Raises
        ------
        DegenerateError
            If a score lies outside the range that bins can cover.
        """
        tar, non = completed(self.survey.sides, self.pieces, self.engine)
        return tar, non

    def costs_by(self, rule: ScoringRule) -> tuple[ExactSum, ExactSum]:
        """The sums of the costs of each class by a scoring rule, if the scores are LLRs."""
        tar, non = (partial(Total, partial(cost, sign=sign, rule=rule)) for sign in (-1.0, 1.0))
        return self.over_all(ByClass(tar, non), Both.merge, "adding up costs").sides

    @property
    def evidence(self) -> tuple[EvidenceSums, EvidenceSums]:
        """Sums of the LRs and LLRs of each class, if the scores are LLRs."""
        new = partial(Total, EvidenceSums.of)
        return self.over_all(ByClass(new, new), Both.merge, "adding up likelihood-ratios").sides

    def ends(self, edges: Floats) -> Ends:
        """The least and the greatest score of either class in ranges that begin at the edges."""
        new = partial(EndsFold, edges)
        return self.over_all(ByClass(new, new), Both.merge, "finding ends").pooled

    def counted(self, values: Floats, *, of_tar: bool | None) -> Counted:
        """One class, or both, counted among sorted values."""
        return self.over_all(OneClass(CountAmong(values), of_tar), Counted.merge, "counting")

    def next_above(self, values: Floats) -> Floats:
        """The smallest score of the commoner class above each value."""
        work = OneClass(partial(EndsFold, edges_above(values)), not self.rare_is_tar)
        return self.over_all(work, Ends.merge, "finding knots").next_above

    @cached_property
    def rare(self) -> Distinct | None:
        """The rarer class; None if it is too large to be kept in memory."""
        if self._rare_side.count > MOST_KEPT:
            return None
        kept = self._rare_side.kept
        if kept is None:
            work = OneClass(KeepFold, self.rare_is_tar)
            kept = self.over_all(work, Kept.merge, "gathering the rarer class")
        return Distinct.of(kept.scores)

    @cached_property
    def groups(self) -> Groups:
        """Both classes in rising order, in the groups that PAV works on."""
        if self.rare is None:
            return self.pooled.groups
        counted = self.common_among(self.rare.values)
        return groups_of(self.rare, counted, rare_is_tar=self.rare_is_tar)

    def common_among(self, values: Floats) -> Counted:
        """The commoner class, counted among sorted values."""
        rare = self.rare
        common = self.survey.non if self.rare_is_tar else self.survey.tar
        is_rare = common.count >= _MANY_TIMES * self._rare_side.count
        if rare is None or self.survey.left_out or not is_rare:
            return self.counted(values, of_tar=not self.rare_is_tar)
        # Hardly more work, but it needs no labels, and no copy of the scores of either class.
        every = self.counted(values, of_tar=None)
        own = rare.among(values)
        least = -np.inf if common.infinite[0] else common.least
        return Counted(every.below - own.below, every.up_to - own.up_to, common.count, least)

    @cached_property
    def pooled(self) -> Pooled:
        """Both classes if neither can be kept in memory: sorted one range of scores at a time."""
        cuts = self._cuts
        spill = Spill(self.pieces, TRIALS, class_rows, ByScore(cuts), "dividing by score")
        work = partial(pool_range, rare_is_tar=self.rare_is_tar)
        return join_ranges(self.engine.divide([spill], len(cuts) + 1, work, "sorting").values)

    @property
    def higher(self) -> float:
        """The share of pairs in which the target scores higher, from the sorted ranges."""
        return self.pooled.higher / (self.survey.tar.count * self.survey.non.count)

    @property
    def _cuts(self) -> Floats:
        """Scores that divide the axis into ranges with about equal numbers of trials."""
        parts = part_count(sum(side.count for side in self.survey.sides))
        values, weights = [], []
        for side in self.survey.sides:
            scores, counts = (side.survey.sample or NO_SAMPLE).sorted()
            values.append(scores)
            weights.append(counts * (side.count / max(counts.sum(), 1)))
        every, weight = np.concatenate(values), np.concatenate(weights)
        order = np.argsort(every, kind="stable")
        total = np.cumsum(weight[order])
        if not len(total):  # nothing is finite
            return every
        at = np.searchsorted(total, total[-1] * np.arange(1, parts) / parts)
        return np.unique(every[order][at])


def completed(
    sides: Sequence[Side], pieces: Sequence[Piece], engine: Engine
) -> tuple[Summary, ...]:
    """Summaries of classes in the bins that suit them, after more passes if need be.

    In all but a few per cent of cases, the bins are those that the glance suggested.
    """
    surveys = [_survey(side) for side in sides]
    while any(plans := [survey.missing for survey in surveys]):
        for side, plan in zip(sides, plans, strict=True):
            if plan and plan.grid and side.count > KEPT_UP_TO:  # fewer scores are kept exactly
                check_reach(side.least, side.greatest, plan.grid)
        sampling = any(plan and plan.ceiling for plan in plans)
        what = "sampling" if sampling else "reading again, in other bins"
        news = [partial(SideFold, plan or Plan()) for plan in plans]
        found = engine.reduce(pieces, ByClass(news[0], news[-1]), Both.merge, what)
        new = found.sides if len(sides) > 1 else (found.pooled,)
        surveys = [
            Survey(side.survey.sample or old.sample, side.survey.summary or old.summary)
            for side, old in zip(new, surveys, strict=True)
        ]
    return tuple(survey.summary for survey in surveys if survey.summary)


def _survey(side: Side) -> Survey:
    if side.kept is None:
        return side.survey
    survey = Survey.of(side.kept.finite)
    return replace(survey, summary=survey.summary_of(side.kept.finite))


@dataclass(frozen=True)
class Glance:
    """A few trials of both classes, for planning."""

    tar: Array
    non: Array
    counts: tuple[int, int]
    """The approximate numbers of targets and non-targets in all pieces."""

    @classmethod
    def at_some(cls, pieces: Sequence[Piece], engine: Engine) -> Glance:
        """A glance at a few pieces, evenly spread."""
        count = min(len(pieces), _LOOKED_AT)
        some = [pieces[i * len(pieces) // count] for i in range(count)]
        found = engine.reduce(some, cls.at, cls.merge, "looking at a few pieces")
        # Partitions know how many trials they have only where they are read.
        looked_at, every = (sum(piece.rows for piece in ps) for ps in (some, pieces))
        tar, non = (count * every // max(looked_at, 1) for count in found.counts)
        return replace(found, counts=(tar, non))

    @classmethod
    def at(cls, pieces: Sequence[Piece]) -> Glance:
        """The work on some pieces: look at the first trials of each."""
        none = np.empty(0)
        return reduce(cls.merge, map(cls._at_one, pieces), cls(none, none, (0, 0)))

    @classmethod
    def _at_one(cls, piece: Piece) -> Glance:
        sides = piece.peek().sides
        seen = max(sum(map(len, sides)), 1)
        tar, non = (scores[np.isfinite(scores)] for scores in sides)
        counts = len(tar) * piece.rows // seen, len(non) * piece.rows // seen
        return cls(tar, non, counts)

    def merge(self, other: Glance) -> Glance:
        return Glance(
            np.concatenate([self.tar, other.tar]),
            np.concatenate([self.non, other.non]),
            (self.counts[0] + other.counts[0], self.counts[1] + other.counts[1]),
        )

    @property
    def rare_is_tar(self) -> bool:
        return self.counts[0] <= self.counts[1]

    @staticmethod
    def plan(scores: Array, expected: int) -> Plan:
        """What to survey, given a few scores of those to come."""
        # If there are far fewer than expected, the sample is too small and costs another pass.
        ceiling = likely_ceiling(expected // 4)
        return Plan(ceiling, Survey(Sample.of(scores)).grid if len(scores) else None)
