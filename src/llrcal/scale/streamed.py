"""What calibrations and evaluations ask of trials, answered in passes over pieces of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.calibrations.training import Training, check_spread
from llrcal.errors import DegenerateError
from llrcal.evaluation.costs import WeightedLLRs, cost
from llrcal.evaluation.llrs import EvidenceSums, Range
from llrcal.notes import Note
from llrcal.onepass.rank_scale import order, share_of_pairs
from llrcal.onepass.ranks import Counted, Ends, EndsFold, Groups, Ranked, edges_above
from llrcal.onepass.summary import Summary
from llrcal.onepass.sums import ExactSum
from llrcal.scale.engine import Engine
from llrcal.scale.folds import ByClass, OneClass, Total
from llrcal.scale.passes import Passes
from llrcal.scale.piece import Piece
from llrcal.scoring_rule import LOG, ScoringRule

NOT_IN_PIECES = Note.of(
    "by trial",
    "the trials name their speakers, but in pieces they are taken to be independent: intervals "
    "are too narrow where speakers have several trials. Train in memory to count them for what "
    "they are worth",
)


class StreamedTraining(Passes, Training):
    """What methods need to know about training scores. Infinite ones were refused on reading."""

    def __init__(
        self, pieces: Sequence[Piece], engine: Engine, *, summarised: bool, ranked: bool
    ) -> None:
        super().__init__(pieces, engine, summarised=summarised, ranked=ranked)
        self.tar_count, self.non_count = (side.count for side in self.survey.sides)

    @property
    def unused_speakers(self) -> Iterator[Note]:
        if any(piece.names_speakers for piece in self.pieces):
            yield NOT_IN_PIECES

    @cached_property
    def tar(self) -> Summary:
        check_spread(self.summaries[0].grid.unit, "target")
        return self.summaries[0]

    @cached_property
    def non(self) -> Summary:
        check_spread(self.summaries[1].grid.unit, "non-target")
        return self.summaries[1]

    @cached_property
    def score_range(self) -> tuple[float, float]:
        tar, non = self.survey.sides
        return min(tar.least, non.least) + 0.0, max(tar.greatest, non.greatest) + 0.0  # no -0.0

    def _higher(self) -> float:
        if self.summarised or self.rare is not None:
            return super()._higher()
        return self.pooled.higher / (self.tar_count * self.non_count)  # groups no longer suffice

    def _next_above(self, values: Floats) -> Floats:
        work = OneClass(partial(EndsFold, edges_above(values)), not self.rare_is_tar)
        return self._fold(work, "finding knots").next_above

    def ranked(self, llrs: Callable[[Array], Floats]) -> tuple[Ranked, Ranked]:
        pieces = [replace(p, transforms=(*p.transforms, llrs)) for p in self.pieces]
        passes = Passes(pieces, self.engine)

        def below(thresholds: Floats, *, of_tar: bool) -> Counts:
            values, place = np.unique(thresholds, return_inverse=True)
            return passes.counted(values, of_tar=of_tar).below[place]

        return (
            Ranked(self.tar_count, partial(below, of_tar=True)),
            Ranked(self.non_count, partial(below, of_tar=False)),
        )


class StreamedLLRs(Passes):
    """What an evaluation needs to know about LLRs.

    Thresholds that are known in advance are counted in the same pass as everything else. Others
    cost a pass when they are first asked for.
    """

    whole = None

    def __init__(self, pieces: Sequence[Piece], engine: Engine, thresholds: Floats) -> None:
        # Summaries cost little here, and a pass of their own if notes are asked for later.
        super().__init__(pieces, engine, summarised=True, ranked=True, costed=True)
        self.tar_count, self.non_count = (side.count for side in self.survey.sides)
        self._thresholds = thresholds
        self._counted: dict[bool, tuple[Floats, Counted]] = {}
        """Values that a class was counted among, and the counts."""

    def costs_by(self, rule: ScoringRule) -> tuple[ExactSum, ExactSum]:
        if rule == LOG:
            return self.survey.tar.cost, self.survey.non.cost
        tar, non = (partial(Total, partial(cost, sign=sign, rule=rule)) for sign in (-1.0, 1.0))
        return self._fold(ByClass(tar, non), "adding up costs").sides

    @property
    def ranges(self) -> tuple[Range, Range]:
        return self.survey.tar.range, self.survey.non.range

    @cached_property
    def groups(self) -> Groups:
        if self.rare is None:
            return self.pooled.groups
        counted = self._counted_at(self.rare.values, of_tar=not self.rare_is_tar)
        return self.rare.groups(counted, is_tar=self.rare_is_tar)

    @cached_property
    def order(self) -> float:
        if self.rare is None:  # the groups are then pooled, and no longer suffice
            higher = self.pooled.higher / (self.tar_count * self.non_count)
        else:
            tar, non = self.groups.tar / self.tar_count, self.groups.non / self.non_count
            higher = share_of_pairs(tar, non)
        return order(higher, self.tar_count, self.non_count)

    @cached_property
    def weighted(self) -> tuple[WeightedLLRs, WeightedLLRs]:
        (tar, non), sides = self.summaries, self.survey.sides
        return (
            _weighted(tar, sides[0].count, wrong=sides[0].infinite[0] > 0),
            _weighted(non, sides[1].count, wrong=sides[1].infinite[1] > 0),
        )

    @cached_property
    def evidence(self) -> tuple[EvidenceSums, EvidenceSums]:
        new = partial(Total, EvidenceSums.of)
        return self._fold(ByClass(new, new), "adding up likelihood-ratios").sides

    def ends(self, edges: Floats) -> Ends:
        new = partial(EndsFold, edges)
        return self._fold(ByClass(new, new), "finding ends").pooled

    def below(self, thresholds: Floats, *, of_tar: bool) -> Counts:
        return self._counted_at(thresholds, of_tar=of_tar).below

    def _counted_at(self, values: Floats, *, of_tar: bool) -> Counted:
        """A class, counted at some values; what is counted once is kept."""
        is_rare = of_tar == self.rare_is_tar
        if self.rare is not None and is_rare:
            return self.rare.among(values)
        known, counted = self._counted.get(of_tar, (np.empty(0), None))
        if counted is None or not np.isin(values, known).all():
            first = [self._thresholds, *([] if self.rare is None else [self.rare.values])]
            asked = [known, values.ravel(), *(first if counted is None else [])]
            known = np.unique(np.concatenate(asked))
            counted = self.counted(known, of_tar=of_tar) if is_rare else self.common_among(known)
            self._counted[of_tar] = known, counted
        place = np.searchsorted(known, values)
        return replace(counted, below=counted.below[place], up_to=counted.up_to[place])


def _weighted(finite: Summary, count: int, *, wrong: bool) -> WeightedLLRs:
    try:
        return WeightedLLRs.summarised(finite, count, wrong=wrong)
    except DegenerateError:  # too far apart for bins, but few
        if finite.exact is None:
            raise
        values, times = np.unique(finite.exact, return_counts=True)
        return WeightedLLRs(values, times / finite.count * (finite.count / count), wrong)
