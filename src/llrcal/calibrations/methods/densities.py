"""Calibration by the log-ratio of two fitted densities (paper, sections 5.2 to 5.4)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, cast

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.curve import Formula
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty, from_draws
from llrcal.densities.density import Density, Shaped
from llrcal.densities.mixture import Predictive
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from llrcal.errors import DegenerateError
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.fitting.posterior import near_draws
from llrcal.fitting.report import Report
from llrcal.onepass.summary import Summary


class LogRatio(Calibration):
    """LLR = log density of the targets - log density of the non-targets."""

    @classmethod
    def fit(cls, data: Training) -> Self:
        sides, share = {"target": data.tar, "non-target": data.non}, data.weight("empirical")
        found = []
        for name, scores in sides.items():
            try:
                # A step may overflow; the search then takes a shorter one.
                with np.errstate(over="ignore", invalid="ignore"):
                    found.append(cls._fit_class(scores, data.score_range))
            except DegenerateError as problem:
                raise DegenerateError(f"{name} scores: {problem}") from None
        (tar, tar_report), (non, non_report) = found
        parameters: dict[str, Any] = {"tar": tar, "non": non}
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            report=Report.joint({"tar": (share, tar_report), "non": (1 - share, non_report)}),
            **parameters,
        )

    @classmethod
    @abstractmethod
    def _fit_class(cls, scores: Summary, ends: tuple[float, float]) -> tuple[Any, Report]:
        """The density of a class, given its scores, and the ends of all scores."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Generative(LogRatio):
    """The log-ratio of two densities of a family.

    Each density maximises the plain likelihood of its class, so no weight is needed.
    """

    tar: Annotated[Density, "Density of the targets."]
    non: Annotated[Density, "Density of the non-targets."]

    family: ClassVar[type[Density]]

    @classmethod
    def _fit_class(cls, scores: Summary, ends: tuple[float, float]) -> tuple[Density, Report]:
        return maximum_likelihood(cls.family, scores)

    @property
    def params(self) -> dict[str, Any]:
        with np.errstate(over="ignore", divide="ignore"):  # textbook parameters may be infinite
            return {"tar": self.tar.params, "non": self.non.params}

    @property
    def formula(self) -> Formula:
        return log_ratio_formula(self.tar, self.non)

    def uncertainty(self, data: Training) -> Uncertainty:
        """What a few draws around the best fit of each class find."""
        at = data.places
        with np.errstate(over="ignore", invalid="ignore"):
            tar, non = (
                near_draws(cast("Shaped", density), side, at)
                for side, density in ((data.tar, self.tar), (data.non, self.non))
            )
        return from_draws(at, tar, non, eer_score=self.bounds.eer_score)


@dataclass(frozen=True, kw_only=True, repr=False)
class StudentTCalibration(Generative):
    """One Student-T density for each class (paper, section 5.3)."""

    tar: Annotated[StudentT, "Density of the targets."]
    non: Annotated[StudentT, "Density of the non-targets."]

    method: ClassVar[str] = "student-t"
    family: ClassVar[type[Density]] = StudentT


@dataclass(frozen=True, kw_only=True, repr=False)
class NIGCalibration(Generative):
    """One normal-inverse-Gaussian density for each class (paper, section 5.4)."""

    tar: Annotated[NIG, "Density of the targets."]
    non: Annotated[NIG, "Density of the non-targets."]

    method: ClassVar[str] = "nig"
    family: ClassVar[type[Density]] = NIG


def log_ratio_formula(tar: Density | Predictive, non: Density | Predictive) -> Formula:
    """The log-ratio of two densities, by the distance from the narrower one."""
    narrow, wide = sorted((tar, non), key=lambda density: density.scale)
    origin = narrow.origin + narrow.location
    apart = (wide.origin - origin) + wide.location

    def llrs(distance: Floats) -> Floats:
        return np.asarray(tar.logpdf_from(origin, distance) - non.logpdf_from(origin, distance))

    around = wide.scale * np.array([-8.0, -1.0, 0.0, 1.0, 8.0])
    return Formula(llrs, origin, narrow.scale, apart + around, isinstance(tar, Predictive))
