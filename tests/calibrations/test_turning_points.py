"""Where functions turn, found from their values alone."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.calibrations.turning_points import TOLERANCE, turning_points


def inner(points: Floats, low: float, high: float) -> list[float]:
    return [point for point in points.tolist() if low < point < high]


def test_a_sine_turns_at_every_quarter() -> None:
    found = inner(turning_points(np.sin, np.array([0.0, 50.0])), 0, 50)
    assert found == pytest.approx([(k + 0.5) * math.pi for k in range(16)], abs=1e-5)
    assert np.abs(np.sin(found)) == pytest.approx(np.ones(16), abs=TOLERANCE)


@pytest.mark.parametrize("function", [np.exp, np.arctan, np.cbrt, np.zeros_like, lambda x: -3 * x])
def test_what_never_turns_has_no_turning_point(function: object) -> None:
    assert inner(turning_points(function, np.array([-9.0, 9.0])), -9, 9) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("place", [0.0, 0.123456789, -7.7])
def test_the_width_of_a_valley_does_not_matter(width: float, place: float) -> None:
    """Log densities are seen from afar, however narrow they are."""

    def valley(x: Floats) -> Floats:
        return np.asarray(np.log(((x - place) / width) ** 2 + 1))

    (found,) = inner(turning_points(valley, np.array([-10.0, 0.0, 10.0])), -10, 10)
    assert found == pytest.approx(place, abs=1e-4 * width)


def test_a_kink_is_a_turn() -> None:
    (found,) = inner(turning_points(lambda x: np.abs(x - 0.1234), np.array([-5.0, 5.0])), -5, 5)
    assert found == pytest.approx(0.1234, abs=1e-9)


def test_ups_and_downs_below_the_tolerance_are_none() -> None:
    def waves(height: float) -> list[float]:
        def function(x: Floats) -> Floats:
            return np.asarray(0.5 + height * np.sin(40 * x))

        return inner(turning_points(function, np.array([-1.0, 1.0])), -1, 1)

    assert waves(0.1 * TOLERANCE) == []
    assert len(waves(100 * TOLERANCE)) == 26


def test_between_the_points_a_function_is_monotone() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        coefficients = rng.normal(size=8)

        def function(x: Floats, c: Floats = coefficients) -> Floats:
            return np.asarray(np.polynomial.chebyshev.chebval(x, c))

        edges = np.array([-1.0, 1.0])
        points = np.union1d(edges, turning_points(function, edges))
        for low, high in pairwise(points):
            steps = np.diff(function(np.linspace(low, high, 501)))
            assert (steps > -1e-9).all() or (steps < 1e-9).all()
