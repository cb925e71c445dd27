"""The rises of a spline to many scores, and weighted sums over them.

To a score, the slope at each knot adds what it adds to the start of the score's piece, which is the
same for all scores of the piece, and only those at the two ends of the piece add something more. So
sums over scores are sums within pieces, whose number is small, and a few products of those.
"""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats
from llrcal.fitting.rising_spline import Knots


class Rises:
    """Rows of :meth:`Knots.basis` in units of ``unit``, each with a one in front.

    The unit is a power of two close to the range of the knots, so that squares of rises over
    distances of 1e-300 do not underflow. Scores are in the order of ``order``.
    """

    def __init__(self, knots: Knots, scores: Floats) -> None:
        self.unit = 2.0 ** int(np.frexp(knots.range)[1])
        piece, before, after = knots.shares(scores)
        self.order = np.argsort(piece, kind="stable")
        self._piece, self._before, self._after = (
            part[self.order] for part in (piece, before / self.unit, after / self.unit)
        )
        self._used, self._start = np.unique(self._piece, return_index=True)
        up_to = knots.up_to_knots[self._used] / self.unit
        self._same = np.column_stack([np.ones(len(up_to)), up_to])
        one = np.ones(len(scores))
        self._ones = np.array([one, self._before, self._after])
        self._products = np.array(
            [
                *self._ones,
                self._before * self._before,
                self._before * self._after,
                self._after * self._after,
            ]
        )

    def values(self, first: float, slopes: Floats) -> Floats:
        """The spline at each score, from its slopes per unit."""
        same = np.zeros(len(slopes) - 1)
        same[self._used] = first + (self._same[:, 1:] * slopes).sum(axis=1)
        piece = self._piece
        return np.asarray(
            same[piece] + (self._before * slopes[piece] + self._after * slopes[piece + 1])
        )

    def sum(self, weights: Floats) -> Floats:
        """Sum of the rows times weights."""
        all_of_it, before, after = self._in_pieces(self._ones, weights)
        out = (self._same * all_of_it[:, None]).sum(axis=0)
        out[1 + self._used] += before
        out[2 + self._used] += after
        return np.asarray(out)

    def squares(self, weights: Floats) -> Floats:
        """Sum of the outer products of each row with itself, times weights."""
        all_of_it, before, after, *own = self._in_pieces(self._products, weights)
        half = self._same * (0.5 * all_of_it)[:, None]
        row, at = np.arange(len(self._used)), 1 + self._used
        half[row, at] += before
        half[row, at + 1] += after
        # Unlike a matrix product, einsum adds in the same order on every machine.
        out = np.einsum("ki,kj->ij", self._same, half)
        out += out.T.copy()
        for (i, j), total in zip(((0, 0), (0, 1), (1, 1)), own, strict=True):
            out[at + i, at + j] += total
        out[at + 1, at] += own[1]
        return np.asarray(out)

    def _in_pieces(self, rows: Floats, weights: Floats) -> Floats:
        return np.add.reduceat(rows * weights, self._start, axis=1)
