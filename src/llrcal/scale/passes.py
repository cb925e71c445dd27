"""Passes over trials in pieces, each made only when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import TypeVar

import numpy as np
import polars as pl

from llrcal.arrays import Array, Floats
from llrcal.errors import ScoreError
from llrcal.notes import Note, Severity, warn
from llrcal.onepass.chunks import Mergeable
from llrcal.onepass.grid import NO_SAMPLE, Sample, likely_ceiling
from llrcal.onepass.hull import Hull
from llrcal.onepass.rank_scale import share_of_pairs
from llrcal.onepass.ranks import Counted, Distinct, Groups
from llrcal.onepass.summary import KEPT_UP_TO, Plan, Summary, Survey, check_reach
from llrcal.scale.engine import Engine
from llrcal.scale.folds import (
    MOST_KEPT,
    Both,
    ByClass,
    CountAmong,
    KeepFold,
    OneClass,
    Side,
    SideFold,
)
from llrcal.scale.piece import Piece
from llrcal.scale.spill import TRIALS, ByScore, Spill, part_count, trial_rows


@dataclass(frozen=True)
class Pooled:
    """Pooled groups, and a number that can no longer be computed from them."""

    groups: Groups
    higher: float
    """Pairs of a target and a non-target in which the target scores higher; ties count half."""


def class_rows(piece: Piece) -> Array:
    """The scores of a piece as rows to be divided, each with its class."""
    batches = ((batch.non, batch.tar) for batch in piece.batches())
    found = (trial_rows(scores, label) for both in batches for label, scores in enumerate(both))
    return np.concatenate([np.empty(0, TRIALS), *found])


def pool_range(rows: pl.DataFrame, *, rare_is_tar: bool) -> tuple[Pooled, None]:
    """The groups of a range of scores, pooled by PAV.

    What is pooled within a range is also pooled in the whole, so few groups need to be kept.
    """
    scores, is_rare = rows["score"].to_numpy(), rows["label"].to_numpy() == int(rare_is_tar)
    rare, common = Distinct.of(scores[is_rare]), Distinct.of(scores[~is_rare])
    every = rare.groups(common.among(rare.values), is_tar=rare_is_tar)
    return Pooled(_pooled(every), share_of_pairs(every.tar, every.non)), None


def join_ranges(ranges: Sequence[Pooled]) -> Pooled:
    """The groups of consecutive ranges, in rising order, pooled again where they meet."""
    higher, below = 0.0, 0
    for one in ranges:
        higher += one.higher + float(one.groups.tar.sum()) * below
        below += int(one.groups.non.sum())
    every = Groups(
        *(
            np.concatenate([getattr(one.groups, name) for one in ranges])
            for name in ("low", "excludes_low", "tar", "non")
        )
    )
    return Pooled(_pooled(every), higher)


def _pooled(every: Groups) -> Groups:
    if not len(every.low):  # no score is in the range
        return every
    hull = Hull.of(every)
    first = hull.first_group
    return Groups(every.low[first], every.excludes_low[first], hull.tar, hull.non)


_Value = TypeVar("_Value", bound=Mergeable)

_LOOKED_AT = 8  # pieces, for the glance
_MANY_TIMES = 16  # as many scores in one class as in the other


class Passes:
    """Pieces of trials, and an engine that makes passes over them, each only when it is needed.

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
        self.summarised, self._ranked, self._costed = summarised, ranked, costed

    @cached_property
    def survey(self) -> Both[Side]:
        """The results of one pass, planned after a glance at some pieces."""
        glance = Glance.at_some(self.pieces, self.engine)
        tar, non = (self._plan(glance, is_tar=is_tar) for is_tar in (True, False))
        survey = self._fold(ByClass(tar, non), "reading")
        for side, name in ((survey.tar, "target"), (survey.non, "non-target")):
            if not side.count:
                others = f" and {len(self.pieces) - 1} more" if self.pieces[1:] else ""
                raise ScoreError(f"no {name} scores in {self.pieces[0].name}{others}")
        tell_left_out(survey.left_out)
        return survey

    def _plan(self, glance: Glance, *, is_tar: bool) -> Callable[[], SideFold]:
        scores, expected = (glance.tar, glance.non)[not is_tar], glance.counts[not is_tar]
        is_rare = is_tar == (glance.counts[0] <= glance.counts[1])
        sign = (-1.0 if is_tar else 1.0) if self._costed else None
        if self._ranked and is_rare and expected <= MOST_KEPT:  # and surveyed later
            return partial(SideFold, Plan(), keep=True, sign=sign)
        return partial(SideFold, plan_for(scores, expected, bins=self.summarised), sign=sign)

    def _fold(self, work: Callable[[Sequence[Piece]], _Value], what: str) -> _Value:
        return self.engine.reduce(self.pieces, work, what)

    @cached_property
    def rare_is_tar(self) -> bool:
        return self.survey.tar.count <= self.survey.non.count

    @property
    def _rare_and_common(self) -> tuple[Side, Side]:
        tar, non = self.survey.sides
        return (tar, non) if self.rare_is_tar else (non, tar)

    @cached_property
    def summaries(self) -> tuple[Summary, ...]:
        """Summaries of both classes, in the bins that follow from the samples of all trials.

        Raises
        ------
        DegenerateError
            If a score lies outside the range that bins can cover.
        """
        return completed(self.survey.sides, self.pieces, self.engine)

    def counted(self, values: Floats, *, of_tar: bool | None) -> Counted:
        """One class, or both, counted among sorted values."""
        return self._fold(OneClass(CountAmong(values), of_tar), "counting")

    @cached_property
    def rare(self) -> Distinct | None:
        """The rarer class; None if it is too large to be kept in memory."""
        side, _ = self._rare_and_common
        if side.count > MOST_KEPT:
            return None
        kept = side.kept
        if kept is None:
            kept = self._fold(OneClass(KeepFold, self.rare_is_tar), "gathering the rarer class")
        return Distinct.of(kept.scores)

    @cached_property
    def groups(self) -> Groups:
        """Both classes in rising order, in the groups that PAV works on."""
        if self.rare is None:
            return self.pooled.groups
        return self.rare.groups(self.common_among(self.rare.values), is_tar=self.rare_is_tar)

    def common_among(self, values: Floats) -> Counted:
        """The commoner class, counted among sorted values."""
        side, common = self._rare_and_common
        is_rare = common.count >= _MANY_TIMES * side.count
        if self.rare is None or self.survey.left_out or not is_rare:
            return self.counted(values, of_tar=not self.rare_is_tar)
        # Hardly more work, but it needs no labels, and no copy of the scores of either class.
        every, own = self.counted(values, of_tar=None), self.rare.among(values)
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
    def _cuts(self) -> Floats:
        """Scores that divide the axis into ranges with about equal numbers of trials."""
        samples = [(side.survey.sample or NO_SAMPLE).sorted() for side in self.survey.sides]
        counts = [side.count for side in self.survey.sides]
        shares = [
            sampled * (count / max(sampled.sum(), 1))
            for (_, sampled), count in zip(samples, counts, strict=True)
        ]
        every = np.concatenate([scores for scores, _ in samples])
        order = np.argsort(every, kind="stable")
        total = np.cumsum(np.concatenate(shares)[order])
        parts = part_count(sum(counts))
        at = np.searchsorted(total, np.sum(total[-1:]) * np.arange(1, parts) / parts)
        return np.unique(every[order][at] if len(every) else every)  # perhaps nothing is finite


def completed(
    sides: Sequence[Side], pieces: Sequence[Piece], engine: Engine
) -> tuple[Summary, ...]:
    """Summaries of both classes, or of all scores, in the bins that suit them.

    In all but a few per cent of cases, the bins are those that the glance suggested; otherwise more
    passes are made.
    """
    surveys = [_survey(side) for side in sides]
    while any(plans := [survey.missing for survey in surveys]):
        for side, plan in zip(sides, plans, strict=True):
            if plan and plan.grid and side.count > KEPT_UP_TO:  # fewer scores are kept exactly
                check_reach(side.least, side.greatest, plan.grid)
        sampling = any(plan and plan.ceiling for plan in plans)
        what = "sampling" if sampling else "reading again, in other bins"
        tar, *_, non = (partial(SideFold, plan or Plan()) for plan in (*plans, plans[-1]))
        found = engine.reduce(pieces, ByClass(tar, non), what)
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


def plan_for(scores: Array, expected: int, *, bins: bool = True) -> Plan:
    """What to survey, given a few scores of those to come."""
    # If there are far fewer than expected, the sample is too small and costs another pass.
    ceiling = likely_ceiling(expected // 4)
    return Plan(ceiling, Survey(Sample.of(scores)).grid if bins and len(scores) else None)


def tell_left_out(left_out: int) -> None:
    """Warn of trials that are not among those that were read."""
    if left_out:
        text = f"{left_out:,} trials were left out, as requested"
        warn([Note.of("left out", text, severity=Severity.WARNING)])


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
        found = engine.reduce(some, cls.at, "looking at a few pieces")
        # Partitions know how many trials they have only where they are read.
        looked_at, every = (sum(piece.rows for piece in ps) for ps in (some, pieces))
        tar, non = (count * every // max(looked_at, 1) for count in found.counts)
        return replace(found, counts=(tar, non))

    @classmethod
    def at(cls, pieces: Sequence[Piece]) -> Glance:
        """The work on some pieces: look at the first trials of each."""
        return reduce(cls.merge, map(cls._at_one, pieces))

    @classmethod
    def _at_one(cls, piece: Piece) -> Glance:
        batch, rows = piece.peek()
        seen = max(sum(map(len, batch.sides)), 1)
        tar, non = (scores[np.isfinite(scores)] for scores in batch.sides)
        return cls(tar, non, (len(tar) * rows // seen, len(non) * rows // seen))

    def merge(self, other: Glance) -> Glance:
        return Glance(
            np.concatenate([self.tar, other.tar]),
            np.concatenate([self.non, other.non]),
            (self.counts[0] + other.counts[0], self.counts[1] + other.counts[1]),
        )
