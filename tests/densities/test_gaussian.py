"""The Gaussian density against its textbook form."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal.densities.gaussian import Gaussian
from tests.densities import jets


def test_value_gradient_and_hessian() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        theta = np.array([rng.normal(), rng.uniform(-2, 2)])
        x = theta[0] + rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 5)
        jet = jets.gaussian(x, theta)
        got = Gaussian.mean_loglik(theta, np.array([x]), np.ones(1))
        assert max(jets.largest_errors(got, jet)) < 1e-13
        density = Gaussian.from_coordinates(theta, origin=0.0, unit=1.0)
        assert density.logpdf(np.array(x)) == pytest.approx(float(jet.value), rel=1e-14)
