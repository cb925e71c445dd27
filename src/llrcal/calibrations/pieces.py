"""Functions of one number as parabolas, piece by piece.

Any formula becomes such pieces: the axis is cut, and cuts are halved until the parabola through
the values at both ends of a piece and in its middle comes close to the formula in between. A
parabola that turns within its piece is cut there, so that each piece rises or falls. Whatever else
is done to a curve is done to its pieces: :meth:`Pieces.rising` and :meth:`Pieces.mapped`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from llrcal.arrays import Array, Counts, Floats

TOLERANCE = 1e-10
"""How far pieces may be from the formula; relative above one."""
_ROUNDING = 1e-12  # turns that are no deeper than this are those of rounding errors
_NOISE = 1e-7  # errors up to this are those of rounding if halving does not reduce them
_SETTLED = 8  # halvings after which errors should fall
_FAR = 63.0  # units; further out, rounding errors of a formula may have any size
_MOST_PIECES = 2**17
_MOST_HALVINGS = 60
_NARROWEST = 2.0**-48
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
    error: Floats
    """How far each may be from the formula; relative above one."""

    @classmethod
    def of(cls, function: Callable[[Floats], Floats], places: Floats) -> Pieces:
        """Pieces that follow a function from the first to the last of some rising places."""
        left, right = (places[:-1], places[1:]) if len(places) > 1 else (places, places)
        found = _halved(lambda z, _: function(z), left, right)
        slope, bend = found._coefficients
        with np.errstate(all="ignore"):  # a line has no turn
            turn = -slope / (2 * bend)
            depth = np.minimum(np.abs(slope), np.abs(slope + 2 * bend)) ** 2 / np.abs(4 * bend)
            value = found._at_shares(turn)
        deep = depth > _ROUNDING * np.maximum(1, np.abs(found.at_middle))
        return found._cut(np.where(deep, turn, np.nan), value)

    @classmethod
    def steps(cls, starts: Floats, values: Floats) -> Pieces:
        """A function that keeps each value until the next one starts."""
        return cls(starts, np.append(starts[1:], starts[-1]), values, values, values, 0 * values)

    def select(self, which: Array) -> Pieces:
        """Some of the pieces."""
        return Pieces(*(column[which] for column in self))

    @classmethod
    def joined(cls, *some: Pieces) -> Pieces:
        """Pieces of several kinds, in the order in which they lie on the axis."""
        every = cls(*(np.concatenate(columns) for columns in zip(*some, strict=True)))
        return every.select(np.argsort(every.left, kind="stable"))

    def rising(self, anchor: float) -> Pieces:
        """The least function that is nowhere below these pieces and never falls above an anchor.

        Below the anchor, which is an edge, it is the greatest that is nowhere above them. So,
        outward from there, it keeps the value of each turn until they go beyond it again.
        """
        above = self.left >= anchor
        below = self.select(~above)._mirrored()._held()._mirrored()
        return Pieces.joined(below, self.select(above)._held())

    def plateaus(self, rising: Pieces) -> list[tuple[float, float]]:
        """Where that function is level since these pieces fall; an end of the axis is infinite."""
        slack = 2 * TOLERANCE * np.maximum(1, np.abs(self.at_left))
        falling = (self.left / 2 + self.right / 2)[self.at_left - self.at_right > slack]
        level = np.diff(rising.at_left == rising.at_right, prepend=False, append=False)
        edges = np.concatenate([[-np.inf], rising.left[1:], [np.inf]])[np.flatnonzero(level)]
        return [
            (low, high)
            for low, high in edges.reshape(-1, 2).tolist()
            if ((low < falling) & (falling < high)).any()
        ]

    def mapped(self, function: Callable[[Floats], Floats], kinks: tuple[float, float]) -> Pieces:
        """A function of these values that leaves them as they are between two kinks."""
        cut = self
        for level in kinks:
            cut = cut._cut_at_levels(np.full(len(cut.left), level))
        least, greatest = (
            np.minimum(cut.at_left, cut.at_right),
            np.maximum(cut.at_left, cut.at_right),
        )
        beyond = (least < kinks[0]) | (greatest > kinks[1])
        outer = cut.select(beyond)

        def values(z: Floats, owner: Counts) -> Floats:
            return function(outer.select(owner)._at_places(z))

        made = _halved(values, outer.left, outer.right, outer.error)
        return Pieces.joined(cut.select(~beyond), made)

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
        from_left = share <= 0.5
        level = ~(np.isfinite(slope) & np.isfinite(bend))  # a piece without width or rise
        from_left |= level
        columns = [
            # From where no distance overflows, for one that is level.
            np.where(
                level, np.clip(0, self.left, self.right), np.where(from_left, self.left, self.right)
            ),
            np.where(from_left, self.at_left, self.at_right),
            np.where(level, 0, slope * _SHRINK),
            np.where(level, 0, bend * _SHRINK),
        ]
        return np.column_stack(columns) + 0.0  # no zero has a sign

    @property
    def _coefficients(self) -> tuple[Floats, Floats]:
        """Of first and second order, in shares of the width from the left end."""
        slope = 4 * self.at_middle - 3 * self.at_left - self.at_right
        return slope, 2 * (self.at_left + self.at_right - 2 * self.at_middle)

    def _at_shares(self, share: Floats) -> Floats:
        """The parabola of each piece at a share of its width."""
        slope, bend = self._coefficients
        return np.asarray(self.at_left + share * (slope + share * bend))

    def _at_places(self, z: Floats) -> Floats:
        """The parabola of each piece at a place in it."""
        width = self.right / 2 - self.left / 2
        share = np.divide(z / 2 - self.left / 2, width, out=np.zeros_like(z), where=width > 0)
        # Exactly what it is at both ends.
        return np.where(share < 1, self._at_shares(share), self.at_right)

    def _cut_at_levels(self, level: Floats) -> Pieces:
        """Each piece cut where it crosses a level of its own."""
        slope, bend = self._coefficients
        start = level - self.at_left
        crosses = start * (level - self.at_right) < 0
        with np.errstate(all="ignore"):
            root = np.sqrt(np.maximum(slope * slope + 4 * bend * start, 0))
            share = 2 * start / (slope + np.copysign(root, start))
        return self._cut(np.where(crosses, share, np.nan), level)

    def _cut(self, share: Floats, value: Floats) -> Pieces:
        """Each piece cut at a share of its width that is between 0 and 1, with a value there."""
        which = np.flatnonzero((share > 0) & (share < 1))
        if not len(which):
            return self
        whole, share, value = self.select(which), share[which], value[which]
        at = whole.left * (1 - share) + whole.right * share
        first = whole._replace(right=at, at_middle=whole._at_shares(share / 2), at_right=value)
        middle = whole._at_shares((1 + share) / 2)
        second = whole._replace(left=at, at_left=value, at_middle=middle)
        out = Pieces(
            *(np.insert(old, which + 1, new) for old, new in zip(self, second, strict=True))
        )
        for column, half in zip(out, first, strict=True):
            column[which + np.arange(len(which))] = half
        return out

    def _held(self) -> Pieces:
        """The running maximum from the first piece on."""

        def before(pieces: Pieces) -> Floats:
            so_far = np.maximum.accumulate(np.maximum(pieces.at_left, pieces.at_right))
            return np.concatenate([[-np.inf], so_far[:-1]])

        if not len(self.left):
            return self
        cut = self._cut_at_levels(before(self))
        start = np.maximum(cut.at_left, before(cut))
        end = np.maximum(cut.at_right, start)
        return cut._replace(
            at_left=start, at_middle=np.clip(cut.at_middle, start, end), at_right=end
        )

    def _mirrored(self) -> Pieces:
        """What minus the function is at minus the argument."""
        left, right, at_left, at_middle, at_right, error = (column[::-1] for column in self)
        return Pieces(-right, -left, -at_right, -at_middle, -at_left, error)


def _halved(
    function: Callable[[Floats, Counts], Floats],
    left: Floats,
    right: Floats,
    error: Floats | None = None,
) -> Pieces:
    """Parabolas between places, which are halved until they come close enough to a function.

    The function is told for each place which of the given pieces it belongs to; errors that these
    have already are added.
    """
    already = np.zeros(len(left)) if error is None else error
    owner = np.arange(len(left))
    values = function(np.concatenate([left, left / 2 + right / 2, right]), np.tile(owner, 3))
    at_left, at_middle, at_right = np.split(values, 3)
    parts = Pieces(left, right, at_left, at_middle, at_right, np.full(len(left), np.inf))
    done: list[Pieces] = []
    count = 0
    for halvings in range(_MOST_HALVINGS):
        quarters = [parts.left * (1 - share) + parts.right * share for share in (0.25, 0.75)]
        at_lower, at_upper = np.split(function(np.concatenate(quarters), np.tile(owner, 2)), 2)
        away = np.minimum(np.abs(parts.left), np.abs(parts.right))
        missed = np.maximum(
            np.abs(at_lower - parts._at_shares(np.array(0.25))),
            np.abs(at_upper - parts._at_shares(np.array(0.75))),
        )
        error = missed / np.maximum(1, np.abs(parts.at_middle))
        good = error <= TOLERANCE
        good |= parts.right / 2 - parts.left / 2 <= _NARROWEST * (1 + away)
        if halvings >= _SETTLED:
            good |= (error > parts.error / 2) & ((error <= _NOISE) | (away >= _FAR))
        count += int(good.sum())
        if count + 2 * int((~good).sum()) > _MOST_PIECES or halvings == _MOST_HALVINGS - 1:
            good[:] = True
        done.append(parts._replace(error=error + already[owner]).select(good))
        if good.all():
            break
        # Where the error of a parent is small by chance, that of its parent tells more.
        error = np.maximum(error, parts.error / 8)
        middle = parts.left / 2 + parts.right / 2
        first = Pieces(parts.left, middle, parts.at_left, at_lower, parts.at_middle, error)
        second = Pieces(middle, parts.right, parts.at_middle, at_upper, parts.at_right, error)
        parts = Pieces.joined(first.select(~good), second.select(~good))
        owner = np.repeat(owner[~good], 2)
    return Pieces.joined(*done)
