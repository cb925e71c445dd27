"""Folds of the scores in pieces: each class by itself, or in one whatever the labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.onepass.chunks import Fold, Mergeable
from llrcal.onepass.ranks import CountFold, Sieve
from llrcal.onepass.summary import Plan, Survey, SurveyFold
from llrcal.onepass.sums import CostFold, ExactSum
from llrcal.scale.piece import Piece

MOST_KEPT = 2**23
"""The most scores of the rarer class that are kept, and sent to workers that count."""

_Value = TypeVar("_Value", bound=Mergeable)


@dataclass(frozen=True)
class Both(Generic[_Value]):
    """What is known of each class, and how many trials were left out at the user's request."""

    tar: _Value
    non: _Value
    left_out: int = 0

    def merge(self, other: Both[_Value]) -> Both[_Value]:
        """The same of both sets of trials together."""
        return Both(
            self.tar.merge(other.tar), self.non.merge(other.non), self.left_out + other.left_out
        )

    @property
    def sides(self) -> tuple[_Value, _Value]:
        return self.tar, self.non

    @property
    def pooled(self) -> _Value:
        """What is known of all scores, whatever their labels."""
        return self.tar.merge(self.non)


@dataclass(frozen=True)
class ByClass(Generic[_Value]):
    """The work on some pieces: fold the scores of each class by themselves."""

    tar: Callable[[], Fold[_Value]]
    non: Callable[[], Fold[_Value]]

    def __call__(self, pieces: Sequence[Piece]) -> Both[_Value]:
        tar, non, left_out = self.tar(), self.non(), 0
        for piece in pieces:
            for batch in piece.batches():
                tar.add(batch.tar)
                non.add(batch.non)
                left_out += batch.left_out
        return Both(tar.value, non.value, left_out)


@dataclass(frozen=True)
class OneClass(Generic[_Value]):
    """The work on some pieces: fold the scores of one class, or all if their labels do not matter.

    If trials are left out, some of their scores may be among all.
    """

    new: Callable[[], Fold[_Value]]
    of_tar: bool | None

    def __call__(self, pieces: Sequence[Piece]) -> _Value:
        fold = self.new()
        for piece in pieces:
            for batch in piece.batches(labelled=self.of_tar is not None):
                fold.add(batch.tar if self.of_tar else batch.non)
        return fold.value


@dataclass(frozen=True)
class CountAmong:
    """A new fold that counts scores among sorted values."""

    values: Floats

    def __call__(self) -> CountFold:
        return CountFold(self._sieve)

    @cached_property
    def _sieve(self) -> Sieve:
        return Sieve(self.values)


class Total(Generic[_Value]):
    """The fold of a function of arrays whose values merge."""

    def __init__(self, of: Callable[[Array], _Value]) -> None:
        self._of = of
        self._values: list[_Value] = []

    def add(self, scores: Array) -> None:
        new = self._of(scores)
        self._values = [self._values[0].merge(new) if self._values else new]

    @property
    def value(self) -> _Value:
        return self._values[0] if self._values else self._of(np.empty(0))


@dataclass(frozen=True)
class Kept:
    """Scores as they are, in some arrays; merging is commutative but for their order."""

    arrays: tuple[Array, ...] = ()

    def merge(self, other: Kept) -> Kept:
        return Kept(self.arrays + other.arrays)

    @property
    def scores(self) -> Array:
        return np.concatenate(self.arrays) if self.arrays else np.empty(0)

    @property
    def finite(self) -> Array:
        return np.asarray(self.scores[np.isfinite(self.scores)])


class KeepFold:
    """Keeps the scores of arrays; with a step, some of them, and the extremes."""

    def __init__(self, step: int = 1) -> None:
        self._step = step
        self._kept: list[Array] = []

    def add(self, scores: Array) -> None:
        """Keep some scores."""
        if self._step > 1 and len(scores):
            scores = np.concatenate([scores[:: self._step], [scores.min(), scores.max()]])
        self._kept.append(scores)

    @property
    def value(self) -> Kept:
        """What was kept, in one array, which is faster to send."""
        return Kept((Kept(tuple(self._kept)).scores,))


@dataclass(frozen=True)
class Side:
    """What is known of one class after a pass."""

    count: int
    least: float
    greatest: float
    """Of the finite scores, as is the survey."""
    infinite: tuple[int, int]
    """The numbers of scores that are minus infinity and plus infinity."""
    survey: Survey
    kept: Kept | None
    """None if they were not to be kept, or are too many."""
    cost: ExactSum
    """The sum of the costs of LLRs; zero if the scores are not LLRs."""

    def merge(self, other: Side) -> Side:
        """The same of both sets of scores together."""
        count = self.count + other.count
        kept = None
        if self.kept is not None and other.kept is not None and count <= MOST_KEPT:
            kept = self.kept.merge(other.kept)
        return Side(
            count,
            min(self.least, other.least),
            max(self.greatest, other.greatest),
            (self.infinite[0] + other.infinite[0], self.infinite[1] + other.infinite[1]),
            self.survey.merge(other.survey),
            kept,
            self.cost.merge(other.cost),
        )

    @property
    def range(self) -> tuple[float, float]:
        """Least and greatest finite score; NaN if none is finite."""
        some = self.count > sum(self.infinite)
        return (self.least + 0.0, self.greatest + 0.0) if some else (np.nan, np.nan)  # no -0


class SideFold:
    """What is known of one class.

    Parameters
    ----------
    plan
        What to survey.
    keep
        Whether to keep the scores themselves, as long as they are not too many.
    sign
        Sign of the LLR in its cost, to add up costs; None if the scores are not LLRs.
    """

    def __init__(self, plan: Plan, *, keep: bool = False, sign: float | None = None) -> None:
        self._count, self._least, self._greatest = 0, np.inf, -np.inf
        self._infinite = [0, 0]
        self._survey = SurveyFold(plan)
        self._kept = KeepFold() if keep else None
        self._cost = None if sign is None else CostFold(sign)

    def add(self, scores: Array) -> None:
        """Add some scores of the class."""
        if not len(scores):
            return
        self._count += len(scores)
        if self._count > MOST_KEPT:
            self._kept = None
        if self._kept:
            self._kept.add(scores)
        if self._cost:
            self._cost.add(scores)
        least, greatest = float(scores.min()), float(scores.max())
        if not (math.isfinite(least) and math.isfinite(greatest)):
            self._infinite[0] += int((scores == -np.inf).sum())
            self._infinite[1] += int((scores == np.inf).sum())
            scores = scores[np.isfinite(scores)]
            least, greatest = scores.min(initial=np.inf), scores.max(initial=-np.inf)
        self._least = min(self._least, float(least))
        self._greatest = max(self._greatest, float(greatest))
        self._survey.add(scores)

    @property
    def value(self) -> Side:
        """What is known of what was added."""
        return Side(
            self._count,
            self._least,
            self._greatest,
            (self._infinite[0], self._infinite[1]),
            self._survey.value,
            self._kept.value if self._kept else None,
            self._cost.value if self._cost else ExactSum(),
        )
