"""Bins on the score axis, read off the bits of a double.

Bins are of equal width within one unit of the origin, and twice as wide in each further octave, so
the relative resolution in the tails stays the same however far they reach. Doubles are spaced in
this way themselves: the exponent and the leading mantissa bits of ``1 + |x - origin| / unit`` are
the number of the bin, and the bits after them are the place within it. This needs neither a
logarithm nor a search.

Which bins suit a set of scores follows from a sample of it that depends neither on their order nor
on how they are spread over machines. Each score has a key: its 64 bits, read as an integer, times
an odd number modulo 2^64. The product is scrambled, yet it can be undone. The sample consists of
the scores with the smallest keys, each with the number of times it occurs. A key that is among the
smallest of all is among the smallest of its part, so samples of parts merge into the sample of the
whole. A sample drawn at random would be as representative, but it would change with the order of
the scores, and every number that follows from it would change too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Array, Counts, Floats
from llrcal.errors import DegenerateError
from llrcal.kernels import kernels_for
from llrcal.onepass.chunks import CHUNK, chunks, fold_array

SIZE = 2**14
"""Distinct scores in a sample, at most."""

_Keys: TypeAlias = NDArray[np.uint64]

_KEY_BITS = 64
ALL_KEYS = 2**_KEY_BITS - 1
_ODD = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: spreads even regular patterns evenly
_BACK = np.uint64(pow(_ODD, -1, 2**_KEY_BITS))
_ENOUGH = 2  # times as many keys as needed are considered, since some scores may be equal


@dataclass(frozen=True)
class Sample:
    """The distinct scores with the smallest keys, in rising order of the keys.

    Scores with keys up to ``ceiling`` are all counted; those above it are not considered.
    """

    keys: _Keys
    counts: Counts
    ceiling: int = ALL_KEYS

    @classmethod
    def of(cls, scores: Array, counts: Counts | None = None) -> Sample:
        """Sample of an array of scores, each of which may occur many times."""
        sample = cls.below(likely_ceiling(len(scores)), scores, counts)
        return sample if sample.is_enough else cls.below(ALL_KEYS, scores, counts)

    @classmethod
    def below(cls, ceiling: int, scores: Array, counts: Counts | None = None) -> Sample:
        """Sample of an array, from keys up to a ceiling."""
        return fold_array(lambda: SampleFold(ceiling), scores, counts)

    def merge(self, other: Sample) -> Sample:
        """Sample of both sets of scores together; associative and commutative."""
        both = np.concatenate([self.keys, other.keys])
        order = np.argsort(both, kind="stable")  # quick, since each part is in order
        both = both[order]
        first = np.flatnonzero(np.diff(both, prepend=~both[:1]))
        keys = both[first]
        counts = np.concatenate([self.counts, other.counts])[order]
        counts = np.add.reduceat(counts, first) if len(first) else counts
        ceiling = min(self.ceiling, other.ceiling)
        if len(keys) > SIZE:
            ceiling = min(ceiling, int(keys[SIZE - 1]))
        kept = int(np.searchsorted(keys, np.uint64(ceiling), "right"))
        return Sample(keys[:kept], counts[:kept], ceiling)

    @property
    def is_enough(self) -> bool:
        """Whether a higher ceiling would leave the sample as it is."""
        return len(self.keys) == SIZE or self.ceiling == ALL_KEYS

    def sorted(self) -> tuple[Floats, Counts]:
        """The finite scores in rising order, and how often each occurs."""
        values = (self.keys * _BACK).view(np.float64)
        order = np.argsort(values)
        order = order[np.isfinite(values[order])]
        zeros = values[order] == 0  # 0.0 and -0.0 are equal; no other two are
        order[zeros] = np.sort(order[zeros])
        return values[order], self.counts[order]


NO_SAMPLE = Sample(np.empty(0, np.uint64), np.empty(0, np.int64))
"""The sample of no scores."""


def likely_ceiling(count: int) -> int:
    """A ceiling that suffices for ``count`` scores, if most of them are distinct."""
    return ALL_KEYS if count <= _ENOUGH * SIZE else (_ENOUGH * SIZE << _KEY_BITS) // count


class SampleFold:
    """The sample of arrays, from keys up to a ceiling. Keys are held until there are many."""

    def __init__(self, ceiling: int) -> None:
        self._out = np.empty(CHUNK, np.uint64)
        self._sample, self._held = replace(NO_SAMPLE, ceiling=ceiling), list[_Keys]()

    def add(self, scores: Array, counts: Counts | None = None) -> None:
        """Add some scores, in stretches that have no more than a chunk of keys."""
        if counts is not None:
            for some, times in zip(chunks(scores), chunks(counts), strict=True):
                self._sample = self._sample.merge(self._counted(some, times))
            return
        start = 0
        while start < len(scores):
            keys, start = _keys(scores, start, self._sample.ceiling, self._out)
            self._held.append(keys)
            if sum(map(len, self._held)) >= CHUNK:
                self._sample, self._held = self.value, []

    def _counted(self, scores: Array, counts: Counts) -> Sample:
        keys = scores.astype(np.float64).view(np.uint64) * np.uint64(_ODD)
        kept = np.flatnonzero(keys <= np.uint64(self._sample.ceiling))
        kept = kept[np.argsort(keys[kept])]
        return Sample(keys[kept], counts[kept], self._sample.ceiling)

    @property
    def value(self) -> Sample:
        """The sample of what was added."""
        new = np.unique(np.concatenate([np.empty(0, np.uint64), *self._held]), return_counts=True)
        return self._sample.merge(Sample(*new, self._sample.ceiling))


def _keys(scores: Array, start: int, ceiling: int, out: _Keys) -> tuple[_Keys, int]:
    """Keys of some scores, from one of them on, up to a ceiling; and where the next ones start."""
    if kernels := kernels_for(scores):
        next_start, count = kernels.keys(scores, start, ceiling, out)
        return out[:count].copy(), next_start  # which are mostly few, and kept
    chunk = np.ascontiguousarray(scores[start : start + CHUNK], np.float64)
    keys = chunk.view(np.uint64) * np.uint64(_ODD)
    return keys if ceiling == ALL_KEYS else keys[keys <= np.uint64(ceiling)], start + len(chunk)


# ------------------------------------------------------------------------------- bins

PLACE_BITS = 30  # places within a bin: 2^30

_MANTISSA_BITS = 52
_SIGN_BIT = 63
_ONE = np.float64(1.0).view(np.int64)
_LEAST_UNIT = 2.0**-1022
_BEFORE_THE_END = 1 - 2.0**-40  # after which a place would be rounded up into no bin

# With spreads outside this range, slopes, squares or sums of scores could overflow or underflow.
_LEAST_SPREAD, _GREATEST_SPREAD = 2.0**-1000, 2.0**1000
# Share of the scores beyond each end of a range, and the length of that range for a Gaussian, in
# standard deviations.
_RANGES = ((0.25, 1.349), (0.05, 3.29), (0.005, 5.15), (0.0, 6.0))
_PEAK = (0.45, 0.2513)
_PEAKED = 16


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
    def of(
        cls,
        scores: Array,
        counts: Counts | None = None,
        *,
        bin_bits: int = 10,
        octaves: int = 40,
    ) -> Grid:
        """Grid for a set of scores, each of which may occur many times."""
        if len(scores) > SIZE or counts is not None:
            return cls.of_sample(Sample.of(scores, counts), bin_bits=bin_bits, octaves=octaves)
        finite = scores[np.isfinite(scores)].astype(np.float64)  # all are in the sample
        return cls._around(*np.unique(finite, return_counts=True), bin_bits, octaves)

    @classmethod
    def of_sample(cls, sample: Sample, *, bin_bits: int = 10, octaves: int = 40) -> Grid:
        """Grid for a set of scores, from the quantiles of a sample of them."""
        return cls._around(*sample.sorted(), bin_bits, octaves)

    @classmethod
    def _around(cls, values: Floats, counts: Counts, bin_bits: int, octaves: int) -> Grid:
        if not len(values):
            return cls(0.0, 1.0, bin_bits, octaves)
        with np.errstate(over="ignore", invalid="ignore"):  # reported later, as an invalid unit
            middle, spread = _middle_and_spread(values, np.cumsum(counts))
            if spread == 0:
                return cls(middle, 1.0, bin_bits, octaves)
            unit = float(2.0 ** np.ceil(np.log2(spread)))
            origin = float(np.round(middle / unit) * unit) + 0.0  # never -0.0
        return cls(origin if np.isfinite(origin) else middle, unit, bin_bits, octaves)

    def kernels_for(self, scores: Array) -> ModuleType | None:
        """The kernels, if they are there for these scores; they multiply by the inverse unit."""
        is_usual = _LEAST_UNIT <= self.unit <= 1 / _LEAST_UNIT and math.frexp(self.unit)[0] == 0.5
        return kernels_for(scores) if is_usual else None

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


def _middle_and_spread(values: Floats, up_to: Counts) -> tuple[float, float]:
    """Median and robust standard deviation of rising scores, given how many there are up to each.

    The deviation follows from quartiles, or from wider ranges where many scores are equal. Where
    the middle tenth of the scores is far denser than that suggests, it is the deviation of this
    peak, which would otherwise vanish in one bin.
    """
    count = int(up_to[-1])

    def at(rank: float) -> float:
        return float(values[np.searchsorted(up_to, rank, "right")])

    def spread(tail: float, deviations: float) -> float:
        low, high = at(math.ceil(tail * (count - 1))), at(math.floor((1 - tail) * (count - 1)))
        return high / deviations - low / deviations

    wide = next((width for between in _RANGES if (width := spread(*between)) > 0), 0.0)
    peak = spread(*_PEAK)
    return at(count // 2), peak if 0 < _PEAKED * peak < wide else wide


def check_spread(spread: float, name: str) -> None:
    """Refuse scores that are too close together, or too far apart, for double precision."""
    if not _LEAST_SPREAD <= spread <= _GREATEST_SPREAD:
        raise DegenerateError(
            f"the spread of the {name} scores, about {spread:.1g}, is out of range; multiply "
            "all scores by a constant that brings them close to one"
        )
