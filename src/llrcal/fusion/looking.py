"""One look at the trials of a class: how many there are, how far they reach, and some of them.

The sample does not depend on the order of the trials, nor on how they are divided: each trial has a
key, its values scrambled, and the trials with the smallest keys are kept, equal ones once and with
the number of them. So looks at parts merge into the look at the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Counts, Floats
from llrcal.fusion.terms import Known

SIZE = 2**16
"""Distinct trials that are kept, at most."""
_HELD = 4 * SIZE  # trials to be looked through at once
_CHUNK = 2**13
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
_HALF = np.uint64(32)
_ALL = np.uint64(2**64 - 1)


@dataclass(frozen=True)
class Look:
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
    def at(cls, trials: Known) -> Look:
        """Look at the trials of a class; there may be none."""
        if len(trials) > _HELD:
            # Most trials have keys that are too large, if they are distinct.
            look = cls._at(trials, np.uint64((_HELD // 2 << 64) // len(trials)))
            if look._is_full:
                return look
        return cls._at(trials, _ALL)

    @classmethod
    def _at(cls, trials: Known, ceiling: np.uint64) -> Look:
        """Keep trials with keys up to a ceiling."""
        look = cls._nothing(trials.scores.shape[1] + trials.quality.shape[1])
        held, room = [look], _HELD
        for rows in _chunks(trials):
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

    @classmethod
    def _nothing(cls, columns: int) -> Look:
        far = np.full(columns, np.inf)
        none = np.empty(0, np.uint64)
        return cls(0, far, -far, none, np.empty((columns, 0)), np.empty(0, np.int64))

    def merge(self, other: Look) -> Look:
        """A look at the trials of both; associative and commutative."""
        return _merged([self, other])

    def __len__(self) -> int:
        return self.count

    def sample(self, systems: int) -> Known:
        """Trials that were kept, each as often as it occurs; of very many, in even steps."""
        last = np.cumsum(self.counts)
        every = np.arange(min(last[-1], SIZE))
        chosen = np.searchsorted(last, every * last[-1] // len(every), "right")
        return Known(self.rows[:systems, chosen].T, self.rows[systems:, chosen].T)

    @property
    def _is_full(self) -> bool:
        return len(self.keys) == SIZE


def _merged(parts: list[Look]) -> Look:
    keys = np.concatenate([part.keys for part in parts])
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
    counts = np.concatenate([part.counts for part in parts])[order]
    counts = np.add.reduceat(counts, first) if len(first) else counts
    first = first[:SIZE]
    rows = np.concatenate([part.rows for part in parts], axis=1)
    return Look(
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


def _chunks(trials: Known) -> Iterator[Floats]:
    """The columns as rows of doubles, some trials at a time."""
    for start in range(0, len(trials), _CHUNK):
        part = trials.part(slice(start, start + _CHUNK))
        systems = part.scores.shape[1]
        rows = np.empty((systems + part.quality.shape[1], len(part)))
        rows[:systems], rows[systems:] = part.scores.T, part.quality.T
        yield rows
