"""Rising splines, against numerical integration of their slope."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from llrcal.arrays import Floats
from llrcal.fitting.rising_spline import REACH, Knots, RisingSpline

AT = np.array([-2.0, -1.5, 0.0, 0.25, 3.0])
SLOPES = np.array([0.3, 2.0, 0.1, 0.1, 5.0])
FIRST = -4.0
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


def test_the_spline_is_the_integral_of_its_slope() -> None:
    spline = RisingSpline(Knots(AT), FIRST, SLOPES)
    expected = [FIRST + integral(score) for score in ASKED]
    np.testing.assert_allclose(spline(ASKED), expected, rtol=1e-10)
    np.testing.assert_allclose(spline(ASKED), FIRST + Knots(AT).basis(ASKED) @ SLOPES, rtol=1e-13)
    np.testing.assert_allclose(spline.at_knots, spline(AT), rtol=1e-15)


def test_far_away_growth_is_logarithmic() -> None:
    spline = RisingSpline(Knots(AT), FIRST, SLOPES)
    reach = REACH * 5.0
    away = 10.0 ** np.arange(0, 300, 7)
    expected = FIRST + integral(3.0) + 5.0 * reach * np.log1p(away / reach)
    np.testing.assert_allclose(spline(3.0 + away), expected, rtol=1e-10)
    below = FIRST - 0.3 * reach * np.log1p(away / reach)
    np.testing.assert_allclose(spline(-2.0 - away), below, rtol=1e-10)
    assert spline(np.array([-np.inf, np.inf])).tolist() == [-np.inf, np.inf]


def test_far_away_it_does_not_fall_either() -> None:
    """Two roundings of logarithms that were added up fell once in a hundred thousand steps."""
    knots = Knots(np.array([0.0, 1.85]))
    rng = np.random.default_rng(0)
    for _ in range(20):
        away = np.exp(rng.uniform(-20, 20, 100_000))
        assert (knots.beyond(np.nextafter(away, np.inf)) >= knots.beyond(away)).all()


@pytest.mark.parametrize("unit", [2.0**-1000, 1e-200, 1e-30, 1e30, 1e200, 2.0**1000])
def test_the_unit_does_not_matter(unit: float) -> None:
    spline = RisingSpline(Knots(AT), FIRST, SLOPES)
    scaled = RisingSpline(Knots(AT * unit), FIRST, SLOPES / unit)
    asked = ASKED[np.abs(ASKED) < 50]
    np.testing.assert_allclose(scaled(asked * unit), spline(asked), rtol=1e-13, atol=1e-13)


def test_slopes_of_zero_are_flat_up_to_infinity() -> None:
    """As a model file may have them."""
    spline = RisingSpline(Knots(np.array([0.0, 1.0])), 0.5, np.zeros(2))
    assert spline(np.array([-np.inf, 0.3, 1e300, np.inf])).tolist() == [0.5] * 4


def test_a_single_knot_is_a_constant() -> None:
    spline = RisingSpline(Knots(np.array([2.0])), 0.5, np.array([0.0]))
    assert spline(np.array([-np.inf, 1.0, 2.0, 1e300])).tolist() == [0.5] * 4


def test_single_precision_is_widened() -> None:
    spline = RisingSpline(Knots(AT), FIRST, SLOPES)
    single = ASKED.astype(np.float32)
    assert spline(single).tobytes() == spline(single.astype(np.float64)).tobytes()


LOG_SLOPES = st.lists(st.floats(-30, 30), min_size=2, max_size=5)


@given(
    log_slopes=LOG_SLOPES,
    gaps=st.lists(st.floats(1e-3, 1e3), min_size=5, max_size=5),
    origin=st.sampled_from([0.0, -1e6, 1e9]),
    first=st.floats(-1e3, 1e3),
    asked=st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=20),
)
def test_it_never_falls_from_a_double_to_the_next(
    log_slopes: list[float], gaps: list[float], origin: float, first: float, asked: list[float]
) -> None:
    at = origin + np.cumsum(gaps)[: len(log_slopes)]
    spline = RisingSpline(Knots(at), first, np.exp(log_slopes))
    places = np.concatenate([at[0] + np.ptp(at) * np.array(asked), at])
    steps = [places]
    for side in (-np.inf, np.inf):
        here = places
        for _ in range(20):
            here = np.nextafter(here, side)
            steps.append(here)
    scores = np.unique(np.concatenate(steps))
    assert (np.diff(spline(scores)) >= 0).all()
