"""Sums of doubles that do not depend on their order.

Every double is a multiple of the smallest one, so any sum of doubles is an integer in units of
that, and integers are added without rounding. The sums of parts therefore add up to the sum of the
whole to the last bit, whatever the parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.kernels import kernels_for, kernels_for_doubles
from llrcal.onepass.chunks import CHUNK, chunks, gathered

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


@dataclass(frozen=True)
class ExactSum:
    """The count and the exact sum of numbers, none of them negative."""

    count: int = 0
    total: int = 0
    """In units of the smallest double."""
    is_infinite: bool = False

    @classmethod
    def of(cls, values: Array, function: Function | None = None) -> ExactSum:
        """Sum of an array, or of a function of its values, which is called chunk by chunk."""
        return gathered(lambda: GrowingSum(function), values).sum

    @classmethod
    def of_costs(cls, llrs: Array, sign: float) -> ExactSum:
        """Sum of log(1 + exp(sign * llr)), where the sign is 1 or -1."""
        return gathered(lambda: _GrowingCosts(sign), llrs).sum

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


class GrowingSum:
    """The sum of arrays, or of a function of them, that come one after the other."""

    def __init__(self, function: Function | None = None) -> None:
        self._function = function
        self._count, self._total, self._is_infinite = 0, 0, False
        self._halves = np.zeros((2, 2, _EXPONENTS), np.int64)  # of mantissas, by kernels

    def add(self, values: Array) -> None:
        """Add some numbers."""
        self._count += len(values)
        for chunk in chunks(values, _CHUNK):
            self._put(chunk if self._function is None else self._function(chunk))

    def _put(self, chunk: Array) -> None:
        numbers = chunk.astype(np.float64, copy=False)
        if kernels := kernels_for_doubles():
            kernels.add_exactly(numbers, self._halves)
            return
        ordinary = (numbers >= _ORDINARY[0]) & (numbers < _ORDINARY[1])
        if not ordinary.all():
            others = numbers[~ordinary]
            self._total += _by_exponents(others[(others > 0) & (others < np.inf)])
            self._is_infinite = self._is_infinite or bool((others == np.inf).any())
            numbers = np.where(ordinary, numbers, 0.0)
        self._total += _by_cuts(numbers)

    def merge(self, other: Self) -> Self:
        """Both together; neither of them is used any more."""
        self._count += other._count
        self._total += other._total
        self._is_infinite = self._is_infinite or other._is_infinite
        self._halves += other._halves
        return self

    @property
    def sum(self) -> ExactSum:
        """The sum of what was added."""
        high, low = self._halves[0] + self._halves[1]
        total = self._total + _from_halves(high[:-1], low[:-1])
        return ExactSum(self._count, total, self._is_infinite or bool(high[-1]))


class _GrowingCosts(GrowingSum):
    """The sum of log(1 + exp(sign * llr)): a few calls a chunk, and no array that is made anew.

    Threads would wait for each other at the start and at the end of every call.
    """

    def __init__(self, sign: float) -> None:
        super().__init__()
        self._sign, self._logs = sign, np.empty(0)

    def add(self, values: Array) -> None:
        self._count += len(values)
        if len(self._logs) < min(len(values), CHUNK):
            self._logs = np.empty(min(len(values), CHUNK))
        for chunk in chunks(values):
            logs = np.copysign(chunk, -1.0, out=self._logs[: len(chunk)])
            np.exp(logs, out=logs)
            np.log1p(logs, out=logs)
            if kernels := kernels_for(chunk):
                kernels.add_costs(chunk, self._sign, logs, self._halves)
            else:
                self._put(np.maximum(chunk * self._sign, 0) + logs)


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
