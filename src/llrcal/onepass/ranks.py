"""Where the scores of one class lie among those of the other.

All that PAV, the ROC, its hull, EER, minDCF and minCllr need to know of two sets of scores is how
many scores of the commoner class lie between, and at, the values of the rarer class: between two
neighbouring values of the rarer class the ROC is a straight line. So only the rarer class is
sorted as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from llrcal.arrays import Array, Counts, Floats
from llrcal.onepass.chunks import chunks, fold_array
from llrcal.onepass.grid import Grid

RUN = 2**17  # scores that are sorted together, at least
_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
_LEAST_BIN_BITS, _MOST_BIN_BITS = 14, 19  # of the bins of a Sieve


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


@dataclass(frozen=True)
class Counted:
    """How many scores lie below, and up to, each of some values; how many in all, and the least."""

    values: Floats
    below: Counts
    up_to: Counts
    count: int
    least: float

    def merge(self, other: Counted) -> Counted:
        """The counts of both sets of scores together; associative and commutative."""
        return Counted(
            self.values,
            self.below + other.below,
            self.up_to + other.up_to,
            self.count + other.count,
            min(self.least, other.least),
        )

    def beside(self, other: Counted) -> Counted:
        """The counts of the same scores at other values as well."""
        values = np.concatenate([self.values, other.values])
        below = np.concatenate([self.below, other.below])
        up_to = np.concatenate([self.up_to, other.up_to])
        both = replace(self, values=values, below=below, up_to=up_to)
        return both.at(np.argsort(values, kind="stable"))

    def at(self, place: Counts) -> Counted:
        """The counts at some of the values."""
        return replace(
            self, values=self.values[place], below=self.below[place], up_to=self.up_to[place]
        )


@dataclass(frozen=True)
class Distinct:
    """Distinct scores in rising order, and how often each occurs."""

    values: Floats
    counts: Counts

    @classmethod
    def of(cls, scores: Array) -> Distinct:
        values, counts = np.unique(scores, return_counts=True)
        return cls(values.astype(np.float64, copy=False), counts)

    @classmethod
    def merged(cls, scores: Floats, counts: Counts) -> Distinct:
        """Scores in any order, each of which occurs as often as it was counted, perhaps never."""
        return cls(*merged(scores, counts))

    @cached_property
    def count(self) -> int:
        """How many scores there are."""
        return int(self.counts.sum())

    @cached_property
    def _up_to(self) -> Counts:
        return np.cumsum(self.counts)

    def at(self, rank: int) -> float:
        """The score of this rank, counted from zero."""
        return float(self.values[np.searchsorted(self._up_to, rank, "right")])

    def thinned(self, most: int) -> Floats:
        """The scores written out; if there are more than so many, those at even ranks."""
        if self.count <= most:
            return np.repeat(self.values, self.counts)
        ranks = np.linspace(0, self.count - 1, most).astype(np.int64)
        return self.values[np.searchsorted(self._up_to, ranks, "right")]

    def among(self, values: Floats) -> Counted:
        """These scores, counted among other values."""
        total = np.insert(self._up_to, 0, 0)
        below, up_to = (total[np.searchsorted(self.values, values, side)] for side in _SIDES)
        least = float(min(self.values[:1], default=np.inf))
        return Counted(values, below, up_to, int(total[-1]), least)

    def groups(self, common: Counted, *, is_tar: bool) -> Groups:
        """Groups of these scores, the rarer class, and of the other class, counted among them."""
        size = 2 * len(self.values) + 1
        rare_in, common_in = np.zeros(size, np.int64), np.empty(size, np.int64)
        rare_in[1::2] = self.counts
        common_in[1::2] = common.up_to - common.below
        common_in[0::2] = np.append(common.below, common.count) - np.insert(common.up_to, 0, 0)
        least = min([common.least, *self.values[:1].tolist()])
        low = np.concatenate([[least], np.repeat(self.values, 2)]) + 0.0  # -0.0 becomes 0.0
        excludes_low = np.zeros(size, np.bool_)
        excludes_low[2::2] = True  # nothing comes before the first group
        used = np.flatnonzero(rare_in + common_in)
        tar, non = (rare_in, common_in) if is_tar else (common_in, rare_in)
        return Groups(low.take(used), excludes_low.take(used), tar.take(used), non.take(used))


def merged(scores: Floats, *counts: Counts) -> tuple[Array, ...]:
    """Scores in rising order, each once, and counts of several kinds, which add up.

    Scores that never occur are left out.
    """
    columns: list[Array] = [scores, *counts]
    used = np.logical_or.reduce([kind > 0 for kind in counts])
    if not used.all():
        columns = [column[used] for column in columns]
    if (columns[0][1:] > columns[0][:-1]).all():
        return tuple(columns)
    order = np.argsort(columns[0], kind="stable")
    values, *kinds = (column[order] for column in columns)
    first = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    return values[first], *(np.add.reduceat(kind, first) for kind in kinds)


@dataclass(frozen=True)
class Runs:
    """Scores in some order, of which equal ones that follow each other are one, with their count.

    What is summed over runs does not depend on whether scores were written out or counted.
    """

    values: Array
    counts: Counts

    @classmethod
    def of(cls, scores: Array | Runs, counts: Counts | None = None) -> Runs:
        """Runs of an array of scores, each of which may occur many times."""
        if isinstance(scores, Runs):
            return scores
        changes = scores[1:] != scores[:-1]
        if not changes.all():
            first = np.flatnonzero(np.append(True, changes))
            if counts is None:
                return cls(scores[first], np.diff(first, append=len(scores)))
            return cls(scores[first], np.add.reduceat(counts, first))
        once = np.broadcast_to(np.int64(1), len(scores))  # takes no memory
        return cls(scores, once if counts is None else counts)

    @property
    def are_single(self) -> bool:
        """Whether no score follows an equal one."""
        return self.counts.strides == (0,)

    @property
    def distinct(self) -> Distinct:
        """The scores in rising order."""
        return Distinct.merged(self.values.astype(np.float64, copy=False), self.counts)


class Sieve:
    """Sorted values, and narrow bins that settle where most scores are among them.

    The bin number rises with the score. So a score whose bin holds no value is settled by its bin
    number alone, which a few integer operations give, and only the others need comparing.
    """

    def __init__(self, values: Floats) -> None:
        self.values = values
        # The more values there are, the narrower the bins must be for most of them to be empty.
        bin_bits = min(max(int(np.log2(len(values) + 1)) + 2, _LEAST_BIN_BITS), _MOST_BIN_BITS)
        self.grid = Grid.of(values, bin_bits=bin_bits, octaves=4)
        self._bin = self.grid.number(values)

    def __reduce__(self) -> tuple[type[Sieve], tuple[Floats]]:
        return Sieve, (self.values,)  # all else is found again from them

    @cached_property
    def words(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
        """Which bins hold values, how many do before each 64, and the first value of each."""
        first = np.flatnonzero(np.diff(self._bin, prepend=-1))
        word, place = np.divmod(self._bin[first], 64)
        of_word = np.flatnonzero(np.diff(word, prepend=-1))
        words = np.zeros(self.grid.size // 64 + 1, np.uint64)
        words[word[of_word]] = np.bitwise_or.reduceat(
            np.uint64(1) << place.view(np.uint64), of_word
        )
        up_to = np.cumsum(np.bitwise_count(words), dtype=np.uint32)
        before = up_to - np.bitwise_count(words)
        return words, before, np.append(first, len(self.values)).astype(np.uint32)


class CountFold:
    """Counts the scores of arrays among the values of a sieve."""

    def __init__(self, sieve: Sieve) -> None:
        self._sieve = sieve
        self._count, self._least = 0, np.inf
        self._at = np.zeros(2 * len(sieve.values) + 1, np.int64)  # between values, and at them
        self._in_gap: Counts | None = None

    def add(self, scores: Array, counts: Counts | None = None) -> None:
        """Count some scores."""
        self._count += len(scores) if counts is None else int(counts.sum())
        if counts is not None:
            sides = (np.searchsorted(self._sieve.values, scores, s) for s in _SIDES)
            np.add.at(self._at, sum(sides), counts)
            self._least = min(self._least, float(scores.min(initial=np.inf)))
        elif kernels := self._sieve.grid.kernels_for(scores):
            words, before, first = self._sieve.words
            if self._in_gap is None:
                self._in_gap = np.zeros(len(first), np.int64)
            least = kernels.count_among(
                scores,
                *self._sieve.grid.numbers,
                *(words, before, first, self._sieve.values),
                *(self._in_gap, self._at),
            )
            self._least = min(self._least, least)
        else:
            values = self._sieve.values
            for chunk in chunks(scores, max(RUN, len(values))):
                run = np.sort(chunk)
                ranks = np.full(len(self._at), len(run))
                ranks[:-1:2], ranks[1::2] = (np.searchsorted(run, values, s) for s in _SIDES)
                self._at += np.diff(ranks, prepend=0)
                self._least = min(self._least, float(run[0]))

    @property
    def value(self) -> Counted:
        """The counts of what was added."""
        at = self._at
        if self._in_gap is not None:
            at = at.copy()
            at[2 * self._sieve.words[2].astype(np.int64)] += self._in_gap
        up_to = np.cumsum(at)
        values, least = self._sieve.values, self._least + 0.0
        return Counted(values, up_to[:-1:2], up_to[1::2], self._count, least)


@dataclass(frozen=True)
class Ends:
    """The ends of each range; inf and -inf where it has no score."""

    least: Floats
    greatest: Floats

    @classmethod
    def of(cls, scores: Array, edges: Floats) -> Ends:
        """The ends of scores in ranges that begin at rising edges."""
        return fold_array(lambda: EndsFold(edges), scores)

    def merge(self, other: Ends) -> Ends:
        """The ends of both sets of scores together; associative and commutative."""
        return Ends(np.minimum(self.least, other.least), np.maximum(self.greatest, other.greatest))

    @property
    def next_above(self) -> Floats:
        """The smallest score from each edge on; infinite where there is none."""
        return np.minimum.accumulate(self.least[::-1])[::-1] + 0.0  # no -0.0


class EndsFold:
    """The ends of arrays in ranges that begin at rising edges."""

    def __init__(self, edges: Floats) -> None:
        self._edges = edges
        far = np.full(len(edges), np.inf)
        self.value = Ends(far, -far)

    def add(self, scores: Array, _counts: Counts | None = None) -> None:
        """Add some scores, however often they occur."""
        for chunk in chunks(scores, RUN):
            run = np.sort(chunk.astype(np.float64, copy=False))
            first = np.searchsorted(run, self._edges)
            after = np.append(first[1:], len(run))
            used = first < after
            least, greatest = self.value.least, self.value.greatest
            least[used] = np.minimum(least[used], run[first[used]])
            greatest[used] = np.maximum(greatest[used], run[after[used] - 1])


def edges_above(values: Floats) -> Floats:
    """The edges at which the scores above rising values begin."""
    with np.errstate(over="ignore"):  # the double after the largest is infinity
        return np.nextafter(values, np.inf)
