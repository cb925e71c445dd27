"""Rising splines: quadratic pieces whose slope is positive everywhere.

The slope is a straight line between knots, and positive at each of them; so the spline rises, its
slope has no jumps, and its values are linear in the slopes at the knots (Ramsay, *Statistical
Science* 3, 1988, calls such functions I-splines). The mean of two such splines is another one.

Beyond the outermost knots, growth is logarithmic: the slope falls off as 1 / (1 + d / r), where d
is the distance from the knot and r is ``REACH`` times the range of the knots. A single score far
away therefore has little influence on a fit.

To a score, the slope at each knot adds what it adds to the start of the score's piece, which is the
same for all scores of the piece, and only those at the two ends of the piece add something more. So
sums over scores are sums within pieces, whose number is small, and a few products of those.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llrcal.arrays import Counts, Floats

REACH = 2.0


@dataclass(frozen=True)
class Knots:
    """Where the pieces of a rising spline meet: rising scores, and if one only, it is constant."""

    at: Floats

    @property
    def range(self) -> float:
        return float(self.at[-1] - self.at[0])

    @property
    def widths(self) -> Floats:
        return np.diff(self.at)

    def beyond(self, distance: Floats) -> Floats:
        """What a distance from the outermost knot counts as; zero if it is negative."""
        reach = REACH * self.range
        return np.asarray(reach * np.log1p(np.maximum(distance, 0) / reach))

    def basis(self, scores: Floats) -> Floats:
        """How much each knot's slope adds to the rise from the first knot to each score."""
        piece, before, after = self.shares(scores)
        out = self.up_to_knots[piece]
        row = np.arange(len(scores))
        out[row, piece] += before
        out[row, piece + 1] += after
        return out

    def rises(self, slopes: Floats, scores: Floats) -> Floats:
        """How far the spline with these slopes at the knots rises from the first one to scores."""
        if len(self.at) == 1:
            return np.zeros(len(scores))
        piece, before, after = self.shares(scores)
        up_to = np.append(0.0, np.cumsum(self.widths * (slopes[:-1] / 2 + slopes[1:] / 2)))
        return np.asarray(up_to[piece] + before * slopes[piece] + after * slopes[piece + 1])

    def shares(self, scores: Floats) -> tuple[Counts, Floats, Floats]:
        """The piece of each score, and what the slopes at its ends add to the rise from its start.

        The scores beyond the outermost knots belong to the outermost pieces.
        """
        width = self.widths
        inside = np.clip(scores, self.at[0], self.at[-1])
        piece = np.clip(np.searchsorted(self.at, inside, "right") - 1, 0, len(width) - 1)
        place = (inside - self.at[piece]) / width[piece]
        before = width[piece] * (place - place * place / 2)
        after = width[piece] * place * place / 2
        before -= self.beyond(self.at[0] - scores)
        after += self.beyond(scores - self.at[-1])
        return piece, before, after

    @cached_property
    def up_to_knots(self) -> Floats:
        """The basis at each knot."""
        halves = np.zeros((len(self.at), len(self.at)))
        piece = np.arange(len(self.at) - 1)
        halves[piece + 1, piece] = halves[piece + 1, piece + 1] = self.widths / 2
        return np.cumsum(halves, axis=0)


class Rises:
    """Rows of :meth:`Knots.basis` in units of ``unit``, each with a one in front.

    The unit is a power of two close to the range of the knots, so that squares of rises over
    distances of 1e-300 do not underflow. Scores are in the order of ``order``.
    """

    def __init__(self, knots: Knots, scores: Floats) -> None:
        self.unit = 2.0 ** int(np.frexp(knots.range)[1])
        piece, before, after = knots.shares(scores)
        self.order = np.argsort(piece, kind="stable")
        self._piece = piece[self.order]
        before, after = before[self.order] / self.unit, after[self.order] / self.unit
        self._before, self._after = before, after
        self._used, self._start = np.unique(self._piece, return_index=True)
        up_to = knots.up_to_knots[self._used] / self.unit
        self._same = np.column_stack([np.ones(len(up_to)), up_to])
        products = [before * before, before * after, after * after]
        self._rows = np.array([np.ones(len(scores)), before, after, *products])

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
        all_of_it, before, after = self._in_pieces(self._rows[:3], weights)
        out = (self._same * all_of_it[:, None]).sum(axis=0)
        out[1 + self._used] += before
        out[2 + self._used] += after
        return np.asarray(out)

    def squares(self, weights: Floats) -> Floats:
        """Sum of the outer products of each row with itself, times weights."""
        all_of_it, before, after, *own = self._in_pieces(self._rows, weights)
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
