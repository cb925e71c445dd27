"""Passes over trials in pieces, each made only when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeVar

import numpy as np
import polars as pl

from llrcal.arrays import Array, Floats
from llrcal.errors import ScoreError
from llrcal.notes import Note, Severity, warn
from llrcal.onepass.chunks import Mergeable, New
from llrcal.onepass.grid import NO_SAMPLE, Grid, Sample, check_spread, likely_ceiling
from llrcal.onepass.hull import Hull
from llrcal.onepass.rank_scale import auc
from llrcal.onepass.ranks import Counted, CountFold, Distinct, Groups, Sieve
from llrcal.onepass.summary import KEPT_UP_TO, Summary, check_reach
from llrcal.onepass.two_classes import Both, TwoClasses
from llrcal.scale.engine import Engine
from llrcal.scale.folds import (
    MOST_KEPT,
    KeepFold,
    Kept,
    Plan,
    Side,
    SideFold,
    fold_one_class,
    fold_pieces,
)
from llrcal.scale.piece import Piece, with_transform
from llrcal.scale.spill import TRIALS, Spill, number_by_score, part_count, trial_rows


@dataclass(frozen=True)
class Pooled:
    """Pooled groups, and a number that can no longer be computed from them."""

    groups: Groups
    pairs_won: float
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
    return Pooled(_pooled(every), auc(every.tar, every.non)), None


def join_ranges(ranges: Sequence[Pooled]) -> Pooled:
    """The groups of consecutive ranges, in rising order, pooled again where they meet."""
    pairs_won, below = 0.0, 0
    for one in ranges:
        pairs_won += one.pairs_won + float(one.groups.tar.sum()) * below
        below += int(one.groups.non.sum())
    every = Groups(
        *(
            np.concatenate([getattr(one.groups, name) for one in ranges])
            for name in ("low", "excludes_low", "tar", "non")
        )
    )
    return Pooled(_pooled(every), pairs_won)


def _pooled(every: Groups) -> Groups:
    if not len(every.low):  # no score is in the range
        return every
    hull = Hull.of(every)
    first = hull.first_group
    return Groups(every.low[first], every.excludes_low[first], hull.tar, hull.non)


_Value = TypeVar("_Value", bound=Mergeable)

_LOOKED_AT = 8  # pieces, for the glance
_MANY_TIMES = 16  # as many scores in one class as in the other


class Passes(TwoClasses):
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
        self._summarised, self._ranked, self._costed = summarised, ranked, costed

    @cached_property
    def tar_count(self) -> int:  # type: ignore[override]
        return self.survey.tar.count

    @cached_property
    def non_count(self) -> int:  # type: ignore[override]
        return self.survey.non.count

    @cached_property
    def survey(self) -> Both[Side]:
        """The results of one pass, planned after a glance at some pieces."""
        seen = glance(self.pieces, self.engine)
        tar, non = (self._plan(seen, is_tar=is_tar) for is_tar in (True, False))
        survey = self.fold(partial(SideFold, tar), partial(SideFold, non), "reading")
        for side, name in ((survey.tar, "target"), (survey.non, "non-target")):
            if not side.count:
                others = f" and {len(self.pieces) - 1} more" if self.pieces[1:] else ""
                raise ScoreError(f"no {name} scores in {self.pieces[0].name}{others}")
        tell_left_out(survey.left_out)
        return survey

    def _plan(self, seen: Both[Kept], *, is_tar: bool) -> Plan:
        some = seen.tar if is_tar else seen.non
        is_rare = is_tar == (seen.tar.count <= seen.non.count)
        sign = (-1.0 if is_tar else 1.0) if self._costed else None
        if self._ranked and is_rare and some.count <= MOST_KEPT:  # and surveyed later
            return Plan(keep=True, sign=sign)
        return replace(plan_for(some, bins=self._summarised), sign=sign)

    def fold(self, tar: New[_Value], non: New[_Value], what: str) -> Both[_Value]:
        return self.engine.reduce(self.pieces, partial(fold_pieces, tar, non), what)

    def fold_one(self, new: New[_Value], *, of_tar: bool | None, what: str) -> _Value:
        """The value of a new fold of one class, or of both."""
        return self.engine.reduce(self.pieces, partial(fold_one_class, new, of_tar), what)

    def mapped(self, function: Callable[[Array], Array]) -> Passes:
        found = Passes(with_transform(self.pieces, function), self.engine)
        found.tar_count, found.non_count = self.tar_count, self.non_count
        return found

    @cached_property
    def summaries(self) -> tuple[Summary, ...]:
        """Summaries of both classes, in the bins that follow from the samples of all trials.

        Raises
        ------
        DegenerateError
            If a score lies outside the range that bins can cover.
        """
        return completed(self.survey.sides, self.pieces, self.engine)

    def summary(self, *, of_tar: bool) -> Summary:
        summary = self.summaries[0 if of_tar else 1]
        check_spread(summary.grid.unit, "target" if of_tar else "non-target")
        return summary

    @cached_property
    def score_range(self) -> tuple[float, float]:
        tar, non = self.survey.sides
        return min(tar.least, non.least) + 0.0, max(tar.greatest, non.greatest) + 0.0  # no -0.0

    @cached_property
    def rare(self) -> Distinct:
        side = self.survey.tar if self.rare_is_tar else self.survey.non
        kept = side.kept or self.fold_one(
            KeepFold, of_tar=self.rare_is_tar, what="gathering the rarer class"
        )
        return Distinct.of(kept.scores)

    @property
    def keeps_rare(self) -> bool:
        return min(self.tar_count, self.non_count) <= MOST_KEPT

    @cached_property
    def groups(self) -> Groups:
        return super().groups if self.keeps_rare else self.pooled.groups

    @cached_property
    def auc(self) -> float:
        if self.keeps_rare:
            return super().auc
        return self.pooled.pairs_won / (self.tar_count * self.non_count)  # groups no longer suffice

    def kept(self, *, of_tar: bool) -> Distinct | None:
        at_hand = self._ranked and self.keeps_rare and of_tar == self.rare_is_tar
        return self.rare if at_hand else None

    def count(self, values: Floats, *, of_tar: bool) -> Counted:
        rare, common = sorted([self.tar_count, self.non_count])
        is_simple = of_tar == self.rare_is_tar or common < _MANY_TIMES * rare
        if is_simple or not self._ranked or not self.keeps_rare or self.survey.left_out:
            return super().count(values, of_tar=of_tar)
        # Hardly more work, but it needs no labels, and no copy of the scores of either class.
        new = partial(CountFold, Sieve(values))
        every, own = self.fold_one(new, of_tar=None, what="counting"), self.rare.among(values)
        side = self.survey.tar if of_tar else self.survey.non
        least = -np.inf if side.infinite[0] else side.least
        return Counted(values, every.below - own.below, every.up_to - own.up_to, common, least)

    @cached_property
    def pooled(self) -> Pooled:
        """Both classes if neither can be kept in memory: sorted one range of scores at a time."""
        cuts = self._cuts
        number_of = partial(number_by_score, cuts)
        spill = Spill(self.pieces, TRIALS, class_rows, number_of, "dividing by score")
        work = partial(pool_range, rare_is_tar=self.rare_is_tar)
        ranges, _ = self.engine.divide([spill], len(cuts) + 1, work, "sorting")
        return join_ranges(ranges)

    @property
    def _cuts(self) -> Floats:
        """Scores that divide the axis into ranges with about equal numbers of trials."""
        samples = [(side.sample or NO_SAMPLE).sorted() for side in self.survey.sides]
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
    sides = [_from_kept(side) for side in sides]
    while any(plans := [side.missing for side in sides]):
        for side, plan in zip(sides, plans, strict=True):
            if plan and plan.grid and side.count > KEPT_UP_TO:  # fewer scores are kept exactly
                check_reach(side.least, side.greatest, plan.grid)
        sampling = any(plan and plan.ceiling for plan in plans)
        what = "sampling" if sampling else "reading again, in other bins"
        tar, *_, non = (partial(SideFold, plan or Plan()) for plan in (*plans, plans[-1]))
        found = engine.reduce(pieces, partial(fold_pieces, tar, non), what)
        new = found.sides if len(sides) > 1 else (found.pooled(),)
        sides = [
            replace(old, sample=side.sample or old.sample, summary=side.summary or old.summary)
            for side, old in zip(new, sides, strict=True)
        ]
    return tuple(side.summary for side in sides if side.summary)


def _from_kept(side: Side) -> Side:
    if side.kept is None:
        return side
    finite = side.kept.scores[np.isfinite(side.kept.scores)]
    sample = Sample.of(finite)
    return replace(side, sample=sample, summary=Summary.of(finite, Grid.of_sample(sample)))


def plan_for(some: Kept, *, bins: bool = True) -> Plan:
    """What to survey, given a few scores of those to come."""
    # If there are far fewer than expected, the sample is too small and costs another pass.
    ceiling = likely_ceiling(some.count // 4)
    return Plan(ceiling, Grid.of(some.scores) if bins and len(some.scores) else None)


def tell_left_out(left_out: int) -> None:
    """Warn of trials that are not among those that were read."""
    if left_out:
        text = f"{left_out:,} trials were left out, as requested"
        warn([Note.of("left out", text, severity=Severity.WARNING)])


def glance(pieces: Sequence[Piece], engine: Engine) -> Both[Kept]:
    """A few trials of both classes, from pieces evenly spread, and about how many there are."""
    count = min(len(pieces), _LOOKED_AT)
    some = [pieces[i * len(pieces) // count] for i in range(count)]
    found = engine.reduce(some, _glance_at, "looking at a few pieces")
    # Partitions know how many trials they have only where they are read.
    looked_at, every = (sum(piece.rows for piece in ps) for ps in (some, pieces))
    tar, non = (
        replace(side, count=side.count * every // max(looked_at, 1)) for side in found.sides
    )
    return Both(tar, non)


def _glance_at(pieces: Sequence[Piece]) -> Both[Kept]:
    """The work on some pieces: look at the first trials of each."""
    found = Both(Kept(), Kept())
    for piece in pieces:
        batch, rows = piece.peek()
        seen = max(sum(map(len, batch.sides)), 1)
        tar, non = (
            Kept(len(finite) * rows // seen, (finite,))
            for finite in (scores[np.isfinite(scores)] for scores in batch.sides)
        )
        found = found.merge(Both(tar, non))
    return found
