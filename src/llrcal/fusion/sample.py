"""A sample of the trials of a class that depends neither on their order nor on their division.

Each trial has a key, its values scrambled, and the trials with the smallest keys are kept, equal
ones once and with the number of them. So samples of parts merge into the sample of the whole, and
trials in memory, in pieces of any size and on any number of machines give the same fusion, bit for
bit: it is learned from the sample, which is all trials if there are no more than 65,536.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Array, Counts, Floats
from llrcal.onepass.chunks import fold_array, with_counts

SIZE = 2**16
"""Distinct trials that are kept, at most."""
CHUNK = 2**13
"""Trials that are worked on together, in the processor's cache."""
_HELD = 4 * SIZE  # trials to be looked through at once
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
_HALF = np.uint64(32)
_ALL_KEYS = np.uint64(2**64 - 1)


@dataclass(frozen=True)
class ColumnSample:
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
    def of(cls, trials: Array) -> ColumnSample:
        """The sample of the trials of a class, in memory."""
        return fold_array(partial(ColumnSampleFold, trials.shape[1]), trials)

    def merge(self, *others: ColumnSample) -> ColumnSample:
        """The sample of all trials together; associative and commutative."""
        parts = self, *others
        keys, first, which = np.unique(
            np.concatenate([part.keys for part in parts]), return_index=True, return_inverse=True
        )
        counts = np.bincount(which, np.concatenate([part.counts for part in parts]))
        rows = np.concatenate([part.rows for part in parts], axis=1)
        return ColumnSample(
            sum(part.count for part in parts),
            np.min([part.lowest for part in parts], axis=0),
            np.max([part.highest for part in parts], axis=0),
            keys[:SIZE],
            rows[:, first[:SIZE]],
            counts[:SIZE].astype(np.int64),
        )

    @property
    def trials(self) -> Array:
        """Trials x columns, each trial as often as it occurs; of very many, in even steps."""
        last = np.cumsum(self.counts)
        places = np.arange(min(last[-1], SIZE))
        chosen = np.searchsorted(last, places * last[-1] // len(places), "right")
        return self.rows[:, chosen].T


class ColumnSampleFold:
    """The sample of arrays of trials x columns, or with these one trial after the other."""

    def __init__(self, columns: int) -> None:
        self._columns, self._ceiling, self._room = columns, _ALL_KEYS, _HELD
        far = np.full(columns, np.inf)
        nothing = np.empty(0, np.uint64), np.empty((columns, 0)), np.empty(0, np.int64)
        self._held = [ColumnSample(0, far, -far, *nothing)]

    def add(self, scores: Array, counts: Counts | None = None) -> None:
        """Take some trials, each once or as often as it was counted."""
        for trials, given in with_counts(scores.reshape(-1, self._columns), counts, CHUNK):
            rows = np.array(trials.T, dtype=np.float64, order="C")
            times = np.ones(len(trials), np.int64) if given is None else given
            keys, ends = _keys(rows), (rows.min(axis=1), rows.max(axis=1))
            kept = np.flatnonzero(keys <= self._ceiling)
            some_keys, some_rows = keys[kept], rows[:, kept]
            sample = ColumnSample(int(times.sum()), *ends, some_keys, some_rows, times[kept])
            self._held.append(sample)
            self._room -= len(kept)
            if self._room < 0:
                sample, self._room = self.value, _HELD
                if len(sample.keys) == SIZE:  # larger keys will not be kept
                    self._ceiling = sample.keys[-1]

    @property
    def value(self) -> ColumnSample:
        """The sample of what was added."""
        self._held = [self._held[0].merge(*self._held[1:])]
        return self._held[0]


def _keys(rows: Floats) -> NDArray[np.uint64]:
    keys = np.zeros(rows.shape[1], np.uint64)
    for bits in rows.view(np.uint64):
        keys ^= bits
        keys *= _ODD
        # Products move bits upwards only, and those of round numbers are there.
        keys ^= keys >> _HALF
    return keys
