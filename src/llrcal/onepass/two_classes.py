"""Scores of two classes, wherever they are, and what is known of both together.

Whoever has the scores says how to fold them; what follows from the folds is written here, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Generic, TypeVar

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.errors import changed_scores
from llrcal.onepass.chunks import Mergeable, MergedByFields, NewCounted, fold_array, map_parts
from llrcal.onepass.grid import Grid, check_spread
from llrcal.onepass.rank_scale import auc
from llrcal.onepass.ranks import RUN, Counted, CountFold, Distinct, Groups, Sieve
from llrcal.onepass.summary import Summary

_Any = TypeVar("_Any")
_Value = TypeVar("_Value", bound=Mergeable)


@dataclass(frozen=True)
class Both(MergedByFields, Generic[_Any]):
    """Something of each class, and how many trials were left out at the user's request."""

    tar: _Any
    non: _Any
    left_out: int = 0

    @property
    def sides(self) -> tuple[_Any, _Any]:
        return self.tar, self.non

    def pooled(self: Both[_Value]) -> _Value:
        """What is known of all scores, whatever their labels."""
        return self.tar.merge(self.non)


class TwoClasses(ABC):
    """Target and non-target scores, which can be folded, and how they lie among each other."""

    tar_count: int
    non_count: int

    @abstractmethod
    def fold(self, tar: NewCounted[_Value], non: NewCounted[_Value], what: str) -> Both[_Value]:
        """The values of new folds of each class; ``what`` says what for, where it takes long."""

    @abstractmethod
    def fold_one(self, new: NewCounted[_Value], *, of_tar: bool, what: str) -> _Value:
        """The value of a new fold of one class."""

    @abstractmethod
    def mapped(self, function: Callable[[Array], Array]) -> TwoClasses:
        """The same trials with other scores, such as their LLRs."""

    @cached_property
    @abstractmethod
    def rare(self) -> Distinct:
        """The rarer class in rising order."""

    @abstractmethod
    def summary(self, *, of_tar: bool) -> Summary:
        """The summary of a class."""

    @cached_property
    @abstractmethod
    def score_range(self) -> tuple[float, float]:
        """The least and the greatest score."""

    @property
    def keeps_rare(self) -> bool:
        """Whether the rarer class can be kept in memory."""
        return True

    @property
    def rare_is_tar(self) -> bool:
        return self.tar_count <= self.non_count

    @cached_property
    def groups(self) -> Groups:
        """Both classes in rising order, with ties pooled: in the groups that PAV works on."""
        common = self.count(self.rare.values, of_tar=not self.rare_is_tar)
        return self.rare.groups(common, is_tar=self.rare_is_tar)

    @cached_property
    def auc(self) -> float:
        """The share of pairs of a target and a non-target in which the target scores higher."""
        return auc(self.groups.tar / self.tar_count, self.groups.non / self.non_count)

    @abstractmethod
    def kept(self, *, of_tar: bool) -> Distinct | None:
        """A class in rising order, if it is at hand; others are counted rather than sorted."""

    def count(self, values: Floats, *, of_tar: bool) -> Counted:
        """A class, counted among rising values."""
        if kept := self.kept(of_tar=of_tar):
            return kept.among(values)
        return self.fold_one(partial(CountFold, Sieve(values)), of_tar=of_tar, what="counting")

    def below(self, thresholds: Floats, *, of_tar: bool) -> Counts:
        """The number of targets, or else of non-targets, below each threshold."""
        if kept := self.kept(of_tar=of_tar):
            return kept.among(thresholds).below
        values, place = np.unique(thresholds, return_inverse=True)
        return self.count(values, of_tar=of_tar).below[place]


class InArrays(TwoClasses):
    """Scores in memory."""

    def __init__(self, tar: Array, non: Array) -> None:
        self._tar, self._non = tar, non
        self.tar_count, self.non_count = len(tar), len(non)

    def fold(self, tar: NewCounted[_Value], non: NewCounted[_Value], what: str) -> Both[_Value]:
        return Both(fold_array(tar, self._tar), fold_array(non, self._non))

    def fold_one(self, new: NewCounted[_Value], *, of_tar: bool, what: str) -> _Value:
        return fold_array(new, self._tar if of_tar else self._non)

    def mapped(self, function: Callable[[Array], Array]) -> InArrays:
        return InArrays(function(self._tar), function(self._non))

    def summary(self, *, of_tar: bool) -> Summary:
        return _summary(self._tar if of_tar else self._non, None, of_tar=of_tar)

    @cached_property
    def score_range(self) -> tuple[float, float]:
        low, above = self.groups.low, self.groups.excludes_low
        # Groups do not contain the greatest score of the larger class.
        larger = self._non if self.rare_is_tar else self._tar
        greatest = max(map_parts(np.max, larger)) if above[-1] else low[-1]
        if not low[0] <= greatest:
            raise changed_scores()
        return float(low[0]), float(greatest) + 0.0  # no -0.0

    @cached_property
    def rare(self) -> Distinct:
        rare = Distinct.of(self._tar if self.rare_is_tar else self._non)
        if np.isnan(rare.values[-1]):
            raise changed_scores()
        return rare

    def kept(self, *, of_tar: bool) -> Distinct | None:
        return self.rare if of_tar == self.rare_is_tar else self._common

    @cached_property
    def _common(self) -> Distinct | None:
        scores = self._non if self.rare_is_tar else self._tar
        # Few are sorted more quickly than counted.
        return Distinct.of(scores) if len(scores) <= RUN else None


class InCounts(TwoClasses):
    """Scores that were counted, which are never written out."""

    def __init__(self, tar: Distinct, non: Distinct) -> None:
        self._tar, self._non = tar, non
        self.tar_count, self.non_count = tar.count, non.count

    def fold(self, tar: NewCounted[_Value], non: NewCounted[_Value], what: str) -> Both[_Value]:
        return Both(
            self.fold_one(tar, of_tar=True, what=what), self.fold_one(non, of_tar=False, what=what)
        )

    def fold_one(self, new: NewCounted[_Value], *, of_tar: bool, what: str) -> _Value:
        side = self._tar if of_tar else self._non
        return fold_array(new, side.values, side.counts)

    def mapped(self, function: Callable[[Array], Array]) -> InCounts:
        sides = (Distinct.merged(function(s.values), s.counts) for s in (self._tar, self._non))
        return InCounts(*sides)

    def summary(self, *, of_tar: bool) -> Summary:
        side = self._tar if of_tar else self._non
        return _summary(side.values, side.counts, of_tar=of_tar)

    @cached_property
    def score_range(self) -> tuple[float, float]:
        ends = np.concatenate([side.values[[0, -1]] for side in (self._tar, self._non)]) + 0.0
        return float(ends.min()), float(ends.max())

    @cached_property
    def rare(self) -> Distinct:
        return self._tar if self.rare_is_tar else self._non

    def kept(self, *, of_tar: bool) -> Distinct:
        return self._tar if of_tar else self._non


def _summary(scores: Array, counts: Counts | None, *, of_tar: bool) -> Summary:
    grid = Grid.of(scores, counts)
    check_spread(grid.unit, "target" if of_tar else "non-target")
    return Summary.of(scores, grid, counts)
