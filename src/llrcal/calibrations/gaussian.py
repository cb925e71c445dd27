"""Calibration with two Gaussian densities (paper, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.generative import Generative
from llrcal.calibrations.normal_draws import two_gaussians
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.densities.density import Density
from llrcal.densities.gaussian import Gaussian


@dataclass(frozen=True, kw_only=True, repr=False)
class GaussianCalibration(Generative):
    """One Gaussian density for each class."""

    tar: Annotated[Gaussian, "Density of the targets."]
    non: Annotated[Gaussian, "Density of the non-targets."]

    method: ClassVar[str] = "gaussian"
    family: ClassVar[type[Density]] = Gaussian

    def uncertainty(self, data: Training) -> Uncertainty:
        return two_gaussians(data, self.bounds.meeting)

    def _turns(self, low: float, high: float) -> Floats:
        """A parabola has one turning point, a line has none."""
        width = self.tar.scale / self.non.scale
        if width == 1:
            return super()._turns(low, high)
        turn = self._apart * (width / (1 - width)) * (width / (1 + width))
        return np.append(super()._turns(low, high), self.tar.origin + (self.tar.location + turn))
