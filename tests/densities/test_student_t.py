"""The Student-T and the Gaussian density against their textbook form, to 120 digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal.densities.gaussian import Gaussian
from llrcal.densities.student_t import StudentT
from tests.densities import jets

pytestmark = pytest.mark.slow

ONE = np.ones(1)


def test_the_gaussian() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        theta = np.array([rng.normal(), rng.uniform(-2, 2)])
        x = theta[0] + rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 5)
        jet = jets.gaussian(x, theta)
        jets.check(Gaussian, theta, x, jet)
        density = Gaussian.from_coordinates(theta, origin=0.0, unit=1.0)
        assert density.logpdf(np.array(x)) == pytest.approx(float(jet.value), rel=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_value_gradient_and_hessian(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(100):
        lam = 10 ** rng.uniform(-16, 1) if rng.random() < 0.5 else rng.uniform(0, 0.3)
        theta = np.array([rng.normal(), rng.uniform(-1, 1), lam])
        x = theta[0] + rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 6)
        jet = jets.student_t(x, theta)
        jets.check(StudentT, theta, x, jet)
        density = StudentT.from_coordinates(theta, origin=0.0, unit=1.0)
        assert density.logpdf(np.array(x)) == pytest.approx(float(jet.value), rel=1e-13, abs=1e-13)


def test_gaussian_limit_is_exact() -> None:
    y = np.linspace(-5, 5, 21)
    for i, at in enumerate(y):
        got = StudentT.mean_loglik(np.zeros(3), y[i : i + 1], ONE)
        assert got.value == pytest.approx(-0.5 * at**2 - 0.5 * np.log(2 * np.pi), rel=1e-15)
        # The score of 1/dof at the Gaussian.
        assert got.gradient[2] == pytest.approx((at**4 - 2 * at**2 - 1) / 4, rel=1e-13, abs=1e-13)
    assert StudentT(0.0, 0.0, 0.0, 1.0, 0.0).params["dof"] == np.inf


def test_limits_are_told() -> None:
    tie_share = 0.4
    floor = StudentT.bounds(tie_share)[1][2]
    for inverse_dof, words in ((0.0, ["Gaussian limit"]), (0.5, []), (floor, ["its floor"])):
        notes = StudentT.limits(np.array([0.0, 0.0, inverse_dof]), tie_share)
        assert len(notes) == len(words)
        assert all(word in note.text for word, note in zip(words, notes, strict=True))


@given(st.floats(0, 10), st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=5))
def test_log_density_is_finite_everywhere(lam: float, xs: list[float]) -> None:
    assert np.isfinite(StudentT(1.0, 0.0, 0.0, 0.5, lam).logpdf(np.array(xs))).all()
