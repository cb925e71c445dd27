"""Nine ways to the maximum-likelihood T and NIG, each implemented as well as we can.

All but scipy.stats and llrcal start once, from the same point, which the family gives: by default
its member with the moments of the scores, or one nearby.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from unittest import mock

import numpy as np
from scipy import stats
from scipy.optimize import minimize

from llrcal.arrays import Array, Floats
from llrcal.densities.density import Density, Evaluated, moments
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT
from llrcal.fitting.likelihood import maximum_likelihood
from llrcal.fitting.optimizer import Solution, minimise
from llrcal.onepass.summary import Summary
from studies.expectation_maximisation import Update, climb, nig_update, student_t_update
from studies.textbook import EXPONENTIATED, SQUARED, Cost, Free, NIGCost, Positive, StudentTCost

_EM_TOLERANCE = 1e-10  # nats per score and round
_EM_ROUNDS = 2_000
_MAX_ITERATIONS = 500
_SCIPY_OPTIONS = {"gtol": 1e-8, "maxiter": _MAX_ITERATIONS}  # norm of the gradient of the mean


@dataclass(frozen=True)
class End:
    """Where a contender ended, and what it says of it."""

    loglik: float
    """Mean log-likelihood per score, in nats."""
    theta: Floats
    """The end in llrcal's coordinates."""
    says_success: bool
    """Its own claim to have converged."""
    iterations: int
    evaluations: int
    """Times that the density, or EM's expectations, were worked out for the scores."""
    saddles: int = 0
    """Saddle points escaped from; one if it stopped in a saddle point and noticed."""
    own: Any = None
    """The cost in the contender's own coordinates, if they are not llrcal's."""
    params: Floats | None = None
    """The end in textbook parameters, if it was found in them."""


@dataclass(frozen=True)
class Family:
    """What the contenders need to know of a density family."""

    name: str
    density: type[Density]
    cost: type[Cost]
    update: Update
    start: Callable[[Floats], Floats]
    """Textbook parameters by the moments of scores."""
    theta: Callable[[Floats], Floats]
    """llrcal's coordinates of textbook parameters."""
    by_scipy: Callable[[Floats], Floats]
    """Textbook parameters that scipy.stats fits to scores."""


def em(family: Family, scores: Floats) -> End:
    """Expectation maximisation."""
    found = climb(
        family.cost,
        family.update,
        family.start(scores),
        scores,
        tolerance=_EM_TOLERANCE,
        max_iterations=_EM_ROUNDS,
    )
    here = family.cost(found.params, scores)
    return End(
        loglik=-here.value,
        theta=family.theta(found.params),
        says_success=found.converged,
        iterations=found.iterations,
        evaluations=found.iterations + found.looks,
        own=here,
    )


def bfgs(family: Family, scores: Floats, *, transform: Positive) -> End:
    """The BFGS of scipy, with the exact gradient."""
    return _scipy(family, Free(family.cost, scores, transform), "BFGS", None, _SCIPY_OPTIONS)


def plain_bfgs(family: Family, scores: Floats) -> End:
    """The same with exponentials, and with the tolerance and the limit that scipy chose."""
    return _scipy(family, Free(family.cost, scores, EXPONENTIATED), "BFGS", None, {})


def scipy_newton(family: Family, scores: Floats) -> End:
    """The trust-region Newton of scipy, with the exact Hessian and squared parameters."""
    function = Free(family.cost, scores, SQUARED)

    def hessian(theta: Floats) -> Any:
        return function(theta).hessian

    return _scipy(family, function, "trust-exact", hessian, _SCIPY_OPTIONS)


def _scipy(
    family: Family,
    function: Free,
    method: Literal["BFGS", "trust-exact"],
    hessian: Callable[[Floats], Any] | None,
    options: Any,
) -> End:
    def value_and_gradient(theta: Floats) -> tuple[float, Floats]:
        here = function(theta)
        return here.value, here.gradient

    found = minimize(
        value_and_gradient,
        function.coordinates(family.start(function.scores)),
        jac=True,
        hess=hessian,
        method=method,
        options=options,
    )
    return _free_end(family, function, found.x, bool(found.success), int(found.nit))


def newton(family: Family, scores: Floats, *, escape: bool) -> End:
    """Trust-region Newton with squared parameters, the paper's setting, by llrcal's optimizer."""
    function = Free(family.cost, scores, SQUARED)
    start = function.coordinates(family.start(scores))

    def cost(theta: Floats) -> Evaluated:
        here = function(theta)
        return Evaluated(here.value, here.gradient, here.hessian)

    # Without escape, a search ends in any stationary point, as if it were a minimum.
    blind = mock.patch.object(Solution, "bends_more_than", return_value=True)
    with nullcontext() if escape else blind:
        found = minimise(cost, start, max_iterations=_MAX_ITERATIONS)
    stuck = not escape and found.converged and not found.positive_definite
    success, saddles = found.converged and not stuck, found.saddles_escaped + stuck
    return _free_end(family, function, found.point, success, found.iterations, saddles)


def _free_end(
    family: Family, function: Free, theta: Floats, success: bool, iterations: int, saddles: int = 0
) -> End:
    evaluations = function.calls
    here = function(theta)
    return End(
        loglik=-here.value,
        theta=family.theta(function.params(theta)),
        says_success=success,
        iterations=iterations,
        evaluations=evaluations,
        saddles=saddles,
        own=here,
        params=function.params(theta),
    )


def scipy_stats(family: Family, scores: Floats) -> End:
    """The fitter that scipy.stats has for every distribution: Nelder-Mead, from its own start."""
    params = family.by_scipy(scores)
    return End(
        loglik=-family.cost(params, scores).value,
        theta=family.theta(params),
        says_success=True,  # it has no other word
        iterations=0,
        evaluations=0,
        params=params,
    )


def llrcal_once(family: Family, scores: Floats) -> End:
    """The optimizer and the coordinates of llrcal, from the one start point."""
    return climb_from(family, scores, family.theta(family.start(scores)))


def climb_from(family: Family, scores: Floats, theta: Floats) -> End:
    """The maximum to which llrcal's optimizer climbs from a point of llrcal's coordinates."""
    density, calls = _counted(family.density)
    lower, upper = density.bounds(tie_share(scores))
    weights = np.full(scores.size, 1 / scores.size)

    def mean_cost(at: Floats) -> Evaluated:
        return -density.mean_loglik(at, scores, weights)

    found = minimise(mean_cost, np.clip(theta, lower, upper), lower=lower, upper=upper)
    return End(
        loglik=-found.value,
        theta=found.point,
        says_success=found.converged,
        iterations=found.iterations,
        evaluations=len(calls),
        saddles=found.saddles_escaped,
    )


def llrcal_fit(family: Family, scores: Floats) -> End:
    """What users of llrcal get: the best of several starts."""
    counted, calls = _counted(family.density)
    density, report = maximum_likelihood(counted, Summary.of(scores))
    params = np.array(list(density.params.values()))
    if "alpha" in density.params:
        mu, delta, alpha, beta = params
        params = np.array([mu, delta, ((alpha - beta) * (alpha + beta)) ** 0.5, beta])
    return End(
        loglik=density.loglik,
        theta=family.theta(params),
        says_success=report.converged,
        iterations=report.iterations,
        evaluations=len(calls),
        saddles=report.saddles_escaped,
    )


def tie_share(scores: Floats) -> float:
    """Largest share of the scores in one place."""
    return float(np.unique(scores, return_counts=True)[1].max() / scores.size)


def _counted(density: type[Density]) -> tuple[type[Density], list[None]]:
    """The same density, with a list that grows whenever it is worked out."""
    calls: list[None] = []

    def mean_loglik(theta: Array, values: Floats, weights: Floats) -> Evaluated:
        calls.append(None)
        return density.mean_loglik(theta, values, weights)

    return type(density.__name__, (density,), {"mean_loglik": staticmethod(mean_loglik)}), calls


def _student_t_start(scores: Floats) -> Floats:
    mean, sd, _, kurtosis = moments(scores, np.full(scores.size, 1 / scores.size))
    excess = max(kurtosis, 0.2)  # at most 34 degrees of freedom, for light tails
    lam = excess / (6 + 4 * excess)
    return np.array([mean, sd * (1 - 2 * lam) ** 0.5, 1 / lam])


def _student_t_theta(params: Floats) -> Floats:
    mu, sigma, nu = params
    return np.array([mu, np.log(abs(sigma)), 1 / nu])


def _student_t_by_scipy(scores: Floats) -> Floats:
    nu, mu, sigma = stats.t.fit(scores)
    return np.array([mu, sigma, nu])


def _nig_start(scores: Floats) -> Floats:
    mean, sd, skewness, kurtosis = moments(scores, np.full(scores.size, 1 / scores.size))
    eta = float(np.clip(skewness / 3, -2, 2))
    kappa = max(kurtosis / 3 - 5 * eta**2, 0.02)  # moments that no NIG has get the nearest
    tau = kappa + eta**2
    delta, gamma = sd * kappa**0.5 / tau, 1 / (kappa**0.5 * sd)
    return np.array([mean - sd * eta / tau, delta, gamma, eta / (kappa * sd)])


def _nig_theta(params: Floats) -> Floats:
    mu, delta, gamma, beta = params
    alpha = np.hypot(beta, gamma)
    tail = np.log1p(gamma / (alpha**2 * delta))
    asymmetry = np.arcsinh(beta / (alpha * (delta * gamma) ** 0.5) * np.exp(-tail / 2))
    # The deviation and the mean are infinite where gamma is zero; omega and the location are not.
    omega = alpha * (delta / gamma**3) ** 0.5 / (np.exp(tail / 2) * np.cosh(asymmetry))
    mean = mu + delta * beta / gamma
    return NIG.free(mean - omega * np.tanh(asymmetry), np.log(omega), asymmetry, tail)


def _nig_by_scipy(scores: Floats) -> Floats:
    a, b, mu, delta = stats.norminvgauss.fit(scores)
    return np.array([mu, delta, ((a - b) * (a + b)) ** 0.5 / delta, b / delta])


STUDENT_T_FAMILY = Family(
    "Student-T",
    StudentT,
    StudentTCost,
    student_t_update,
    _student_t_start,
    _student_t_theta,
    _student_t_by_scipy,
)
NIG_FAMILY = Family("NIG", NIG, NIGCost, nig_update, _nig_start, _nig_theta, _nig_by_scipy)

CONTENDERS: dict[str, Callable[[Family, Floats], End]] = {
    "EM": em,
    "BFGS, squared": partial(bfgs, transform=SQUARED),
    "BFGS, exponentiated": partial(bfgs, transform=EXPONENTIATED),
    "Newton, squared, scipy": scipy_newton,
    "Newton, squared, no escape": partial(newton, escape=False),
    "Newton, squared, escape": partial(newton, escape=True),
    "llrcal, one start": llrcal_once,
    "llrcal": llrcal_fit,
}
