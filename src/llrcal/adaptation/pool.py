"""The scores of the new place as a few hundred weighted points.

Cells are even in the log odds of the rank, so that they are narrow in both tails: among millions of
scores with one target in a thousand, all targets would else fall into one cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from llrcal.arrays import Floats
from llrcal.onepass.summary import Summary

CELLS = 240


@dataclass(frozen=True)
class Pool:
    """Rising points, and how many scores each stands for."""

    values: Floats
    counts: Floats

    @classmethod
    def of(cls, scores: Summary, *, cells: int = CELLS) -> Self:
        """The points of a summary; the scores themselves if they are few."""
        values, counts = scores.in_order()
        if len(values) <= cells:
            return cls(values, counts)
        total = float(counts.sum())
        rank = (np.cumsum(counts) - 0.5 * counts) / total
        place = np.log(rank / (1 - rank))
        low, high = place[0], place[-1]
        cell = np.minimum((place - low) / (high - low) * cells, cells - 1).astype(np.int64)
        mass = np.bincount(cell, counts, cells).astype(np.float64)
        sums = np.bincount(cell, counts * (values - values[0]), cells).astype(np.float64)
        used = mass > 0
        return cls(values[0] + sums[used] / mass[used], mass[used])

    @classmethod
    def empty(cls) -> Self:
        return cls(np.empty(0), np.empty(0))

    @property
    def count(self) -> float:
        return float(self.counts.sum())

    def seen_from(self, origin: float, unit: float) -> Self:
        """The points in units from an origin."""
        return type(self)((self.values - origin) / unit, self.counts)

    def quantile(self, level: float) -> float:
        """A score below which this share of the scores lies."""
        middle = (np.cumsum(self.counts) - 0.5 * self.counts) / self.count
        return float(np.interp(level, middle, self.values))
