"""Calibration with two Student-T densities (paper, section 5.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from llrcal.calibrations.generative import Generative
from llrcal.densities.density import Density
from llrcal.densities.student_t import StudentT


@dataclass(frozen=True, kw_only=True, repr=False)
class StudentTCalibration(Generative):
    """One Student-T density for each class."""

    method: ClassVar[str] = "student-t"
    family: ClassVar[type[Density]] = StudentT
