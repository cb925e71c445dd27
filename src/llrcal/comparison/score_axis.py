"""The score axis of figures and reports, for any range of scores."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Array, Floats

_FURTHEST = 1e300  # with larger values, differences in plotting programs overflow
_NARROWEST = 1e-12  # relative to the scores; narrower bins would have no width after rounding


def finite_part(scores: Array) -> Array:
    """The finite scores; without a copy if all are finite."""
    finite = np.isfinite(scores)
    return scores if finite.all() else scores[finite]


def evenly(low: float, high: float, count: int) -> Floats:
    """Evenly spaced numbers, even if ``high - low`` would overflow."""
    return 2 * np.linspace(low / 2, high / 2, count)


def is_narrow(low: float, high: float) -> bool:
    """Whether there is no room for bins between two scores."""
    return high - low <= max(_NARROWEST * max(abs(low), abs(high)), 1 / _FURTHEST)


def drawable(low: float, high: float) -> tuple[float, float]:
    """A range of scores, cut if it is too wide to be drawn, and widened if it is too narrow."""
    low, high = (min(max(end, -_FURTHEST), _FURTHEST) for end in (low, high))
    if not is_narrow(low, high):
        return low, high
    room = max(0.5, 1e-3 * abs(low))
    return low - room, high + room
