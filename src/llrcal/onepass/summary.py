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

import numpy as np

from llrcal.arrays import Array, Counts, Floats, weighted_sum
from llrcal.errors import DegenerateError, changed_scores
from llrcal.onepass.chunks import CHUNK, chunks, fold_array
from llrcal.onepass.grid import PLACE_BITS, Grid

EXACT_UP_TO = 2**14  # scores; up to so many stand for themselves
KEPT_UP_TO = 2**17  # scores; up to so many are kept one by one
MOST_IN_64_BITS = 2**32  # scores in a bin, whose places have 30 bits
_FINELY = 64  # points of a bin, at most
_ONE_PLACE = 2.0**-20  # units; scores as close as this are in one place
_HALF = PLACE_BITS // 2


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
    def of(cls, scores: Array, grid: Grid | None = None, counts: Counts | None = None) -> Summary:
        """Summary of an array of finite scores, in bins that suit them unless others are given.

        With counts, each score occurs so many times.

        Raises
        ------
        DegenerateError
            If a score lies beyond the bins, and the scores are too many to be kept one by one.
        """
        bins = grid or Grid.of(scores, counts)
        return fold_array(lambda: SummaryFold(bins), scores, counts)

    @classmethod
    def _exactly(cls, ordered: Floats, grid: Grid) -> Summary:
        none = np.empty(0, np.int64)
        ends = (float(ordered[0]), float(ordered[-1])) if len(ordered) else (np.inf, -np.inf)
        if math.isnan(ends[1]):
            raise changed_scores()
        return cls(grid, len(ordered), *ends, ordered, none, none.reshape(3, 0))

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
        if self.exact is None:
            return self
        fold = SummaryFold(self.grid, keep=-1)
        fold.add(self.exact)
        return fold.value

    def points(self) -> Points:
        """The weighted points that stand for the scores."""
        return self._points  # every method asks for them, some of them several times

    @cached_property
    def _points(self) -> Points:
        if self.exact is not None:
            if self.count > EXACT_UP_TO:
                return self._with_bins().points()
            check_reach(self.least, self.greatest, self.grid)
            scores, counts = np.unique(self.exact, return_counts=True)
            values = (scores - self.grid.origin) / self.grid.unit
            before = np.append(0, np.cumsum(counts))
            behind = before[np.searchsorted(values, values + _ONE_PLACE, side="right")]
            tied = int((behind - before[:-1]).max(initial=0))
            return Points(values, counts / self.count, tied / self.count)
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
        return self._in_order  # as often asked for

    @cached_property
    def _in_order(self) -> tuple[Floats, Floats]:
        if self.exact is not None:
            check_reach(self.least, self.greatest, self.grid)
            values, counts = np.unique(self.exact, return_counts=True)
            return values + 0.0, counts.astype(np.float64)  # no -0.0
        points = self.points()
        scores = self.grid.origin + points.values * self.grid.unit
        order = np.argsort(scores, kind="stable")
        return scores[order], points.weights[order] * self.count


class SummaryFold:
    """The summary of arrays: their scores one by one, or in bins once there are more than kept."""

    def __init__(self, grid: Grid, keep: int = KEPT_UP_TO) -> None:
        self._grid, self._keep = grid, keep
        self._few: list[tuple[Array, Counts | None]] = []
        self._bins: Counts | None = None
        self._halves: Counts | None = None
        self._count, self._least, self._greatest = 0, np.inf, -np.inf

    def add(self, scores: Array, counts: Counts | None = None) -> None:
        """Add some finite scores.

        Raises
        ------
        DegenerateError
            If one of them lies beyond the grid; some of the others have been added.
        """
        self._few.append((scores, counts))
        self._count += len(scores) if counts is None else int(counts.sum())
        if self._count > self._keep:
            if self._bins is None:  # four numbers a bin, which kernels add to as one vector
                self._bins = np.zeros((self._grid.size, 4), np.int64)
            for some, times in self._few:
                if times is None:
                    self._put(some, self._bins)
                else:
                    self._put_counted(some, times, self._bins)
            self._few = []

    def _put_counted(self, scores: Array, counts: Counts, bins: Counts) -> None:
        """Sums of places times counts need more than 64 bits, so the halves of places are added."""
        if self._halves is None:
            self._halves = np.zeros((2, 2, self._grid.size), np.int64)
        for part, times in zip(chunks(scores), chunks(counts), strict=True):
            low, high = float(part.min()), float(part.max())
            self._extend(low, high)
            check_reach(low, high, self._grid)
            number, place = self._grid.number_and_place(part)
            np.add.at(bins[:, 0], number, times)
            for sums, places in zip(
                self._halves, (place, (place * place) >> PLACE_BITS), strict=True
            ):
                np.add.at(sums[0], number, (places >> _HALF) * times)
                np.add.at(sums[1], number, (places & ((1 << _HALF) - 1)) * times)

    def _put(self, scores: Array, bins: Counts) -> None:
        if kernels := self._grid.kernels_for(scores):
            numbers, reach = self._grid.numbers, self._grid.reach
            done, least, greatest = kernels.bins(scores, CHUNK, *numbers, reach, bins)
            if done < len(scores):
                check_reach(least, greatest, self._grid)
            self._extend(least, greatest)
            return
        for part in chunks(scores):
            chunk = part.astype(np.float64)  # a copy, which no other thread changes
            low, high = float(chunk.min()), float(chunk.max())
            self._extend(low, high)
            check_reach(low, high, self._grid)
            number, place = self._grid.number_and_place(chunk)
            squares = (place * place) >> PLACE_BITS
            for sums, amount in zip(bins.T, (np.ones_like(place), place, squares), strict=False):
                np.add.at(sums, number, amount)

    def _extend(self, low: float, high: float) -> None:
        self._least, self._greatest = min(self._least, low), max(self._greatest, high)

    def _numbers_of(self, *scores: float) -> Counts:
        return self._grid.number_and_place(np.array(scores))[0]

    @property
    def value(self) -> Summary:
        """The summary of what was added."""
        if self._bins is None:
            few = [some if n is None else np.repeat(some, n) for some, n in self._few]
            return Summary._exactly(np.sort(np.concatenate([*few, np.empty(0)])), self._grid)
        used = np.flatnonzero(self._bins[:, 0])
        ends = self._least + 0.0, self._greatest + 0.0  # no -0.0
        # Kernels read scores twice. Those that change in between may be beyond the grid, or NaN.
        if self._count and not np.array_equal(used[[0, -1]], self._numbers_of(*ends)):
            raise changed_scores()
        bins = self._bins.T[:3, used]
        if self._halves is not None:
            bins = bins.astype(np.int64 if self._count < MOST_IN_64_BITS else object)
            high, low = self._halves[:, :, used].swapaxes(0, 1).astype(bins.dtype)
            bins[1:] += (high << _HALF) + low
        return Summary(self._grid, self._count, *ends, None, used, bins)


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


@dataclass(frozen=True)
class Points:
    """Weighted points that stand for the scores: sums over them are means over the scores.

    They are in units of the grid: a value v is the score ``grid.origin + grid.unit * v``.
    """

    values: Floats
    weights: Floats
    tie_share: float
    """Largest share of scores in one place: within a millionth of a unit, or in one bin."""

    def mean_and_variance(self) -> tuple[float, float]:
        """Mean and (1/n) variance in units of the grid, and the mean from its origin.

        Of the scores themselves, with the grid of their summary, the mean is
        ``grid.origin + grid.unit * mean``, and the variance ``grid.unit**2 * variance``.
        """
        mean = weighted_sum(self.values, self.weights)
        deviations = self.values - mean
        return mean, weighted_sum(deviations * deviations, self.weights)
