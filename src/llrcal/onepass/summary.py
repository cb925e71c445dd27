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
from functools import cached_property, reduce

import numpy as np

from llrcal.arrays import Array, Counts, Floats, weighted_sum
from llrcal.errors import DegenerateError, changed_scores
from llrcal.onepass.chunks import CHUNK, chunks, map_parts
from llrcal.onepass.grid import PLACE_BITS, Grid

EXACT_UP_TO = 2**14  # scores; up to so many stand for themselves
KEPT_UP_TO = 2**17  # scores; up to so many are kept one by one
_FINELY = 64  # points of a bin, at most
_COUNT_SHIFT = 42  # leaves 11 bits of a double for a count, and room for the sum of its places
_ONE_MORE = 1 << _COUNT_SHIFT
_GLANCE = 64  # every so many-th score says whether a bin is crowded,
_CROWDED = 16  # which it is if it holds so many of these
_MOST_IN_64_BITS = 2**32  # scores in a bin, whose places have 30 bits


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
        grid = grid or Grid.of(scores)
        if len(scores) <= KEPT_UP_TO:
            return cls._exactly(np.sort(scores.astype(np.float64)), grid)
        return reduce(Summary.merge, map_parts(lambda part: cls._binned(part, grid), scores))

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
        return table.summary

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
        bins = np.zeros((3, len(number)), np.int64 if count < _MOST_IN_64_BITS else object)
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


class Table:
    """Count, sum of places and sum of their squares in each bin, of one array after the other."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._bins = np.zeros((grid.size, 4), np.int64)  # four, which kernels add to as one vector
        self._count, self._least, self._greatest = 0, np.inf, -np.inf

    def add(self, scores: Array) -> None:
        """Add some finite scores.

        Raises
        ------
        DegenerateError
            If one of them lies beyond the grid; some of the others have been added.
        """
        if kernels := self._grid.kernels_for(scores):
            numbers, reach = self._grid.numbers, self._grid.reach
            done, least, greatest = kernels.bins(scores, CHUNK, *numbers, reach, self._bins)
            if done < len(scores):
                check_reach(least, greatest, self._grid)
            self._extend(least, greatest)
        else:
            for part in chunks(scores):
                self._add_chunk(part)
        self._count += len(scores)

    def _add_chunk(self, part: Array) -> None:
        chunk = part.astype(np.float64)  # a copy, which no other thread changes
        low, high = float(chunk.min()), float(chunk.max())
        self._extend(low, high)
        check_reach(low, high, self._grid)
        number, place = self._grid.number_and_place(chunk)
        start = int(self._grid.number_and_place(np.array([low]))[0][0])  # numbers rise with scores
        number -= start
        sums = _sums(number, place)
        self._bins[start : start + sums.shape[1], :3] += sums.T

    def _extend(self, low: float, high: float) -> None:
        self._least, self._greatest = min(self._least, low), max(self._greatest, high)

    @property
    def summary(self) -> Summary:
        """The summary of what was added."""
        used = np.flatnonzero(self._bins[:, 0])
        ends = self._least + 0.0, self._greatest + 0.0  # no -0.0
        # Kernels read scores twice. Those that change in between may be beyond the grid, or NaN.
        if self._count and not np.array_equal(
            used[[0, -1]], self._grid.number_and_place(np.array(ends))[0]
        ):
            raise changed_scores()
        return Summary(self._grid, self._count, *ends, None, used, self._bins.T[:3, used])


def _sums(number: Counts, place: Counts) -> Counts:
    """Count, sum of places and sum of squared places in each bin.

    Sums of integers below 2^53 are exact, although bincount adds doubles.
    """
    squares = place * place
    squares >>= PLACE_BITS
    return np.array([*_counted(number, place), np.bincount(number, squares)], np.int64)


def _counted(number: Counts, place: Counts) -> tuple[Array, Array]:
    """Count and sum of places in each bin.

    They are added up in one go, the count in the bits above the places, unless so many scores share
    a bin that the count needs more bits than there are.
    """
    if np.bincount(number[::_GLANCE]).max() < _CROWDED:
        both = np.bincount(number, place | _ONE_MORE)
        if both.max() < 2.0**53:
            bits = both.astype(np.int64)
            return bits >> _COUNT_SHIFT, bits & (_ONE_MORE - 1)
    return np.bincount(number), np.bincount(number, place)


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
            return self._table.summary
        return Summary.of(np.concatenate([*self._few, np.empty(0)]), self._grid)


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


def check_reach(least: float, greatest: float, grid: Grid) -> None:
    """Refuse scores that lie beyond the grid.

    Raises
    ------
    DegenerateError
        With the distance of the furthest.
    """
    distance = max(greatest - grid.origin, grid.origin - least)
    if math.isnan(distance):
        raise changed_scores()
    if distance >= grid.reach:
        raise DegenerateError(
            f"a score lies {distance:.3g} away from the middle of the scores, more than 10^12 "
            f"times their spread ({grid.unit:.3g}). Remove it, or clip the scores"
        )
