"""The linear methods where nothing but the last term tells right from wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.methods.linear import Linear
from tests.trial_sets import normal


def mean_log_density(scores: Floats, mean: float, variance: float) -> float:
    """Of a Gaussian, in nats."""
    logs = -0.5 * np.log(2 * np.pi * variance) - (scores - mean) ** 2 / (2 * variance)
    return float(logs.mean())


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.92])
def test_the_objective_of_linear_gaussian_is_the_weighted_likelihood(alpha: float) -> None:
    tar, non = normal(40, 3, 2), normal(500, -1, 0.5)
    fitted = llrcal.fit(tar, non, method="linear-gaussian", alpha=alpha)
    params = fitted.params
    tar_part = mean_log_density(tar, params["mean_tar"], params["variance"])
    non_part = mean_log_density(non, params["mean_non"], params["variance"])
    expected = -(alpha * tar_part + (1 - alpha) * non_part)
    assert fitted.report.objective == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_the_sign_of_a_zero_is_not_kept() -> None:
    """A model of equal scores of zero is the same file, whichever zero they are."""
    fitted = llrcal.fit([-0.0, -0.0], [-0.0], method="logistic")
    assert isinstance(fitted, Linear)
    assert math.copysign(1, fitted.origin) == 1


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.75])
def test_equal_scores_leave_the_entropy_of_the_weight(alpha: float) -> None:
    report = llrcal.fit([2.0, 2.0], [2.0], method="logistic", alpha=alpha).report
    expected = -alpha * math.log(alpha) - (1 - alpha) * math.log(1 - alpha)
    assert report.objective == pytest.approx(expected, rel=1e-14)
