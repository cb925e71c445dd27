"""Draws of the means and variances of Gaussian scores, given the trials.

With a prior that is flat in the mean and in the log of the standard deviation sigma,
(n - 1) s^2 / sigma^2 is chi-squared with n - 1 degrees of freedom, and the mean is Gaussian around
that of the scores with deviation sigma / sqrt(n). Intervals from such draws hold the mean and the
variance as often as they say, however few the scores are (Gelman et al., *Bayesian Data Analysis*,
2013, section 3.2).
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv, ndtri

from llrcal.arrays import Floats
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty, ends, from_draws
from llrcal.errors import DegenerateError
from llrcal.fitting.proposals import evenly_spread
from llrcal.onepass.summary import Summary

_DRAWS = 512
_FURTHEST = 1e150  # deviations, whose squares are doubles


def two_gaussians(data: Training, meeting: float | None) -> Uncertainty:
    """What is uncertain about the log-ratio of two Gaussian densities."""
    at = data.places
    tar, non = (_log_densities(side, at) for side in (data.tar, data.non))
    return from_draws(at, tar, non, meeting=meeting)


def _log_densities(scores: Summary, at: Floats) -> tuple[Floats, Floats]:
    """Log densities of draws (rows) at some scores, and the equal weights of the draws."""
    mean, variance = scores.points().mean_and_variance()
    n, grid = scores.count, scores.grid
    for_scale, for_mean = evenly_spread(_DRAWS, 2, 0).T
    sigma = np.sqrt(n * variance / _chi_squared(n - 1, for_scale))[:, None]
    means = mean + sigma * ndtri(for_mean)[:, None] / np.sqrt(n)
    with np.errstate(over="ignore"):  # scores far from those of a class that are all but equal
        z = ((at - grid.origin) / grid.unit - means) / sigma
    z = np.clip(z, -_FURTHEST, _FURTHEST)
    return -np.log(sigma * grid.unit) - 0.5 * z * z, np.full(_DRAWS, 1 / _DRAWS)


def shared_variance(data: Training, alpha: float) -> Uncertainty:
    """What is uncertain about a line from two Gaussian densities that share a variance."""
    at = data.places
    counts = np.array([data.tar_count, data.non_count])
    share = np.array([alpha, 1 - alpha])
    origin, unit = origin_and_unit(data)
    means, variances = np.array(
        [moments_from(side, origin, unit) for side in (data.tar, data.non)]
    ).T
    x = (at - origin) / unit
    rest = np.maximum(counts - 1, 1)
    dof = 1 / (share**2 / rest).sum()  # by Welch and Satterthwaite
    for_scale, *for_means = evenly_spread(_DRAWS, 3, 0).T
    sigma = np.sqrt((share * variances * counts / rest).sum() * dof / _chi_squared(dof, for_scale))
    drawn = means[:, None] + sigma * ndtri(for_means) / np.sqrt(counts)[:, None]
    slope, middle = (drawn[0] - drawn[1]) / sigma**2, drawn.mean(axis=0)
    low, high = ends(at, slope[:, None] * (x - middle[:, None]), None)

    variance = (share * variances).sum()
    llrs = (means[0] - means[1]) / variance * (x - means.mean())

    def effect(i: int, sign: float) -> Floats:
        away = x - means[i]
        moved = sign * np.outer(away, away) - share[i] * np.outer(llrs, away**2 - variances[i])
        return np.asarray(moved / (variance * counts[i]))

    return Uncertainty(at, low, high, lambda: (effect(0, 1), effect(1, -1)))


def origin_and_unit(data: Training) -> tuple[float, float]:
    """Where moments are taken from, and in which unit: squares of 1e200 are out of range."""
    spreads = [side.grid.unit for side in (data.tar, data.non) if side.least < side.greatest]
    if not spreads:
        raise DegenerateError(
            "each class has a single value, so no variance can be estimated; use pav or logistic"
        )
    return data.non.grid.origin, max(spreads)


def check_variance(variance: float, weight: float) -> None:
    """Raise a DegenerateError if a weighted variance is zero."""
    if not variance > 0:
        raise DegenerateError(
            f"the variance of the scores is {variance:g}, weighted by alpha = {weight:g}: the "
            "class that varies has almost no weight. Give another alpha"
        )


def moments_from(scores: Summary, origin: float, unit: float) -> tuple[float, float]:
    """Mean relative to the origin, and variance, in the given unit, a power of two."""
    mean, variance = scores.points().mean_and_variance()
    grid = scores.grid
    wide = grid.unit / unit
    return mean * wide + (grid.origin - origin) / unit, variance * wide * wide


def _chi_squared(dof: float, levels: Floats) -> Floats:
    """Quantiles of the chi-squared distribution."""
    return np.asarray(2 * gammaincinv(dof / 2, levels))
