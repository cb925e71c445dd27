"""Rising splines: quadratic pieces whose slope is positive everywhere.

The slope is a straight line between knots, and positive at each of them; so the spline rises, its
slope has no jumps, and its values are linear in the slopes at the knots (Ramsay, *Statistical
Science* 3, 1988, calls such functions I-splines). The mean of two such splines is another one.

Beyond the outermost knots, growth is logarithmic: the slope falls off as 1 / (1 + d / r), where d
is the distance from the knot and r is ``REACH`` times the range of the knots. A single score far
away therefore has little influence on a fit.
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
