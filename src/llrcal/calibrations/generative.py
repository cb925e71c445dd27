"""Calibration by the log-ratio of two fitted densities (paper, sections 5.2 to 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.curve import Formula
from llrcal.calibrations.training import Training
from llrcal.densities.density import Density
from llrcal.densities.mixture import Predictive
from llrcal.errors import DegenerateError
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.fitting.report import Report
from llrcal.onepass.summary import Summary


@dataclass(frozen=True, kw_only=True, repr=False)
class Generative(Calibration):
    """LLR = log density of the targets - log density of the non-targets.

    Each density maximises the plain likelihood of its class, so no weight is needed.
    """

    tar: Annotated[Density, "Density of the targets."]
    non: Annotated[Density, "Density of the non-targets."]

    family: ClassVar[type[Density]]

    @classmethod
    def fit(cls, data: Training) -> Self:
        tar, tar_report = cls._fit_class(data.tar, "target")
        non, non_report = cls._fit_class(data.non, "non-target")
        share = data.empirical_alpha
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            tar=tar,
            non=non,
            report=Report.joint({"tar": (share, tar_report), "non": (1 - share, non_report)}),
        )

    @classmethod
    def _fit_class(cls, scores: Summary, name: str) -> tuple[Density, Report]:
        try:
            # A step may overflow; the search then takes a shorter one.
            with np.errstate(over="ignore", invalid="ignore"):
                return maximum_likelihood(cls.family, scores)
        except DegenerateError as problem:
            raise DegenerateError(f"{name} scores: {problem}") from None

    @property
    def params(self) -> dict[str, Any]:
        with np.errstate(over="ignore", divide="ignore"):  # textbook parameters may be infinite
            return {"tar": self.tar.params, "non": self.non.params}

    def log_ratio(self, scores: Array) -> Floats:
        """Log density of the targets minus that of the non-targets, by their formulas."""
        return np.asarray(self.tar.logpdf(scores) - self.non.logpdf(scores))

    @property
    def formula(self) -> Formula:
        return log_ratio_formula(self.tar, self.non)


def log_ratio_formula(tar: Density | Predictive, non: Density | Predictive) -> Formula:
    """The log-ratio of two densities, by the distance from the narrower one."""
    narrow, wide = sorted((tar, non), key=lambda density: density.scale)
    origin = narrow.origin + narrow.location
    apart = (wide.origin - origin) + wide.location

    def llrs(distance: Floats) -> Floats:
        return np.asarray(tar.logpdf_from(origin, distance) - non.logpdf_from(origin, distance))

    around = wide.scale * np.array([-8.0, -1.0, 0.0, 1.0, 8.0])
    return Formula(llrs, origin, narrow.scale, apart + around, isinstance(tar, Predictive))
