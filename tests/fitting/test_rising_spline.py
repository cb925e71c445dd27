"""Rising splines, against numerical integration of their slope."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from llrcal.arrays import Floats
from llrcal.fitting.rising_spline import REACH, Knots

AT = np.array([-2.0, -1.5, 0.0, 0.25, 3.0])
SLOPES = np.array([0.3, 2.0, 0.1, 0.1, 5.0])
ASKED = np.array([-200.0, -7.5, -2.0, -1.75, -1.5, -0.4, 0.0, 0.2, 0.25, 1.0, 3.0, 3.5, 30.0, 1e4])


def slope(score: float, at: Floats = AT, slopes: Floats = SLOPES) -> float:
    """By the words of the module: straight lines, and 1 / (1 + d / r) beyond."""
    reach = REACH * (at[-1] - at[0])
    distance = max(at[0] - score, score - at[-1], 0.0)
    return float(np.interp(score, at, slopes)) / (1 + distance / reach)


def integral(score: float, slopes: Floats = SLOPES) -> float:
    """Of the slope, from the first knot on, in pieces without kinks."""
    low, high = sorted((AT[0], score))
    edges = [low, *AT[(low < AT) & (high > AT)], high]
    edges = sorted({*edges, *(AT[-1] + 10.0**k for k in range(5) if AT[-1] + 10.0**k < high)})
    total = math.fsum(
        quad(slope, start, end, args=(AT, slopes), epsabs=0, epsrel=1e-12)[0]
        for start, end in pairwise(edges)
    )
    return total if score >= AT[0] else -total


def test_the_basis_is_the_integral_of_each_slope() -> None:
    basis = Knots(AT).basis(ASKED)
    assert basis.shape == (len(ASKED), len(AT))
    for k in range(len(AT)):
        expected = [integral(score, np.eye(len(AT))[k]) for score in ASKED]
        np.testing.assert_allclose(basis[:, k], expected, rtol=1e-10, atol=1e-12)


def test_the_spline_is_the_sum_of_its_basis() -> None:
    rises = Knots(AT).rises(SLOPES, ASKED)
    np.testing.assert_allclose(rises, Knots(AT).basis(ASKED) @ SLOPES, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("unit", [2.0**-1000, 1e-200, 1e-30, 1e30, 1e200, 2.0**1000])
def test_the_unit_does_not_matter(unit: float) -> None:
    asked = ASKED[np.abs(ASKED) < 50]
    scaled = Knots(AT * unit).rises(SLOPES / unit, asked * unit)
    np.testing.assert_allclose(scaled, Knots(AT).rises(SLOPES, asked), rtol=1e-13, atol=1e-13)


def test_a_single_knot_is_a_constant() -> None:
    asked = np.array([1.0, 2.0, 1e300])
    assert Knots(np.array([2.0])).rises(np.array([0.0]), asked).tolist() == [0.0] * 3
