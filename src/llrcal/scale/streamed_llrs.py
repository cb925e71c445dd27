"""LLRs in pieces, as an evaluation needs them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from llrcal.arrays import Counts, Floats
from llrcal.errors import DegenerateError
from llrcal.evaluation.costs import WeightedLLRs
from llrcal.evaluation.llrs import EvidenceSums, Range
from llrcal.onepass.direction import order, share_of_pairs
from llrcal.onepass.ends import Ends
from llrcal.onepass.ranks import Counted, Groups
from llrcal.onepass.summary import Summary
from llrcal.onepass.sums import ExactSum
from llrcal.scale.counting import groups_of
from llrcal.scale.passes import Passes
from llrcal.scoring_rule import LOG, ScoringRule


class StreamedLLRs:
    """What an evaluation needs to know about LLRs, computed in passes over pieces of them.

    Thresholds that are known in advance are counted in the same pass as everything else; any
    others cost a pass of their own.
    """

    def __init__(self, passes: Passes, thresholds: Floats) -> None:
        self._passes = passes
        self._thresholds = np.unique(thresholds)
        self._known: dict[bool, CountedAt] = {}
        self.tar_count = passes.survey.tar.count
        self.non_count = passes.survey.non.count

    @property
    def whole(self) -> None:
        return None

    @cached_property
    def costs(self) -> tuple[ExactSum, ExactSum]:
        return self._passes.survey.tar.cost, self._passes.survey.non.cost

    def costs_by(self, rule: ScoringRule) -> tuple[ExactSum, ExactSum]:
        return self.costs if rule == LOG else self._passes.costs_by(rule)

    @property
    def ranges(self) -> tuple[Range, Range]:
        return self._passes.survey.tar.range, self._passes.survey.non.range

    @cached_property
    def groups(self) -> Groups:
        rare = self._passes.rare
        if rare is None:
            return self._passes.groups
        rare_is_tar = self._passes.rare_is_tar
        counted = self._counted(of_tar=not rare_is_tar).at(rare.values)
        return groups_of(rare, counted, rare_is_tar=rare_is_tar)

    @cached_property
    def order(self) -> float:
        if self._passes.rare is None:  # the groups are then pooled, and no longer suffice
            return order(self._passes.higher, self.tar_count, self.non_count)
        tar, non = self.groups.tar / self.tar_count, self.groups.non / self.non_count
        return order(share_of_pairs(tar, non), self.tar_count, self.non_count)

    @cached_property
    def weighted(self) -> tuple[WeightedLLRs, WeightedLLRs]:
        (tar, non), sides = self._passes.summaries, self._passes.survey.sides
        return (
            _weighted(tar, sides[0].count, wrong=sides[0].infinite[0] > 0),
            _weighted(non, sides[1].count, wrong=sides[1].infinite[1] > 0),
        )

    @cached_property
    def evidence(self) -> tuple[EvidenceSums, EvidenceSums]:
        return self._passes.evidence

    def ends(self, edges: Floats) -> Ends:
        return self._passes.ends(edges)

    def targets_below(self, thresholds: Floats) -> Counts:
        return self._below(thresholds, of_tar=True)

    def nontargets_below(self, thresholds: Floats) -> Counts:
        return self._below(thresholds, of_tar=False)

    def _below(self, thresholds: Floats, *, of_tar: bool) -> Counts:
        rare = self._passes.rare
        if rare is not None and of_tar == self._passes.rare_is_tar:
            return rare.below(thresholds)
        if np.isin(thresholds, self._values).all():
            return self._counted(of_tar=of_tar).at(thresholds).below
        values, place = np.unique(thresholds, return_inverse=True)
        return self._passes.counted(values, of_tar=of_tar).below[place.reshape(thresholds.shape)]

    @cached_property
    def _values(self) -> Floats:
        """The thresholds, and the LLRs of the rarer class if they are kept."""
        rare = self._passes.rare
        return np.unique(np.concatenate([self._thresholds, [] if rare is None else rare.values]))

    def _counted(self, *, of_tar: bool) -> CountedAt:
        """A class, counted among these values."""
        if of_tar not in self._known:
            passes, values = self._passes, self._values
            if of_tar == passes.rare_is_tar:
                counted = passes.counted(values, of_tar=of_tar)
            else:
                counted = passes.common_among(values)
            self._known[of_tar] = CountedAt(values, counted)
        return self._known[of_tar]


def _weighted(finite: Summary, count: int, *, wrong: bool) -> WeightedLLRs:
    try:
        return WeightedLLRs.summarised(finite, count, wrong=wrong)
    except DegenerateError:  # too far apart for bins, but few
        if finite.exact is None:
            raise
        values, times = np.unique(finite.exact, return_counts=True)
        return WeightedLLRs(values, times / finite.count * (finite.count / count), wrong)


@dataclass(frozen=True)
class CountedAt:
    """Scores counted among sorted values, as a table to look up."""

    values: Floats
    counted: Counted

    def at(self, values: Floats) -> Counted:
        """The counts at some of the values."""
        place = np.searchsorted(self.values, values)
        return replace(
            self.counted, below=self.counted.below[place], up_to=self.counted.up_to[place]
        )
