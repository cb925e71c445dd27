"""Empirical lower and upper bounds of likelihood-ratios (ELUB).

Whoever decides at a threshold t on the LR gains by the LRs if the error-rates, with one misleading
LR added on either side, cost less than deciding without any evidence:

    (misses + 1) / (T + 1) + t (false alarms + 1) / (N + 1) <= min(t, 1)

The bounds are the ends of the range of thresholds around t = 1 over which they do; LRs beyond it
are not supported by the trials. Vergeer, van Es, de Jongh, Alberink and Stoel, Science & Justice 56
(2016), 482-491.

The ends are found exactly rather than on a grid. Below t = 1 the LRs gain where

    t (N - false alarms) / (N + 1) >= (misses + 1) / (T + 1).

On a stretch of thresholds both sides lie between their values at its ends, so that most stretches
are settled by counts at a few thousand thresholds. Others are divided until no LLR is left inside;
the end is then given by a formula, or is the LLR of a trial. The upper bound is the lower one of
the negated LLRs, with the classes swapped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Counts, Floats
from llrcal.onepass.two_classes import TwoClasses

# The LLRs of PAV are ratios of counts, as the bounds are: they may be equal but for rounding.
_ROUNDING = 1e-12
_AT_ONCE = 4096  # thresholds; for trials that are not in memory, each time costs a pass


def elub(llrs: TwoClasses) -> tuple[float, float]:
    """Lower and upper bound, as LLRs in nats; both are zero if LRs never gain."""
    tar, non = llrs.tar_count, llrs.non_count

    def below(at: Floats) -> tuple[Counts, Counts]:
        return llrs.below(at, of_tar=True), llrs.below(at, of_tar=False)

    def of_negated(at: Floats) -> tuple[Counts, Counts]:
        of_tar, of_non = below(np.nextafter(-at, np.inf))
        return non - of_non, tar - of_tar

    return _lower(below, tar, non), 0.0 - _lower(of_negated, non, tar)


_Below = Callable[[Floats], tuple[Counts, Counts]]
"""How many LLRs of each class lie below thresholds."""


@dataclass(frozen=True)
class _Counted:
    """Rising thresholds in nats, and how many LLRs of each class lie below them."""

    at: Floats
    tar: Counts
    non: Counts
    offset: float

    def after(self, first: int) -> _Counted:
        """The thresholds from one of them upwards."""
        return _Counted(self.at[first:], self.tar[first:], self.non[first:], self.offset)

    def merge(self, other: _Counted) -> _Counted:
        at, first = np.unique(np.concatenate([self.at, other.at]), return_index=True)
        tar, non = (
            np.concatenate(pair)[first] for pair in ((self.tar, other.tar), (self.non, other.non))
        )
        return _Counted(at, tar, non, self.offset)

    @property
    def undecided(self) -> Counts:
        """Stretches whose ends do not rule out that LRs lose in between."""
        may_lose = self.gained[:-1] < self.lost[1:] - _ROUNDING
        has_room = np.nextafter(self.at[:-1], np.inf) < self.at[1:]
        return np.flatnonzero(may_lose & has_room)

    def is_empty(self, stretch: int) -> bool:
        """Whether no LLR lies between a threshold and the next."""
        ends = slice(stretch, stretch + 2)
        return len({*self.tar[ends].tolist()}) == len({*self.non[ends].tolist()}) == 1

    @property
    def gained(self) -> Floats:
        """The logarithm of the left side, up to a constant."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.at + np.log(self.non) + self.offset)

    @property
    def lost(self) -> Floats:
        """The logarithm of the right side, up to the same constant."""
        return np.asarray(np.log(self.tar + 1.0))


def _lower(below: _Below, tar_count: int, non_count: int) -> float:
    """The greatest threshold up to zero, in nats, below which LRs lose."""
    # At the first threshold they always lose.
    start = np.linspace(-math.log(tar_count + 1), 0.0, _AT_ONCE)
    offset = math.log(tar_count + 1) - math.log(non_count + 1)
    counted = _Counted(start, *below(start), offset)
    while True:
        loses = np.flatnonzero(counted.gained < counted.lost - _ROUNDING)
        counted = counted.after(int(loses[-1]))
        undecided = counted.undecided
        if not len(undecided):
            return float(counted.at[0])
        last = int(undecided[-1])
        if counted.is_empty(last):
            crossing = counted.lost[last] - counted.gained[last] + counted.at[last]
            return float(min(crossing, counted.at[last + 1]))
        new = _divided(counted.at, undecided)
        counted = counted.merge(_Counted(new, *below(new), offset))


def _divided(at: Floats, stretches: Counts) -> Floats:
    """New thresholds inside the last stretches, as many as are counted at once."""
    stretches = stretches[-_AT_ONCE // 2 :]
    parts = _AT_ONCE // len(stretches) + 1
    low, high = at[stretches, None], at[stretches + 1, None]
    new = np.unique(low + (high - low) * (np.arange(1, parts) / parts))
    return np.setdiff1d(new, at, assume_unique=True)
