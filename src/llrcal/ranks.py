"""Where the scores of one class lie among those of the other.

Everything that PAV, the ROC, its hull, EER, minDCF and minCllr need of two sets of scores is how
many scores of the commoner class lie below, at, and between those of the rarer class: between two
neighbours of the rarer class nothing can bend. So only the rarer class is sorted as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.chunks import chunks, map_parts
from llrcal.grid import Grid

RUN = 2**17  # scores that are sorted together, at least


@dataclass(frozen=True)
class SortedRuns:
    """A copy of an array as sorted runs: exact ranks without sorting it as a whole."""

    runs: tuple[Array, ...]
    count: int

    @classmethod
    def of(cls, scores: Array, *, questions: int = 0) -> SortedRuns:
        """Sorted runs of an array, long enough for a number of ranks to be asked for cheaply."""
        size = max(RUN, questions)

        def sort(part: Array) -> list[Array]:
            return [np.sort(chunk) for chunk in chunks(part, size)]

        runs = [run for runs in map_parts(sort, scores) for run in runs]
        return cls(tuple(runs), len(scores))

    def below(self, values: Array) -> Counts:
        """How many scores are smaller than each value."""
        return self._ranks(values, "left")

    def up_to(self, values: Array) -> Counts:
        """How many scores are smaller than or equal to each value."""
        return self._ranks(values, "right")

    def _ranks(self, values: Array, side: Literal["left", "right"]) -> Counts:
        total = np.zeros(np.shape(values), np.int64)
        for run in self.runs:
            total += np.searchsorted(run, values, side)
        return total


@dataclass(frozen=True)
class Groups:
    """Both classes, pooled into groups of consecutive scores in rising order.

    A group is either one distinct value of the rarer class, with all scores that equal it, or the
    scores of the commoner class between two such values. ``above`` and ``low`` say where a group
    begins: at scores ``>= low``, or, where ``above`` is True, at scores ``> low``.
    """

    low: Floats
    above: Array
    tar: Counts
    non: Counts

    @property
    def edges(self) -> Floats:
        """The least double that belongs to each group."""
        return np.where(self.above, np.nextafter(self.low, np.inf), self.low)


def groups(tar: Array, non: Array) -> Groups:
    """Pool two classes of scores into groups; one pass over the larger class, nothing kept."""
    if max(len(tar), len(non)) <= RUN:
        return groups_of_runs(SortedRuns.of(tar), SortedRuns.of(non))
    rare, common = (tar, non) if len(tar) <= len(non) else (non, tar)
    values, counts = np.unique(rare, return_counts=True)
    values = values.astype(np.float64, copy=False)
    sieve = _Sieve(values)
    parts = map_parts(sieve.count, common)
    below, up_to = np.sum([sieve.ranks(part) for part in parts], axis=0)
    least = min(float(values[0]), *(part.least for part in parts))
    return _pool(values, counts, below, up_to, len(common), least, rare_is_tar=rare is tar)


def groups_of_runs(tar: SortedRuns, non: SortedRuns) -> Groups:
    """The same groups, of scores that are kept in sorted runs."""
    rare, common = (tar, non) if tar.count <= non.count else (non, tar)
    values, counts = np.unique(np.concatenate(rare.runs), return_counts=True)
    below, up_to = common.below(values), common.up_to(values)
    least = min(float(run[0]) for run in (*tar.runs, *non.runs))
    return _pool(values, counts, below, up_to, common.count, least, rare_is_tar=rare is tar)


def next_above(scores: Array, values: Floats) -> Floats:
    """The smallest score above each of some values; infinite where there is none."""

    def smallest(part: Array) -> Floats:
        found = np.full(len(values), np.inf)
        for chunk in chunks(part, RUN):
            run = np.append(np.sort(chunk), np.inf)
            place = np.searchsorted(run[:-1], values, "right")
            np.minimum(found, run[place], out=found)
        return found

    return np.asarray(np.min(map_parts(smallest, scores), axis=0))


@dataclass(frozen=True)
class _Counted:
    """Scores counted among fixed values: by bin where that settles it, by rank elsewhere."""

    per_bin: Counts
    settled_by_rank: Counts
    least: float


class _Sieve:
    """Counts scores among sorted values, sorting only those that share a narrow bin with one.

    The bin number rises with the score. A score in another bin than a value lies on the same side
    of it as its bin, and takes one look at its bits; only scores in an occupied bin are compared.
    """

    def __init__(self, values: Floats) -> None:
        self.values = values
        self.grid = Grid.of(values, bin_bits=14, octaves=8)
        self.bins = self.grid.number(values)
        self.occupied = np.zeros(self.grid.size, bool)
        self.occupied[self.bins] = True

    def count(self, scores: Array) -> _Counted:
        """Count an array of scores, in chunks."""
        per_bin = np.zeros(self.grid.size, np.int64)
        by_rank = np.zeros((2, len(self.values)), np.int64)
        least = np.inf
        held: list[Array] = []
        room = full = max(RUN, len(self.values))
        for chunk in chunks(scores):
            least = min(least, float(chunk.min()))
            number = self.grid.number(chunk)
            held.append(chunk[self.occupied[number]])
            start = int(number.min())
            number -= start
            found = np.bincount(number)
            per_bin[start : start + len(found)] += found
            room -= len(held[-1])
            if room <= 0:
                by_rank += self._compared(held)
                held, room = [], full
        return _Counted(per_bin, by_rank + self._compared(held), least)

    def _compared(self, held: list[Array]) -> Counts:
        """Ranks of the values among some scores, by sorting them."""
        if not held:
            return np.zeros((2, len(self.values)), np.int64)
        run = np.sort(np.concatenate(held))
        return np.array([np.searchsorted(run, self.values, side) for side in ("left", "right")])

    def ranks(self, counted: _Counted) -> Counts:
        """Number of scores below, and up to, each value."""
        elsewhere = np.cumsum(np.where(self.occupied, 0, counted.per_bin))
        return np.asarray(counted.settled_by_rank + elsewhere[self.bins])


def _pool(
    values: Array,
    counts: Counts,
    below: Counts,
    up_to: Counts,
    common_count: int,
    least: float,
    *,
    rare_is_tar: bool,
) -> Groups:
    """Groups from the distinct values of the rarer class and the ranks of the other at them."""
    size = 2 * len(values) + 1
    rare_in, common_in = np.zeros(size, np.int64), np.empty(size, np.int64)
    rare_in[1::2] = counts
    common_in[1::2] = up_to - below
    common_in[0::2] = np.append(below, common_count) - np.insert(up_to, 0, 0)
    low = np.concatenate([[least], np.repeat(values.astype(np.float64), 2)])
    above = np.arange(size) % 2 == 0
    above[0] = False
    used = (rare_in + common_in) > 0
    tar, non = (rare_in, common_in) if rare_is_tar else (common_in, rare_in)
    return Groups(low[used], above[used], tar[used], non[used])
