"""Where the scores of one class lie among those of the other.

All that PAV, the ROC, its hull, EER, minDCF and minCllr need to know of two sets of scores is how
many scores of the commoner class lie between, and at, the values of the rarer class: between two
neighbouring values of the rarer class the ROC is a straight line. So only the rarer class is
sorted as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Array, Counts, Floats
from llrcal.errors import changed_scores
from llrcal.onepass.chunks import CHUNK, chunks, map_parts
from llrcal.onepass.grid import Grid

RUN = 2**17  # scores that are sorted together, at least
_LEAST_BIN_BITS, _MOST_BIN_BITS = 14, 19  # of the bins of a Sieve


@dataclass(frozen=True)
class SortedRuns:
    """A copy of an array in sorted runs: exact ranks without sorting it as a whole."""

    runs: tuple[Array, ...]
    count: int

    @classmethod
    def of(cls, scores: Array) -> SortedRuns:
        def sort(part: Array) -> list[Array]:
            return [np.sort(chunk) for chunk in chunks(part, RUN)]

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
    scores of the commoner class between two such values. The former begins at its value ``low``;
    the latter begins just above the value ``low`` before it, which it excludes.
    """

    low: Floats
    excludes_low: Array
    tar: Counts
    non: Counts

    @property
    def edges(self) -> Floats:
        """The least double that belongs to each group."""
        with np.errstate(over="ignore"):  # the double after the largest is infinity
            return np.where(self.excludes_low, np.nextafter(self.low, np.inf), self.low)


def groups(tar: Array, non: Array) -> Groups:
    """Pool two classes of scores into groups, in one pass over the larger class."""
    rare, common = (tar, non) if len(tar) <= len(non) else (non, tar)
    values, counts = np.unique(rare, return_counts=True)
    values = values.astype(np.float64, copy=False)
    if np.isnan(values[-1]):
        raise changed_scores()
    counted = _counted_among(common, values)
    return pool(values, counts, counted, rare_is_tar=rare is tar)


def next_above(scores: Array, values: Floats) -> Floats:
    """The smallest score above each of some values; infinite where there is none."""

    def smallest(part: Array) -> Floats:
        found = np.full(len(values), np.inf)
        for chunk in chunks(part, RUN):
            run = np.append(np.sort(chunk), np.inf)
            place = np.searchsorted(run[:-1], values, "right")
            np.minimum(found, run[place], out=found)
        return found

    return np.asarray(np.min(map_parts(smallest, scores), axis=0)) + 0.0


@dataclass(frozen=True)
class Counted:
    """How many scores lie below, and up to, each of some values; how many in all, and the least."""

    below: Counts
    up_to: Counts
    count: int
    least: float

    def merge(self, other: Counted) -> Counted:
        """The counts of both sets of scores together; associative and commutative."""
        return Counted(
            self.below + other.below,
            self.up_to + other.up_to,
            self.count + other.count,
            min(self.least, other.least),
        )


def _counted_among(scores: Array, values: Floats) -> Counted:
    """Count scores among sorted values."""
    if len(scores) <= RUN:
        return counted_by_sorting(scores, values)
    return reduce(Counted.merge, map_parts(Sieve(values).count, scores))


def counted_by_sorting(scores: Array, values: Floats) -> Counted:
    """Count scores among sorted values by sorting the scores, which is quicker if they are few."""
    runs = SortedRuns.of(scores)
    least = min((float(run[0]) for run in runs.runs), default=np.inf)
    return Counted(runs.below(values), runs.up_to(values), len(scores), least)


class Sieve:
    """Counts scores among sorted values; only scores that share a bin with a value are sorted.

    The bin number rises with the score. So a score whose bin holds no value is settled by its bin
    number alone, which a few integer operations give, and only the others need comparing.
    """

    def __init__(self, values: Floats) -> None:
        self.values = values
        # The more values there are, the narrower the bins must be for most of them to be empty.
        bin_bits = min(max(int(np.log2(len(values) + 1)) + 2, _LEAST_BIN_BITS), _MOST_BIN_BITS)
        self.grid = Grid.of(values, bin_bits=bin_bits, octaves=4)
        # Every chunk pays for counting all gaps, so it should have more scores than there are gaps.
        self.chunk = max(CHUNK, min(8 << bin_bits, 2**21))
        self.in_bin = np.bincount(self.grid.number(values), minlength=self.grid.size)

    @cached_property
    def _gap(self) -> NDArray[np.int32]:
        """How many values lie below an empty bin; -1 for a bin with values, which settles nothing.

        For NumPy; the kernel has a smaller table, which the cache of a core can hold.
        """
        gap = (np.cumsum(self.in_bin) - self.in_bin).astype(np.int32)
        gap[self.in_bin > 0] = -1
        return gap

    @cached_property
    def _words(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], Counts]:
        """Which bins hold values, how many do before each 64, and values below each gap."""
        holds = np.zeros((self.grid.size // 64 + 1) * 64, np.uint8)
        holds[: self.grid.size] = self.in_bin > 0
        words = np.packbits(holds, bitorder="little").view("<u8").astype(np.uint64)
        up_to = np.cumsum(np.bitwise_count(words), dtype=np.uint32)
        values_below = np.concatenate([[0], np.cumsum(self.in_bin[self.in_bin > 0])])
        return words, up_to - np.bitwise_count(words), values_below

    def count(self, *arrays: Array) -> Counted:
        """Count the scores in some arrays, in stretches."""
        in_gap = np.zeros(len(self.values) + 2, np.int64)
        by_rank = np.zeros((2, len(self.values)), np.int64)
        least = np.inf
        held: list[Array] = []
        room = full = max(RUN, len(self.values))
        for scores in arrays:
            start = 0
            while start < len(scores):
                start, others, low = self._sieved(scores, start, in_gap)
                least = min(least, low)
                held.append(others)
                room -= len(others)
                if room <= 0:
                    by_rank += self._compared(held)
                    held, room = [], full
        by_rank += self._compared(held)
        settled = np.cumsum(in_gap[1:-1])
        count = sum(map(len, arrays))
        return Counted(by_rank[0] + settled, by_rank[1] + settled, count, least + 0.0)

    def _sieved(self, scores: Array, start: int, in_gap: Counts) -> tuple[int, Array, float]:
        """Count some scores by their gaps: where the next ones start, those left, and the least."""
        if kernels := self.grid.kernels_for(scores):
            words, before, values_below = self._words
            settled, held = np.zeros(len(values_below), np.int64), np.empty(in_gap.size + RUN)
            end, found, least = kernels.sieve(
                scores, start, *self.grid.numbers, words, before, settled, held
            )
            in_gap[values_below + 1] += settled
            return end, held[:found], least
        chunk = scores[start : start + self.chunk]
        gap = self._gap.take(self.grid.number(chunk))
        others = chunk[gap < 0]
        gap += 1
        in_gap += np.bincount(gap, minlength=len(in_gap))
        return start + len(chunk), others, float(chunk.min())

    def _compared(self, held: list[Array]) -> Counts:
        """Ranks of the values among some scores: the fewer are searched for among the others."""
        count = len(self.values)
        run = np.sort(np.concatenate([*held, np.empty(0)]))
        if len(run) < count:
            places = [np.searchsorted(self.values, run, side) for side in ("right", "left")]
            return np.cumsum([np.bincount(at, minlength=count)[:count] for at in places], axis=1)
        return np.array([np.searchsorted(run, self.values, side) for side in ("left", "right")])


def pool(values: Floats, counts: Counts, counted: Counted, *, rare_is_tar: bool) -> Groups:
    """Groups from the distinct values of the rarer class and the ranks of the other at them."""
    size = 2 * len(values) + 1
    rare_in, common_in = np.zeros(size, np.int64), np.empty(size, np.int64)
    rare_in[1::2] = counts
    common_in[1::2] = counted.up_to - counted.below
    common_in[0::2] = np.append(counted.below, counted.count) - np.insert(counted.up_to, 0, 0)
    least = min(counted.least, float(values[0]))
    low = np.concatenate([[least], np.repeat(values, 2)]) + 0.0  # -0.0 becomes 0.0
    excludes_low = np.arange(size) % 2 == 0
    excludes_low[0] = False  # nothing comes before the first group
    used = (rare_in + common_in) > 0
    tar, non = (rare_in, common_in) if rare_is_tar else (common_in, rare_in)
    return Groups(low[used], excludes_low[used], tar[used], non[used])
