"""The axis of scores in figures and reports: whatever the scores are, it can be drawn."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Array, Floats

_FURTHEST = 1e300  # beyond, programs that draw compute differences that are no doubles
_NARROWEST = 1e-12  # of the scores themselves: bins of less would have no width in doubles


def finite_part(scores: Array) -> Array:
    """The scores that are finite; all of them, uncopied, if none is not."""
    finite = np.isfinite(scores)
    return scores if finite.all() else scores[finite]


def evenly(low: float, high: float, count: int) -> Floats:
    """Evenly spaced numbers from one to another, which may be as far apart as doubles can be."""
    return 2 * np.linspace(low / 2, high / 2, count)


def is_narrow(low: float, high: float) -> bool:
    """Whether there is no room for bins between two scores."""
    return high - low <= max(_NARROWEST * max(abs(low), abs(high)), 1 / _FURTHEST)


def drawable(low: float, high: float) -> tuple[float, float]:
    """A range of scores, cut where it is too wide to be drawn, or widened where too narrow."""
    low, high = (min(max(end, -_FURTHEST), _FURTHEST) for end in (low, high))
    if not is_narrow(low, high):
        return low, high
    room = max(0.5, 1e-3 * abs(low))
    return low - room, high + room
