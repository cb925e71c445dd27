"""The one function from scores to LLRs: quadratic pieces, compiled from whatever a method learned.

A :class:`Formula` is what a method gives: LLRs as a function of the distance from an origin among
the scores, so that scores around 1e9 that differ by 1e-3 lose no digits. It is compiled once, in
milliseconds, into a :class:`Curve`, which is what is applied, inverted, exported and drawn. So
LLRs that rise never fall by a rounding error, whatever the formula does, and other languages give
the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev

from llrcal.arrays import LARGEST, Array, Bools, Counts, Floats, is_number
from llrcal.calibrations.bounds import Bounds
from llrcal.calibrations.pieces import Pieces
from llrcal.densities.density import FURTHEST
from llrcal.errors import OptionError
from llrcal.kernels import kernels_for

_FURTHEST = FURTHEST / 2  # units: less than where densities stop falling
_OCTAVES = np.exp2(np.arange(0, np.log2(_FURTHEST), 0.25)) - 1  # 0, 0.2, 0.4, 0.7, 1, 1.4, ...
_MOST_POWER = 1022  # of two, which is a normal double, and so is its inverse
_SLIGHTLY_LESS = 1 - 2.0**-50  # than one, by more than rounding adds
_ALL_BUT_THE_SIGN = np.int64(2**63 - 1)

# Of series in place of a costly formula.
_SIZE = 16
_FIRST_PANELS = 8
_MOST_HALVINGS = 16
_MOST_PANELS = 2**9
_NODES = chebyshev.chebpts1(_SIZE)
_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_NODES, _SIZE - 1)).T
_TOLERANCE = 1e-12  # of the last coefficients, relative above one


@dataclass(frozen=True)
class Interval:
    """All doubles from ``low`` to ``high``, both included; either may be infinite."""

    low: float
    high: float

    def __contains__(self, score: float) -> bool:
        return self.low <= score <= self.high


@dataclass(frozen=True)
class Formula:
    """LLRs as a function of the distance from an origin."""

    llrs: Callable[[Floats], Floats]
    origin: float
    unit: float
    """How wide its details are."""
    details: Sequence[float] | Floats = ()
    """Distances at which it has kinks, or narrower details."""
    costly: bool = False
    """Whether it takes so long that fewer values and series in between are quicker."""
    steps: bool = False
    """Whether it keeps each value from one of the details to the next."""

    @cached_property
    def per_unit(self) -> float:
        """Units in one of the scores: a power of two, so that no bit is lost."""
        power = -int(np.frexp(self.unit)[1])
        return math.ldexp(1.0, max(-_MOST_POWER, min(power, _MOST_POWER)))

    def in_units(self, *scores: float) -> Floats:
        """Where scores lie on the axis of the curve."""
        furthest = min(_FURTHEST, LARGEST / 4 * self.per_unit)
        with np.errstate(over="ignore"):
            return np.clip((np.array(scores) - self.origin) * self.per_unit, -furthest, furthest)

    def _places(self, bounds: Bounds) -> Floats:
        """Where it is looked at first, as far as bounds reach."""
        low, high = self.in_units(*bounds.reach)
        with np.errstate(over="ignore"):  # what is infinitely far away is left out
            details = np.asarray(self.details) * self.per_unit
        edges = self.in_units(*[] if bounds.eer_score is None else [bounds.eer_score])
        places = np.concatenate([-_OCTAVES, _OCTAVES, details, edges])
        return np.union1d([low, high], places[(low < places) & (places < high)])

    def pieces(self, bounds: Bounds) -> Pieces:
        """The formula as far as bounds reach; where the classes meet is an edge."""
        if self.steps:
            starts = np.asarray(self.details)
            return Pieces.steps(starts * self.per_unit, self.llrs(starts))
        places = self._places(bounds)

        def llrs(z: Floats) -> Floats:
            return self.llrs(z / self.per_unit)

        function = Series(llrs, places[0], places[-1]) if self.costly else llrs
        return Pieces.of(function, places, self.in_units(bounds.lowest_score, bounds.highest_score))

    def rises(self, bounds: Bounds) -> bool:
        """Whether it falls at none of these places, unless it takes long to find out."""
        if self.costly:
            return False
        places = self._places(bounds)
        # Beside each place as well: it may have turned since the last one, and still be higher.
        beside = np.diff(places) / 1000
        points = np.concatenate([places, places[:-1] + beside, places[1:] - beside])
        return bool((np.diff(self.llrs(np.sort(points) / self.per_unit)) >= 0).all())


class Series:
    """A costly function between two arguments, replaced by polynomials of high degree.

    The axis is cut into panels, which are halved until a Chebyshev series of degree 15 has a last
    part that is too small to matter. Where that is never so, the function itself is called. Series
    are in the area hyperbolic sine of the argument, so that tails of any length take few panels.
    """

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
            if good.all():
                break
            left, width = left[~good], width[~good] / 2
            left, width = np.append(left, left + width), np.append(width, width)
        panels = np.concatenate(done)
        self._left, self._width, *self._terms = panels[np.argsort(panels[:, 0])].T

    def __call__(self, z: Floats) -> Floats:
        at = np.arcsinh(z)
        panel = np.maximum(np.searchsorted(self._left, at, side="right") - 1, 0)
        with np.errstate(invalid="ignore"):  # if both ends are the same
            x = 2 * ((at - self._left[panel]) / self._width[panel]) - 1
        out: Floats = chebyshev.chebval(x, np.array(self._terms)[:, panel], tensor=False)
        exact = np.isnan(out)
        if exact.any():
            out[exact] = self._function(z[exact])
        return out


@dataclass(frozen=True)
class Curve:
    """A function between knots; beyond them, its value at the outermost knot."""

    knots: Floats
    """In rising order, one more than there are pieces, at z = (score - origin) per_unit."""
    rows: Floats
    """For each piece p, y, a and b: it is y + (z - p) (a + b |z - p|), and rises or falls."""
    origin: float = 0.0
    per_unit: float = 1.0
    """A power of two; negative if lower scores are better."""

    @classmethod
    def line(cls, slope: float, height: float, origin: float) -> Curve:
        """A straight line, as far as its values are doubles."""
        # Units in which the slope is one to two: its product with any score is then a double, too.
        power = int(np.frexp(slope)[1]) - 1
        per_unit = math.ldexp(1.0, max(-_MOST_POWER, min(power, _MOST_POWER)))
        row = [0.0, height, slope / per_unit, 0.0]
        end = (LARGEST - abs(height)) * _SLIGHTLY_LESS / max(abs(row[2]), 1.0)
        return cls(np.array([-end, end]), np.array([row]), origin, per_unit)

    def mirrored(self) -> Curve:
        """The same of the negated scores."""
        return replace(self, origin=-self.origin, per_unit=-self.per_unit)

    def __call__(self, scores: Array) -> Floats:
        """LLRs of a one-dimensional chunk of scores."""
        if kernels := kernels_for(scores):
            out = np.empty(len(scores))
            kernels.curve(scores, self.origin, self.per_unit, self.knots, self.rows, out)
            return out
        return self._at(self._in_units(scores))

    @property
    def is_finite(self) -> bool:
        """Whether every score has a finite value."""
        numbers = [self.origin], self.knots, self.rows.ravel(), self._at(self.knots)
        return bool(np.isfinite(np.concatenate(numbers)).all())

    @property
    def rises(self) -> bool:
        """Whether it falls from no knot to the next."""
        values = self._at(self.knots)
        return bool((values[:-1] <= values[1:]).all())

    def _in_units(self, scores: Array) -> Floats:
        with np.errstate(over="ignore"):
            return (scores.astype(np.float64) - self.origin) * self.per_unit

    def _at(self, z: Floats) -> Floats:
        z = np.clip(z, self.knots[0], self.knots[-1])
        piece = np.searchsorted(self.knots[1:-1], z, "right")
        start, base, slope, bend = self.rows.take(piece, axis=0).T
        z -= start
        return np.asarray(z * (np.abs(z) * bend + slope) + base)

    def extremes(self, low: float, high: float) -> tuple[float, float]:
        """Least and greatest LLR of scores between two others."""
        ends = np.sort(self._in_units(np.array([low, high])))
        inside = (ends[0] < self.knots) & (self.knots < ends[1])
        llrs = self._at(np.append(ends, self.knots[inside]))
        return float(llrs.min()), float(llrs.max())

    def regions(self, llr: float) -> tuple[Interval, ...]:
        """The scores whose LLR is at least ``llr``, as closed intervals in rising order."""
        if not is_number(llr) or math.isnan(llr):
            raise OptionError(f"the LLR to be reached is {llr!r}; give a number")

        def accepted(scores: Floats) -> Bools:
            return np.asarray(self(scores) >= llr)

        places = self._ends_of_pieces
        at = accepted(places)
        change = np.flatnonzero(at[1:] != at[:-1])
        before, after = _neighbours(accepted, places[change], places[change + 1])
        opens = at[change + 1]
        lows = np.concatenate([places[:1][at[:1]], after[opens]])
        highs = np.concatenate([before[~opens], places[-1:][at[-1:]]])
        return tuple(map(Interval, lows.tolist(), highs.tolist()))

    @cached_property
    def _ends_of_pieces(self) -> Floats:
        """The first and the last double of each piece, in rising order.

        From one of them to the next, LLRs only rise or only fall.
        """
        inner = self.knots[1:-1] if self.per_unit > 0 else self.knots[-2:0:-1]

        def is_up_to(scores: Floats) -> Bools:
            z = self._in_units(scores)
            # A knot belongs to the piece that it begins.
            return np.asarray(z < inner if self.per_unit > 0 else z >= inner)

        infinite = np.full(len(inner), np.inf)
        ends = np.column_stack(_neighbours(is_up_to, -infinite, infinite)).ravel()
        return np.unique(np.concatenate([[-np.inf], ends, [np.inf]]))


def _neighbours(
    accepted: Callable[[Floats], Bools], low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Neighbouring doubles between each low and high; exactly one of each two is accepted."""
    below, above = _ordered(low.view(np.int64)), _ordered(high.view(np.int64))
    first = accepted(low)
    while (below + 1 < above).any():
        middle = (below >> 1) + (above >> 1) + (below & above & 1)  # avoids overflow of the sum
        like_first = accepted(_ordered(middle).view(np.float64)) == first
        below, above = np.where(like_first, middle, below), np.where(like_first, above, middle)
    # Adding zero turns -0.0 into 0.0.
    return _ordered(below).view(np.float64), _ordered(above).view(np.float64) + 0.0


def _ordered(bits: Counts) -> Counts:
    """Maps the bits of doubles to integers in the same order, and back."""
    return bits ^ ((bits >> 63) & _ALL_BUT_THE_SIGN)
