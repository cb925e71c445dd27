"""Newton's method on functions whose minimum is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimise

from llrcal.arrays import Floats
from llrcal.fitting.damped_newton import NearlyConvex, minimise

SHAPE = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 2.0]])
CENTRE = np.array([1.0, -2.0, 0.5])


def bowl(point: Floats) -> NearlyConvex:
    away = point - CENTRE
    gradient = SHAPE @ away
    return NearlyConvex(0.5 * float(away @ gradient) + 7, gradient, SHAPE, np.zeros((3, 3)))


def log_bowl(point: Floats) -> NearlyConvex:
    """log(1 + bowl), whose Hessian is not positive definite far from the centre."""
    away = point - CENTRE
    pull = SHAPE @ away
    inside = 1 + 0.5 * float(away @ pull)
    correction = -np.outer(pull, pull) / inside**2
    return NearlyConvex(float(np.log(inside)), pull / inside, SHAPE / inside, correction)


def with_an_edge(point: Floats) -> NearlyConvex:
    """x - log x, which ends at zero."""
    if point[0] <= 0:
        nothing = np.full((1, 1), np.nan)
        return NearlyConvex(np.inf, nothing[0], nothing, nothing)
    x = float(point[0])
    hessian = np.array([[1 / x**2]])
    return NearlyConvex(x - np.log(x), np.array([1 - 1 / x]), hessian, 0 * hessian)


def test_a_parabola_takes_one_step() -> None:
    found = minimise(bowl, np.zeros(3), tolerance=1e-12)
    assert (found.converged, found.iterations) == (True, 1)
    np.testing.assert_allclose(found.point, CENTRE, rtol=1e-14)
    np.testing.assert_array_equal(found.hessian, SHAPE)
    assert found.value == 7


@pytest.mark.parametrize("far", [1.0, 10.0, 1e4])
def test_where_the_hessian_is_not_positive_the_convex_part_leads(far: float) -> None:
    start = CENTRE + far
    assert far < 2 or np.linalg.eigvalsh(log_bowl(start).hessian)[0] < 0
    found = minimise(log_bowl, start, tolerance=1e-12)
    assert found.converged
    np.testing.assert_allclose(found.point, CENTRE, atol=1e-8)
    assert np.linalg.eigvalsh(found.hessian)[0] > 0


@pytest.mark.parametrize("start", [1e-6, 0.5, 50.0])
def test_steps_beyond_the_edge_are_cut(start: float) -> None:
    found = minimise(with_an_edge, np.array([start]), tolerance=1e-12)
    assert found.converged
    assert found.point[0] == pytest.approx(1, abs=1e-9)


def test_the_last_digits() -> None:
    """Polishing goes on where the promise is already below the tolerance."""
    found = minimise(with_an_edge, np.array([0.7]), tolerance=1e-3)
    assert found.point[0] == pytest.approx(1, abs=1e-12)


def test_no_convergence_is_said() -> None:
    found = minimise(with_an_edge, np.array([1e-6]), tolerance=1e-12, max_iterations=2)
    assert not found.converged
    assert found.reason == "no convergence in 2 iterations"
    assert found.iterations == 2


def test_a_wrong_gradient_is_no_convergence() -> None:
    """No step along it decreases the function."""

    def wrong(point: Floats) -> NearlyConvex:
        right = bowl(point)
        return NearlyConvex(right.value, -right.gradient, right.convex, right.correction)

    found = minimise(wrong, np.zeros(3), tolerance=1e-12)
    assert not found.converged
    assert found.point == pytest.approx(np.zeros(3), abs=1e-9)


def test_it_agrees_with_scipy() -> None:
    def function(point: Floats) -> NearlyConvex:
        """A sum of log-cosh of mixed coordinates, and a parabola."""
        x = SHAPE @ point - CENTRE
        curve = SHAPE.T @ np.diag(np.cosh(x) ** -2) @ SHAPE + 0.1 * np.eye(3)
        value = float(np.log(np.cosh(x)).sum() + 0.05 * point @ point)
        return NearlyConvex(value, SHAPE.T @ np.tanh(x) + 0.1 * point, curve, np.zeros((3, 3)))

    found = minimise(function, np.full(3, 5.0), tolerance=1e-12)

    def value(point: Any) -> Any:
        return function(point).value

    reference = scipy_minimise(value, np.zeros(3), method="BFGS", tol=1e-9)
    assert found.converged
    np.testing.assert_allclose(found.point, reference.x, atol=1e-6)
    assert np.abs(found.gradient).max() < 1e-13
