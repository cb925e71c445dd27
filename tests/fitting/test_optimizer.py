"""Trust-region Newton: known minima, bounds, domains, and escape from saddle points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from llrcal.arrays import Floats
from llrcal.densities.density import Evaluated
from llrcal.densities.nig import NIG
from llrcal.fitting.optimizer import Function, _step_in_ball, minimise


def quadratic(hessian: Floats, centre: Floats) -> Function:
    def function(x: Floats) -> Evaluated:
        d = x - centre
        return Evaluated(float(0.5 * d @ hessian @ d), hessian @ d, hessian)

    return function


def rosenbrock(x: Floats) -> Evaluated:
    a, b = x
    return Evaluated(
        float((1 - a) ** 2 + 100 * (b - a * a) ** 2),
        np.array([-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)]),
        np.array([[2 - 400 * (b - 3 * a * a), -400 * a], [-400 * a, 200.0]]),
    )


def double_well(x: Floats) -> Evaluated:
    """Minima at (+-1, 0), a saddle point at the origin."""
    a, b = x
    return Evaluated(
        float((a * a - 1) ** 2 + b * b),
        np.array([4 * a * (a * a - 1), 2 * b]),
        np.array([[12 * a * a - 4, 0.0], [0.0, 2.0]]),
    )


def test_rosenbrock() -> None:
    solution = minimise(rosenbrock, np.array([-1.2, 1.0]))
    assert solution.converged
    assert solution.positive_definite
    assert solution.point == pytest.approx([1, 1], abs=1e-12)
    assert solution.iterations < 40


@given(
    st.lists(st.floats(-2, 2), min_size=3, max_size=3),
    st.lists(st.floats(0.01, 100), min_size=3, max_size=3),
    st.integers(0, 1000),
)
@example(centre=[1.0761044450041817, 0, 0], curvature=[0.125] * 3, seed=0)  # ends beside a bound
def test_convex_quadratic_in_a_box(centre: list[float], curvature: list[float], seed: int) -> None:
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    hessian = rotation @ np.diag(curvature) @ rotation.T
    hessian = (hessian + hessian.T) / 2
    low, high = np.array([-1.0, -np.inf, 0.0]), np.array([1.0, 0.5, np.inf])
    solution = minimise(quadratic(hessian, np.array(centre)), np.zeros(3), lower=low, upper=high)
    assert solution.converged
    assert np.all((solution.point >= low) & (solution.point <= high))
    # Karush-Kuhn-Tucker: no gradient but into a bound.
    gradient = solution.gradient
    assert np.abs(gradient[~solution.held]).max(initial=0) <= 1e-10
    for i in solution.held.nonzero()[0]:
        at_low = solution.point[i] == low[i]
        assert gradient[i] > 0 if at_low else gradient[i] < 0


def test_domain_ends_without_notice() -> None:
    def barrier(x: Floats) -> Evaluated:
        if x[0] <= 0:
            return Evaluated(np.inf, np.zeros(1), np.zeros((1, 1)))
        return Evaluated(
            float(x[0] - np.log(x[0])), np.array([1 - 1 / x[0]]), np.array([[1 / x[0] ** 2]])
        )

    solution = minimise(barrier, np.array([50.0]))
    assert solution.converged
    assert solution.point[0] == pytest.approx(1, abs=1e-12)
    with pytest.raises(ValueError, match="start point"):
        minimise(barrier, np.array([-1.0]))


def test_a_flat_direction_is_no_obstacle() -> None:
    """A valley without curvature along its floor: any point of it will do."""
    solution = minimise(quadratic(np.diag([2.0, 0.0]), np.array([1.0, 0.0])), np.array([5.0, 3.0]))
    assert solution.converged
    assert solution.point[0] == pytest.approx(1)
    assert not solution.positive_definite


def test_unbounded_function_does_not_converge() -> None:
    solution = minimise(quadratic(-np.eye(2), np.zeros(2)), np.ones(2), max_iterations=30)
    assert not solution.converged
    assert "30 iterations" in solution.reason


def log_bowl(shape: Floats) -> Function:
    """log(1 + a bowl around ones), whose Hessian is not positive definite far from its centre."""

    def function(x: Floats) -> Evaluated:
        pull = shape @ (x - 1)
        inside = 1 + 0.5 * float((x - 1) @ pull)
        hessian = shape / inside - np.outer(pull, pull) / inside**2
        return Evaluated(float(np.log(inside)), pull / inside, hessian)

    return function


@pytest.mark.parametrize("size", [3, 30])
@pytest.mark.parametrize("far", [1.0, 10.0, 1e4])
def test_from_where_the_hessian_is_indefinite(size: int, far: float) -> None:
    half = np.random.default_rng(size).normal(size=(size, size))
    function = log_bowl(half @ half.T / size + np.eye(size))
    start = 1 + far * np.linspace(-1, 1, size)
    assert far < 2 or np.linalg.eigvalsh(function(start).hessian)[0] < 0
    found = minimise(function, start, tolerance=1e-6)
    assert found.converged
    assert found.positive_definite
    assert found.point == pytest.approx(np.ones(size), abs=1e-9)  # for the last digits


def test_a_wrong_gradient_is_no_convergence() -> None:
    """No step along it decreases the function."""
    right = quadratic(np.diag([4.0, 3.0, 2.0]), np.ones(3))

    def wrong(point: Floats) -> Evaluated:
        here = right(point)
        return Evaluated(here.value, -here.gradient, here.hessian)

    found = minimise(wrong, np.zeros(3))
    assert not found.converged
    assert found.point == pytest.approx(np.zeros(3), abs=1e-9)


@pytest.mark.parametrize(("away", "escaped"), [(0.0, 1), (3.0, 0)])
def test_saddle_is_left_along_negative_curvature(away: float, escaped: int) -> None:
    """From the saddle, or on the way to it: the gradient never has a component along it."""
    solution = minimise(double_well, np.array([0.0, away]))
    assert solution.converged
    assert solution.saddles_escaped == escaped
    assert np.abs(solution.point) == pytest.approx([1, 0], abs=1e-10)


def negative_nig(values: Floats) -> Function:
    weights = np.full(len(values), 1 / len(values))

    def function(theta: Floats) -> Evaluated:
        return -NIG.mean_loglik(theta, values, weights)

    return function


def test_squared_asymmetry_is_left() -> None:
    """The paper's situation: with a squared parameter, its zero is stationary for any data.

    On right-skewed scores the best symmetric density is then a saddle point.
    """
    plain = negative_nig((-np.log1p(-(np.arange(500) + 0.5) / 500)) ** 1.2)

    def squared(theta: Floats) -> Evaluated:
        root = theta[2]
        at = theta.copy()
        at[2] = root * root
        here = plain(at)
        chain = np.array([1, 1, 2 * root, 1])
        curved = here.hessian * np.outer(chain, chain)
        curved[2, 2] += 2 * here.gradient[2]
        return Evaluated(here.value, here.gradient * chain, curved)

    low, high = NIG.bounds(0.0)
    symmetric = [low * [1, 1, 0, 1], high * [1, 1, 0, 1]]
    start = minimise(plain, np.array([1.0, 0, 0, 0.5]), lower=symmetric[0], upper=symmetric[1])
    solution = minimise(squared, start.point, lower=low, upper=high)
    best = minimise(plain, np.array([0.5, 0, 1.0, 0.5]), lower=low, upper=high)
    assert solution.converged
    assert solution.saddles_escaped == 1
    assert solution.value == pytest.approx(best.value, abs=1e-10)


@pytest.mark.parametrize("dimension", [1, 2, 4, 12])
def test_a_step_is_the_best_in_its_ball(dimension: int) -> None:
    rng = np.random.default_rng(dimension)
    for _ in range(60):
        half = rng.normal(size=(dimension, dimension)) * 10 ** rng.uniform(-3, 3)
        gradient, hessian = rng.normal(size=dimension) * 10 ** rng.uniform(-3, 3), half + half.T
        radius = 10 ** rng.uniform(-3, 3)
        step = _step_in_ball(gradient, hessian, radius)
        assert np.linalg.norm(step) <= radius * (1 + 1e-8)
        others = rng.normal(size=(200, dimension))
        others *= radius * rng.random((200, 1)) / np.linalg.norm(others, axis=1)[:, None]
        others = np.concatenate([others, step + 1e-4 * others])
        others *= np.minimum(1, radius / np.linalg.norm(others, axis=1))[:, None]
        others = np.concatenate([[step], others])
        decreases = -(others @ gradient + 0.5 * ((others @ hessian) * others).sum(axis=1))
        assert decreases[0] >= decreases.max() - 1e-7 * np.abs(decreases).max()


def test_a_search_for_a_certain_gain_ends_earlier() -> None:
    start = np.array([-1.2, 1.0])
    rough, whole = minimise(rosenbrock, start, enough=1e-4), minimise(rosenbrock, start)
    assert rough.converged
    assert 0 < rough.value < 1e-3
    assert rough.iterations < whole.iterations
    # Where it would end in a saddle point, it goes on.
    well = minimise(double_well, np.array([1e-9, 0.5]), enough=1e-4)
    assert well.value == pytest.approx(0, abs=1e-3)
