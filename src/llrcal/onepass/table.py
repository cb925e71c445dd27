"""Sums over bins, as scores come in."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from llrcal.arrays import Array, Counts
from llrcal.errors import DegenerateError, changed_scores
from llrcal.onepass.chunks import CHUNK, chunks
from llrcal.onepass.grid import PLACE_BITS, Grid

MOST_IN_64_BITS = 2**32  # scores in a bin, whose places have 30 bits
_COUNT_SHIFT = 42  # leaves 11 bits of a double for a count, and room for the sum of its places
_ONE_MORE = 1 << _COUNT_SHIFT
_GLANCE = 64  # every so many-th score says whether a bin is crowded,
_CROWDED = 16  # which it is if it holds so many of these


class Table:
    """Count, sum of places and sum of their squares in each bin, of one array after the other."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._bins = np.zeros((grid.size, 4), np.int64)  # four, which kernels add to as one vector
        self.count, self._least, self._greatest = 0, np.inf, -np.inf

    def add(self, scores: Array) -> None:
        """Add some finite scores.

        Raises
        ------
        DegenerateError
            If one of them lies beyond the grid; some of the others have been added.
        """
        if kernels := self.grid.kernels_for(scores):
            numbers, reach = self.grid.numbers, self.grid.reach
            done, least, greatest = kernels.bins(scores, CHUNK, *numbers, reach, self._bins)
            if done < len(scores):
                check_reach(least, greatest, self.grid)
            self._extend(least, greatest)
        else:
            for part in chunks(scores):
                self._add_chunk(part)
        self.count += len(scores)

    def _add_chunk(self, part: Array) -> None:
        chunk = part.astype(np.float64)  # a copy, which no other thread changes
        low, high = float(chunk.min()), float(chunk.max())
        self._extend(low, high)
        check_reach(low, high, self.grid)
        number, place = self.grid.number_and_place(chunk)
        start = int(self.grid.number_and_place(np.array([low]))[0][0])  # numbers rise with scores
        number -= start
        sums = _sums(number, place)
        self._bins[start : start + sums.shape[1], :3] += sums.T

    def merge(self, other: Self) -> Self:
        """Both together; neither of them is used any more."""
        self.count += other.count
        self._extend(other._least, other._greatest)
        if self.count >= MOST_IN_64_BITS:
            self._bins = self._bins.astype(object)
        used = np.flatnonzero(other._bins[:, 0])
        if len(used):
            where = slice(used[0], used[-1] + 1)
            self._bins[where] += other._bins[where]
        return self

    def _extend(self, low: float, high: float) -> None:
        self._least, self._greatest = min(self._least, low), max(self._greatest, high)

    @property
    def bins(self) -> tuple[Counts, Counts]:
        """Which bins are not empty, and what they hold."""
        used = np.flatnonzero(self._bins[:, 0])
        # Kernels read scores twice. Those that change in between may be beyond the grid, or NaN.
        if self.count and not np.array_equal(
            used[[0, -1]], self.grid.number_and_place(np.array(self.ends))[0]
        ):
            raise changed_scores()
        return used, self._bins.T[:3, used]

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest score."""
        return self._least + 0.0, self._greatest + 0.0  # no -0.0


def _sums(number: Counts, place: Counts) -> Counts:
    """Count, sum of places and sum of squared places in each bin.

    Sums of integers below 2^53 are exact, although bincount adds doubles.
    """
    squares = place * place
    squares >>= PLACE_BITS
    return np.array([*_counted(number, place), np.bincount(number, squares)], np.int64)


def _counted(number: Counts, place: Counts) -> tuple[Array, Array]:
    """Count and sum of places in each bin.

    They are added up in one go, the count in the bits above the places, unless so many scores share
    a bin that the count needs more bits than there are.
    """
    if np.bincount(number[::_GLANCE]).max() < _CROWDED:
        both = np.bincount(number, place | _ONE_MORE)
        if both.max() < 2.0**53:
            bits = both.astype(np.int64)
            return bits >> _COUNT_SHIFT, bits & (_ONE_MORE - 1)
    return np.bincount(number), np.bincount(number, place)


def check_reach(least: float, greatest: float, grid: Grid) -> None:
    """Refuse scores that lie beyond the grid.

    Raises
    ------
    DegenerateError
        With the distance of the furthest.
    """
    distance = max(greatest - grid.origin, grid.origin - least)
    if math.isnan(distance):
        raise changed_scores()
    if distance >= grid.reach:
        raise DegenerateError(
            f"a score lies {distance:.3g} away from the middle of the scores, more than 10^12 "
            f"times their spread ({grid.unit:.3g}). Remove it, or clip the scores"
        )
