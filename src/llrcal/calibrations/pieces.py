"""Functions of one number as parabolas, piece by piece.

Any formula becomes such pieces: the axis is cut, and cuts are halved until the parabola through
the values at both ends of a piece and in its middle comes close to the formula in between. A
parabola that turns within its piece is cut there, so that each piece rises or falls. Whatever else
is done to a curve is done to its pieces: :meth:`Pieces.rising` and :meth:`Pieces.clipped`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from llrcal.arrays import Array, Floats

TOLERANCE = 1e-10
"""How far pieces may be from the formula, relative above one, unless that takes too many."""
EVERYWHERE = np.array([-np.inf, np.inf])
_BEYOND = 2e-7  # the same beyond all scores of training
_MOST_PIECES = 2**13  # before bounds add some
_ROUNDING = 1e-12  # pieces that turn where they rise or fall by less turn by rounding errors
_FAR = 63.0  # units; further out, rounding errors of a formula may have any size
_LEAST = float(np.finfo(np.float64).tiny)
_LAST_BIT = 2.0**-52  # of a place, relative
_MOST_HALVINGS = 59
_SHRINK = 1 - 2.0**-49  # more than the rounding errors of a rise, so that no piece overshoots


class Pieces(NamedTuple):
    """Pieces of the axis side by side, with the values of a parabola at three places of each.

    Each parabola rises or falls throughout. There may be steps from one piece to the next.
    """

    left: Floats
    right: Floats
    at_left: Floats
    at_middle: Floats
    at_right: Floats
    falls: Array
    """Whether the formula does, which is kept where pieces are made to rise."""

    @classmethod
    def of(
        cls, function: Callable[[Floats], Floats], places: Floats, inner: Floats = EVERYWHERE
    ) -> Pieces:
        """Pieces that follow a function from the first to the last of some rising places.

        They do so less closely beyond the ends of an inner range.
        """
        left, right = (places[:-1], places[1:]) if len(places) > 1 else (places, places)
        pieces = _halved(function, left, right, inner)
        slope, bend = pieces._coefficients
        with np.errstate(all="ignore"):  # a line has no turn
            turn = -slope / (2 * bend)
            value = pieces._at_shares(turn)
        # The slope that a piece would lose at its flatter end if it were not cut: see `rows`.
        flatter = np.minimum(np.abs(slope), np.abs(slope + 2 * bend))
        turns = flatter > _ROUNDING * np.maximum(1, np.abs(pieces.at_middle))
        cut = pieces._cut(np.where(turns, turn, np.nan), value)
        slack = 2 * TOLERANCE * np.maximum(1, np.abs(cut.at_left))
        return cut._replace(falls=cut.at_left - cut.at_right > slack)

    @classmethod
    def steps(cls, starts: Floats, values: Floats) -> Pieces:
        """A function that keeps each value until the next one starts."""
        ends, no = np.append(starts[1:], starts[-1]), 0 * values
        return cls(starts, ends, values, values, values, no)

    def select(self, which: Array) -> Pieces:
        """Some of the pieces."""
        return Pieces(*(column[which] for column in self))

    @classmethod
    def joined(cls, *some: Pieces) -> Pieces:
        """Pieces of several kinds, in the order in which they lie on the axis."""
        pieces = cls(*map(np.concatenate, zip(*some, strict=True)))
        return pieces.select(np.argsort(pieces.left, kind="stable"))

    def rising(self, anchor: float) -> Pieces:
        """The least function that is nowhere below these pieces and never falls above an anchor.

        Below the anchor, which is an edge, it is the greatest that is nowhere above them. So,
        outward from there, it keeps the value of each turn until they go beyond it again.
        """
        above = self.left >= anchor
        below = self.select(~above)._mirrored()._held()._mirrored()
        return Pieces.joined(below, self.select(above)._held())

    def plateaus(self) -> list[tuple[float, float]]:
        """Where they are level since the formula falls; an end of the axis is infinite."""
        level = np.diff(self.at_left == self.at_right, prepend=False, append=False)
        edges = np.concatenate([[-np.inf], self.left[1:], [np.inf]]).tolist()
        runs = np.flatnonzero(level).reshape(-1, 2).tolist()
        return [(edges[low], edges[high]) for low, high in runs if self.falls[low:high].any()]

    def clipped(self, least: float, greatest: float) -> Pieces:
        """These values, kept between two others."""
        cut = self._cut_at_levels(least)._cut_at_levels(greatest)
        left, middle, right = np.clip(cut[2:5], least, greatest)
        return cut._replace(at_left=left, at_middle=middle, at_right=right)

    @property
    def knots(self) -> Floats:
        """Where they begin, and where the last one ends."""
        return np.append(self.left, self.right[-1:])

    def rows(self) -> Floats:
        """For each piece p, y, a and b: at z it is y + (z - p) (a + b |z - p|).

        It is written from the end where it is flatter. From there all terms grow with the distance,
        and a sum of products of numbers that grow does so in floating point, too.
        """
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            width, rise = self.right - self.left, self.at_right - self.at_left
            share = np.clip((self.at_middle - self.at_left) / rise, 0.25, 0.75)
            flat = 4 * np.minimum(share, 1 - share) - 1  # of the rise, in the term of first order
            slope, bend = flat * rise / width, (1 - flat) * rise / width / width
        level = ~(np.isfinite(slope) & np.isfinite(bend))  # a piece without width or rise
        slope[level] = bend[level] = 0
        from_left = level | (share <= 0.5)
        place = np.where(from_left, self.left, self.right)
        # From where no distance overflows, for one that is level.
        place[level] = np.clip(0, self.left, self.right)[level]
        value = np.where(from_left, self.at_left, self.at_right)
        # No zero has a sign.
        return np.column_stack([place, value, slope * _SHRINK, bend * _SHRINK]) + 0.0

    @property
    def _coefficients(self) -> tuple[Floats, Floats]:
        """Of first and second order, in shares of the width from the left end."""
        slope = 4 * self.at_middle - 3 * self.at_left - self.at_right
        return slope, 2 * (self.at_left + self.at_right - 2 * self.at_middle)

    def _at_shares(self, share: Floats | float) -> Floats:
        """The parabola of each piece at a share of its width."""
        slope, bend = self._coefficients
        return self.at_left + share * (slope + share * bend)

    def _cut_at_levels(self, level: Floats | float) -> Pieces:
        """Each piece cut where it crosses a level of its own."""
        slope, bend = self._coefficients
        start = level - self.at_left
        with np.errstate(all="ignore"):
            root = np.sqrt(np.maximum(slope * slope + 4 * bend * start, 0))
            share = 2 * start / (slope + np.copysign(root, start))
            crosses = start * (level - self.at_right) < 0
        return self._cut(np.where(crosses, share, np.nan), np.broadcast_to(level, share.shape))

    def _cut(self, share: Floats, value: Floats) -> Pieces:
        """Each piece cut at a share of its width, if that is a place within it, with a value."""
        with np.errstate(invalid="ignore"):
            at = self.left * (1 - share) + self.right * share
        inside = (self.left < at) & (at < self.right)
        whole, share, at, value = self.select(inside), share[inside], at[inside], value[inside]
        first = whole._replace(right=at, at_middle=whole._at_shares(share / 2), at_right=value)
        middle = whole._at_shares((1 + share) / 2)
        second = whole._replace(left=at, at_left=value, at_middle=middle)
        return Pieces.joined(self.select(~inside), first, second)

    def _held(self) -> Pieces:
        """The running maximum from the first piece on."""

        def before(pieces: Pieces) -> Floats:
            so_far = np.maximum.accumulate(np.maximum(pieces.at_left, pieces.at_right))
            return np.append(-np.inf, so_far)[:-1]

        cut = self._cut_at_levels(before(self))
        start = np.maximum(cut.at_left, before(cut))
        end = np.maximum(cut.at_right, start)
        middle = np.clip(cut.at_middle, start, end)
        return cut._replace(at_left=start, at_middle=middle, at_right=end)

    def _mirrored(self) -> Pieces:
        """What minus the function is at minus the argument."""
        left, right, at_left, at_middle, at_right, falls = (column[::-1] for column in self)
        return Pieces(-right, -left, -at_right, -at_middle, -at_left, falls)


def _halved(
    function: Callable[[Floats], Floats],
    left: Floats,
    right: Floats,
    inner: Floats = EVERYWHERE,
    tolerance: float = TOLERANCE,
) -> Pieces:
    """Parabolas between places, which are halved until they come close enough to a function.

    If that takes too many, those that come less close are enough.
    """
    values = map(function, (left, left / 2 + right / 2, right))
    parts = Pieces._make((left, right, *values, np.zeros(len(left))))
    before, done, count = np.zeros(len(left)), list[Pieces](), 0
    for halvings in range(_MOST_HALVINGS + 1):
        low, high, at_low, at_middle, at_high, _ = parts
        at_quarters = [function(low * (1 - share) + high * share) for share in (0.25, 0.75)]
        missed = [at_quarters[0] - parts._at_shares(0.25), at_quarters[1] - parts._at_shares(0.75)]
        size = np.maximum(1, np.abs(at_middle))
        error = np.abs(missed).max(axis=0) / size
        far = np.maximum(-low, high)
        # So much is decided by the last bit of a place, whatever the formula.
        noise = _LAST_BIT * far * np.abs((at_high - at_low) / np.maximum(high - low, _LEAST)) / size
        beyond = (high < inner[0]) | (low > inner[1])
        limit = np.where(beyond, max(_BEYOND, tolerance), tolerance)
        bad = error > np.maximum(limit, noise)
        # Far beyond, a formula is smooth: its errors fall by eight, unless they are of rounding.
        bad &= (error <= before / 4) | ~beyond | (far < _FAR) | (halvings == 0)
        bad &= halvings < _MOST_HALVINGS
        done.append(parts.select(~bad))
        if not bad.any():
            break
        count += len(done[-1].left)
        if count + 2 * int(bad.sum()) > max(_MOST_PIECES, 2 * len(left)):
            return _halved(function, left, right, inner, 4 * tolerance)
        parts, before = parts.select(bad), error[bad].repeat(2)
        lower, upper = (values[bad] for values in at_quarters)
        middle, at_middle = parts.left / 2 + parts.right / 2, parts.at_middle
        parts = Pieces.joined(
            parts._replace(right=middle, at_middle=lower, at_right=at_middle),
            parts._replace(left=middle, at_middle=upper, at_left=at_middle),
        )
    return Pieces.joined(*done)
