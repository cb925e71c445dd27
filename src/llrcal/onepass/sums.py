"""Sums of doubles that do not depend on their order.

Every double is a multiple of the smallest one, so any sum of doubles is an integer in units of
that, and integers are added without rounding. The sums of parts therefore add up to the sum of the
whole to the last bit, whatever the parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.kernels import kernels_for, kernels_for_doubles
from llrcal.onepass.chunks import CHUNK, MergedByFields, with_counts

_CHUNK = 2**15  # numbers; what is made of them stays in the cache
_LEAST = 1074  # the smallest double is 2^-1074
_MANTISSA_BITS = 52
_EXPONENTS = 2048  # the last of them that of infinity
_HALF_BITS = 26  # half a mantissa: sums of millions of halves stay below 2^53
_THIRD_BITS = 18  # a third of it: sums of 10^13 of them stay below 2^63

Function = Callable[[Array], Array]


@dataclass(frozen=True)
class ExactSum(MergedByFields):
    """The count and the exact sum of numbers, none of them negative."""

    count: int = 0
    total: int = 0
    """In units of the smallest double."""
    infinite: int = 0
    """Zero unless some of them are infinite."""

    @property
    def mean(self) -> float:
        """The mean, rounded once."""
        return math.inf if self.infinite else self.total / (self.count << _LEAST)


class SumFold:
    """The sum of arrays, or of a function of them."""

    def __init__(self, function: Function | None = None) -> None:
        self._function, self._count = function, 0
        self._halves = np.zeros((2, 2, _EXPONENTS), np.int64)  # of mantissas
        self._thirds = np.zeros((3, _EXPONENTS), np.int64)  # of those that were counted

    def add(self, values: Array, counts: Counts | None = None) -> None:
        """Add some numbers, each once or as often as it was counted."""
        self._count += len(values) if counts is None else int(counts.sum())
        for chunk, times in with_counts(values, counts, _CHUNK):
            self._put(chunk if self._function is None else self._function(chunk), times)

    def _put(self, chunk: Array, counts: Counts | None) -> None:
        numbers = chunk.astype(np.float64, copy=False)
        if counts is not None:
            exponent, mantissa = _exponents_and_mantissas(numbers)
            for i, thirds in enumerate(self._thirds):
                part = (mantissa >> (i * _THIRD_BITS)) & (2**_THIRD_BITS - 1)
                np.add.at(thirds, exponent, part * counts)
        elif kernels := kernels_for_doubles():
            kernels.add_exactly(numbers, self._halves)
        else:
            _add_exactly(numbers, self._halves)

    @property
    def value(self) -> ExactSum:
        """The sum of what was added."""
        high, low = self._halves.sum(axis=0)
        total = 0
        parts = [(_HALF_BITS, high), (0, low)]
        parts += [(i * _THIRD_BITS, thirds) for i, thirds in enumerate(self._thirds)]
        for shift, sums in parts:
            for power in np.flatnonzero(sums[:-1]).tolist():
                total += int(sums[power]) << shift + max(power - 1, 0)
        return ExactSum(self._count, total, int(high[-1] + self._thirds[:, -1].sum()))


class CostFold(SumFold):
    """The sum of log(1 + exp(sign * llr)): a few calls a chunk, and no array that is made anew.

    Threads would wait for each other at the start and at the end of every call.
    """

    def __init__(self, sign: float) -> None:
        super().__init__()
        self._sign, self._logs = sign, np.empty(0)

    def add(self, values: Array, counts: Counts | None = None) -> None:
        self._count += len(values) if counts is None else int(counts.sum())
        if len(self._logs) < min(len(values), CHUNK):
            self._logs = np.empty(min(len(values), CHUNK))
        for chunk, times in with_counts(values, counts, CHUNK):
            logs = np.copysign(chunk, -1.0, out=self._logs[: len(chunk)])
            np.exp(logs, out=logs)
            np.log1p(logs, out=logs)
            if times is None and (kernels := kernels_for(chunk)):
                kernels.add_costs(chunk, self._sign, logs, self._halves)
            else:
                self._put(np.maximum(chunk * self._sign, 0) + logs, times)


def _add_exactly(numbers: Floats, halves: Counts) -> None:
    """What the kernel of this name does: sums of a chunk of halves are exact in doubles, too."""
    exponent, mantissa = _exponents_and_mantissas(numbers)
    both = mantissa >> _HALF_BITS, mantissa & (2**_HALF_BITS - 1)
    halves[0] += np.array([np.bincount(exponent, half, _EXPONENTS) for half in both], np.int64)


def _exponents_and_mantissas(numbers: Floats) -> tuple[Counts, Counts]:
    """The bit fields of numbers, none of them negative; the mantissas with their leading bit."""
    bits = np.where(numbers > 0, numbers, 0.0).view(np.int64)  # no -0.0
    exponent = bits >> _MANTISSA_BITS
    mantissa = bits & (2**_MANTISSA_BITS - 1)
    np.bitwise_or(mantissa, 2**_MANTISSA_BITS, out=mantissa, where=exponent > 0)
    return exponent, mantissa
