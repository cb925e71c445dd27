"""Weights by prior-weighted logistic regression, with a Gaussian prior found by evidence.

The weights w of the terms, and the height of the LLR where all terms are zero, minimise

    n (alpha/T sum_tar log(1 + e^-x) + (1 - alpha)/N sum_non log(1 + e^x)) + sum_g |w_g|²/(2 v_g),

where x = LLR + logit alpha, and n = 2/(alpha/T + (1 - alpha)/N) is how many trials those of both
classes are worth together: then the inverse curvature is roughly the covariance of the weights, if
trials are independent. Weights have a Gaussian prior, whose variance v is the one that makes
the trials most likely, by Laplace's approximation (MacKay, *Neural Computation* 4, 1992). Classes
that are separable say no more than that it is large, so that its root has a prior itself: a
half-Cauchy of scale 1.25, which is what Gelman et al. (*Annals of Applied Statistics* 2, 2008) give
the weights of standardised columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from llrcal.arrays import Floats
from llrcal.fitting.damped_newton import NearlyConvex, minimise
from llrcal.fitting.optimizer import Solution
from llrcal.fusion.terms import Known, Terms

_WIDE = 1.25**2  # the square of the scale of the half-Cauchy
_LEAST, _GREATEST = np.log(1e-6), np.log(1e6)  # of log variances
_NEAR = 0.03  # how exact a log variance has to be
_DECREMENT = 1e-6  # of the squared distance to the minimum, in deviations of the posterior
_ENOUGH = 100_000  # trials that settle the variances, and where the search on all of them begins


@dataclass(frozen=True)
class Cost:
    """The criterion without the prior, over trials that are visited in chunks."""

    terms: Terms
    tar: Known
    non: Known
    alpha: float

    @property
    def worth(self) -> float:
        return worth(self.alpha, len(self.tar), len(self.non))

    def sides(self) -> Iterator[tuple[Known, float, float]]:
        """Both classes, with the sign of the LLR in their costs, and the weight of a trial."""
        yield self.tar, -1.0, self.worth * self.alpha / len(self.tar)
        yield self.non, 1.0, self.worth * (1 - self.alpha) / len(self.non)

    def __call__(self, weights: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian."""
        size = len(weights)
        value, gradient, hessian = 0.0, np.zeros(size), np.zeros((size, size))
        for side, sign, weight in self.sides():
            for rows in self._chunks(side):
                x = sign * (weights @ rows + log_odds(self.alpha))
                small = np.exp(-np.abs(x))
                p = np.where(x >= 0, 1.0, small) / (1 + small)
                value += weight * float((np.maximum(x, 0) + np.log1p(small)).sum())
                gradient += (weight * sign) * (rows @ p)
                hessian += weight * (rows * (p * (1 - p))) @ rows.T
        return value, gradient, hessian

    def pulls(self, weights: Floats) -> Iterator[Floats]:
        """What each trial adds to the gradient, one column for each; one array for each class."""
        for side, sign, weight in self.sides():
            rows = np.concatenate(list(self._chunks(side)), axis=1)
            yield (weight * sign) * rows * expit(sign * (weights @ rows + log_odds(self.alpha)))

    def thinned(self) -> Cost:
        """The same criterion on trials in even steps, if there are more than enough."""
        tar, non = (
            side.part(slice(None, None, max(2 * len(side) // _ENOUGH, 1)))
            for side in (self.tar, self.non)
        )
        return Cost(self.terms, tar, non, self.alpha)

    def _chunks(self, side: Known) -> Iterator[Floats]:
        size = self.terms.chunk
        for start in range(0, len(side), size):
            yield self.terms.rows(side.part(slice(start, start + size)), inside=True)


@dataclass(frozen=True)
class Regression:
    """Weights, the height as the last of them, and how they were found."""

    solution: Solution
    variances: tuple[float, ...]
    """Of the prior of each group of weights."""

    @property
    def weights(self) -> Floats:
        return self.solution.point


def worth(alpha: float, tar_count: int, non_count: int) -> float:
    """How many trials those of both classes are worth together."""
    return 2 / (alpha / tar_count + (1 - alpha) / non_count)


def log_odds(alpha: float) -> float:
    """The logit of the weight of the targets."""
    return float(np.log(alpha) - np.log1p(-alpha))


def regression(cost: Cost) -> Regression:
    """The weights, and the variances of their prior."""
    thinned, groups = cost.thinned(), cost.terms.groups
    log_variances = np.full(len(groups), np.log(_WIDE))
    found = _minimum(thinned, np.zeros(cost.terms.count + 1), log_variances)

    for _ in range(len(groups)):  # each given the others, once more if there are others
        for number in range(len(groups)):

            def evidence(log_variance: float, number: int = number) -> float:
                nonlocal found
                log_variances[number] = log_variance
                found = _minimum(thinned, found.point, log_variances)
                return -_log_evidence(found, groups, log_variances)

            bounds = (_LEAST, _GREATEST)
            best = minimize_scalar(
                evidence, bounds=bounds, method="bounded", options={"xatol": _NEAR}
            )
            log_variances[number] = best.x
    # Each step on many trials takes a pass over all of them, and starts from where a sample ended.
    few = len(thinned.tar) + len(thinned.non) == len(cost.tar) + len(cost.non)
    solution = _minimum(cost, found.point, log_variances, polish=few)
    return Regression(solution, tuple(np.exp(log_variances).tolist()))


def _log_evidence(found: Solution, groups: tuple[slice, ...], log_variances: Floats) -> float:
    """The log evidence of variances by Laplace's approximation, and their own prior."""
    sizes = np.array([group.stop - group.start for group in groups])
    weights = float((sizes * log_variances).sum())
    half_cauchy = log_variances / 2 - np.log1p(np.exp(log_variances) / _WIDE)
    return float(
        half_cauchy.sum() - found.value - weights / 2 - np.linalg.slogdet(found.hessian)[1] / 2
    )


def _minimum(cost: Cost, start: Floats, log_variances: Floats, *, polish: bool = True) -> Solution:
    prior = np.zeros(len(start))  # the height has none
    for group, log_variance in zip(cost.terms.groups, log_variances, strict=True):
        prior[group] = np.exp(-log_variance)

    def penalised(weights: Floats) -> NearlyConvex:
        value, gradient, hessian = cost(weights)
        value += 0.5 * float((prior * weights * weights).sum())
        curvature = hessian + np.diag(prior)
        return NearlyConvex(value, gradient + prior * weights, curvature, np.zeros_like(hessian))

    return minimise(penalised, start, tolerance=_DECREMENT, polish=polish)
