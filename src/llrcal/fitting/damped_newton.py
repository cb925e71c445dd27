"""Newton's method with a line search, for many coordinates and a nearly convex function.

The trust-region method in :mod:`llrcal.fitting.optimizer` decomposes the Hessian into eigenvectors,
which is worth it for the few coordinates of a density whose likelihood has saddle points. A
penalised regression has dozens of coordinates, and its Hessian is the sum of a positive-definite
matrix and a small correction. Where the sum is not positive definite, the former alone gives the
step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from llrcal.arrays import Floats, weighted_sum
from llrcal.fitting.optimizer import Solution

_DECREASE = 1e-4  # least actual / predicted decrease for a step to be taken
_ROUNDING = 32 * np.finfo(float).eps  # relative error of a function value
_MOST_HALVINGS = 60
_POLISHING_STEPS = 3


@dataclass(frozen=True)
class NearlyConvex:
    """Value and gradient at a point, and the Hessian as the sum of two parts.

    ``convex`` is positive definite; ``correction`` is not.
    """

    value: float
    gradient: Floats
    convex: Floats
    correction: Floats

    @property
    def hessian(self) -> Floats:
        return self.convex + self.correction

    def newton_step(self) -> Floats:
        try:
            factor = cho_factor(self.hessian)
        except np.linalg.LinAlgError:
            factor = cho_factor(self.convex)
        return np.asarray(-cho_solve(factor, self.gradient))


Function = Callable[[Floats], NearlyConvex]


def minimise(
    function: Function,
    start: Floats,
    *,
    tolerance: float,
    max_iterations: int = 200,
    polish: bool = True,
) -> Solution:
    """Minimise a function whose value is infinite outside its domain.

    Parameters
    ----------
    function
        Gives value, gradient and both parts of the Hessian at a point.
    start
        A point at which the function is finite.
    tolerance
        The decrease that a Newton step still promises at which a point counts as the minimum.
    max_iterations
        Steps to take.
    polish
        Whether to take a few steps more, for the last digits.
    """
    point, here = start, function(start)
    converged, reason, iterations = False, f"no convergence in {max_iterations} iterations", 0
    while iterations < max_iterations:
        step = here.newton_step()
        promised = -weighted_sum(here.gradient, step)
        if promised <= tolerance:
            converged, reason = True, "gradient below tolerance"
            break
        iterations += 1
        there = _along(function, point, here, step)
        if there is None:
            converged = bool(promised <= _ROUNDING * abs(here.value))
            reason = "step below the resolution of doubles"
            break
        point, here = there
    if polish:
        point, here = _polished(function, point, here)
    return Solution(
        point=point,
        value=here.value,
        gradient=here.gradient,
        hessian=here.hessian,
        converged=converged,
        reason=reason,
        iterations=iterations,
        saddles_escaped=0,
        active=(),
    )


def _along(
    function: Function, point: Floats, here: NearlyConvex, step: Floats
) -> tuple[Floats, NearlyConvex] | None:
    """The first of ever shorter steps that decreases the function enough; None if none does."""
    promised = -weighted_sum(here.gradient, step)
    noise = _ROUNDING * abs(here.value)
    for halvings in range(_MOST_HALVINGS):
        share = 0.5**halvings
        candidate = point + share * step
        there = function(candidate)
        if there.value <= here.value - _DECREASE * share * promised + noise:
            return candidate, there
    return None


def _polished(function: Function, point: Floats, here: NearlyConvex) -> tuple[Floats, NearlyConvex]:
    """Further steps as long as each halves the gradient: the last digits are cheap."""
    for _ in range(_POLISHING_STEPS):
        candidate = point + here.newton_step()
        there = function(candidate)
        if not 2 * np.abs(there.gradient).max() < np.abs(here.gradient).max():
            break
        point, here = candidate, there
    return point, here
