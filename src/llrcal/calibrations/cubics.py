"""Piecewise cubic approximation of a smooth function, with an error check in each bin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from llrcal.arrays import Bools, Floats

# Both ends are nodes, so that neighbouring bins meet.
_NODES = np.array([0.0, 0.25, 0.75, 1.0])
_COEFFICIENTS = np.linalg.inv(np.vander(_NODES, increasing=True)).T
_BETWEEN = np.array([0.1, 0.5])  # where the error is checked; it is largest in the middle
_POWERS = np.vander(_BETWEEN, 4, increasing=True).T


def cubics(
    function: Callable[[Floats], Floats], edge: Floats, width: Floats, *, tolerance: float
) -> tuple[Floats, Bools]:
    """Coefficients in rising powers of the position in each bin, 0 to 1, and which are good enough.

    The tolerance applies to points between the nodes; it is relative above one.
    """

    def at(places: Floats) -> Floats:
        points = edge[:, None] + places * width[:, None]
        return function(points.ravel()).reshape(points.shape)

    coefficients = _products(at(_NODES), _COEFFICIENTS)
    exact = at(_BETWEEN)
    error = np.abs(_products(coefficients, _POWERS) - exact)
    good = error <= tolerance * np.maximum(1, np.abs(exact))
    return coefficients, np.all(good, axis=1)


def _products(rows: Floats, matrix: Floats) -> Floats:
    """Matrix product in which no row depends on the number of rows, unlike in BLAS."""
    return np.asarray(sum(rows[:, i, None] * line for i, line in enumerate(matrix)))
