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

from llrcal.arrays import Array, Counts, Floats
from llrcal.fitting.quadratic_pieces import QuadraticPieces

REACH = 2.0
_MOST_POWER = 1000  # of two, whose inverse is a normal double
_FEW = 8  # the share below which it is quicker to take scores out than to work on all


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
        out = np.maximum(distance, 0)  # and in place from here on, which is quicker
        with np.errstate(over="ignore"):
            out /= reach
        far = out == np.inf if out.max(initial=0) == np.inf else None
        np.log1p(out, out=out)
        if far is not None:  # the logarithm is finite where the ratio is not
            out[far] = np.log(distance[far]) - np.log(reach)
        out *= reach
        return out

    def basis(self, scores: Floats) -> Floats:
        """How much each knot's slope adds to the rise from the first knot to each score."""
        piece, before, after = self.shares(scores)
        out = self.up_to_knots[piece]
        row = np.arange(len(scores))
        out[row, piece] += before
        out[row, piece + 1] += after
        return out

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


class RisingSpline:
    """A rising spline, given by its value at the first knot and its slopes at all knots.

    Values never fall: see :mod:`llrcal.fitting.quadratic_pieces`.
    """

    def __init__(self, knots: Knots, first: float, slopes: Floats) -> None:
        self._knots = knots
        self._slopes = slopes
        # Over widths of 1e-200, slopes would overflow. A power of two changes no bit.
        power = max(-_MOST_POWER, min(int(np.frexp(knots.range)[1]), _MOST_POWER))
        unit = 2.0**-power
        at = knots.at * unit
        width = np.diff(at)
        before, after = np.ldexp(slopes[:-1], power), np.ldexp(slopes[1:], power)
        with np.errstate(over="ignore"):
            bend = np.abs(after - before) / (2 * width)
        bend = np.where(np.isfinite(bend), bend, 0)  # pieces too narrow to have one
        least = np.minimum(before, after)
        rises = width * (least + bend * width)
        from_left_end = before <= after
        values = [first]
        base = []
        for rise, from_left in zip(rises.tolist(), from_left_end.tolist(), strict=True):
            start = values[-1]
            end = start + rise
            while not from_left and end - rise < start:  # for the sake of the last bit
                end = float(np.nextafter(end, np.inf))
            values.append(end)
            base.append(start if from_left else end)
        self.at_knots: Floats = np.array(values)
        origin = np.where(from_left_end, at[:-1], at[1:])
        rows = np.column_stack([origin, base, least, bend])
        self._pieces = QuadraticPieces(knots.at, rows, unit)

    def __call__(self, scores: Array) -> Floats:
        """Values at a one-dimensional chunk of scores."""
        low, high = self._knots.at[0], self._knots.at[-1]
        if low == high:
            return np.full(scores.shape, self.at_knots[0])
        out = self._pieces(scores)
        for end, sign, slope in ((low, -1.0, self._slopes[0]), (high, 1.0, self._slopes[-1])):
            with np.errstate(over="ignore"):  # an infinite distance is right
                distance = scores - end if sign > 0 else end - scores
            outside = distance > 0
            count = np.count_nonzero(outside) if slope else 0
            few = np.flatnonzero(outside) if 0 < count < len(scores) // _FEW else slice(None)
            if count:
                more = self._knots.beyond(distance[few])
                more *= sign * slope
                out[few] += more
        return out
