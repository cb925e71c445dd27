"""An expensive smooth function between two ends, replaced by polynomials of high degree.

The range is cut into panels, which are halved until a Chebyshev series of degree 15 has a last
part that is too small to matter. Where that is never so, and beyond the ends, the function itself
is called. Series are in the area hyperbolic sine of the distance, so that tails of any length take
few panels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev

from llrcal.arrays import Bools, Floats

_SIZE = 16
_FIRST_PANELS = 8
_MOST_HALVINGS = 16
_MOST_PANELS = 2**9
_FURTHEST = 1e60  # units
_NODES = chebyshev.chebpts1(_SIZE)
_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_NODES, _SIZE - 1)).T
_TOLERANCE = 1e-12  # of the last coefficients, relative above one


class Panels:
    """A function of the distance from a middle, between two ends; details are as fine as a unit."""

    def __init__(
        self, function: Callable[[Floats], Floats], unit: float, low: float, high: float
    ) -> None:
        self._function, self._unit = function, unit
        reach = _FURTHEST * unit
        self._ends = max(low, -reach), max(min(high, reach), low, -reach)
        first, last = np.arcsinh(np.array(self._ends) / unit).tolist()
        edges = np.linspace(first, last, _FIRST_PANELS + 1)
        left, width = edges[:-1], np.diff(edges)
        lefts, widths, series = [], [], []
        for halving in range(_MOST_HALVINGS + 1):
            coefficients, good = self._series(left, width)
            if halving == _MOST_HALVINGS or len(left) > _MOST_PANELS:
                coefficients[~good] = np.nan
                good[:] = True
            lefts.append(left[good])
            widths.append(width[good])
            series.append(coefficients[good])
            left, width = left[~good], width[~good] / 2
            if not len(left):
                break
            left, width = np.concatenate([left, left + width]), np.concatenate([width, width])
        order = np.argsort(np.concatenate(lefts))
        self._left = np.concatenate(lefts)[order]
        self._width = np.concatenate(widths)[order]
        self._coefficients = np.concatenate(series)[order]

    def __call__(self, distance: Floats) -> Floats:
        low, high = self._ends
        places = np.arcsinh(np.clip(distance, low, high) / self._unit)
        panel = np.clip(np.searchsorted(self._left, places, side="right") - 1, 0, None)
        with np.errstate(invalid="ignore"):  # if there is but one score
            x = 2 * ((places - self._left[panel]) / self._width[panel]) - 1
        out = _value(self._coefficients[panel], x)
        exact = np.isnan(out) | (distance < low) | (distance > high)
        if exact.any():
            out[exact] = self._function(distance[exact])
        return out

    def _series(self, left: Floats, width: Floats) -> tuple[Floats, Bools]:
        places = left[:, None] + (_NODES + 1) / 2 * width[:, None]
        distances = np.clip(self._unit * np.sinh(places), *self._ends)
        values = self._function(distances.ravel()).reshape(places.shape)
        coefficients = np.asarray(sum(values[:, i, None] * _COEFFICIENTS[i] for i in range(_SIZE)))
        size = np.maximum(1, np.abs(values).max(axis=1))
        return coefficients, np.abs(coefficients[:, -3:]).max(axis=1) <= _TOLERANCE * size


def _value(coefficients: Floats, x: Floats) -> Floats:
    """A series for each number, by Clenshaw's recurrence."""
    after, here = np.zeros_like(x), coefficients[:, -1]
    for power in range(_SIZE - 2, 0, -1):
        after, here = here, 2 * x * here - after + coefficients[:, power]
    return np.asarray(x * here - after + coefficients[:, 0])
