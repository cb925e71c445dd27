"""The best likelihood that searches other than llrcal's can find: the judge of all fitters.

Climbs from random points by the L-BFGS-B of scipy, on the formulas of :mod:`studies.textbook`:
first on a few hundred of the scores, then from the best end on all of them. Where textbook
parameters are infinite, no climb arrives; these edges have likelihoods of their own, which are
simple enough for a scan.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.optimize import minimize, minimize_scalar

from llrcal.arrays import Floats
from llrcal.densities.density import HALF_LOG_TWO_PI
from studies.contenders import Family
from studies.textbook import EXPONENTIATED, Free

_FEW = 300  # scores for the first climbs
_POOL = 24  # random points
_BEST, _LUCKY = 3, 2  # climbs from the best of them, and from any
_FIRST, _LAST = 120, 80  # iterations of a climb, on few scores and on all
_FURTHEST = 60.0  # largest logarithm of a positive parameter, from its start
_NONE = 1e10  # cost of parameters without a likelihood
_LEVELS = 61  # of the scan along the edge


def best_elsewhere(family: Family, scores: Floats, *, least_dof: float, rng: Generator) -> float:
    """Mean log-likelihood of the best member of a family; T densities above a least dof."""
    found = [gaussian(scores)]
    if family.name == "NIG":
        found += [inverse_gaussian(scores), inverse_gaussian(-scores)]
    few = _thinned(scores)
    with np.errstate(all="ignore"):
        pool = [_random_point(family, few, least_dof, rng) for _ in range(_POOL)]
        pool.sort(key=lambda params: _finite(family.cost(params, few).value))
        lucky = [pool[i] for i in rng.choice(np.arange(_BEST, _POOL), _LUCKY, replace=False)]
        climbs = [
            _Hill(family, few, start, least_dof).climbed(_FIRST)
            for start in (*pool[:_BEST], *lucky)
        ]
        _, start = max(climbs, key=lambda climb: climb[0])
        found.append(_Hill(family, scores, start, least_dof).climbed(_LAST)[0])
    return max(value for value in found if np.isfinite(value))


def _thinned(scores: Floats) -> Floats:
    """Scores at even ranks, the extremes among them."""
    ranks = np.linspace(0, scores.size - 1, min(_FEW, scores.size)).round().astype(int)
    return np.asarray(np.sort(scores)[ranks])


def gaussian(scores: Floats) -> float:
    """Mean log-likelihood of the best Gaussian."""
    return float(-HALF_LOG_TWO_PI - 0.5 - np.log(scores.std()))


def inverse_gaussian(scores: Floats) -> float:
    """Mean log-likelihood of the best shifted inverse Gaussian, the NIG of kappa = 0.

    Given where the support begins, the other two parameters have closed forms (Folks and Chhikara,
    Journal of the Royal Statistical Society B 1978), so one search along a line is all.
    """
    least, wide = float(scores.min()), float(np.ptp(scores))
    deviations = scores - scores.mean()

    def cost(log_gap: float) -> float:
        y = (scores - least) + np.exp(log_gap) * wide
        mean = float(y.mean())
        inverse_shape = float((deviations * deviations / y).mean()) / mean**2
        log_density = -0.5 * np.log(inverse_shape) - 1.5 * np.log(y).mean() - 0.5
        return HALF_LOG_TWO_PI - float(log_density)

    gaps = np.linspace(-16, 16, _LEVELS)
    at = int(np.argmin([cost(gap) for gap in gaps]))
    step = gaps[1] - gaps[0]
    found = minimize_scalar(
        cost, bounds=(gaps[at] - step, gaps[at] + step), method="bounded", options={"xatol": 1e-9}
    )
    return -float(found.fun)


def _random_point(family: Family, scores: Floats, least_dof: float, rng: Generator) -> Floats:
    """Textbook parameters: a peak on some score, as wide as the way to some share of the others."""
    mu = float(rng.choice(scores))
    distances = np.abs(scores - mu)
    distances = distances[distances > 0]
    wide = float(np.quantile(distances, rng.uniform(0, 1)))
    if family.name == "NIG":
        gamma = 10 ** rng.uniform(-2, 1.5) / wide
        return np.array([mu, wide, gamma, gamma * np.sinh(rng.normal())])
    return np.array([mu, wide, least_dof * 10 ** rng.uniform(0, 3)])


def _finite(value: float) -> float:
    return value if np.isfinite(value) else _NONE


class _Hill:
    """The likelihood in exponentiated parameters, in units of the width of a start point."""

    def __init__(self, family: Family, scores: Floats, start: Floats, least_dof: float) -> None:
        mu, wide = float(start[0]), float(start[1])
        self.shift = np.zeros_like(start)
        self.shift[0] = mu
        self.unit = np.array([wide, wide, *([1.0] if len(start) == 3 else [1 / wide] * 2)])
        self.function = Free(family.cost, (scores - mu) / wide, EXPONENTIATED)
        self.start = self.function.coordinates((start - self.shift) / self.unit)
        at = self.function.at
        self.low, self.high = np.full(len(start), -np.inf), np.full(len(start), np.inf)
        self.low[at], self.high[at] = self.start[at] - _FURTHEST, self.start[at] + _FURTHEST
        if len(start) == 3:
            self.low[2] = np.log(least_dof)

    def climbed(self, iterations: int) -> tuple[float, Floats]:
        """Log-likelihood and parameters where the gradient leads."""

        def cost(theta: Floats) -> tuple[float, Floats]:
            here = self.function(theta)
            good = np.isfinite(here.value) and np.isfinite(here.gradient).all()
            return (here.value, here.gradient) if good else (_NONE, np.zeros_like(theta))

        found = minimize(
            cost,
            self.start,
            jac=True,
            method="L-BFGS-B",
            bounds=list(zip(self.low, self.high, strict=True)),
            options={"maxcor": 20, "maxiter": iterations, "ftol": 1e-15, "gtol": 1e-9},
        )
        return self._end(found.x)

    def _end(self, theta: Floats) -> tuple[float, Floats]:
        value = self.function(theta).value
        return float(-value - np.log(self.unit[0])), self.function.params(
            theta
        ) * self.unit + self.shift
