"""A formula that takes long, replaced by polynomials of high degree while it is compiled.

The axis is cut into panels, which are halved until a Chebyshev series of degree 15 has a last part
that is too small to matter. Where that is never so, the function itself is called. Series are in
the area hyperbolic sine of the argument, so that tails of any length take few panels.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev

from llrcal.arrays import Floats

_SIZE = 16
_FIRST_PANELS = 8
_MOST_HALVINGS = 16
_MOST_PANELS = 2**9
_NODES = chebyshev.chebpts1(_SIZE)
_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_NODES, _SIZE - 1)).T
_TOLERANCE = 1e-12  # of the last coefficients, relative above one


class Series:
    """A function between two arguments whose details are as fine as one."""

    def __init__(self, function: Callable[[Floats], Floats], low: float, high: float) -> None:
        self._function = function
        edges = np.linspace(math.asinh(low), math.asinh(high), _FIRST_PANELS + 1)
        left, width = edges[:-1], np.diff(edges)
        done = []
        for halving in range(_MOST_HALVINGS + 1):
            nodes = left[:, None] + (_NODES + 1) / 2 * width[:, None]
            values = function(np.clip(np.sinh(nodes), low, high).ravel()).reshape(nodes.shape)
            # Sums in an order that no BLAS decides.
            terms = np.einsum("pn,nt->pt", values, _COEFFICIENTS)
            size = np.maximum(1, np.abs(values).max(axis=1))
            good = np.abs(terms[:, -3:]).max(axis=1) <= _TOLERANCE * size
            if halving == _MOST_HALVINGS or len(left) > _MOST_PANELS:
                terms[~good] = np.nan
                good[:] = True
            done.append(np.column_stack([left, width, terms])[good])
            left, width = np.repeat(left[~good], 2), np.repeat(width[~good] / 2, 2)
            left[1::2] += width[1::2]
            if not len(left):
                break
        panels = np.concatenate(done)
        panels = panels[np.argsort(panels[:, 0])]
        self._left, self._width, self._terms = panels[:, 0], panels[:, 1], panels[:, 2:].T

    def __call__(self, z: Floats) -> Floats:
        at = np.arcsinh(z)
        panel = np.clip(np.searchsorted(self._left, at, side="right") - 1, 0, None)
        with np.errstate(invalid="ignore"):  # if both ends are the same
            x = 2 * ((at - self._left[panel]) / self._width[panel]) - 1
        out: Floats = chebyshev.chebval(x, self._terms[:, panel], tensor=False)
        exact = np.isnan(out)
        if exact.any():
            out[exact] = self._function(z[exact])
        return out
