"""Calibration with two Gaussian densities (paper, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

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
