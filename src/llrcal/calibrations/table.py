"""A look-up table for an expensive smooth function of the score.

The axis is divided into the bins of a :class:`~llrcal.onepass.grid.Grid`. In each bin the function
is replaced by the cubic through four of its values. The cubic of a bin is computed when the first
score falls into it, and checked between the nodes. If it is not good enough, and in the outermost
bins, which are unbounded, the function itself is called. The result in a bin depends only on the
bin, never on which other scores are looked up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.calibrations.cubics import cubics
from llrcal.onepass.grid import Grid

TOLERANCE = 1e-11

_UNKNOWN, _CUBIC, _FORMULA = 0, 1, 2


class Table:
    """A tabulated function of the distance to an origin."""

    def __init__(self, function: Callable[[Floats], Floats], *, origin: float, unit: float) -> None:
        self._function = function
        self._origin = origin
        self._grid = Grid(0.0, unit, bin_bits=10, octaves=6)
        self._cubics = np.zeros((self._grid.size, 4))
        self._state = np.full(self._grid.size, _UNKNOWN, np.int8)
        self._state[[0, -1]] = _FORMULA

    def __call__(self, scores: Array) -> Floats:
        """The function at each score of a one-dimensional chunk."""
        distance = scores.astype(np.float64, copy=False) - self._origin
        number, place = self._grid.number_and_fraction(distance)
        state = self._state.take(number)
        if not state.all():
            self._work_out(np.unique(number[state == _UNKNOWN]))
            state = self._state.take(number)
        cubic = self._cubics.take(number, axis=0)
        out: Floats = cubic[:, 3] * place
        for power in (2, 1):
            out += cubic[:, power]
            out *= place
        out += cubic[:, 0]
        exact = state == _FORMULA
        if exact.any():
            out[exact] = self._function(distance[exact])
        return out

    def _work_out(self, numbers: Counts) -> None:
        """Compute the cubics of some bins, and mark the bins in which the formula is needed."""

        def in_units(points: Floats) -> Floats:
            return self._function(points * self._grid.unit)

        bins = self._grid.bins(numbers)
        self._cubics[numbers], good = cubics(in_units, *bins, tolerance=TOLERANCE)
        self._state[numbers] = np.where(good, _CUBIC, _FORMULA)
