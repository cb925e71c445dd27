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


def _lower(below: _Below, tar_count: int, non_count: int) -> float:
    """The greatest threshold up to zero, in nats, below which LRs lose."""
    offset = math.log(tar_count + 1) - math.log(non_count + 1)
    at = np.linspace(-math.log(tar_count + 1), 0.0, _AT_ONCE)
    tar, non = below(at)
    while True:
        # Logarithms of both sides, up to the same constant.
        with np.errstate(divide="ignore"):
            gained, lost = at + np.log(non) + offset, np.log(tar + 1.0)
        # At the first threshold LRs always lose.
        last = int(np.flatnonzero(gained < lost - _ROUNDING)[-1])
        at, tar, non, gained, lost = at[last:], tar[last:], non[last:], gained[last:], lost[last:]
        may_lose = gained[:-1] < lost[1:] - _ROUNDING
        undecided = np.flatnonzero(may_lose & (np.nextafter(at[:-1], np.inf) < at[1:]))
        if not len(undecided):
            return float(at[0])
        first = undecided[-1]
        if tar[first] == tar[first + 1] and non[first] == non[first + 1]:  # no LLR is in between
            return float(min(lost[first] - gained[first] + at[first], at[first + 1]))
        new = _divided(at, undecided)
        more = below(new)
        order = np.argsort(np.concatenate([at, new]))
        at, tar, non = (
            np.concatenate(pair)[order] for pair in zip((at, tar, non), (new, *more), strict=True)
        )


def _divided(at: Floats, stretches: Counts) -> Floats:
    """New thresholds inside the last stretches, as many as are counted at once."""
    stretches = stretches[-_AT_ONCE // 2 :]
    parts = _AT_ONCE // len(stretches) + 1
    low, high = at[stretches, None], at[stretches + 1, None]
    new = np.unique(low + (high - low) * (np.arange(1, parts) / parts))
    return np.setdiff1d(new, at, assume_unique=True)
