"""Any number of scores as a few hundred rising points, for work that looks at each many times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from llrcal.arrays import Floats
from llrcal.onepass.summary import Summary

CELLS = 240


@dataclass(frozen=True)
class Cells:
    """Rising points, each the mean of neighbouring scores, and how many scores each stands for.

    Cells are even in the rank plus its log odds, so that they are narrow in both tails as well:
    among millions of scores with one target in a thousand, all targets would else fall into one.
    """

    values: Floats
    counts: Floats

    @classmethod
    def of(cls, scores: Summary, *, cells: int = CELLS) -> Self:
        """The points of a summary; the scores themselves if few of them are distinct.

        Neither the number of the scores nor, but for rounding, their mean is changed.
        """
        values, counts = scores.in_order()
        counts = np.rint(2 * counts) / 2  # a bin is two points, with half of its scores each
        rises = values[1:] > values[:-1]
        if np.count_nonzero(rises) < cells:
            first = np.flatnonzero(np.append(True, rises))
            return cls(values[first], np.add.reduceat(counts, first))
        middle = np.cumsum(counts) - 0.5 * counts
        total = middle[-1] + 0.5 * counts[-1]
        ends = total * even_ranks(middle[0] / total, middle[-1] / total, cells)
        # Scores that are equal stay together.
        first = np.searchsorted(values, values[np.searchsorted(middle, ends)])
        first = np.unique(np.append(0, first))
        last = np.append(first[1:], len(values)) - 1
        mass = np.add.reduceat(counts, first)
        # In units of the grid, in which no sum can overflow.
        origin, unit = scores.grid.origin, scores.grid.unit
        means = np.add.reduceat(counts * ((values - origin) / unit), first) / mass
        with np.errstate(over="ignore"):  # no mean is rounded out of its cell: the points rise
            return cls(np.clip(origin + means * unit, values[first], values[last]), mass)

    @classmethod
    def empty(cls) -> Self:
        """No scores."""
        return cls(np.empty(0), np.empty(0))

    @property
    def count(self) -> float:
        """How many scores there are."""
        return float(self.counts.sum())

    def seen_from(self, origin: float, unit: float) -> Self:
        """The points in units from an origin."""
        return type(self)((self.values - origin) / unit, self.counts)

    def quantile(self, level: float) -> float:
        """A score below which this share of the scores lies."""
        middle = (np.cumsum(self.counts) - 0.5 * self.counts) / self.count
        return float(np.interp(level, middle, self.values))


def even_ranks(low: float, high: float, cells: int) -> Floats:
    """Ranks between two others, as shares, that are even in the rank plus its log odds.

    Over the whole range, one grows as much as the other.
    """
    first, last = np.log([low / (1 - low), high / (1 - high)]).tolist()
    log_odds = np.linspace(first, last, 20 * cells)
    ranks = 1 / (1 + np.exp(-log_odds))
    both = (log_odds - first) / (last - first) + (ranks - low) / (high - low)
    return np.asarray(np.interp(2 * np.arange(1, cells) / cells, both, ranks))
