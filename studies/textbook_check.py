"""A check of the contenders' tools: derivatives by finite differences, EM on easy scores."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats
from studies.contenders import CONTENDERS, NIG_FAMILY, STUDENT_T_FAMILY, Family
from studies.textbook import EXPONENTIATED, SQUARED, Free, Positive

POINTS = {
    "Student-T": [[0.1, 0.8, 3.0], [-2.0, 3.0, 0.3], [0.2, 1.0, 1e4]],
    "NIG": [[0.1, 0.8, 1.0, 0.3], [-0.4, 2.0, 3.0, -1.5], [0.0, 0.5, 1e-3, 0.2], [0.1, 30, 30, 5]],
}


def run() -> None:
    """Raise an error unless all is right."""
    rng = np.random.default_rng(5)
    scores = rng.standard_t(4, 500) + 0.3 * rng.exponential(size=500)
    for family in (STUDENT_T_FAMILY, NIG_FAMILY):
        for params in POINTS[family.name]:
            for transform in (SQUARED, EXPONENTIATED):
                _check_derivatives(family, np.array(params), scores, transform)
        short = (
            CONTENDERS["llrcal"](family, scores).loglik - CONTENDERS["EM"](family, scores).loglik
        )
        if not abs(short) < 1e-7:
            raise ArithmeticError(f"EM for the {family.name} ends {short:.1e} nats off the optimum")


def _check_derivatives(family: Family, params: Floats, scores: Floats, transform: Positive) -> None:
    function = Free(family.cost, scores, transform)
    theta = function.coordinates(params)
    here = function(theta)
    for i, move in enumerate(np.diag(1e-5 * np.maximum(np.abs(theta), 1e-2))):
        up, down = function(theta + move), function(theta - move)
        step = 2 * move[i]
        slope = (up.value - down.value) / step
        bend = (up.gradient - down.gradient) / step
        _compare(slope, here.gradient[i], np.abs(here.gradient).max())
        _compare(bend, here.hessian[i], np.abs(here.hessian).max())


def _compare(by_differences: Floats | float, analytic: Floats | float, size: float) -> None:
    error = float(np.abs(np.asarray(by_differences) - analytic).max())
    if not error < 1e-6 * size:
        raise ArithmeticError(f"a derivative is off by {error / size:.1e}")
