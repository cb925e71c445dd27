"""The prior log-odds at which curves are sampled, and which the reader can choose.

The slider moves over a grid of whole multiples of 1/20, which a browser works out to the same
double as Python does. The named operating points follow the grid, at their exact places: what
is read off the page is what ``evaluate`` says, not something in between.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Floats
from llrcal.comparison import Comparison
from llrcal.comparison.comparison import FURTHEST, PER_UNIT

_MARGIN = 2.0


@dataclass(frozen=True)
class Positions:
    """A grid of ``count`` steps of 1 / ``PER_UNIT`` from ``first``, and named points."""

    first: int
    count: int
    points: tuple[float, ...]

    @property
    def grid(self) -> Floats:
        return np.arange(self.first, self.first + self.count) / PER_UNIT

    @property
    def all(self) -> Floats:
        """The grid, then the points."""
        return np.concatenate([self.grid, self.points])


def positions(comparison: Comparison) -> Positions:
    """The grid over the range of a comparison and a little more, and its operating points."""
    points = tuple(point.prior_log_odds for point in comparison.points)
    low, high = comparison.range
    near = [x for x in points if abs(x) <= FURTHEST]  # points beyond are read off, but not drawn
    first = math.floor(min(low - _MARGIN, *near, 0.0) * PER_UNIT)
    last = math.ceil(max(high + _MARGIN, *near, 0.0) * PER_UNIT)
    return Positions(first, last - first + 1, points)
