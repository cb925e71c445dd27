"""Calibration by the log-ratio of two fitted densities (paper, sections 5.2 to 5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.curve import Curve
from llrcal.calibrations.training import Training
from llrcal.densities.density import FURTHEST, Density
from llrcal.errors import DegenerateError
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.fitting.report import Report
from llrcal.onepass.summary import Summary

_DECADES = FURTHEST ** np.linspace(0, 1, 71)


@dataclass(frozen=True, kw_only=True, repr=False)
class Generative(Curve):
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

    def _llrs(self, scores: Array) -> Floats:
        return self.log_ratio(scores)

    def _turns(self, low: float, high: float) -> Floats:
        """Points in every decade, up to where a density stops falling; each family adds its own.

        Far out, rounding errors may exceed the changes of the LLR and make it turn. With a point in
        every decade, this does not affect the decades closer in.
        """
        with np.errstate(over="ignore"):
            out = [
                density.origin + side * density.scale * _DECADES
                for density in (self.tar, self.non)
                for side in (-1, 1)
            ]
        return np.concatenate(out)

    @property
    def _apart(self) -> float:
        """The location of the targets minus that of the non-targets."""
        tar, non = self.tar, self.non
        return (tar.origin - non.origin) + (tar.location - non.location)

    def _from_middle(self, distance: Floats) -> Floats:
        tar, non = (d.logpdf_from(self._middle, distance) for d in (self.tar, self.non))
        return np.asarray(tar - non)

    @property
    def _middle(self) -> float:
        """The midpoint between the densities."""
        return (self.tar.origin + self.tar.location) / 2 + (self.non.origin + self.non.location) / 2

    @property
    def _unit(self) -> float:
        """The larger scale, or half the distance if larger."""
        return max(self.tar.scale, self.non.scale, abs(self._apart) / 2)

    @property
    def _centres(self) -> list[float]:
        return [
            density.origin + density.location - self._middle for density in (self.tar, self.non)
        ]
