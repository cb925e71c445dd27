"""Calibration by the log-ratio of two fitted densities (paper, sections 5.2 to 5.4)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

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
from llrcal.fitting.levels import on_levels
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.fitting.posterior import near_draws
from llrcal.fitting.report import Report
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.onepass.summary import Summary

FEW_LEVELS = Note.of(
    "few levels",
    "the scores have few distinct values, and a best fit may take gaps between them for shape; ",
    Setting("bayes", True),
    " or ",
    Setting("method", "smooth"),
    " suits them better",
)
_MOST_SPREADS = 1e30  # to the other end of all scores, whose powers are doubles then


class LogRatio(Calibration):
    """LLR = log density of the targets - log density of the non-targets."""

    tar: Any
    non: Any

    @classmethod
    def fit(cls, data: Training) -> Self:
        fitted = []
        for name, scores in (("target", data.tar), ("non-target", data.non)):
            try:
                if scores.least < scores.greatest:
                    check_reach(data.score_range, scores.grid.unit)
                # A step may overflow; the search then takes a shorter one. So may a chain.
                with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                    fitted.append(cls._fit_class(scores, data.score_range))
            except DegenerateError as problem:
                raise DegenerateError(f"{name} scores: {problem}") from None
        return cls._of(data, *fitted)

    @classmethod
    def _of(
        cls, data: Training, tar: tuple[Any, Report], non: tuple[Any, Report], **others: Any
    ) -> Self:
        """The calibration of two densities with their reports."""
        share = data.weight("empirical")
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            report=Report.joint({"tar": (share, tar[1]), "non": (1 - share, non[1])}),
            **{"tar": tar[0], "non": non[0], **others},
        )

    @classmethod
    @abstractmethod
    def _fit_class(cls, scores: Summary, ends: tuple[float, float]) -> tuple[Any, Report]:
        """The density of a class, given its scores, and the ends of all scores."""

    @property
    def params(self) -> dict[str, Any]:
        with np.errstate(over="ignore", divide="ignore"):  # textbook parameters may be infinite
            return {"tar": self.tar.params, "non": self.non.params}

    @property
    def formula(self) -> Formula:
        """By the distance from the narrower density."""
        tar, non = self.tar, self.non
        narrow, wide = sorted((tar, non), key=lambda density: float(density.scale))
        origin = narrow.origin + narrow.location
        apart = (wide.origin - origin) + wide.location

        def llrs(distance: Floats) -> Floats:
            return np.asarray(tar.logpdf_from(origin, distance) - non.logpdf_from(origin, distance))

        around = wide.scale * np.array([-8.0, -1.0, 0.0, 1.0, 8.0])
        return Formula(llrs, origin, narrow.scale, apart + around, isinstance(tar, Predictive))

    def uncertainty(self, data: Training) -> Uncertainty:
        at = data.interval_scores
        with np.errstate(over="ignore", invalid="ignore"):
            tar = self._draws(self.tar, data.tar, at)
            non = self._draws(self.non, data.non, at)
        return from_draws(at, tar, non, eer_score=self.bounds.eer_score)

    @abstractmethod
    def _draws(self, density: Any, scores: Summary, at: Floats) -> tuple[Floats, Floats]:
        """Log densities of draws (rows) at some scores, and the weights of the draws."""


def check_reach(ends: tuple[float, float], spread: float) -> None:
    """Raise a DegenerateError if scores reach too far in units of a spread for double precision."""
    reach = (ends[1] / 2 - ends[0] / 2) / spread
    if reach > _MOST_SPREADS:
        raise DegenerateError(
            f"a spread of about {spread:.1g} is too small beside the range of all scores, from "
            f"{ends[0]:.1g} to {ends[1]:.1g}; use pav or logistic"
        )


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
        density, report = maximum_likelihood(cls.family, scores)
        if issubclass(cls.family, Shaped) and on_levels(scores.points(), scores.count):
            report = report.with_notes((FEW_LEVELS,))
        return density, report

    def _draws(self, density: Any, scores: Summary, at: Floats) -> tuple[Floats, Floats]:
        """A few around the best fit."""
        return near_draws(density, scores, at)


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
