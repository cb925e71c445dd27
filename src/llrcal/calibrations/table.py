"""A costly smooth function of the score, at the cost of a table look-up.

The axis is cut into the bins of a :class:`~llrcal.grid.Grid`. In each bin the function is replaced
by the cubic through four of its values. A bin is worked out when the first score falls into it,
and checked between the nodes; where the cubic is not good enough, and in the outermost bins, which
take all that lies beyond, the function itself is called. What a bin answers depends on the bin
alone, never on which other scores are asked for.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.grid import Grid

TOLERANCE = 1e-11  # of a cubic, at the points between its nodes; relative above one

# Both ends are nodes, so that neighbouring bins meet.
_NODES = np.array([0.0, 0.25, 0.75, 1.0])
_COEFFICIENTS = np.linalg.inv(np.vander(_NODES, increasing=True)).T
_BETWEEN = np.array([0.1, 0.5])  # the cubic is worst in the middle
_POWERS = np.vander(_BETWEEN, 4, increasing=True).T

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
        """Put the cubics of some bins into the table, or mark them as too hard for one."""
        edge, width = self._grid.bins(numbers)

        def at(places: Floats) -> Floats:
            distance = (edge[:, None] + places * width[:, None]) * self._grid.unit
            return self._function(distance.ravel()).reshape(distance.shape)

        cubics = _products(at(_NODES), _COEFFICIENTS)
        exact = at(_BETWEEN)
        error = np.abs(_products(cubics, _POWERS) - exact)
        good = (error <= TOLERANCE * np.maximum(1, np.abs(exact))).all(axis=1)
        self._cubics[numbers] = cubics
        self._state[numbers] = np.where(good, _CUBIC, _FORMULA)


def _products(rows: Floats, matrix: Floats) -> Floats:
    """Matrix product whose rows do not depend on how many there are, as they do in BLAS."""
    return np.asarray(sum(rows[:, i, None] * line for i, line in enumerate(matrix)))
