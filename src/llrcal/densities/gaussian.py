"""The Gaussian density (paper, section 5.2); its maximum-likelihood fit has a closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.density import HALF_LOG_TWO_PI, Density, moments


@dataclass(frozen=True)
class Gaussian(Density):
    """A Gaussian density with standard deviation ``scale``.

    Its free coordinates are location and log scale.
    """

    family = "gaussian"

    @property
    def params(self) -> dict[str, float]:
        return {"mean": self.origin + self.location, "variance": self.scale * self.scale}

    def _logpdf(self, centred: Floats) -> Floats:
        y = (centred - self.location) / self.scale
        out: Floats = -0.5 * y * y
        out -= HALF_LOG_TWO_PI + np.log(self.scale)
        return out

    @staticmethod
    def bounds(tie_share: float) -> tuple[Floats, Floats]:
        return np.full(2, -np.inf), np.full(2, np.inf)

    @staticmethod
    def starts(values: Floats, weights: Floats) -> list[Floats]:
        """The answer itself."""
        mean, sd, _, _ = moments(values, weights)
        return [np.array([mean, np.log(sd)])]

    @classmethod
    def terms(cls, z: Floats, *shape: float) -> Sequence[Floats]:
        return -0.5 * z * z, -z, np.full_like(z, -1.0)
