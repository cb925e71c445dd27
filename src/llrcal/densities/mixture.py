"""A posterior predictive density: the weighted mean of the densities of some draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.densities.density import FURTHEST
from llrcal.densities.shapes import Shapes

_AT_ONCE = 2**16  # log densities


@dataclass(frozen=True)
class Predictive:
    """Draws of the parameters of a density of (score - origin - middle) / spread."""

    shapes: type[Shapes]
    origin: float
    middle: float
    spread: float
    weights: tuple[float, ...]
    coordinates: tuple[tuple[float, ...], ...]
    """One tuple for each coordinate of the shapes, of as many numbers as there are draws."""

    @cached_property
    def location(self) -> float:
        """The mean of the locations, seen from the origin."""
        locations = weighted_sum(self._rows[:, 0], np.array(self.weights))
        return self.middle + self.spread * locations

    @cached_property
    def scale(self) -> float:
        """The geometric mean of the scales."""
        logs = weighted_sum(self._rows[:, 1], np.array(self.weights))
        return self.spread * float(np.exp(logs))

    def logpdf_from(self, origin: float, distance: Floats) -> Floats:
        """Log density at ``origin + distance``, without rounding the sum."""
        centred = distance + (origin - self.origin)
        standard = np.clip((centred - self.middle) / self.spread, -FURTHEST, FURTHEST)
        step = max(1, _AT_ONCE // len(self.weights))
        parts = [standard[at : at + step] for at in range(0, max(1, len(standard)), step)]
        return np.concatenate([self._logpdf(part) for part in parts])

    def log_densities(self, scores: Floats) -> Floats:
        """Log densities of each draw (row) at some scores."""
        standard = ((scores - self.origin) - self.middle) / self.spread
        standard = np.clip(standard, -FURTHEST, FURTHEST)
        return np.asarray(self.shapes.logpdfs(self._rows, standard) - np.log(self.spread))

    def _logpdf(self, standard: Floats) -> Floats:
        logs = self.shapes.logpdfs(self._rows, standard) + self._log_weights
        largest = logs.max(axis=0, initial=-np.inf)
        logs -= largest
        return np.asarray(largest + np.log(np.exp(logs).sum(axis=0)) - np.log(self.spread))

    @cached_property
    def _rows(self) -> Floats:
        return np.array(self.coordinates).T

    @cached_property
    def _log_weights(self) -> Floats:
        return np.asarray(np.log(np.array(self.weights))[:, None])
