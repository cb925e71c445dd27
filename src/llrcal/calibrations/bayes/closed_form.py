"""Gaussian calibrations whose parameters are integrated out in closed form.

With a prior that is flat in the mean and in the log of the standard deviation, n scores with mean m
and (1 / (n - 1)) variance s^2 predict the next one by Student's T with n - 1 degrees of freedom,
location m, and scale s sqrt(1 + 1/n) (Gelman et al., *Bayesian Data Analysis*, 2013, section 3.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from llrcal.arrays import weighted_sum
from llrcal.calibrations.normal_draws import (
    check_variance,
    moments_from,
    origin_and_unit,
    shared_variance,
    two_gaussians,
)
from llrcal.calibrations.student_t import StudentTCalibration
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.declaration import Weight
from llrcal.densities.student_t import StudentT
from llrcal.errors import DegenerateError
from llrcal.fitting.report import Report
from llrcal.onepass.summary import Summary

PRIOR = "flat in the mean and the log of the standard deviation"


@dataclass(frozen=True, kw_only=True, repr=False)
class GaussianBayes(StudentTCalibration):
    """One Gaussian density for each class, with mean and variance integrated out."""

    method: ClassVar[str] = "gaussian"

    @classmethod
    def fit(cls, data: Training) -> Self:
        tar, non = (_predictive(side, name) for side, name in _named(data))
        return cls(**_common(data, tar, non))

    def uncertainty(self, data: Training) -> Uncertainty:
        return two_gaussians(data, self.bounds.meeting)

    @property
    def params(self) -> dict[str, Any]:
        return {**super().params, "prior": PRIOR}


@dataclass(frozen=True, kw_only=True, repr=False)
class LinearGaussianBayes(GaussianBayes):
    """Two Gaussian densities that share a variance, with means and variance integrated out.

    The variance is ``alpha s_tar^2 + (1 - alpha) s_non^2``, with the (1 / (n - 1)) variances. By
    Welch and Satterthwaite it has

        1 / (alpha^2 / (T - 1) + (1 - alpha)^2 / (N - 1))

    degrees of freedom.
    """

    alpha: Weight

    method: ClassVar[str] = "linear-gaussian"

    @classmethod
    def fit(cls, data: Training, *, alpha: float | str = 0.5) -> Self:
        weight = data.weight(alpha)
        for side, name in _named(data):
            _check_count(side, name)
        origin, unit = origin_and_unit(data)
        variance = inverse_dof = 0.0
        for side, share in ((data.tar, weight), (data.non, 1 - weight)):
            _, own = moments_from(side, origin, unit)
            variance += share * own * (side.count / (side.count - 1))
            inverse_dof += share * share / (side.count - 1)
        check_variance(variance, weight)

        def predictive(side: Summary) -> StudentT:
            mean, _ = moments_from(side, origin, unit)
            scale = math.sqrt(variance * (1 + 1 / side.count))
            density = StudentT(origin, math.nan, mean * unit, scale * unit, inverse_dof)
            return _with_loglik(density, side)

        both = predictive(data.tar), predictive(data.non)
        return cls(**_common(data, *both), alpha=alpha if isinstance(alpha, str) else weight)

    def uncertainty(self, data: Training) -> Uncertainty:
        return shared_variance(data, data.weight(self.alpha))


def _named(data: Training) -> tuple[tuple[Summary, str], tuple[Summary, str]]:
    return (data.tar, "target"), (data.non, "non-target")


def _predictive(scores: Summary, name: str) -> StudentT:
    """What scores of a Gaussian density predict of the next one."""
    _check_count(scores, name)
    if scores.least == scores.greatest:
        raise DegenerateError(
            f"{name} scores: all {scores.count} scores equal {scores.least:g}: a gaussian density "
            "needs scores that differ"
        )
    mean, variance = scores.points().mean_and_variance()
    n, grid = scores.count, scores.grid
    scale = math.sqrt(variance * (n + 1) / (n - 1))
    density = StudentT(
        grid.origin, math.nan, mean * grid.unit, scale * grid.unit, inverse_dof=1 / (n - 1)
    )
    return _with_loglik(density, scores)


def _check_count(scores: Summary, name: str) -> None:
    if scores.count < 2:
        raise DegenerateError(
            f"there is only one {name} score, which says nothing about their variance; give more "
            "of them, or use pav or logistic"
        )


def _with_loglik(density: StudentT, scores: Summary) -> StudentT:
    points, grid = scores.points(), scores.grid
    log_densities = density.logpdf_from(grid.origin, points.values * grid.unit)
    return replace(density, loglik=weighted_sum(log_densities, points.weights))


def _common(data: Training, tar: StudentT, non: StudentT) -> dict[str, Any]:
    share = data.empirical_alpha
    return {
        "tar_count": data.tar_count,
        "non_count": data.non_count,
        "report": Report.closed_form(-share * tar.loglik - (1 - share) * non.loglik),
        "tar": tar,
        "non": non,
    }
