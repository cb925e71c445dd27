"""The training scores of one calibration, or of several that share the passes over them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from llrcal.arrays import Array, ArrayLike, Counts, Floats, is_number
from llrcal.errors import DegenerateError, OptionError
from llrcal.inputs.scores import as_scores, check_finite
from llrcal.onepass.chunks import map_parts
from llrcal.onepass.grid import Grid
from llrcal.onepass.ranks import Groups, groups, next_above
from llrcal.onepass.summary import Summary

_LARGEST = float(np.finfo(np.float64).max)
# Spreads beyond these leave a slope, a square or a sum of two scores no room among the doubles.
_LEAST_SPREAD, _GREATEST_SPREAD = 2.0**-1000, 2.0**1000
_LEAST_WEIGHT = 1e-300  # of smaller ones the inverse is no double


class Training(ABC):
    """Target and non-target scores, and what the methods ask of them, each worked out once."""

    tar_count: int
    non_count: int

    @cached_property
    @abstractmethod
    def tar(self) -> Summary:
        """Summary of the target scores."""

    @cached_property
    @abstractmethod
    def non(self) -> Summary:
        """Summary of the non-target scores."""

    @cached_property
    @abstractmethod
    def finite(self) -> Training:
        """The same scores, infinite ones taken for the largest doubles there are."""

    @cached_property
    @abstractmethod
    def groups(self) -> Groups:
        """Both classes in rising order, pooled where nothing can bend."""

    @cached_property
    @abstractmethod
    def score_range(self) -> tuple[float, float]:
        """Least and greatest score of both classes together."""

    @abstractmethod
    def _next_above(self, values: Floats) -> Floats:
        """The smallest score of the larger class above each of some values."""

    def first_scores(self, which: Counts) -> Floats:
        """The smallest score in each of some groups."""
        first, above = self.groups.low[which], self.groups.above[which]
        if above.any():
            first[above] = self._next_above(first[above])
        return first

    @cached_property
    def order(self) -> float:
        """Whether targets score higher than non-targets: Mann and Whitney's z, negative if lower.

        It goes by ranks alone, so that no score weighs more than any other, however far out it is.
        """
        tar, non = self._shares_in_order()
        higher = float((tar * (np.cumsum(non) - non / 2)).sum())  # of all pairs, ties by halves
        pairs = self.tar_count * self.non_count
        spread = math.sqrt((self.tar_count + self.non_count + 1) / (12 * pairs))
        return (higher - 0.5) / spread

    def _shares_in_order(self) -> tuple[Floats, Floats]:
        """The share of each class at rising scores, from what has been worked out already."""
        if not self._is_summarised:
            return self.groups.tar / self.tar_count, self.groups.non / self.non_count
        values, weights = [], []
        for side in (self.tar, self.non):
            points = side.points()
            values.append(side.grid.origin + points.values * side.grid.unit)
            weights.append(points.weights)
        _, place = np.unique(np.concatenate(values), return_inverse=True)
        tar, non = np.split(place, [len(values[0])])
        size = int(place.max()) + 1
        return (
            np.bincount(tar, weights[0], size).astype(np.float64),
            np.bincount(non, weights[1], size).astype(np.float64),
        )

    @property
    def _is_summarised(self) -> bool:
        return "tar" in vars(self) and "non" in vars(self)

    @property
    def empirical_alpha(self) -> float:
        """The share of targets, T / (T + N)."""
        return self.tar_count / (self.tar_count + self.non_count)

    def weight(self, alpha: float | str) -> float:
        """The weight of the targets as a number.

        Raises
        ------
        OptionError
            If ``alpha`` is neither a number strictly between 0 and 1 nor "empirical".
        """
        if isinstance(alpha, str) and alpha == "empirical":
            return self.empirical_alpha
        # Compared before it is made a double, which the largest whole numbers cannot be.
        if not is_number(alpha) or not _LEAST_WEIGHT <= alpha < 1 or float(alpha) == 1:
            raise OptionError(
                f'alpha is {alpha!r:.50}; give a number strictly between 0 and 1, or "empirical"'
            )
        return float(alpha)


class ArrayTraining(Training):
    """The same for arrays in memory."""

    def __init__(self, tar: ArrayLike, non: ArrayLike, *, lower_is_better: bool = False) -> None:
        # As they were given: what is wrong with a distance is told of the distance.
        self._given_tar = as_scores(tar, "target", allow_infinite=True)
        self._given_non = as_scores(non, "non-target", allow_infinite=True)
        self._tar, self._non = self._given_tar, self._given_non
        if lower_is_better:
            self._tar, self._non = -self._tar, -self._non
        self.tar_count = len(self._tar)
        self.non_count = len(self._non)

    @cached_property
    def tar(self) -> Summary:
        check_finite(self._given_tar, "target")
        return _summary(self._tar, "target")

    @cached_property
    def non(self) -> Summary:
        check_finite(self._given_non, "non-target")
        return _summary(self._non, "non-target")

    @cached_property
    def finite(self) -> Training:
        if np.isfinite(self.score_range).all():
            return self
        wide = (scores.astype(np.float64) for scores in (self._tar, self._non))
        return ArrayTraining(*(np.clip(scores, -_LARGEST, _LARGEST) for scores in wide))

    @cached_property
    def groups(self) -> Groups:
        return groups(self._tar, self._non)

    @property
    def _larger(self) -> Array:
        return self._non if self.tar_count <= self.non_count else self._tar

    def _next_above(self, values: Floats) -> Floats:
        return next_above(self._larger, values)

    @cached_property
    def score_range(self) -> tuple[float, float]:
        """Least and greatest score of both classes together.

        Whatever the methods have worked out before knows them, but for scores of the larger class
        above all others: groups do not tell the greatest of those.
        """
        if self._is_summarised:
            sides = self.tar, self.non
            least = min(side.least for side in sides)
            return least + 0.0, max(side.greatest for side in sides) + 0.0  # of 0 and -0, 0
        low, above = self.groups.low, self.groups.above
        greatest = max(map_parts(np.max, self._larger)) if above[-1] else low[-1]
        return float(low[0]), float(greatest) + 0.0


def _summary(scores: Array, name: str) -> Summary:
    with np.errstate(over="ignore", invalid="ignore"):  # then there is no unit, as is said below
        grid = Grid.of(scores)
    check_spread(grid, name)
    return Summary.of(scores, grid)


def check_spread(grid: Grid, name: str) -> None:
    """Refuse scores that lie too close together, or too far apart, for doubles.

    Raises
    ------
    DegenerateError
        With the spread, and what to do.
    """
    if not _LEAST_SPREAD <= grid.unit <= _GREATEST_SPREAD:
        raise DegenerateError(
            f"the spread of the {name} scores, about {grid.unit:.1g}, is too close to the end of "
            "the doubles; multiply all scores by a constant that brings them near one"
        )
