"""The NIG density against its textbook form, to 120 digits, over the whole domain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal.arrays import Floats
from llrcal.densities.nig import NIG, least_tail
from tests.densities import jets
from tests.examples import NIGHTLY

ONE = np.ones(1)
MOST_ASYMMETRY, MOST_LOG1P_C = NIG.bounds(0.0)[1][2:]


def sign_and_size(rng: np.random.Generator, least: float, most: float) -> float:
    """A number of either sign, with a logarithm in a range of decades."""
    return float(rng.choice([-1, 1]) * 10 ** rng.uniform(least, most))


def point_within_bounds(rng: np.random.Generator) -> tuple[Floats, float]:
    """Anywhere within the bounds, and on them."""
    v = rng.choice(
        [
            rng.normal(),
            rng.normal() * 1e-6,
            rng.uniform(-MOST_ASYMMETRY, MOST_ASYMMETRY),
            MOST_ASYMMETRY,
            -MOST_ASYMMETRY,
        ]
    )
    log1p_c = MOST_LOG1P_C if rng.random() < 0.1 else np.log1p(10 ** rng.uniform(-20, 19.9))
    theta = np.array([rng.normal(), rng.uniform(-1, 1), v, log1p_c])
    return theta, float(theta[0]) + sign_and_size(rng, -3, 5)


BATCHES = pytest.mark.parametrize("seed", range(12 if NIGHTLY else 3))


@pytest.mark.slow
@BATCHES
def test_value_gradient_and_hessian(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        theta, x = point_within_bounds(rng)
        jets.check(NIG, theta, x, jets.nig(x, theta))


@pytest.mark.parametrize("v", [0.0, 0.1, -0.5, 3.0, -MOST_ASYMMETRY])
def test_the_edge_is_an_ordinary_point(v: float) -> None:
    """With c = 0: the Gaussian, inverse Gaussians, and Levy's density, up to the end of each."""
    theta = np.array([0.0, 0.0, v, 0.0])
    for u in (0.03, 0.5, 1.0, 2.0, 300.0):
        x = (u - 1) / (np.tanh(v) or 1.0)
        # The textbook has no formula for the edge itself.
        jets.check(NIG, theta, x, jets.nig(x, np.array([0.0, 0.0, v, 1e-20])))


@pytest.mark.parametrize(("v", "k"), [(0.0, 0.5), (1.5, 1e-3), (-0.7, 3.0), (12.0, 1e-6)])
def test_coordinates_there_and_back(v: float, k: float) -> None:
    theta = NIG.free(0.3, np.log(0.8), v, k)
    density = NIG.from_coordinates(theta, origin=5.0, unit=2.0)
    found = (density.origin, density.location, density.scale, density.asymmetry, density.tail)
    assert found == pytest.approx((5.0, 0.6, 1.6, v, k), rel=1e-14)
    assert density.coordinates(5.0, 2.0) == pytest.approx(theta, rel=1e-13)


@pytest.mark.parametrize(
    ("v", "log1p_c", "words"),
    [
        (0.5, 0.5, []),
        (0.5, 0.0, ["edge kappa = 0"]),
        (-0.5, 1e-12, ["edge kappa = 0"]),
        (0.5, MOST_LOG1P_C, ["heavy as Cauchy's"]),
        (-MOST_ASYMMETRY, 30.0, ["|beta| is alpha", "edge kappa = 0"]),
        (MOST_ASYMMETRY, MOST_LOG1P_C, ["|beta| is alpha", "heavy as Cauchy's"]),
    ],
)
def test_limits_are_told(v: float, log1p_c: float, words: list[str]) -> None:
    notes = NIG.limits(np.array([0.0, 0.0, v, log1p_c]), 0.0)
    assert len(notes) == len(words)
    assert all(word in note.text for word, note in zip(words, notes, strict=True))


def test_a_fit_at_the_edge_is_lifted_off_it() -> None:
    for v in (0.0, 0.5, -3.0, 12.0):
        density = NIG.from_coordinates(np.array([0.0, 0.0, v, 0.0]), origin=0.0, unit=1.0)
        assert density.tail == least_tail(v)
        assert density.params["alpha"] > abs(density.params["beta"])


@pytest.mark.slow
@BATCHES
def test_log_density(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(40):
        tail = np.log1p(10 ** rng.uniform(-14, 10))
        fields = [rng.normal(), np.exp(rng.uniform(-1, 1)), rng.normal(), tail]
        x = fields[0] + sign_and_size(rng, -3, 5)
        location, w, v, k = jets.Jet.variables(fields)
        exact = float(jets.nig_by_fields(x, location, w, v, jets.exp(k) + (-1)).value)
        got = NIG(0.0, 0.0, *fields).logpdf(np.array(x))
        assert got == pytest.approx(exact, rel=1e-13, abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_params_describe_the_same_density(seed: int) -> None:
    rng = np.random.default_rng(200 + seed)
    theta = np.array([rng.normal(), rng.uniform(-1, 1), rng.normal() / 2, rng.exponential()])
    density = NIG.from_coordinates(theta, origin=0.5, unit=2.0)
    mu, delta, alpha, beta = jets.Jet.variables(list(density.params.values()))
    gamma = jets.sqrt(alpha * alpha - beta * beta)
    for x in rng.normal(size=10) * 5:
        exact = jets.nig_textbook(x, mu, delta, alpha, beta, gamma).value
        assert density.logpdf(x) == pytest.approx(float(exact), rel=1e-11, abs=1e-11)


def test_outside_the_support_of_the_edge_the_likelihood_is_zero() -> None:
    theta = np.array([0.0, 0.0, 0.5, 0.0])
    edge = -1 / np.tanh(0.5)  # where u = 1 + z tanh v is zero
    inside = NIG.mean_loglik(theta, np.array([edge + 1e-3]), ONE)
    with np.errstate(all="ignore"):
        outside = NIG.mean_loglik(theta, np.array([edge - 1e-3]), ONE)
    assert np.isfinite(inside.value)
    assert not np.isfinite(outside.value)


@given(
    st.floats(-3, 3),
    st.floats(0, 5),
    st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=5),
)
def test_log_density_is_finite_everywhere(v: float, k: float, xs: list[float]) -> None:
    density = NIG.from_coordinates(np.array([0.0, 0.0, v, k]), origin=1.0, unit=0.5)
    assert np.isfinite(density.logpdf(np.array(xs))).all()


@given(st.floats(-3, 3), st.floats(0, 10), st.floats(-50, 50))
def test_mirror_image(v: float, k: float, x: float) -> None:
    theta = np.array([0.25, 0.1, v, k])
    mirrored = theta * [-1, 1, -1, 1]
    here, there = (
        NIG.from_coordinates(point, origin=0.0, unit=1.0).logpdf(np.array(at))
        for point, at in ((theta, x), (mirrored, -x))
    )
    assert here == there
