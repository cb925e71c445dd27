"""A rising formula as quadratic pieces that never fall, not even by a rounding error.

A formula that rises may still fall from one double to the next: a difference of two log densities
is off by their last digits. So the axis is cut into pieces, which are halved until a parabola
through the values at both ends and in the middle comes close to the formula, and the values are
made to rise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.fitting.quadratic_pieces import QuadraticPieces

TOLERANCE = 4e-12
_FAR_TOLERANCE = 1e-7  # far from all scores that a recognizer gives
_FAR = 63.0  # units
_MOST_PIECES = 2**16
_MOST_HALVINGS = 60
_SETTLED = 8  # halvings after which an error that does not fall is one of rounding
_NARROWEST = 2.0**-48
_SHRINK = 1 - 2.0**-49  # more than the rounding errors of a rise, so that no piece overshoots


def rising_pieces(
    function: Callable[[Floats], Floats],
    places: Floats,
    *,
    anchor: float,
    tolerance: float = TOLERANCE,
) -> QuadraticPieces:
    """A function of a distance in units, which are about as wide as its details.

    Between neighbouring places, which rise, it is smooth and never falls, but for rounding errors;
    beyond them it is constant. Values are made to rise outwards from the anchor: rounding errors
    grow with the distance from there, and must not spread inwards. Pieces come as close to the
    function as the tolerance, which is relative above one.
    """
    parts = _halved(function, np.repeat(places, 2) if len(places) == 1 else places, tolerance)
    edges = np.append(parts.left, parts.right[-1])
    values, middles = _rising(parts, int(np.searchsorted(edges, anchor)))
    return QuadraticPieces(edges, _rows(edges, values, middles))


class _Parts(NamedTuple):
    """Parts of the axis, with values at both ends and in the middle."""

    left: Floats
    right: Floats
    at_left: Floats
    at_middle: Floats
    at_right: Floats
    error: Floats
    """The error of the part that each is a half of."""

    def select(self, which: Array) -> _Parts:
        return _Parts(*(column[which] for column in self))

    @classmethod
    def joined(cls, some: list[_Parts]) -> _Parts:
        return cls(*(np.concatenate(columns) for columns in zip(*some, strict=True)))


def _halved(function: Callable[[Floats], Floats], places: Floats, near: float) -> _Parts:
    """Parts between places, halved until parabolas come close enough to the function."""
    left, right = places[:-1], places[1:]
    values = function(places)
    parts = _Parts(
        left,
        right,
        values[:-1],
        function(left / 2 + right / 2),
        values[1:],
        np.full(len(left), np.inf),
    )
    done: list[_Parts] = []
    count = 0
    for halvings in range(_MOST_HALVINGS):
        width = parts.right - parts.left
        lower, upper = parts.left + width / 4, parts.right - width / 4
        at_lower, at_upper = np.split(function(np.concatenate([lower, upper])), 2)
        rise = parts.at_right - parts.at_left
        middle = parts.at_left + rise * _share(parts.at_left, parts.at_middle, parts.at_right)
        parabola = [
            (3 * parts.at_left + 6 * middle - parts.at_right) / 8,
            middle,
            (3 * parts.at_right + 6 * middle - parts.at_left) / 8,
        ]
        error = np.max(np.abs(np.array(parabola) - [at_lower, parts.at_middle, at_upper]), axis=0)
        away = np.minimum(np.abs(parts.left), np.abs(parts.right))
        tolerance = np.where(away < _FAR, near, max(near, _FAR_TOLERANCE))
        good = error <= tolerance * np.maximum(1, np.abs(parts.at_middle))
        good |= width <= _NARROWEST * (1 + away)
        if halvings >= _SETTLED:
            small = error <= _FAR_TOLERANCE * np.maximum(1, np.abs(parts.at_middle))
            good |= (error > parts.error / 2) & (small | (away >= _FAR))
        count += int(good.sum())
        if count + 2 * int((~good).sum()) > _MOST_PIECES or halvings == _MOST_HALVINGS - 1:
            good[:] = True
        done.append(parts.select(good))
        if good.all():
            break
        cut = parts.left / 2 + parts.right / 2
        halves = [
            _Parts(parts.left, cut, parts.at_left, at_lower, parts.at_middle, error),
            _Parts(cut, parts.right, parts.at_middle, at_upper, parts.at_right, error),
        ]
        parts = _Parts.joined([half.select(~good) for half in halves])
    found = _Parts.joined(done)
    return found.select(np.argsort(found.left, kind="stable"))


def _rising(parts: _Parts, anchor: int) -> tuple[Floats, Floats]:
    """Values at edges and in the middle between them, made to rise outwards from an edge."""
    values = np.append(np.column_stack([parts.at_left, parts.at_middle]), parts.at_right[-1])
    at = 2 * anchor
    values[at:] = np.maximum.accumulate(values[at:])
    values[: at + 1] = np.minimum.accumulate(values[at::-1])[::-1]
    return values[::2], values[1::2]


def _share(left: Floats, middle: Floats, right: Floats) -> Floats:
    """The share of the rise in the first half of a part, such that a parabola rises throughout."""
    with np.errstate(invalid="ignore", divide="ignore"):  # where there is no rise
        return np.asarray(np.nan_to_num(np.clip((middle - left) / (right - left), 0.25, 0.75)))


def _rows(edges: Floats, values: Floats, middles: Floats) -> Floats:
    """Parabolas with these values at edges and in the middle between them."""
    width, rise = np.diff(edges), np.diff(values)
    with np.errstate(invalid="ignore", divide="ignore"):  # a piece without width or rise
        share = _share(values[:-1], middles, values[1:])
        from_left = share <= 0.5
        flat = 4 * np.minimum(share, 1 - share) - 1  # of the rise, in the term of first order
        slope, bend = flat * rise / width, (1 - flat) * rise / width / width
    level = ~((rise > 0) & (width > 0))
    return np.column_stack(
        [
            np.where(from_left, edges[:-1], edges[1:]),
            np.where(from_left, values[:-1], values[1:]),
            np.where(level, 0, slope * _SHRINK),
            np.where(level, 0, bend * _SHRINK),
        ]
    )
