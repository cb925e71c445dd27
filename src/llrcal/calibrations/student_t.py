"""Calibration with two Student-T densities (paper, section 5.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from llrcal.calibrations.generative import Generative
from llrcal.calibrations.shape_draws import near
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.densities.density import Density
from llrcal.densities.student_t import StudentT, StudentTShapes

_LEAST = 1e-17  # of 1 / dof, as good as zero


@dataclass(frozen=True, kw_only=True, repr=False)
class StudentTCalibration(Generative):
    """One Student-T density for each class."""

    tar: Annotated[StudentT, "Density of the targets."]
    non: Annotated[StudentT, "Density of the non-targets."]

    method: ClassVar[str] = "student-t"
    family: ClassVar[type[Density]] = StudentT

    def uncertainty(self, data: Training) -> Uncertainty:
        tar, non = (
            np.array([one.location, np.log(one.scale), np.log(max(one.inverse_dof, _LEAST))])
            for one in (self.tar, self.non)
        )
        return near(StudentTShapes, data, (tar, non), self.bounds.meeting)
