"""Quadratic pieces that never fall, not even by a rounding error.

Each piece is worked out from the end where it is flatter: there, all its terms grow with the
distance, and a sum of products of numbers that grow does so in floating point, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.kernels import kernels_for


@dataclass(frozen=True)
class QuadraticPieces:
    """A function between knots; beyond them, its value at the outermost knot."""

    knots: Floats
    """In rising order: one more than there are pieces."""
    rows: Floats
    """For each piece p, y, a and b: at x units it is y + (x - p) (a + b |x - p|)."""
    per_unit: float = 1.0
    """Units in one of the scores."""

    def __call__(self, scores: Array) -> Floats:
        """Values at a one-dimensional chunk of scores."""
        if kernels := kernels_for(scores):
            out = np.empty(len(scores))
            kernels.spline(scores, self.knots, self.rows, self.per_unit, out)
            return out
        inside = np.clip(scores.astype(np.float64, copy=False), self.knots[0], self.knots[-1])
        piece = np.searchsorted(self.knots[1:-1], inside, "right")
        origin, base, slope, bend = self.rows.take(piece, axis=0).T
        inside *= self.per_unit
        inside -= origin
        out = np.abs(inside)
        out *= bend
        out += slope
        out *= inside
        out += base
        return out
