"""Gaussian calibrations (paper, sections 4.1 and 5.2): of two variances, or of one that is shared.

The shared variance is a weighted one. Its maximum-likelihood criterion has the closed form

    v = alpha v_tar + (1 - alpha) v_non,
    slope = (m_tar - m_non) / v,    offset = -slope (m_tar + m_non) / 2,

with m and v the mean and the (1/n) variance of each class.

The parameters of two densities are integrated out in closed form, too. With a prior that is flat in
the mean and in the log of the standard deviation sigma, n scores with mean m and (1 / (n - 1))
variance s^2 predict the next one by Student's T with n - 1 degrees of freedom, location m, and
scale s sqrt(1 + 1/n). Given the scores, (n - 1) s^2 / sigma^2 is chi-squared with n - 1 degrees of
freedom, and the mean is Gaussian around m with deviation sigma / sqrt(n). Intervals from such draws
hold the mean and the variance as often as they say, however few the scores are (Gelman et al.,
*Bayesian Data Analysis*, 2013, section 3.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from scipy.special import gammaincinv, ndtri

from llrcal.arrays import LARGEST, Floats, weighted_sum
from llrcal.calibrations.methods.densities import Generative, StudentTCalibration
from llrcal.calibrations.methods.linear import Linear, check_line
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty, ends
from llrcal.declaration import Positive
from llrcal.densities.density import Density
from llrcal.densities.gaussian import Gaussian
from llrcal.densities.student_t import StudentT
from llrcal.errors import DegenerateError
from llrcal.fitting.likelihood import refuse_degenerate
from llrcal.fitting.proposals import evenly_spread
from llrcal.fitting.report import Report
from llrcal.onepass.summary import Summary

PRIOR = "flat in the mean and the log of the standard deviation"
_LEAST = float(np.finfo(np.float64).smallest_subnormal)
_DRAWS = 512
_FURTHEST = 1e150  # deviations, whose squares are doubles


@dataclass(frozen=True, kw_only=True, repr=False)
class GaussianCalibration(Generative):
    """One Gaussian density for each class."""

    tar: Annotated[Gaussian, "Density of the targets."]
    non: Annotated[Gaussian, "Density of the non-targets."]

    method: ClassVar[str] = "gaussian"
    family: ClassVar[type[Density]] = Gaussian

    def _draws(self, density: Density, scores: Summary, at: Floats) -> tuple[Floats, Floats]:
        return _gaussian_draws(scores, at)


@dataclass(frozen=True, kw_only=True, repr=False)
class GaussianBayes(StudentTCalibration):
    """One Gaussian density for each class, with mean and variance integrated out."""

    method: ClassVar[str] = "gaussian"
    bayes: ClassVar[bool] = True

    @classmethod
    def _fit_class(cls, scores: Summary, ends: tuple[float, float]) -> tuple[StudentT, Report]:
        points, n, grid = scores.points(), scores.count, scores.grid
        refuse_degenerate(Gaussian, scores, points)
        mean, variance = points.mean_and_variance()
        scale = math.sqrt(variance * (n + 1) / (n - 1)) * grid.unit
        density = StudentT(grid.origin, math.nan, mean * grid.unit, scale, 1 / (n - 1))
        log_densities = density.logpdf_from(grid.origin, points.values * grid.unit)
        loglik = weighted_sum(log_densities, points.weights)
        return replace(density, loglik=loglik), Report.closed_form(-loglik)

    def _draws(self, density: Density, scores: Summary, at: Floats) -> tuple[Floats, Floats]:
        return _gaussian_draws(scores, at)

    @property
    def params(self) -> dict[str, Any]:
        return {**super().params, "prior": PRIOR}


@dataclass(frozen=True, kw_only=True, repr=False)
class LinearGaussian(Linear):
    """Shared-variance Gaussian calibration; the means are kept relative to the origin."""

    mean_tar: Annotated[float, "Mean of the targets, from the origin. It takes no part in LLRs."]
    mean_non: Annotated[float, "Mean of the non-targets, likewise."]
    variance: Annotated[Positive, "Their shared variance, likewise."]

    method: ClassVar[str] = "linear-gaussian"

    @classmethod
    def fit(cls, data: Training, *, alpha: float | str = 0.5) -> Self:
        weight = data.weight(alpha)
        origin, unit, means, variances = _moments(data)
        mean_tar, mean_non = means.tolist()
        variance = _shared(variances, weight)
        slope = (mean_tar - mean_non) / variance
        height = -slope * (mean_tar + mean_non) / 2
        check_line(slope / unit, height)
        objective = 0.5 * (math.log(2 * math.pi * variance) + 1) + math.log(unit)
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            report=Report.closed_form(objective),
            alpha=alpha if isinstance(alpha, str) else weight,
            origin=origin,
            slope=slope / unit,
            height=height,
            mean_tar=mean_tar * unit,
            mean_non=mean_non * unit,
            variance=min(max(variance * unit * unit, _LEAST), LARGEST),  # the closest double
        )

    def uncertainty(self, data: Training) -> Uncertainty:
        at, alpha = data.interval_scores, data.weight(self.alpha)
        counts = np.array([data.tar_count, data.non_count], float)
        share = np.array([alpha, 1 - alpha])
        origin, unit, means, variances = _moments(data)
        x = (at - origin) / unit
        rest = np.maximum(counts - 1, 1)
        dof = 1 / (share**2 / rest).sum()  # by Welch and Satterthwaite
        for_scale, *for_means = evenly_spread(_DRAWS, 3, 0).T
        squares = (share * variances * counts / rest).sum()
        sigma = np.sqrt(squares * dof / _chi_squared(dof, for_scale))
        drawn = means[:, None] + sigma * ndtri(for_means) / np.sqrt(counts)[:, None]
        slope, middle = (drawn[0] - drawn[1]) / sigma**2, drawn.mean(axis=0)
        low, high = ends(at, slope[:, None] * (x - middle[:, None]), None)

        variance = (share * variances).sum()
        llrs = (means[0] - means[1]) / variance * (x - means.mean())

        def influence(i: int, sign: float) -> Floats:
            away = x - means[i]
            moved = sign * np.outer(away, away) - share[i] * np.outer(llrs, away**2 - variances[i])
            return np.asarray(moved / (variance * counts[i]))

        return Uncertainty(at, low, high, lambda: (influence(0, 1), influence(1, -1)))

    @property
    def params(self) -> dict[str, Any]:
        return {
            "mean_tar": self.origin + self.mean_tar,
            "mean_non": self.origin + self.mean_non,
            "variance": self.variance,
            **super().params,
        }


def _moments(data: Training) -> tuple[float, float, Floats, Floats]:
    """An origin among the scores, a unit, and means and variances of both classes in these.

    The unit is a power of two: squares of 1e200 are out of range.
    """
    sides = data.tar, data.non
    spreads = [side.grid.unit for side in sides if side.least < side.greatest]
    if not spreads:
        raise DegenerateError(
            "each class has a single value, so no variance can be estimated; use pav or logistic"
        )
    origin, unit, both = data.non.grid.origin, max(spreads), []
    for side in sides:
        mean, variance = side.points().mean_and_variance()
        wide = side.grid.unit / unit
        both.append((mean * wide + (side.grid.origin - origin) / unit, variance * wide * wide))
    means, variances = np.array(both).T
    return origin, unit, means, variances


def _shared(variances: Floats, weight: float) -> float:
    """The weighted variance, which must not be zero."""
    variance = float(weight * variances[0] + (1 - weight) * variances[1])
    if not variance > 0:
        raise DegenerateError(
            f"the variance of the scores is {variance:g}, weighted by alpha = {weight:g}: the "
            "class that varies has almost no weight. Give another alpha"
        )
    return variance


def _gaussian_draws(scores: Summary, at: Floats) -> tuple[Floats, Floats]:
    """Log densities of draws (rows) at some scores, and the equal weights of the draws."""
    mean, variance = scores.points().mean_and_variance()
    n, grid = scores.count, scores.grid
    for_scale, for_mean = evenly_spread(_DRAWS, 2, 0).T
    sigma = np.sqrt(n * variance / _chi_squared(n - 1, for_scale))[:, None]
    means = mean + sigma * ndtri(for_mean)[:, None] / np.sqrt(n)
    z = ((at - grid.origin) / grid.unit - means) / sigma
    z = np.clip(z, -_FURTHEST, _FURTHEST)
    return -np.log(sigma * grid.unit) - 0.5 * z * z, np.full(_DRAWS, 1 / _DRAWS)


def _chi_squared(dof: float, levels: Floats) -> Floats:
    """Quantiles of the chi-squared distribution."""
    return np.asarray(2 * gammaincinv(dof / 2, levels))
