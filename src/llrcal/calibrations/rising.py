"""Calibrations that never fall: a higher score never means less evidence for the target.

Formulas bend back in their tails. Outward from the score at which the classes meet, the LLR is
therefore held at each turning point, until the formula goes beyond it again, if it ever does:
above the meeting point it is the greatest LLR from there on, below it the least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.thresholds import first_to_reach

Llrs = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Held:
    """Scores strictly between ``low`` and ``high`` get the LLR of the score ``at``.

    An infinite end belongs to them.
    """

    low: float
    high: float
    at: float
    fall: float
    """How far the formula departs from it the wrong way, in nats."""

    def applied(self, scores: Floats) -> Floats:
        """Scores, with ``at`` in place of those that get its LLR."""
        inside = np.ones(scores.shape, np.bool_)
        if self.low > -math.inf:
            inside &= scores > self.low
        if self.high < math.inf:
            inside &= scores < self.high
        return np.where(inside, self.at, scores)


def held_ranges(llrs: Llrs, places: Floats, meeting: float) -> tuple[Held, ...]:
    """Where the LLR is held, from low scores to high ones.

    The formula nowhere turns between neighbouring places, which rise from one end to the other;
    the classes meet at a score between the two ends.
    """
    above = np.concatenate([[meeting], places[places > meeting]])
    below = np.concatenate([[meeting], places[places < meeting][::-1]])
    right = list(_held_above(llrs, above))
    left = [_mirrored(held) for held in _held_above(lambda scores: -llrs(-scores), -below)]
    if left and right and left[0].at == right[0].at:  # both at the meeting point
        (lower, *left), (upper, *right) = left, right
        right.insert(0, Held(lower.low, upper.high, upper.at, max(lower.fall, upper.fall)))
    return (*reversed(left), *right)


def _mirrored(held: Held) -> Held:
    return Held(-held.high, -held.low, -held.at, held.fall)


def _held_above(llrs: Llrs, places: Floats) -> Iterator[Held]:
    """Where a function is held at its greatest value so far, from the first place upwards."""
    values = llrs(places).tolist()
    at, greatest, fall = float(places[0]), values[0], 0.0
    for before, place, value in zip(places[:-1], places[1:], values[1:], strict=True):
        if value < greatest:
            fall = max(fall, greatest - value)
            continue
        if fall:
            again = first_to_reach(llrs, greatest, float(before), float(place))
            yield Held(at, again, at, fall)
        at, greatest, fall = float(place), value, 0.0
    if fall:
        yield Held(at, math.inf, at, fall)
