"""Thresholds on scores: which scores have at least a given LLR.

Between its turning points, the LLR is monotone. If one end of such a piece is accepted and the
other is not, bisection on the doubles between them ends at two neighbouring doubles, where an
interval of accepted scores begins or ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Bools, Counts, Floats, is_number
from llrcal.errors import OptionError

_ALL_BUT_THE_SIGN = np.int64(2**63 - 1)


@dataclass(frozen=True)
class Interval:
    """All doubles from ``low`` to ``high``, both included; either may be infinite."""

    low: float
    high: float

    def __contains__(self, score: float) -> bool:
        return self.low <= score <= self.high


def regions(
    llrs: Callable[[Floats], Floats], places: Floats, threshold: float
) -> tuple[Interval, ...]:
    """Scores whose LLR reaches a threshold.

    The LLR is monotone between neighbouring places, which rise from minus infinity to infinity.
    """
    if not is_number(threshold) or math.isnan(threshold):
        raise OptionError(f"the LLR to be reached is {threshold!r}; give a number")

    def accepted(scores: Floats) -> Bools:
        return np.asarray(llrs(scores) >= threshold)

    at = accepted(places)
    change = np.flatnonzero(at[1:] != at[:-1])
    before, after = _neighbours(accepted, places[change], places[change + 1])
    opens = at[change + 1]
    lows = np.concatenate([places[:1][at[:1]], after[opens]])
    highs = np.concatenate([before[~opens], places[-1:][at[-1:]]])
    return tuple(map(Interval, lows.tolist(), highs.tolist()))


def first_to_reach(
    llrs: Callable[[Floats], Floats], threshold: float, low: float, high: float
) -> float:
    """The first double after ``low`` whose LLR reaches a threshold, as that of ``high`` does."""

    def accepted(scores: Floats) -> Bools:
        return np.asarray(llrs(scores) >= threshold)

    _, after = _neighbours(accepted, np.array([low]), np.array([high]))
    return float(after[0])


def _neighbours(
    accepted: Callable[[Floats], Bools], low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Neighbouring doubles between each low and high; exactly one of each two is accepted."""
    below, above = _ordered(low.view(np.int64)), _ordered(high.view(np.int64))
    first = accepted(low)
    while (below + 1 < above).any():
        middle = (below >> 1) + (above >> 1) + (below & above & 1)  # avoids overflow of the sum
        like_first = accepted(_ordered(middle).view(np.float64)) == first
        below, above = np.where(like_first, middle, below), np.where(like_first, above, middle)
    # Adding zero turns -0.0 into 0.0.
    return _ordered(below).view(np.float64), _ordered(above).view(np.float64) + 0.0


def _ordered(bits: Counts) -> Counts:
    """Maps the bits of doubles to integers in the same order, and back."""
    return bits ^ ((bits >> 63) & _ALL_BUT_THE_SIGN)
