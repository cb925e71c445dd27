"""Sums of doubles that do not depend on their order.

Every double is a multiple of the smallest one, so any sum of doubles is an integer in units of
that, and integers are added without rounding. The sums of parts therefore add up to the sum of the
whole to the last bit, whatever the parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.kernels import kernels_for_doubles
from llrcal.kernels.interface import Kernels
from llrcal.onepass.chunks import chunks, map_parts

_CHUNK = 2**15
_LEAST = 1074  # the smallest double is 2^-1074

# Numbers of ordinary size are cut into multiples of 2^-20, 2^-59 and 2^-98, with nothing left over.
# A chunk of such multiples is small enough to be added up in doubles without rounding.
_CUTS = (20, 59, 98)
_ORDINARY = (2.0**-46, 2.0**16)

_MANTISSA_BITS = 52
_EXPONENTS = 2048  # the last of them that of infinity
_HALF_BITS = 26  # half a mantissa: sums of millions of halves stay below 2^53

Function = Callable[[Array], Array]


def _itself(values: Array) -> Array:
    return values


@dataclass(frozen=True)
class ExactSum:
    """The count and the exact sum of numbers, none of them negative."""

    count: int = 0
    total: int = 0
    """In units of the smallest double."""
    is_infinite: bool = False

    @classmethod
    def of(cls, values: Array, function: Function = _itself) -> ExactSum:
        """Sum of an array, or of a function of its values, which is called chunk by chunk."""

        def added_up(part: Array) -> ExactSum:
            return _added_up(map(function, chunks(part, _CHUNK)))

        return reduce(ExactSum.merge, map_parts(added_up, values), cls())

    def merge(self, other: ExactSum) -> ExactSum:
        """Sum of both sets together; associative and commutative."""
        return ExactSum(
            self.count + other.count,
            self.total + other.total,
            self.is_infinite or other.is_infinite,
        )

    @property
    def mean(self) -> float:
        """The mean, rounded once."""
        return math.inf if self.is_infinite else self.total / (self.count << _LEAST)


def _added_up(values: Iterable[Array]) -> ExactSum:
    """Sum of the values in some arrays."""
    if kernels := kernels_for_doubles():
        return _by_halves(values, kernels)
    count, total, is_infinite = 0, 0, False
    for chunk in values:
        count += len(chunk)
        numbers = chunk.astype(np.float64, copy=False)
        ordinary = (numbers >= _ORDINARY[0]) & (numbers < _ORDINARY[1])
        if not ordinary.all():
            others = numbers[~ordinary]
            total += _by_exponents(others[(others > 0) & (others < np.inf)])
            is_infinite = is_infinite or bool((others == np.inf).any())
            numbers = np.where(ordinary, numbers, 0.0)
        total += _by_cuts(numbers)
    return ExactSum(count, total, is_infinite)


def _by_halves(values: Iterable[Array], kernels: Kernels) -> ExactSum:
    """The same with a kernel."""
    count, halves = 0, np.zeros((2, 2, _EXPONENTS), np.int64)
    for chunk in values:
        count += len(chunk)
        kernels.add_exactly(chunk.astype(np.float64, copy=False), halves)
    high, low = halves[0] + halves[1]
    return ExactSum(count, _from_halves(high[:-1], low[:-1]), bool(high[-1]))


def _by_cuts(numbers: Floats) -> int:
    total, rest = 0, numbers
    for cut in _CUTS:
        # A double of this size has no room for anything finer than the cut.
        large = 1.5 * 2.0 ** (_MANTISSA_BITS - cut)
        piece = (rest + large) - large
        total += int(np.ldexp(piece.sum(), cut)) << (_LEAST - cut)
        rest = rest - piece
    return total


def _by_exponents(numbers: Floats) -> int:
    bits = numbers.view(np.int64)
    exponent = bits >> _MANTISSA_BITS
    mantissa = bits & (2**_MANTISSA_BITS - 1)
    np.bitwise_or(mantissa, 2**_MANTISSA_BITS, out=mantissa, where=exponent > 0)
    high = np.bincount(exponent, mantissa >> _HALF_BITS)
    low = np.bincount(exponent, mantissa & (2**_HALF_BITS - 1))
    return _from_halves(high, low)


def _from_halves(high: Array, low: Array) -> int:
    """The sum of numbers from those of the halves of their mantissas, for each exponent."""
    total = 0
    for power in np.flatnonzero(high + low).tolist():
        total += ((int(high[power]) << _HALF_BITS) + int(low[power])) << max(power - 1, 0)
    return total
