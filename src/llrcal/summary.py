"""Any number of scores, compressed in one pass into a small mergeable value.

Scores go into narrow bins. The bins are even, 2^-10 of the unit wide, within one unit of the
origin, and twice as wide in each further octave, so that tails keep their relative resolution
however far they reach. They need no logarithm: bin and place within the bin are bit fields of the
double ``1 + |x - origin| / unit``.

Each bin keeps three integers: the count, and the sums of the first two powers of the place
within the bin, in units of 2^-30 bin widths. Integer sums are exact, so neither the order of the
scores nor threads nor the way they were spread over machines changes a bit of the answer.
A bin then stands for two points, at mean -/+ standard deviation of what fell in, which reproduce
count, mean and variance: sums of smooth functions over the points are exact to third order in
the bin width.

Small sets skip the bins, and are kept score by score.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.chunks import chunks, map_parts
from llrcal.errors import DegenerateError

EXACT_UP_TO = 2**14  # scores; fewer are kept one by one

_BIN_BITS = 10  # bins per octave: 2^10
_PLACE_BITS = 30
_OCTAVES = 40
_SIDE = _OCTAVES << _BIN_BITS  # bins on one side of the origin
_MANTISSA_BITS = 52
_ONE = np.float64(1.0).view(np.int64)
_HALF_PLACE = 1 << (_MANTISSA_BITS - _BIN_BITS - _PLACE_BITS - 1)
_SAMPLE = 2**14


@dataclass(frozen=True)
class Grid:
    """Where the bins lie: ``origin`` is a multiple of ``unit``, and ``unit`` a power of two.

    Rounding both makes the grid insensitive to the sample it is taken from, and differences to
    the origin exact.
    """

    origin: float
    unit: float

    @classmethod
    def of(cls, scores: Array) -> Grid:
        """Grid for a set of scores, from the quantiles of an evenly spread sample of them."""
        count = min(len(scores), _SAMPLE)
        sample = np.sort(scores[np.arange(count) * len(scores) // count].astype(np.float64))
        spread = _spread(sample)
        unit = float(2.0 ** np.ceil(np.log2(spread))) if spread > 0 else 1.0
        middle = float(sample[count // 2])
        origin = float(np.round(middle / unit) * unit)
        return cls(origin if np.isfinite(origin) else middle, unit)

    def locate(self, scores: Array) -> tuple[Counts, Counts]:
        """Bin number and place within the bin (0 to 2^30 - 1) of each score."""
        y = (scores.astype(np.float64, copy=False) - self.origin) / self.unit
        below = y < 0
        bits = (np.abs(y, out=y) + 1.0).view(np.int64)
        bits -= _ONE - _HALF_PLACE  # rounded to the nearest place; a carry goes to the next bin
        place = bits >> (_MANTISSA_BITS - _BIN_BITS - _PLACE_BITS)
        place &= (1 << _PLACE_BITS) - 1
        bits >>= _MANTISSA_BITS - _BIN_BITS
        # Mirror the bins below the origin: 0, 1, ... above; -1, -2, ... below.
        np.negative(bits, out=bits, where=below)
        bits -= below
        bits += _SIDE
        return bits, place


def _spread(sample: Floats) -> float:
    """Robust standard deviation of sorted scores; wider ranges where many scores are equal."""
    last = len(sample) - 1
    for tail, deviations in ((0.25, 1.349), (0.05, 3.29), (0.005, 5.15), (0.0, 6.0)):
        low, high = sample[int(np.ceil(tail * last))], sample[int((1 - tail) * last)]
        spread = float(high / deviations - low / deviations)
        if spread > 0:
            return spread
    return 0.0


@dataclass(frozen=True)
class Summary:
    """What is known of the scores of one class after one pass.

    ``bins`` holds, for each bin that is not empty (``number``), the count and the power sums.
    ``exact`` holds the sorted scores instead, as long as they are few.
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
        if len(scores) <= EXACT_UP_TO:
            return cls._exactly(np.sort(scores.astype(np.float64)), grid)
        return reduce(Summary.merge, map_parts(lambda part: cls._binned(part, grid), scores))

    @classmethod
    def _exactly(cls, ordered: Floats, grid: Grid) -> Summary:
        none = np.empty(0, np.int64)
        ends = (float(ordered[0]), float(ordered[-1])) if len(ordered) else (np.inf, -np.inf)
        return cls(grid, len(ordered), *ends, ordered, none, none.reshape(3, 0))

    @classmethod
    def _binned(cls, scores: Array, grid: Grid) -> Summary:
        table = np.zeros((3, 2 * _SIDE), np.int64)
        least, greatest = np.inf, -np.inf
        for chunk in chunks(scores):
            low, high = float(chunk.min()), float(chunk.max())
            least, greatest = min(least, low), max(greatest, high)
            _check_reach(low, high, grid)
            number, place = grid.locate(chunk)
            start = int(number.min())
            number -= start
            squares = (place * place) >> _PLACE_BITS
            # Each sum is of integers and below 2^53, hence exact although bincount adds doubles.
            for row, weights in enumerate((None, place, squares)):
                sums = np.bincount(number, weights)
                table[row, start : start + len(sums)] += sums.astype(np.int64)
        used = np.flatnonzero(table[0])
        return cls(grid, len(scores), least, greatest, None, used, table[:, used])

    def merge(self, other: Summary) -> Summary:
        """Summary of both sets of scores together; associative and commutative."""
        if self.grid != other.grid:
            raise ValueError("summaries on different grids cannot be merged")
        count = self.count + other.count
        if self.exact is not None and other.exact is not None and count <= EXACT_UP_TO:
            return self._exactly(np.sort(np.concatenate([self.exact, other.exact])), self.grid)
        parts = [part._with_bins() for part in (self, other)]
        number, where = np.unique(
            np.concatenate([part.number for part in parts]), return_inverse=True
        )
        bins = np.zeros((3, len(number)), np.int64)
        for row, sums in zip(bins, np.hstack([part.bins for part in parts]), strict=True):
            np.add.at(row, where, sums)
        least = min(self.least, other.least)
        greatest = max(self.greatest, other.greatest)
        return Summary(self.grid, count, least, greatest, None, number, bins)

    def _with_bins(self) -> Summary:
        return self if self.exact is None else self._binned(self.exact, self.grid)

    def points(self) -> Points:
        """The weighted points that stand for the scores."""
        if self.exact is not None:
            values, counts = np.unique(self.exact, return_counts=True)
            _check_reach(self.least, self.greatest, self.grid)
            return Points(
                (values - self.grid.origin) / self.grid.unit,
                counts / self.count,
                int(counts.max()) / self.count,
            )
        count, first, second = (row.astype(np.float64) for row in self.bins)
        quantum = 2.0**-_PLACE_BITS
        mean = first / count * quantum  # in bin widths, as is the deviation
        variance = second / count * quantum - mean * mean
        deviation = np.sqrt(np.maximum(variance, 0))
        below = self.number < _SIDE
        side = np.where(below, _SIDE - 1 - self.number, self.number - _SIDE)
        octave = np.ldexp(1.0, side >> _BIN_BITS)
        width = octave * 2.0**-_BIN_BITS
        edge = (octave - 1) + (side & ((1 << _BIN_BITS) - 1)) * width
        sign = np.where(below, -1.0, 1.0)
        both = [sign * (edge + (mean + move) * width) for move in (-deviation, deviation)]
        weights = count / (2 * self.count)
        return Points(
            np.concatenate(both),
            np.concatenate([weights, weights]),
            float(count.max()) / self.count,
        )


@dataclass(frozen=True)
class Points:
    """Weighted points in units of the grid: sums over them stand for means over the scores."""

    values: Floats
    weights: Floats
    tie_share: float
    """Largest share of scores in one place (for binned scores, in one bin)."""

    def mean_and_variance(self) -> tuple[float, float]:
        """Mean and (1/n) variance, in units of the grid."""
        mean = float(self.values @ self.weights)
        deviations = self.values - mean
        return mean, float((deviations * deviations) @ self.weights)


def _check_reach(least: float, greatest: float, grid: Grid) -> None:
    reach = max(greatest - grid.origin, grid.origin - least)
    if reach >= (2.0**_OCTAVES - 1) * grid.unit:
        raise DegenerateError(
            f"a score lies {reach:.3g} away from the middle of the scores, more than 10^12 times "
            f"their spread ({grid.unit:.3g}). Remove it, or clip the scores"
        )
