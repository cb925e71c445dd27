"""What figures and the report draw over: prior log-odds, scores, and the formats of files."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.errors import OptionError
from llrcal.messages import Setting

_PRIORS = 1001  # of a curve over priors: closer than the dots of a printer in one column
_WITHOUT_A_RULE = (-7.0, 7.0)
_MARGIN = 0.08  # of the range, shown beyond either limit


def drawn_priors(limits: tuple[float, float]) -> Floats:
    """The prior log-odds at which errors are drawn, given where the rule of 30 ends, if it does."""
    low, high = limits
    if not -math.inf < low < high < math.inf:
        return np.linspace(*_WITHOUT_A_RULE, _PRIORS)
    margin = _MARGIN * (high - low)
    return np.linspace(low - margin, high + margin, _PRIORS)


FIGURE_FORMATS = ("png", "pdf", "svg")
"""For the screen, for print and for editing."""


def figure_formats(names: Sequence[str]) -> Sequence[str]:
    """The formats, each known."""
    for name in names:
        if name not in FIGURE_FORMATS:
            known = ", ".join(FIGURE_FORMATS)
            raise OptionError(Setting("formats"), f" is one of {known}, or several, not {name!r}")
    return names


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
