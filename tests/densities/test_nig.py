"""The NIG density against its textbook form, to 120 digits, over the whole domain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal.arrays import Floats
from llrcal.densities.nig import NIG, mean_loglik_by_moments
from tests.densities import jets

ONE = np.ones(1)


def domain(rng: np.random.Generator) -> tuple[float, float, float]:
    """y, eta and kappa: far tails, near-Gaussian, near |beta| = alpha, Cauchy-like."""
    y = rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 5)
    eta = rng.choice([-1, 1]) * (
        10 ** rng.uniform(-8, 0) if rng.random() < 0.5 else rng.uniform(0, 50)
    )
    return float(y), float(eta), float(10 ** rng.uniform(-14, 10))


BATCHES = [(0, 20), *(pytest.param(seed, 100, marks=pytest.mark.slow) for seed in range(1, 11))]


@pytest.mark.parametrize(("seed", "count"), BATCHES)
def test_value_gradient_and_hessian_in_moment_coordinates(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        y, eta, kappa = domain(rng)
        got = mean_loglik_by_moments(np.array([y]), np.array([1 + eta * y]), 1.0, eta, kappa, ONE)
        jet = jets.nig_by_moments(y, *jets.Jet.variables([0.0, 0.0, eta, kappa]))
        value, gradient, hessian = jets.largest_errors(got, jet)
        assert value < 1e-13, (y, eta, kappa)
        assert gradient < 1e-12, (y, eta, kappa)
        assert hessian < 1e-10, (y, eta, kappa)


@pytest.mark.parametrize(("seed", "count"), BATCHES[:4])
def test_value_gradient_and_hessian_in_free_coordinates(seed: int, count: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(count):
        theta = np.array(
            [rng.normal(), rng.uniform(-1, 1), rng.normal(), np.log1p(10 ** rng.uniform(-14, 10))]
        )
        x = theta[0] + rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 5)
        jet = jets.nig(x, theta)
        value, gradient, hessian = jets.largest_errors(
            NIG.mean_loglik(theta, np.array([x]), ONE), jet
        )
        assert value < 1e-13, (theta, x)
        assert gradient < 1e-12, (theta, x)
        assert hessian < 1e-10, (theta, x)
        density = NIG.from_coordinates(theta, origin=0.0, unit=1.0, loglik=0.0)
        assert density.logpdf(np.array(x)) == pytest.approx(float(jet.value), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_params_describe_the_same_density(seed: int) -> None:
    rng = np.random.default_rng(200 + seed)
    theta = np.array([rng.normal(), rng.uniform(-1, 1), rng.normal() / 2, rng.exponential()])
    density = NIG.from_coordinates(theta, origin=0.5, unit=2.0, loglik=0.0)
    mu, delta, alpha, beta = jets.Jet.variables(list(density.params.values()))
    gamma = jets.sqrt(alpha * alpha - beta * beta)
    for x in rng.normal(size=10) * 5:
        exact = jets.nig_textbook(x, mu, delta, alpha, beta, gamma).value
        assert density.logpdf(x) == pytest.approx(float(exact), rel=1e-11, abs=1e-11)


def test_gaussian_is_an_ordinary_point() -> None:
    x = np.linspace(-8, 8, 33)
    got = NIG.mean_loglik(np.zeros(4), x, np.full(33, 1 / 33))
    assert got.value == pytest.approx(np.mean(-0.5 * x**2) - 0.5 * np.log(2 * np.pi), rel=1e-15)
    # Score of kappa at the Gaussian: E[y^4/8 - 3 y^2/4 + 3/8].
    expected = np.mean(x**4 / 8 - 0.75 * x**2 + 0.375 + 0.5 * (x**2 - 1))
    assert got.gradient[3] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("zeta", [1e2, 1e4, 1e8, 1e12, 1e16])
def test_symmetric_density_near_the_gaussian(zeta: float) -> None:
    # alpha = delta = sqrt(zeta), beta = 0: unit variance, kappa = 1 / zeta.
    density = NIG(0.0, 0.0, 0.0, float(np.exp(-0.5 * np.log1p(1 / zeta))), 0.0, np.log1p(1 / zeta))
    jet = jets.nig_by_moments(1.5, *jets.Jet.variables([0.0, 0.0, 0.0, 1 / zeta]))
    assert density.logpdf(np.array(1.5)) == pytest.approx(float(jet.value), abs=1e-15)


def test_outside_the_support_of_the_edge_the_likelihood_is_zero() -> None:
    theta = np.array([0.0, 0.0, 0.5, 0.0])
    edge = -1 / np.tanh(0.5) * 1.0 + np.tanh(0.5)  # m - s / eta
    inside = NIG.mean_loglik(theta, np.array([edge + 1e-3]), ONE)
    outside = NIG.mean_loglik(theta, np.array([edge - 1e-3]), ONE)
    assert np.isfinite(inside.value)
    assert outside.value == -np.inf


@given(
    st.floats(-3, 3),
    st.floats(0, 5),
    st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=5),
)
def test_log_density_is_finite_everywhere(v: float, k: float, xs: list[float]) -> None:
    theta = NIG.interior(np.array([0.0, 0.0, v, k]))
    density = NIG.from_coordinates(theta, origin=1.0, unit=0.5, loglik=0.0)
    assert np.isfinite(density.logpdf(np.array(xs))).all()


@given(st.floats(-3, 3), st.floats(0, 10), st.floats(-50, 50))
def test_mirror_image(v: float, k: float, x: float) -> None:
    theta = NIG.interior(np.array([0.25, 0.1, v, k]))
    mirrored = theta * [-1, 1, -1, 1]
    here, there = (
        NIG.from_coordinates(point, origin=0.0, unit=1.0, loglik=0.0).logpdf(np.array(at))
        for point, at in ((theta, x), (mirrored, -x))
    )
    assert here == there


def integral(density: NIG, grid: Floats) -> float:
    return float(np.trapezoid(np.exp(density.logpdf(grid)), grid))


def test_integrates_to_one() -> None:
    density = NIG.from_coordinates(np.array([0.3, 0.2, 0.8, 0.6]), origin=0.0, unit=1.0, loglik=0.0)
    assert integral(density, np.linspace(-60, 200, 2_000_001)) == pytest.approx(1, abs=1e-9)
