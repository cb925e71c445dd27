"""Turning points of a smooth function whose derivative is not known.

The axis is divided into bins, which are halved until a cubic approximates the function in each. The
turning points of cubics are known; any others are smaller than the error of the approximation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from llrcal.arrays import Counts, Floats
from llrcal.calibrations.cubics import cubics

TOLERANCE = 1e-10  # of the function, relative above one; smaller ups and downs are ignored
_MOST_BINS = 2**12
_MOST_HALVINGS = 60
_OCTAVES = 235  # the range over which densities keep falling


def turning_points(function: Callable[[Floats], Floats], edges: Floats) -> Floats:
    """The turning points of a function between the first and the last of some rising edges."""
    edge, width = edges[:-1], np.diff(edges)
    found = [edges]
    for _ in range(_MOST_HALVINGS):
        coefficients, good = cubics(function, edge, width, tolerance=TOLERANCE)
        row, place = _stationary(coefficients)
        found += [edge, edge[row] + place * width[row]]
        edge, width = edge[~good], width[~good] / 2
        edge, width = np.concatenate([edge, edge + width]), np.concatenate([width, width])
        if not 0 < len(edge) <= _MOST_BINS:
            break
    places = np.unique(np.concatenate(found))
    return places[_turns(function(places).tolist())]


def turning_points_around(
    function: Callable[[Floats], Floats],
    centres: Sequence[float],
    unit: float,
    ends: tuple[float, float],
) -> Floats:
    """Turning points between two ends of a function whose details lie at zero and some centres.

    From there on outwards, a bin an octave of the unit is where the search begins.
    """
    with np.errstate(over="ignore"):
        octaves = np.ldexp(unit, np.arange(_OCTAVES))
    octaves = octaves[np.isfinite(octaves)]
    edges = np.concatenate([-octaves, centres, [0.0], octaves])
    low, high = np.clip(ends, edges.min(), edges.max())
    inside = edges[(low < edges) & (edges < high)]
    return turning_points(function, np.union1d([low, high], inside))


def _stationary(coefficients: Floats) -> tuple[Counts, Floats]:
    """Cubics whose derivative has a root between 0 and 1 (as row numbers), and the roots."""
    _, first, second, third = coefficients.T
    with np.errstate(all="ignore"):  # if there is no root, or it overflows
        root = second + np.copysign(np.sqrt(second * second - 3 * first * third), second)
        both = np.array([-root / (3 * third), -first / root])
    which, row = np.nonzero((both > 0) & (both < 1))
    return np.asarray(row, np.int64), both[which, row]


def _turns(values: list[float]) -> list[int]:
    """Indices at which a sequence turns, ignoring tiny ups and downs."""
    turns: list[int] = []
    highest = lowest = values[0]
    top = bottom = 0
    may_rise = may_fall = True  # the first direction is unknown
    for i, value in enumerate(values):
        if value > highest:
            highest, top = value, i
        if value < lowest:
            lowest, bottom = value, i
        if may_rise and highest - value > TOLERANCE * max(1, abs(highest)):
            turns.append(top)
            may_rise, may_fall, lowest, bottom = False, True, value, i
        elif may_fall and value - lowest > TOLERANCE * max(1, abs(lowest)):
            turns.append(bottom)
            may_rise, may_fall, highest, top = True, False, value, i
    return turns
