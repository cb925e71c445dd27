"""Passes over all trials of a fusion, whose sums depend neither on order nor on division.

Each number that is added up has a bound that is known beforehand. In units of 2^-49 of that, it is
rounded to an integer, and integers are added up exactly. So trials in memory, in pieces of any size
and on any number of machines give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np

from llrcal.arrays import Counts, Floats
from llrcal.fusion.looking import Look
from llrcal.fusion.terms import Known, Terms
from llrcal.kernels import kernels_for_doubles
from llrcal.onepass.chunks import on_threads

_CHUNK = 2**13  # so many integers up to 2^49 are added up without overflow
_SHIFT = np.array(12.0)  # numbers of size up to one, added to this, have a last place of 2^-49
_BITS, _LOW_BITS = 49, 31


@dataclass(frozen=True)
class Sums:
    """What the trials of a class add up to: costs, gradient, and the lower half of the Hessian."""

    count: int
    totals: tuple[int, ...]
    """Sums in units of 2^-49 of the bound of each."""
    greatest: float
    """The greatest log-odds of non-targets, or the greatest negated ones of targets."""

    def merge(self, other: Sums) -> Sums:
        """Sums of both; associative and commutative."""
        both = zip(self.totals, other.totals, strict=True)
        totals = tuple(one + another for one, another in both)
        return Sums(self.count + other.count, totals, max(self.greatest, other.greatest))

    @property
    def means(self) -> Floats:
        """Means in units of the bounds, each rounded once."""
        return np.array([total / (self.count << _BITS) for total in self.totals])


@dataclass(frozen=True)
class Pass:
    """What is to be added up: costs with some weights of terms, and their derivatives by these."""

    terms: Terms
    weights: tuple[float, ...]
    log_odds: float

    def tar(self, trials: Known) -> Sums:
        return self._sums(trials, -1.0)

    def non(self, trials: Known) -> Sums:
        return self._sums(trials, 1.0)

    def derivatives(self, sums: Sums, sign: float) -> tuple[float, Floats, Floats]:
        """Mean cost of the trials of a class, its gradient and its Hessian."""
        size, means = len(self.weights), sums.means
        gradient = np.ldexp(means[1 : size + 1], self._exponents) * sign
        hessian = np.zeros((size, size))
        hessian[np.tril_indices(size)] = means[size + 1 :]
        hessian += np.tril(hessian, -1).T
        return (
            float(np.ldexp(means[0], self._cost_exponent)),
            gradient,
            np.ldexp(hessian, np.add.outer(self._exponents, self._exponents)),
        )

    @property
    def _exponents(self) -> Counts:
        return np.append(self.terms.exponents, 0)

    @property
    def _shrunk(self) -> Floats:
        """Weights of terms of size up to one; the last is that of ones."""
        weights = np.array(self.weights)
        weights[-1] += self.log_odds
        return np.asarray(np.ldexp(weights, self._exponents))

    @property
    def _cost_exponent(self) -> int:
        return int(np.frexp(np.abs(self._shrunk).sum() + 1)[1])

    def _sums(self, trials: Known, sign: float) -> Sums:
        def work(start: int, end: int) -> Sums:
            return self._of_some(trials.part(slice(start, end)), sign)

        return reduce(Sums.merge, on_threads(work, len(trials)))

    def _of_some(self, trials: Known, sign: float) -> Sums:
        weights, scale = sign * self._shrunk, 0.5**self._cost_exponent
        size, greatest = len(weights), -np.inf
        sums = np.zeros((1 + size + size * (size + 1) // 2, 2), np.int64)
        for start in range(0, len(trials), _CHUNK):
            rows = self.terms.shrunk_rows(trials.part(slice(start, start + _CHUNK)))
            x = _weighted(rows, weights)
            small = np.exp(-np.abs(x))
            logs = np.log1p(small)
            if kernels := kernels_for_doubles():
                kernels.logistic_sums(rows, size, x, small, logs, scale, sums)
            else:
                sums += _logistic_sums(rows, x, small, logs, scale)
            greatest = max(greatest, float(x.max()))
        totals = tuple((high << _LOW_BITS) + low for high, low in sums.tolist())
        return Sums(len(trials), totals, greatest)


class Trials(Protocol):
    """Trials of both classes, wherever they are."""

    def looks(self) -> tuple[Look, Look]:
        """A look at the targets, and one at the non-targets."""

    def sums(self, work: Pass) -> tuple[Sums, Sums]:
        """What the targets and what the non-targets add up to."""


@dataclass(frozen=True)
class InMemory:
    """Trials in memory."""

    tar: Known
    non: Known

    def looks(self) -> tuple[Look, Look]:
        return _look(self.tar), _look(self.non)

    def sums(self, work: Pass) -> tuple[Sums, Sums]:
        return work.tar(self.tar), work.non(self.non)


def _look(trials: Known) -> Look:
    def work(start: int, end: int) -> Look:
        return Look.at(trials.part(slice(start, end)))

    return reduce(Look.merge, on_threads(work, len(trials)))


def _weighted(rows: Floats, weights: Floats) -> Floats:
    """Sums of rows, one after the other, so that no trial depends on those beside it."""
    out = np.empty(rows.shape[1])
    if kernels := kernels_for_doubles():
        kernels.weighted_rows(rows, weights, out)
        return out
    np.multiply(rows[0], weights[0], out=out)
    for row, weight in zip(rows[1:], weights[1:], strict=True):
        out += weight * row
    return out


def _logistic_sums(rows: Floats, x: Floats, small: Floats, logs: Floats, scale: float) -> Counts:
    """What the kernel of this name adds: upper and lower halves of each sum."""
    whole = 1.0 + small
    slope, bend = np.where(x >= 0, 1.0, small) / whole, small / (whole * whole)

    def products() -> Iterator[Floats]:
        yield (np.maximum(x, 0.0) + logs) * scale
        for row in rows:
            yield slope * row
        for term, row in enumerate(rows):
            bent = bend * row
            for other in rows[: term + 1]:
                yield bent * other

    shift = _SHIFT.view(np.int64)
    totals = np.array([((one + _SHIFT).view(np.int64) - shift).sum() for one in products()])
    return np.stack([totals >> _LOW_BITS, totals & (2**_LOW_BITS - 1)], axis=1)
