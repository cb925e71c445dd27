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

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Array, Counts, Floats
from llrcal.densities.density import Evaluated
from llrcal.fusion.terms import Terms
from llrcal.kernels import kernels_for_doubles
from llrcal.onepass.chunks import Mergeable, chunks, map_parts

SIZE = 2**16
"""Distinct trials that are kept, at most."""
CHUNK = 2**13
"""Trials that are looked at together: so many integers up to 2^49 are added without overflow."""
_HELD = 4 * SIZE  # trials to be looked through at once
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
_HALF = np.uint64(32)
_ALL = np.uint64(2**64 - 1)
_SHIFT = np.array(12.0)  # numbers of size up to one, added to this, have a last place of 2^-49
_BITS, _LOW_BITS = 49, 31
_Value = TypeVar("_Value", bound=Mergeable)


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
            likely = np.uint64((_HELD // 2 << 64) // len(trials))
            look = cls.merge(*map_parts(partial(cls._at, ceiling=likely), trials))
            if len(look.keys) == SIZE:
                return look
        return cls.merge(*map_parts(partial(cls._at, ceiling=_ALL), trials))

    @classmethod
    def _at(cls, trials: Array, ceiling: np.uint64) -> ColumnSketch:
        """Keep trials with keys up to a ceiling."""
        far = np.full(trials.shape[1], np.inf)
        nothing = np.empty(0, np.uint64), np.empty((len(far), 0)), np.empty(0, np.int64)
        held, room = [cls(0, far, -far, *nothing)], _HELD
        for some in chunks(trials, CHUNK):
            rows = np.array(some.T, dtype=np.float64, order="C")
            keys = _keys(rows)
            chosen = np.flatnonzero(keys <= ceiling)
            ends, ones = (rows.min(axis=1), rows.max(axis=1)), np.ones(len(chosen), np.int64)
            held.append(cls(len(keys), *ends, keys[chosen], rows[:, chosen], ones))
            room -= len(chosen)
            if room < 0:
                held, room = [cls.merge(*held)], _HELD
                if len(held[0].keys) == SIZE:  # larger keys will not be kept
                    ceiling = held[0].keys[-1]
        return cls.merge(*held)

    def merge(self, *others: ColumnSketch) -> ColumnSketch:
        """A look at the trials of all; associative and commutative."""
        parts = self, *others
        keys, first, which = np.unique(
            np.concatenate([part.keys for part in parts]), return_index=True, return_inverse=True
        )
        counts = np.bincount(which, np.concatenate([part.counts for part in parts]))
        rows = np.concatenate([part.rows for part in parts], axis=1)
        return ColumnSketch(
            sum(part.count for part in parts),
            np.min([part.lowest for part in parts], axis=0),
            np.max([part.highest for part in parts], axis=0),
            keys[:SIZE],
            rows[:, first[:SIZE]],
            counts[:SIZE].astype(np.int64),
        )

    def sample(self) -> Array:
        """Trials that were kept, each as often as it occurs; of very many, in even steps."""
        last = np.cumsum(self.counts)
        every = np.arange(min(last[-1], SIZE))
        chosen = np.searchsorted(last, every * last[-1] // len(every), "right")
        return self.rows[:, chosen].T


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
        totals = tuple(map(add, self.totals, other.totals))
        return Sums(self.count + other.count, totals, max(self.greatest, other.greatest))


@dataclass(frozen=True)
class Pass:
    """What is to be added up: costs log(1 + e^x) of trials, and their derivatives by weights.

    x is the weighted sum of terms over their bounds.
    """

    terms: Terms
    weights: Floats

    def derivatives(self, sums: Sums) -> Evaluated:
        """Mean cost of the trials, its gradient and its Hessian, by the weights of terms."""
        size, bounds = len(self.weights), self.terms.bounds
        means = np.array([total / (sums.count << _BITS) for total in sums.totals])  # rounded once
        hessian = np.zeros((size, size))
        hessian[np.tril_indices(size)] = means[size + 1 :]
        hessian += np.tril(hessian, -1).T
        return Evaluated(
            float(means[0] * self._cost_bound),
            means[1 : size + 1] * bounds,
            hessian * np.outer(bounds, bounds),
        )

    @property
    def _cost_bound(self) -> float:
        return float(np.ldexp(1.0, np.frexp(np.abs(self.weights).sum() + 1)[1]))

    def __call__(self, trials: Array) -> Sums:
        """The sums of the trials of a class."""
        size, greatest, scale = len(self.weights), -np.inf, 1 / self._cost_bound
        sums = np.zeros((1 + size + size * (size + 1) // 2, 2), np.int64)
        for some in chunks(trials, CHUNK):
            rows = self.terms.rows(some)
            x = weighted(rows, self.weights)
            small = np.exp(-np.abs(x))
            logs = np.log1p(small)
            if kernels := kernels_for_doubles():
                kernels.logistic_sums(rows, size, x, small, logs, scale, sums)
            else:
                sums += _logistic_sums(rows, x, small, logs, scale)
            greatest = max(greatest, float(x.max()))
        totals = tuple((high << _LOW_BITS) + low for high, low in sums.tolist())
        return Sums(len(trials), totals, greatest)


Both = tuple[Array, Array]
"""Of the targets and of the non-targets."""

Summing = Callable[[Pass, Pass], tuple[Sums, Sums]]
"""Makes a pass over the targets, and one over the non-targets."""


@dataclass(frozen=True)
class Trials:
    """Trials of both classes, wherever they are."""

    looks: tuple[ColumnSketch, ColumnSketch]
    sums: Summing
    known: tuple[Both, Both] | None = None
    """The trials in memory, and their speakers, where these are known."""

    @classmethod
    def in_memory(cls, tar: Array, non: Array, speakers: Both | None = None) -> Trials:
        """Trials in one matrix for each class, and their speakers."""
        looks = ColumnSketch.at(tar), ColumnSketch.at(non)
        known = None if speakers is None else ((tar, non), speakers)
        return cls(looks, partial(sums_in_memory, (tar, non)), known)


def sums_in_memory(trials: Both, tar: Pass, non: Pass) -> tuple[Sums, Sums]:
    """What the targets and what the non-targets add up to."""
    return _over(tar, trials[0]), _over(non, trials[1])


def _over(of: Callable[[Array], _Value], trials: Array) -> _Value:
    return reduce(lambda one, other: one.merge(other), map_parts(of, trials))


def weighted(rows: Floats, weights: Floats) -> Floats:
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
