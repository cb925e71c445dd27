"""Curves: which scores reach an LLR, to the last double; and lines, which go on and on."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import llrcal
from llrcal.arrays import LARGEST, Floats
from llrcal.calibrations import Interval
from llrcal.calibrations.curve import Curve
from llrcal.calibrations.pieces import Pieces
from llrcal.method_table import MethodName
from tests.trial_sets import normal

# Many of these sets are odd on purpose, and fits to them give warnings.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")


def random_curve(seed: int) -> Curve:
    """Pieces that rise, fall, are level, or begin with a step; in any unit, and mirrored or not."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 30))
    knots = np.cumsum(rng.choice([1e-9, 0.1, 1, 30], count + 1) * rng.random(count + 1))
    knots -= knots[count // 2]
    values = np.cumsum(rng.choice([-1, 0, 1], count + 1) * rng.choice([1e-15, 1, 5], count + 1))
    left, right = values[:-1], values[1:]
    right = np.where(rng.random(count) < 0.2, left, right)
    middle = left + (right - left) * rng.uniform(0.25, 0.75, count)
    pieces = Pieces(knots[:-1], knots[1:], left, middle, right, 0 * left)
    per_unit = float(rng.choice([-1, 1]) * 2.0 ** rng.choice([-40, -1, 0, 10, 300]))
    origin = float(rng.choice([0, 1e-3, -1e9]) / abs(per_unit))
    return Curve(knots, pieces.rows(), origin, per_unit)


def contained(intervals: tuple[Interval, ...], scores: Floats) -> Any:
    inside = np.zeros(len(scores), bool)
    for interval in intervals:
        inside |= (interval.low <= scores) & (scores <= interval.high)
    return inside


@given(seed=st.integers(0, 2**32 - 1))
def test_a_score_is_in_an_interval_exactly_if_its_llr_is_large_enough(seed: int) -> None:
    curve = random_curve(seed)
    at = curve.knots / curve.per_unit + curve.origin
    scores = [at, *(np.nextafter(at, side) for side in (-np.inf, np.inf))]
    scores += [np.linspace(at.min(), at.max(), 300), np.array([-np.inf, -1e300, 0, 1e300, np.inf])]
    every = np.concatenate(scores)
    llrs = curve(every)
    for llr in [0.0, 0.5, -math.inf, math.inf, *llrs[:: len(llrs) // 8].tolist()]:
        intervals = curve.regions(llr)
        assert all(before.high < after.low for before, after in pairwise(intervals))
        ends = np.array([(one.low, one.high) for one in intervals]).reshape(-1, 2)
        assert (curve(ends.ravel()) >= llr).all()
        for side, sign in zip(ends.T, (-np.inf, np.inf), strict=True):
            outside = np.nextafter(side[np.isfinite(side)], sign)
            assert (curve(outside) < llr).all()
            every = np.concatenate([every, outside])
        np.testing.assert_array_equal(contained(intervals, every), curve(every) >= llr)
    low, high = curve.extremes(float(at.min()), float(at.max()))
    inside = (at.min() <= every) & (every <= at.max())
    assert low <= curve(every[inside]).min() + 1e-12
    assert high >= curve(every[inside]).max() - 1e-12


def fitted(method: MethodName, **options: Any) -> llrcal.Calibration:
    """A plain formula, which may fall: it is what has several intervals."""
    options = {"bounds": "none", "rising": False, **options}
    return llrcal.fit(normal(150, 1.5, 2.0), normal(400, -1.5, 0.8), method=method, **options)


@pytest.mark.parametrize("method", ["logistic", "linear-gaussian"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_line_is_crossed_once_and_ends_with_doubles(method: MethodName, sign: int) -> None:
    """Lines that fall accept what is low."""
    tar, non = sign * normal(150, 1.5, 2.0), sign * normal(400, -1.5, 0.8)
    calibration = llrcal.fit(tar, non, method=method, bounds="none", rising=False)
    (interval,) = calibration.regions(1.25)
    slope, offset = (calibration.params[name] for name in ("slope", "offset"))
    ends = [(1.25 - offset) / slope, sign * math.inf][::sign]
    assert (interval.low, interval.high) == pytest.approx(ends, rel=1e-13)
    scores = np.array([-1e308, -1e9, 0.1, 1e9, 1e308])
    np.testing.assert_allclose(calibration(scores), slope * scores + offset, rtol=1e-13)
    lowest, highest = calibration([-math.inf, math.inf]) * sign
    assert -LARGEST <= lowest < -LARGEST / 2
    assert LARGEST / 2 < highest <= LARGEST


@pytest.mark.parametrize("slope", [5e-324, 1e-300, 1.0, 1.99, 1e300, LARGEST])
@pytest.mark.parametrize("height", [0.0, -1e300, LARGEST])
def test_no_score_is_beyond_a_line(slope: float, height: float) -> None:
    for sign in (1, -1):
        line = Curve.line(sign * slope, height, 0.5)
        llrs = line(np.array([-math.inf, -LARGEST, -1e9, 0.5, 1e9, LARGEST, math.inf]))
        assert np.isfinite(llrs).all()
        assert llrs[3] == height
        assert (sign * np.diff(llrs) >= 0).all()


def test_two_gaussians_are_a_parabola() -> None:
    calibration = fitted("gaussian")
    (m1, v1), (m2, v2) = (side.values() for side in calibration.params.values())
    square = [1 / v2 - 1 / v1, 2 * (m1 / v1 - m2 / v2), m2**2 / v2 - m1**2 / v1 - math.log(v1 / v2)]
    for llr in (0.0, 2.0, 50.0):
        low, high = sorted(np.roots([*square[:2], square[2] - 2 * llr]).real)
        left, right = calibration.regions(llr)
        assert (left.high, right.low) == pytest.approx((low, high), rel=1e-12)
        assert left.low < -1e60
        assert right.high > 1e60


def test_an_llr_that_nobody_reaches_and_one_that_all_do() -> None:
    for method in llrcal.METHODS:
        calibration = fitted(method, bounds="counts")
        low, high = calibration.llr_range
        for llr in (math.nextafter(high, math.inf), math.inf):
            assert calibration.regions(llr) == ()
        for llr in (low, -math.inf):
            assert calibration.regions(llr) == (Interval(-math.inf, math.inf),)


def test_zero_has_no_sign() -> None:
    calibration = llrcal.fit([0.0, 1.0], [-1.0, -2.0], method="pav")
    (interval,) = calibration.regions(0.1)
    assert math.copysign(1, interval.low) == 1
    assert interval.low == 0


def test_an_interval_holds_its_ends() -> None:
    interval = Interval(-1.0, math.inf)
    assert -1.0 in interval
    assert math.inf in interval
    assert math.nextafter(-1.0, -2.0) not in interval
