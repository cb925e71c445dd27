"""Calibration with two normal-inverse-Gaussian densities (paper, section 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from llrcal.calibrations.generative import Generative
from llrcal.calibrations.shape_draws import near
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.densities.density import Density
from llrcal.densities.nig import NIG, NIGShapes


@dataclass(frozen=True, kw_only=True, repr=False)
class NIGCalibration(Generative):
    """One normal-inverse-Gaussian density for each class."""

    tar: Annotated[NIG, "Density of the targets."]
    non: Annotated[NIG, "Density of the non-targets."]

    method: ClassVar[str] = "nig"
    family: ClassVar[type[Density]] = NIG

    def uncertainty(self, data: Training) -> Uncertainty:
        tar, non = (
            np.array([one.location, np.log(one.scale), one.asymmetry, np.sqrt(one.tail)])
            for one in (self.tar, self.non)
        )
        return near(NIGShapes, data, (tar, non), self.bounds.meeting)
