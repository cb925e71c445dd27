"""Passes over all trials of a fusion, whose results depend neither on order nor on division.

A first look finds how many trials of a class there are, how far they reach, and some of them: each
trial has a key, its values scrambled, and the trials with the smallest keys are kept, equal ones
once and with the number of them. So looks at parts merge into the look at the whole.

Other passes add up costs and their derivatives. Each number that is added up has a bound that is
known beforehand. In units of 2^-49 of that, it is rounded to an integer, and integers are added up
exactly. So trials in memory, in pieces of any size and on any number of machines give the same
bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Array, Counts, Floats
from llrcal.fusion.terms import Terms
from llrcal.kernels import kernels_for_doubles
from llrcal.onepass.chunks import on_threads

SIZE = 2**16
"""Distinct trials that are kept, at most."""
_HELD = 4 * SIZE  # trials to be looked through at once
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
_HALF = np.uint64(32)
_ALL = np.uint64(2**64 - 1)
_CHUNK = 2**13  # so many integers up to 2^49 are added up without overflow
_SHIFT = np.array(12.0)  # numbers of size up to one, added to this, have a last place of 2^-49
_BITS, _LOW_BITS = 49, 31


@dataclass(frozen=True)
class ColumnSketch:
    """The number of trials, the ends of each column, and a sample in rising order of its keys."""

    count: int
    lowest: Floats
    highest: Floats
    keys: NDArray[np.uint64]
    rows: Floats
    """One row for each column, scores first."""
    counts: Counts
    """How often each trial of the sample occurs."""

    @classmethod
    def at(cls, trials: Array) -> ColumnSketch:
        """ColumnSketch at the trials of a class; there may be none."""
        if len(trials) > _HELD:
            # Most trials have keys that are too large, if they are distinct.
            look = cls._at(trials, np.uint64((_HELD // 2 << 64) // len(trials)))
            if look._is_full:
                return look
        return cls._at(trials, _ALL)

    @classmethod
    def _at(cls, trials: Array, ceiling: np.uint64) -> ColumnSketch:
        """Keep trials with keys up to a ceiling."""
        far = np.full(trials.shape[1], np.inf)
        nothing = np.empty(0, np.uint64), np.empty((len(far), 0)), np.empty(0, np.int64)
        held, room = [cls(0, far, -far, *nothing)], _HELD
        for start in range(0, len(trials), _CHUNK):
            rows = np.array(trials[start : start + _CHUNK].T, dtype=np.float64, order="C")
            keys = _keys(rows)
            chosen = np.flatnonzero(keys <= ceiling)
            few = keys[chosen]
            ends = rows.min(axis=1), rows.max(axis=1)
            ones = np.ones(len(few), np.int64)
            held.append(cls(len(keys), *ends, few, rows[:, chosen], ones))
            room -= len(few)
            if room < 0:
                look = _merged(held)
                held, room = [look], _HELD
                ceiling = look.keys[-1] if look._is_full else ceiling
        return _merged(held)

    def merge(self, other: ColumnSketch) -> ColumnSketch:
        """A look at the trials of both; associative and commutative."""
        return _merged([self, other])

    def __len__(self) -> int:
        return self.count

    def sample(self) -> Array:
        """Trials that were kept, each as often as it occurs; of very many, in even steps."""
        last = np.cumsum(self.counts)
        every = np.arange(min(last[-1], SIZE))
        chosen = np.searchsorted(last, every * last[-1] // len(every), "right")
        return self.rows[:, chosen].T

    @property
    def _is_full(self) -> bool:
        return len(self.keys) == SIZE


def _merged(parts: list[ColumnSketch]) -> ColumnSketch:
    keys = np.concatenate([part.keys for part in parts])
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
    counts = np.concatenate([part.counts for part in parts])[order]
    counts = np.add.reduceat(counts, first) if len(first) else counts
    first = first[:SIZE]
    rows = np.concatenate([part.rows for part in parts], axis=1)
    return ColumnSketch(
        sum(part.count for part in parts),
        np.min([part.lowest for part in parts], axis=0),
        np.max([part.highest for part in parts], axis=0),
        keys[first],
        rows[:, order[first]],
        counts[:SIZE],
    )


def _keys(rows: Floats) -> NDArray[np.uint64]:
    keys = np.zeros(rows.shape[1], np.uint64)
    for bits in rows.view(np.uint64):
        keys ^= bits
        keys *= _ODD
        # Products move bits upwards only, and those of round numbers are there.
        keys ^= keys >> _HALF
    return keys


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

    def tar(self, trials: Array) -> Sums:
        return self._sums(trials, -1.0)

    def non(self, trials: Array) -> Sums:
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

    def _sums(self, trials: Array, sign: float) -> Sums:
        def work(start: int, end: int) -> Sums:
            return self._of_some(trials[start:end], sign)

        return reduce(Sums.merge, on_threads(work, len(trials)))

    def _of_some(self, trials: Array, sign: float) -> Sums:
        weights, scale = sign * self._shrunk, 0.5**self._cost_exponent
        size, greatest = len(weights), -np.inf
        sums = np.zeros((1 + size + size * (size + 1) // 2, 2), np.int64)
        for start in range(0, len(trials), _CHUNK):
            rows = self.terms.shrunk_rows(trials[start : start + _CHUNK])
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

    def looks(self) -> tuple[ColumnSketch, ColumnSketch]:
        """A look at the targets, and one at the non-targets."""

    def sums(self, work: Pass) -> tuple[Sums, Sums]:
        """What the targets and what the non-targets add up to."""


@dataclass(frozen=True)
class InMemory:
    """Trials in memory, in one matrix for each class."""

    tar: Array
    non: Array

    def looks(self) -> tuple[ColumnSketch, ColumnSketch]:
        return _sketch(self.tar), _sketch(self.non)

    def sums(self, work: Pass) -> tuple[Sums, Sums]:
        return work.tar(self.tar), work.non(self.non)


def _sketch(trials: Array) -> ColumnSketch:
    def work(start: int, end: int) -> ColumnSketch:
        return ColumnSketch.at(trials[start:end])

    return reduce(ColumnSketch.merge, on_threads(work, len(trials)))


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
