"""A sample of scores that depends neither on their order nor on how they are spread over machines.

Each score has a key: its 64 bits, read as an integer, times an odd number modulo 2^64. The product
is scrambled, yet it can be undone. The sample consists of the scores with the smallest keys, each
with the number of times it occurs. A key that is among the smallest of all is among the smallest of
its part, so samples of parts merge into the sample of the whole. A sample drawn at random would be
as representative, but it would change with the order of the scores, and every number that follows
from it would change too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Array, Counts, Floats
from llrcal.kernels import kernels_for
from llrcal.onepass.chunks import CHUNK, fold_array

SIZE = 2**14
"""Distinct scores in a sample, at most."""

_Keys: TypeAlias = NDArray[np.uint64]

_BITS = 64
ALL_KEYS = 2**_BITS - 1
_ODD = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: spreads even regular patterns evenly
_BACK = np.uint64(pow(_ODD, -1, 2**_BITS))
_ENOUGH = 2  # times as many keys as needed are considered, since some scores may be equal
_SLOT_BITS = 18


@dataclass(frozen=True)
class Sample:
    """The distinct scores with the smallest keys, in rising order of the keys.

    Scores with keys up to ``ceiling`` are all counted; those above it are not considered.
    """

    keys: _Keys
    counts: Counts
    ceiling: int = ALL_KEYS

    @classmethod
    def of(cls, scores: Array) -> Sample:
        """Sample of an array of scores."""
        found = cls.below(likely_ceiling(len(scores)), scores)
        return found if found.is_enough else cls.below(ALL_KEYS, scores)

    @classmethod
    def below(cls, ceiling: int, scores: Array) -> Sample:
        """Sample of an array, from keys up to a ceiling."""
        return fold_array(lambda: SampleFold(ceiling), scores)

    def merge(self, other: Sample) -> Sample:
        """Sample of both sets of scores together; associative and commutative."""
        return _merged([self, other])

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
    return ALL_KEYS if count <= _ENOUGH * SIZE else (_ENOUGH * SIZE << _BITS) // count


def _merged(parts: list[Sample]) -> Sample:
    ceiling = min(part.ceiling for part in parts)
    every = np.concatenate([part.keys for part in parts])
    order = np.argsort(every, kind="stable")  # quick, since each part is in order
    every = every[order]
    first = np.flatnonzero(np.diff(every, prepend=~every[:1]))
    keys = every[first]
    counts = np.concatenate([part.counts for part in parts])[order]
    counts = np.add.reduceat(counts, first) if len(first) else counts
    if len(keys) > SIZE:
        ceiling = min(ceiling, int(keys[SIZE - 1]))
    kept = int(np.searchsorted(keys, np.uint64(ceiling), "right"))
    return Sample(keys[:kept], counts[:kept], ceiling)


class SampleFold:
    """The sample of arrays that come one after the other, from keys up to a ceiling."""

    def __init__(self, ceiling: int) -> None:
        self._out = np.empty(CHUNK, np.uint64)
        self._restart(replace(NO_SAMPLE, ceiling=ceiling))

    def _restart(self, sample: Sample) -> None:
        self._ceiling, self._known = sample.ceiling, _KnownKeys(sample)
        self._held: list[_Keys] = []
        self._room = 2 * SIZE

    def add(self, scores: Array) -> None:
        """Add some scores, in stretches that have no more than a chunk of keys."""
        start = 0
        while start < len(scores):
            keys, start = _keys(scores, start, self._ceiling, self._out)
            self._held.append(self._known.count_and_remove(keys).copy())
            self._room -= len(self._held[-1])
            if self._room <= 0:
                self._restart(self.value)

    @property
    def value(self) -> Sample:
        """The sample of what was added."""
        return _merged([self._known.counted(), _counted(self._held, self._ceiling)])


def _keys(scores: Array, start: int, ceiling: int, out: _Keys) -> tuple[_Keys, int]:
    """Keys of some scores, from one of them on, up to a ceiling; and where the next ones start."""
    if kernels := kernels_for(scores):
        next_start, found = kernels.keys(scores, start, ceiling, out)
        return out[:found].copy(), next_start  # which are mostly few, and kept
    chunk = np.ascontiguousarray(scores[start : start + CHUNK], np.float64)
    keys = chunk.view(np.uint64) * np.uint64(_ODD)
    return keys if ceiling == ALL_KEYS else keys[keys <= np.uint64(ceiling)], start + len(chunk)


def _counted(held: list[_Keys], ceiling: int) -> Sample:
    keys, counts = np.unique(np.concatenate(held or [np.empty(0, np.uint64)]), return_counts=True)
    return Sample(keys, counts, ceiling)


class _KnownKeys:
    """Counts the keys that a sample already holds without sorting them: ties come by the million.

    It is a hash table without collision handling: the leading bits of a key are its slot, and of
    the keys that share a slot only the last is known. Keys that are not known are sorted later.
    """

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.found = np.zeros(len(sample.keys), np.int64)

    @cached_property
    def index_at(self) -> NDArray[np.int32]:
        index = np.zeros(2**_SLOT_BITS, np.int32)
        index[self._slots(self.sample.keys)] = np.arange(len(self.sample.keys))
        return index

    def count_and_remove(self, keys: _Keys) -> _Keys:
        """Count the keys that are known, and return the others."""
        if not len(self.sample.keys) or not len(keys):
            return keys
        index = self.index_at.take(self._slots(keys))
        known = self.sample.keys.take(index) == keys
        self.found += np.bincount(index[known], minlength=len(self.found))
        others: _Keys = keys[~known]
        return others

    def counted(self) -> Sample:
        """The sample, with the keys that were counted since."""
        return replace(self.sample, counts=self.sample.counts + self.found)

    def _slots(self, keys: _Keys) -> Counts:
        shift = max(0, self.sample.ceiling.bit_length() - _SLOT_BITS)
        return (keys >> np.uint64(shift)).view(np.int64)
