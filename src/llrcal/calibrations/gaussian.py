"""Calibration with two Gaussian densities (paper, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from llrcal.calibrations.generative import Generative
from llrcal.densities.density import Density
from llrcal.densities.gaussian import Gaussian


@dataclass(frozen=True, kw_only=True, repr=False)
class GaussianCalibration(Generative):
    """One Gaussian density for each class."""

    method: ClassVar[str] = "gaussian"
    family: ClassVar[type[Density]] = Gaussian
