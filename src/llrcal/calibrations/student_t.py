"""Calibration with two Student-T densities (paper, section 5.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.generative import Generative
from llrcal.calibrations.shape_draws import near
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.densities.density import Density
from llrcal.densities.student_t import StudentT, StudentTShapes

_LEAST = 1e-17  # of 1 / dof, as good as zero
_NOTHING = 1e-100  # coefficients below this have roots that are too far away to matter


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

    def _turns(self, low: float, high: float) -> Floats:
        """The derivative is a ratio of polynomials, with a cubic as numerator.

        Let u be a unit, y u the distance from the location of the targets, d u the distance between
        locations, a u and b u the scales, and l and m the inverse degrees of freedom. Then it is

            (1 + m) (y + d) (a^2 + l y^2) - (1 + l) y (b^2 + m (y + d)^2).
        """
        unit = max(self.tar.scale, self.non.scale, abs(self._apart))
        a, b, d = self.tar.scale / unit, self.non.scale / unit, self._apart / unit
        tar, non = self.tar.inverse_dof, self.non.inverse_dof
        cubic = np.array(
            [
                tar - non,
                d * (tar - 2 * non - tar * non),
                (1 + non) * a * a - (1 + tar) * (b * b + non * d * d),
                (1 + non) * a * a * d,
            ]
        )
        cubic[np.abs(cubic) < _NOTHING] = 0
        with np.errstate(over="ignore"):
            turns = unit * _roots(cubic)
        return np.append(super()._turns(low, high), self.tar.origin + (self.tar.location + turns))


def _roots(cubic: Floats) -> Floats:
    """Real parts of the roots, for a double root may come out complex; and what they converge to.

    Small roots beside a large one have few digits, which a step or two of Newton's method mends.
    """
    rough = np.roots(cubic).real
    fine, slope = rough, np.polyder(cubic)
    with np.errstate(all="ignore"):  # a double root has no such steps
        for _ in range(3):
            fine = fine - np.polyval(cubic, fine) / np.polyval(slope, fine)
    return np.concatenate([rough, fine])
