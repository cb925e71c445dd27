"""EM for the Student-T and for the NIG, both of which are Gaussians with a hidden scale.

The T is a Gaussian whose precision is gamma distributed; the degrees of freedom have an equation of
their own (ECM; Liu and Rubin, Statistica Sinica 1995). The NIG is a Gaussian whose mean and
variance both grow with an inverse-Gaussian variable (Karlis, Statistics and Probability Letters
2002). Parameters are the textbook ones of :mod:`studies.textbook`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, k0e, k1e

from llrcal.arrays import Floats
from studies.textbook import Cost

Update = Callable[[Floats, Floats], Floats]

_DOF_RANGE = (1e-3, 1e7)
_LOOK_EVERY = 10  # rounds; the likelihood costs as much as the round that raises it


@dataclass(frozen=True)
class Climb:
    """Where EM ended."""

    params: Floats
    converged: bool
    iterations: int
    looks: int
    """How often it worked out the likelihood."""


def climb(
    cost: type[Cost],
    update: Update,
    start: Floats,
    scores: Floats,
    *,
    tolerance: float,
    max_iterations: int,
) -> Climb:
    """Repeat an update until a round raises the mean log-likelihood by less than the tolerance."""
    params, value = start, cost(start, scores).value
    for iteration in range(1, max_iterations + 1):
        params = update(params, scores)
        if iteration % _LOOK_EVERY:
            continue
        before, value = value, cost(params, scores).value
        if not np.isfinite(value):
            raise FloatingPointError("the likelihood is not finite")
        if before - value < _LOOK_EVERY * tolerance:
            return Climb(params, True, iteration, 1 + iteration // _LOOK_EVERY)
    return Climb(params, False, max_iterations, 1 + max_iterations // _LOOK_EVERY)


def student_t_update(params: Floats, scores: Floats) -> Floats:
    """One round of ECM: location and scale, then the degrees of freedom."""
    mu, sigma, nu = params
    weights = _expected_precision(scores, mu, sigma, nu)
    mu = (weights * scores).sum() / weights.sum()
    sigma = float((weights * (scores - mu) ** 2).mean()) ** 0.5
    # Expectations again with the new location and scale: the step for nu is longer for it.
    weights = _expected_precision(scores, mu, sigma, nu)
    surplus = float((np.log(weights) - weights).mean()) + 1 + _digamma_gap((nu + 1) / 2)
    return np.array([mu, sigma, _dof(surplus)])


def _expected_precision(scores: Floats, mu: float, sigma: float, nu: float) -> Floats:
    return (nu + 1) / (nu + ((scores - mu) / sigma) ** 2)


def _digamma_gap(x: float) -> float:
    return float(digamma(x) - np.log(x))


def _dof(surplus: float) -> float:
    """The root nu of digamma(nu/2) - log(nu/2) = surplus, or the end of the range beyond it."""

    def slope(log_nu: float) -> float:
        return surplus - _digamma_gap(0.5 * float(np.exp(log_nu)))

    low, high = np.log(_DOF_RANGE)
    if slope(low) <= 0:
        return _DOF_RANGE[0]
    if slope(high) >= 0:
        return _DOF_RANGE[1]
    return float(np.exp(brentq(slope, low, high, xtol=1e-12)))


def nig_update(params: Floats, scores: Floats) -> Floats:
    """One round of Karlis' EM."""
    mu, delta, gamma, beta = params
    alpha, q = np.hypot(beta, gamma), np.hypot(scores - mu, delta)
    z = alpha * q
    ratio = k0e(z) / k1e(z)
    scale = q / alpha * ratio  # expected hidden variable
    inverse = alpha / q * (ratio + 2 / z)  # expected reciprocal, from K2 = K0 + 2 K1 / z
    mean_scale, mean_inverse, mean = scale.mean(), inverse.mean(), scores.mean()
    beta = ((scores - mean) * inverse).mean() / (1 - mean_scale * mean_inverse)
    delta = (mean_inverse - 1 / mean_scale) ** -0.5
    return np.array([mean - beta * mean_scale, delta, delta / mean_scale, beta])
