"""The cost of labels: how many trials it is worth, and that other rules include the logarithm."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.fitting.logistic import LineCost, effective_sample_size, log_odds
from llrcal.scoring_rule import Rule


def true_size(apart: float, alpha: float, tar: float, non: float) -> float:
    """How many trials make the curvature the inverse variance of the slope, for Gaussian LLRs."""
    x = np.linspace(-60, 60, 20_001)
    densities = (np.exp(-0.5 * (x / apart - sign * apart / 2) ** 2) for sign in (1, -1))
    f_tar, f_non = (one / one.sum() for one in densities)
    p = 1 / (1 + np.exp(-x - log_odds(alpha)))
    rows = np.array([x, np.ones_like(x)])

    def moments(weights: Floats) -> Floats:
        return np.asarray((rows * weights) @ rows.T)

    inverse = np.linalg.inv(moments(p * (1 - p) * (alpha * f_tar + (1 - alpha) * f_non)))
    variance = np.zeros((2, 2))
    for f, pull, weight, count in ((f_tar, 1 - p, alpha, tar), (f_non, p, 1 - alpha, non)):
        mean = rows @ (f * pull)
        variance += weight**2 / count * (moments(f * pull**2) - np.outer(mean, mean))
    return float(inverse[0, 0] / (inverse @ variance @ inverse)[0, 0])


@pytest.mark.parametrize("apart", [1.0, 2.0, 4.0, 6.0])
@pytest.mark.parametrize(("tar", "non"), [(1000, 1000), (100, 1000), (1000, 100)])
@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.5, 0.9])
def test_the_effective_sample_size(apart: float, tar: int, non: int, alpha: float) -> None:
    size, true = effective_sample_size(alpha, tar, non), true_size(apart, alpha, tar, non)
    assert size < 1.04 * true  # never too sure
    if apart >= 4:
        assert size > 0.75 * true
    kish = 1 / (alpha**2 / tar + (1 - alpha) ** 2 / non)
    assert abs(np.log(size / true)) <= abs(np.log(kish / true)) + 1e-9


def test_at_the_share_of_the_targets_it_is_their_number() -> None:
    assert effective_sample_size(0.2, 40, 160) == pytest.approx(200)
    assert true_size(3.0, 0.2, 40, 160) == pytest.approx(200, rel=1e-6)


@pytest.mark.parametrize("rule", ["log", "brier"])
def test_derivatives_are_those_of_the_value(rule: Rule) -> None:
    tar, non = np.array([-0.4, 1.0, 2.5]), np.array([-3.0, -1.2, 0.3, 0.9])
    sides = (tar, np.full(3, 1 / 3)), (non, np.full(4, 1 / 4))
    cost = LineCost(*sides, 0.3, 0.7, rule)
    point = np.array([0.8, -0.3])
    for i, step in enumerate(1e-5 * np.eye(2)):
        below, above = cost(point - step), cost(point + step)
        slopes = (above.value - below.value) / 2e-5, (above.gradient - below.gradient) / 2e-5
        np.testing.assert_allclose(cost(point).gradient[i], slopes[0], rtol=1e-7)
        np.testing.assert_allclose(cost(point).hessian[i], slopes[1], rtol=1e-7)
