"""A posterior predictive density: the weighted mean of the densities of some draws.

No family is right far out, and many scores make it certain of tails that none of them has shown. So
a score may also come from elsewhere, with a probability that falls as scores are seen: by Laplace's
rule of succession 1 / (n + 2), if none of n did. Elsewhere is wide: Cauchy's density around the
median of the scores, with the distance of their quartiles as its scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.densities.density import FURTHEST, Shapes

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
    elsewhere: float = 0.0
    """The probability of Cauchy's density, whose scale is one spread, in place of the draws'."""

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
        """Log densities of each draw (row) at some scores, none of which come from elsewhere."""
        standard = ((scores - self.origin) - self.middle) / self.spread
        standard = np.clip(standard, -FURTHEST, FURTHEST)
        return np.asarray(self.shapes.logpdfs(self._rows, standard) - np.log(self.spread))

    def _logpdf(self, standard: Floats) -> Floats:
        logs = self.shapes.logpdfs(self._rows, standard) + self._log_weights
        largest = logs.max(axis=0, initial=-np.inf)
        logs -= largest
        found = largest + np.log(np.exp(logs).sum(axis=0))
        if self.elsewhere:
            cauchy = -np.log(np.pi) - np.log1p(standard * standard)
            found = np.logaddexp(np.log1p(-self.elsewhere) + found, np.log(self.elsewhere) + cauchy)
        return np.asarray(found - np.log(self.spread))

    @cached_property
    def _rows(self) -> Floats:
        return np.array(self.coordinates).T

    @cached_property
    def _log_weights(self) -> Floats:
        return np.asarray(np.log(np.array(self.weights))[:, None])
