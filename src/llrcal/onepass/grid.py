"""Bins on the score axis, read off the bits of a double.

Bins are of equal width within one unit of the origin, and twice as wide in each further octave, so
the relative resolution in the tails stays the same however far they reach. Doubles are spaced in
this way themselves: the exponent and the leading mantissa bits of ``1 + |x - origin| / unit`` are
the number of the bin, and the bits after them are the place within it. This needs neither a
logarithm nor a search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.kernels import kernels_for
from llrcal.kernels.interface import Kernels
from llrcal.onepass.sample import Sample

PLACE_BITS = 30  # places within a bin: 2^30

_MANTISSA_BITS = 52
_SIGN_BIT = 63
_ONE = np.float64(1.0).view(np.int64)
_LEAST_UNIT = 2.0**-1022
_BEFORE_THE_END = 1 - 2.0**-40  # after which a place would be rounded up into no bin

# Share of the scores beyond each end of a range, and the length of that range for a Gaussian, in
# standard deviations.
_RANGES = ((0.25, 1.349), (0.05, 3.29), (0.005, 5.15), (0.0, 6.0))
_PEAK = (0.45, 0.2513)
_PEAKED = 16
_UNSURE = 0.025  # standard deviations: twice the error of a median of 2^14 scores, or about so


@dataclass(frozen=True)
class Grid:
    """``2^bin_bits`` bins per octave, for ``octaves`` octaves on either side of ``origin``.

    ``unit`` is a power of two and ``origin`` a multiple of it, so that differences from the origin
    are exact.
    """

    origin: float
    unit: float
    bin_bits: int = 10
    octaves: int = 40

    @classmethod
    def of(cls, scores: Array, *, bin_bits: int = 10, octaves: int = 40) -> Grid:
        """Grid for a set of scores."""
        return cls.of_sample(Sample.of(scores), bin_bits=bin_bits, octaves=octaves)

    @classmethod
    def of_sample(cls, sample: Sample, *, bin_bits: int = 10, octaves: int = 40) -> Grid:
        """Grid for a set of scores, from the quantiles of a sample of them."""
        values, counts = sample.sorted()
        if not len(values):
            return cls(0.0, 1.0, bin_bits, octaves)
        ranks = _Ranked(values, np.cumsum(counts))
        return cls._around(ranks.middle, ranks.spread, bin_bits, octaves)

    @classmethod
    def guessed(cls, scores: Array) -> Grid | None:
        """Grid for the set that some scores are from; None if others might suggest another one."""
        values = np.sort(scores[np.isfinite(scores)].astype(np.float64))
        if not len(values):
            return None
        ranks = _Ranked(values, np.arange(1, len(values) + 1))
        middle, spread = ranks.middle, ranks.spread
        moves = (-_UNSURE, _UNSURE)
        with np.errstate(over="ignore", invalid="ignore"):  # which gives no usual grid
            likely = {
                cls._around(middle + a * spread, spread + b * spread) for a in moves for b in moves
            }
        guess = likely.pop()
        return guess if not likely and guess.is_usual else None

    @classmethod
    def _around(cls, middle: float, spread: float, bin_bits: int = 10, octaves: int = 40) -> Grid:
        if spread == 0:
            return cls(middle, 1.0, bin_bits, octaves)
        unit = float(2.0 ** np.ceil(np.log2(spread)))
        origin = float(np.round(middle / unit) * unit) + 0.0  # never -0.0
        return cls(origin if np.isfinite(origin) else middle, unit, bin_bits, octaves)

    def kernels_for(self, scores: Array) -> Kernels | None:
        """The kernels, if they are there for these scores; they multiply by the inverse unit."""
        return kernels_for(scores) if self.is_usual else None

    @property
    def is_usual(self) -> bool:
        """Whether the unit is a power of two that has an inverse."""
        return _LEAST_UNIT <= self.unit <= 1 / _LEAST_UNIT and math.frexp(self.unit)[0] == 0.5

    @property
    def numbers(self) -> tuple[float, float, int, int]:
        """What defines it, as kernels take it."""
        return self.origin, self.unit, self.bin_bits, self.octaves

    @property
    def side(self) -> int:
        """Number of bins on one side of the origin."""
        return self.octaves << self.bin_bits

    @property
    def size(self) -> int:
        """Number of bins; they are numbered from the lowest."""
        return 2 * self.side

    @property
    def reach(self) -> float:
        """Distance from the origin at which the bins end, but for the last half of a place."""
        return (2.0**self.octaves - 1) * self.unit * _BEFORE_THE_END

    def number(self, scores: Array) -> Counts:
        """Bin of each score; scores beyond the grid go into its outermost bins."""
        bits, below = self._bits(scores)
        bits >>= _MANTISSA_BITS - self.bin_bits
        np.minimum(bits, self.side - 1, out=bits)
        return self._mirrored(bits, below)

    def number_and_place(self, scores: Array) -> tuple[Counts, Counts]:
        """Bin of each score, and its place in the bin: 0 to 2^30 - 1, counted outwards.

        Places are rounded to the nearest, which may carry into the next bin. The scores must lie
        within the reach of the grid.
        """
        bits, below = self._bits(scores)
        spare = _MANTISSA_BITS - self.bin_bits - PLACE_BITS
        bits += 1 << (spare - 1)
        place = bits >> spare
        place &= (1 << PLACE_BITS) - 1
        bits >>= _MANTISSA_BITS - self.bin_bits
        return self._mirrored(bits, below), place

    def bins(self, number: Counts) -> tuple[Floats, Floats]:
        """Inner edge and width of bins, in units from the origin; both negative below it."""
        below = number < self.side
        outward = np.where(below, self.side - 1 - number, number - self.side)
        octave = np.ldexp(np.where(below, -1.0, 1.0), outward >> self.bin_bits)
        width = octave * 2.0**-self.bin_bits
        inner = octave - np.where(below, -1.0, 1.0)
        return inner + (outward & ((1 << self.bin_bits) - 1)) * width, width

    def _bits(self, scores: Array) -> tuple[Counts, Counts]:
        """An integer that rises with the distance from the origin; and -1 below it, else 0."""
        with np.errstate(over="ignore"):  # an infinite distance is rightly beyond the grid
            y = scores.astype(np.float64, copy=False) - self.origin
            y /= self.unit
        y += 0.0  # -0.0 becomes 0.0
        below = y.view(np.int64) >> _SIGN_BIT
        np.abs(y, out=y)
        y += 1.0
        bits = y.view(np.int64)
        bits -= _ONE
        return bits, below

    def _mirrored(self, outward: Counts, below: Counts) -> Counts:
        """Number the bins in rising order: side, side + 1, ... above; side - 1, ... below."""
        outward ^= below  # n above, -1 - n below
        outward += self.side
        return outward


@dataclass(frozen=True)
class _Ranked:
    """Scores in rising order, and how many scores there are up to each of them."""

    values: Floats
    up_to: Counts

    def _at(self, rank: float) -> float:
        return float(self.values[np.searchsorted(self.up_to, rank, "right")])

    @property
    def middle(self) -> float:
        return self._at(self.up_to[-1] // 2)

    @property
    def spread(self) -> float:
        """Robust standard deviation: from quartiles, or wider ranges where many scores are equal.

        Where the middle tenth of the scores is far denser than that suggests, it is the deviation
        of this peak, which would otherwise vanish in one bin.
        """
        wide = next((spread for spread in map(self._spread, _RANGES) if spread > 0), 0.0)
        peak = self._spread(_PEAK)
        return peak if 0 < _PEAKED * peak < wide else wide

    def _spread(self, between: tuple[float, float]) -> float:
        tail, deviations = between
        last = int(self.up_to[-1]) - 1
        low, high = self._at(math.ceil(tail * last)), self._at(math.floor((1 - tail) * last))
        return high / deviations - low / deviations
