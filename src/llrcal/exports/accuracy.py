"""How far the curve of a calibration is from the formula of its method, as seen at many scores.

Nothing of how the curve was made is taken for granted: LLRs are worked out by the formula, made to
rise by comparing them one after the other, and bounded.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.calibration import Calibration

# Shares of a piece at which a parabola through its ends and its middle is furthest from a cubic.
_SHARES = 0.5 + np.array([-1, 1]) / math.sqrt(12)
_MOST = 2**11  # places at which a formula that takes long is worked out


class Difference(NamedTuple):
    """A difference of LLRs in nats, relative above one, and the score where it is."""

    size: float
    score: float


def largest_difference(calibration: Calibration) -> Difference:
    """The largest one that is seen: at knots, beside them, and in between."""
    curve, places = calibration.curve, _places(calibration)
    with np.errstate(all="ignore"):  # a line may end beyond all scores that there are
        places = places[np.isfinite(places / curve.per_unit)]
        llrs = replace(curve, origin=0.0, per_unit=1.0)(places)
        expected = _llrs(calibration, places)
        apart = np.abs(llrs - expected) / np.maximum(1, np.abs(expected))
        apart[llrs == expected] = 0.0
        worst = int(np.argmax(apart))  # a NaN, if there is one
        return Difference(float(apart[worst]), float(curve.origin + places[worst] / curve.per_unit))


def _places(calibration: Calibration) -> Floats:
    """Where to look, on the axis of the curve, in rising order."""
    knots = calibration.curve.knots
    half = knots / 2  # the difference of two knots may overflow
    between = [2 * (half[:-1] * (1 - share) + half[1:] * share) for share in _SHARES]
    places = np.concatenate([knots, np.nextafter(knots, 0), *between])
    if calibration.applied_formula.costly:
        places = places[:: len(places) // _MOST + 1]
    # Where LLRs are held, they are those of a single score: at an end of that part, or in the
    # middle of all.
    level = np.diff((calibration.curve.rows[:, 2:] == 0).all(axis=1))
    return np.unique(np.concatenate([places, knots[1:-1][level], _anchor(calibration)]))


def _anchor(calibration: Calibration) -> Floats:
    """The place from which outwards LLRs are made to rise; none if they are not."""
    curve, eer_score = calibration.curve, calibration.bounds.eer_score
    if eer_score is None:
        return np.empty(0)
    place = (eer_score - calibration.applied_formula.origin) * abs(curve.per_unit)
    return np.clip([place], curve.knots[0], curve.knots[-1])


def _llrs(calibration: Calibration, places: Floats) -> Floats:
    """LLRs at rising places by the formula, whatever became of it in the curve."""
    llrs = calibration.applied_formula.llrs(places / abs(calibration.curve.per_unit))
    for anchor in _anchor(calibration):
        above = int(np.searchsorted(places, anchor))
        llrs[above:] = np.maximum.accumulate(llrs[above:])
        llrs[: above + 1] = np.minimum.accumulate(llrs[: above + 1][::-1])[::-1]
    return calibration.bounds.supported(llrs, *calibration.supported_llrs)
