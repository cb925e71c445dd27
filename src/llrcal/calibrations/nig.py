"""Calibration with two normal-inverse-Gaussian densities (paper, section 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from llrcal.calibrations.generative import Generative
from llrcal.densities.density import Density
from llrcal.densities.nig import NIG


@dataclass(frozen=True, kw_only=True, repr=False)
class NIGCalibration(Generative):
    """One normal-inverse-Gaussian density for each class."""

    method: ClassVar[str] = "nig"
    family: ClassVar[type[Density]] = NIG
