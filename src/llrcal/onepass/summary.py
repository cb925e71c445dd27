"""Any number of scores, compressed in one pass into a small mergeable value.

Scores go into the narrow bins of a :class:`~llrcal.onepass.grid.Grid`. Each bin keeps three
integers: the count, the sum of the places within the bin, and the sum of their squares. Integer
sums are exact, so neither the order of the scores nor the number of threads or machines changes a
bit of the answer. A bin then stands for two points, at the mean plus and minus the standard
deviation of its scores. They reproduce count, mean and variance, so sums of smooth functions over
the points have no error of first or second order in the bin width.

Small sets are kept score by score, and sets of a few thousand scores skip the bins altogether.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from llrcal.arrays import Array, Counts, Floats, weighted_sum
from llrcal.errors import LlrcalError, changed_scores
from llrcal.onepass.chunks import chunks, gathered
from llrcal.onepass.grid import PLACE_BITS, Grid
from llrcal.onepass.sample import GrowingSample, Sample, likely_ceiling
from llrcal.onepass.table import MOST_IN_64_BITS, Table, check_reach

EXACT_UP_TO = 2**14  # scores; up to so many stand for themselves
KEPT_UP_TO = 2**17  # scores; up to so many are kept one by one
_FINELY = 64  # points of a bin, at most
_WORTH_A_GUESS = 2**23  # scores; reading so many a second time takes longer than guessing
_STRETCHES, _STRETCH = 64, 256  # of scores that bins are guessed from


@dataclass(frozen=True)
class Summary:
    """What is known of the scores of one class after one pass.

    ``bins`` holds, for each bin that is not empty (``number``), the count, the sum of places and
    the sum of squared places. As long as the scores are few, ``exact`` holds them instead, sorted.
    """

    grid: Grid
    count: int
    least: float
    greatest: float
    exact: Floats | None
    number: Counts
    bins: Counts

    @classmethod
    def of(cls, scores: Array, grid: Grid | None = None) -> Summary:
        """Summary of an array of finite scores, in one pass over it."""
        if grid is None:
            return Surveyed(scores).summary
        if len(scores) <= KEPT_UP_TO:
            return cls._exactly(np.sort(scores.astype(np.float64)), grid)
        return cls._of_table(gathered(lambda: Table(grid), scores))

    @classmethod
    def _exactly(cls, ordered: Floats, grid: Grid) -> Summary:
        none = np.empty(0, np.int64)
        ends = (float(ordered[0]), float(ordered[-1])) if len(ordered) else (np.inf, -np.inf)
        if math.isnan(ends[1]):
            raise changed_scores()
        return cls(grid, len(ordered), *ends, ordered, none, none.reshape(3, 0))

    @classmethod
    def _binned(cls, scores: Array, grid: Grid) -> Summary:
        table = Table(grid)
        table.add(scores)
        return cls._of_table(table)

    @classmethod
    def _of_table(cls, table: Table) -> Summary:
        return cls(table.grid, table.count, *table.ends, None, *table.bins)

    def merge(self, other: Summary) -> Summary:
        """Summary of both sets of scores together; associative and commutative."""
        if self.grid != other.grid:
            raise ValueError("summaries on different grids cannot be merged")
        count = self.count + other.count
        if self.exact is not None and other.exact is not None and count <= KEPT_UP_TO:
            return self._exactly(np.sort(np.concatenate([self.exact, other.exact])), self.grid)
        parts = [part._with_bins() for part in (self, other)]
        place = np.zeros(self.grid.size, np.int64)
        for part in parts:
            place[part.number] = 1
        number = np.flatnonzero(place)
        place[number] = np.arange(len(number))
        # Sums of more scores would not fit into 64 bits: Python integers, slower, have no limit.
        bins = np.zeros((3, len(number)), np.int64 if count < MOST_IN_64_BITS else object)
        for part in parts:
            bins[:, place[part.number]] += part.bins
        least = min(self.least, other.least)
        greatest = max(self.greatest, other.greatest)
        return Summary(self.grid, count, least, greatest, None, number, bins)

    def _with_bins(self) -> Summary:
        return self if self.exact is None else self._binned(self.exact, self.grid)

    def points(self) -> Points:
        """The weighted points that stand for the scores."""
        return self._points  # every method asks for them, some of them several times

    @cached_property
    def _points(self) -> Points:
        if self.exact is not None:
            if self.count > EXACT_UP_TO:
                return self._with_bins().points()
            check_reach(self.least, self.greatest, self.grid)
            values, counts = np.unique(self.exact, return_counts=True)
            return Points(
                (values - self.grid.origin) / self.grid.unit,
                counts / self.count,
                int(counts.max()) / self.count,
            )
        count, mean, deviation = self._moments()
        edge, width = self.grid.bins(self.number)
        both = [edge + (mean + move) * width for move in (-deviation, deviation)]
        weights = count / (2 * self.count)
        return Points(
            np.concatenate(both),
            np.concatenate([weights, weights]),
            float(count.max()) / self.count,
        )

    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """Counts of the bins; means and standard deviations in them, in bin widths."""
        count, first, second = (row.astype(np.float64) for row in self.bins)
        place = 2.0**-PLACE_BITS
        mean = first / count * place
        variance = second / count * place - mean * mean
        return count, mean, np.sqrt(np.maximum(variance, 0))

    def finely_in_order(self) -> tuple[Floats, Floats]:
        """As :meth:`in_order`, with more points in a bin: even ones, of its mean and variance."""
        if self.exact is not None:
            return self.in_order()
        count, mean, deviation = self._moments()
        many = np.minimum(count, _FINELY).astype(np.int64)
        which = np.repeat(np.arange(len(many)), many)
        number = np.arange(len(which)) - (np.cumsum(many) - many)[which]
        middle = (many - 1) / 2
        step = deviation / np.sqrt(np.maximum(many * many - 1, 1) / 12)
        edge, width = self.grid.bins(self.number)
        places = mean[which] + (number - middle[which]) * step[which]
        scores = self.grid.origin + (edge[which] + places * width[which]) * self.grid.unit
        order = np.argsort(scores, kind="stable")
        return scores[order], (count / many)[which][order]

    def in_order(self) -> tuple[Floats, Floats]:
        """Rising scores, or points that stand for them, and how many scores each stands for."""
        if self.exact is not None:
            check_reach(self.least, self.greatest, self.grid)
            values, counts = np.unique(self.exact, return_counts=True)
            return values + 0.0, counts.astype(np.float64)  # no -0.0
        points = self.points()
        scores = self.grid.origin + points.values * self.grid.unit
        order = np.argsort(scores, kind="stable")
        return scores[order], points.weights[order] * self.count


class GrowingSummary:
    """The summary of arrays that come one after the other, in one table."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._few: list[Array] = []
        self._count = 0
        self._table: Table | None = None

    def add(self, scores: Array) -> None:
        """Add some finite scores; raises as :meth:`Table.add` does."""
        self._few.append(scores)
        self._count += len(scores)
        if self._count > KEPT_UP_TO:
            self._table = self._table or Table(self._grid)
            for some in self._few:
                self._table.add(some)
            self._few = []

    @property
    def summary(self) -> Summary:
        """The summary of what was added, as that of one array."""
        if self._table is not None:
            return Summary._of_table(self._table)
        return Summary.of(np.concatenate([*self._few, np.empty(0)]), self._grid)


class Surveyed:
    """The bins that suit an array of scores, and its summary in them.

    The bins follow from a sample of all scores. A few of the scores mostly tell which they will be,
    so a long array is put into these while the sample is taken. If they turn out to be others, or
    no guess is safe, bins take a pass of their own.
    """

    def __init__(self, scores: Array) -> None:
        self._scores = scores
        self._table: Table | None = None
        guess = Grid.guessed(_from_all_over(scores)) if len(scores) >= _WORTH_A_GUESS else None
        if guess is None:
            self.grid = Grid.of(scores)
            return
        found = gathered(lambda: _SampleAndTable(likely_ceiling(len(scores)), guess), scores)
        sample = found.sample.sample
        self.grid = Grid.of_sample(sample if sample.is_enough else Sample.of(scores))
        if self.grid == guess:
            self._table = found.table

    @property
    def summary(self) -> Summary:
        """The summary; raises as that of an array in given bins does."""
        if self._table is None:
            return Summary.of(self._scores, self.grid)
        return Summary._of_table(self._table)


def _from_all_over(scores: Array) -> Array:
    step = len(scores) // _STRETCHES
    return np.concatenate([scores[i * step :][:_STRETCH] for i in range(_STRETCHES)])


class _SampleAndTable:
    """Both, of one array after the other, while its scores are in the processor's cache."""

    def __init__(self, ceiling: int, grid: Grid) -> None:
        self.sample = GrowingSample(ceiling)
        self.table: Table | None = Table(grid)

    def add(self, scores: Array) -> None:
        for chunk in chunks(scores):
            self.sample.add(chunk)
            if self.table:
                try:
                    self.table.add(chunk)
                except LlrcalError:  # which is said if it happens in the right bins, too
                    self.table = None

    def merge(self, other: Self) -> Self:
        self.sample.merge(other.sample)
        self.table = self.table.merge(other.table) if self.table and other.table else None
        return self


@dataclass(frozen=True)
class Points:
    """Weighted points in units of the grid: sums over them stand for means over the scores."""

    values: Floats
    weights: Floats
    tie_share: float
    """Largest share of scores in one place (for binned scores, in one bin)."""

    def mean_and_variance(self) -> tuple[float, float]:
        """Mean and (1/n) variance, in units of the grid."""
        mean = weighted_sum(self.values, self.weights)
        deviations = self.values - mean
        return mean, weighted_sum(deviations * deviations, self.weights)
