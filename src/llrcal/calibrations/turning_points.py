"""Where a smooth function turns, if nothing is known of it but its values.

The axis is cut into bins, and these are halved until a cubic stands for the function in each. Where
cubics turn is known. What they cannot show is smaller than their error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from llrcal.arrays import Counts, Floats
from llrcal.calibrations.cubics import cubics

TOLERANCE = 1e-10  # of the function, relative above one: smaller ups and downs are no turns
_MOST_BINS = 2**12
_MOST_HALVINGS = 60


def turning_points(function: Callable[[Floats], Floats], edges: Floats) -> Floats:
    """Places between the first and the last of some rising edges where a function turns."""
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


def _stationary(coefficients: Floats) -> tuple[Counts, Floats]:
    """Rows of the cubics that are level somewhere between 0 and 1, and where."""
    _, first, second, third = coefficients.T
    with np.errstate(all="ignore"):  # where there is no root, or none that is a double
        root = second + np.copysign(np.sqrt(second * second - 3 * first * third), second)
        both = np.array([-root / (3 * third), -first / root])
    which, row = np.nonzero((both > 0) & (both < 1))
    return np.asarray(row, np.int64), both[which, row]


def _turns(values: list[float]) -> list[int]:
    """Where a sequence turns, but for the least ups and downs."""
    turns: list[int] = []
    highest = lowest = values[0]
    top = bottom = 0
    may_rise = may_fall = True  # which way it goes first is not known
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
