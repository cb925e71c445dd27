"""Intervals of scores that reach an LLR: each score is in one exactly if its LLR does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator
from scipy.optimize import minimize_scalar

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations import Bounds, Calibration, Interval
from llrcal.calibrations.methods.densities import Generative, NIGCalibration, StudentTCalibration
from llrcal.calibrations.methods.gaussian import GaussianCalibration, LinearGaussian
from llrcal.calibrations.methods.logistic import Logistic
from llrcal.calibrations.methods.pav import PAV
from llrcal.densities.gaussian import Gaussian
from llrcal.densities.nig import NIG, least_tail
from llrcal.densities.student_t import StudentT
from llrcal.fitting.report import Report
from tests.trial_sets import ANY, Sets, normal

# Many of these sets are odd on purpose, and fits to them give warnings.
pytestmark = [pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning"), pytest.mark.slow]

POLICIES = ("range", "counts", "none")

# ------------------------------------------------------------------------- random models


class Draw:
    """Random models around an origin, in a unit; some of them far from zero."""

    def __init__(self, seed: int) -> None:
        self.rng: Generator = np.random.default_rng(seed)
        self.unit = 10.0 ** int(self.rng.choice([0, 0, -3, 9]))
        self.origin = self.unit * float(self.rng.choice([0, 0, 1e3, -1e9]))

    def one_of(self, *values: float) -> float:
        return float(self.rng.choice(values))

    def number(self, *scales: float) -> float:
        return float(self.rng.normal()) * self.one_of(*scales)

    def common(self) -> dict[str, Any]:
        low, high = np.sort(self.origin + self.unit * self.rng.normal(size=2) * self.one_of(3, 30))
        return {
            "tar_count": int(self.rng.integers(1, 10_000)),
            "non_count": int(self.rng.integers(1, 100_000)),
            "report": Report.closed_form(0.0),
            "bounds": Bounds(POLICIES[self.rng.integers(3)], float(low), float(high)),
            "lower_is_better": bool(self.rng.random() < 0.3),
        }

    def density(self) -> tuple[float, float, float, float]:
        """Origin, log-likelihood, location and scale."""
        origin = self.origin + self.unit * self.one_of(0, 0, -2, 3)
        scale = 10 ** self.rng.uniform(-1, 1) * self.one_of(1, 1, 1, 1e-3)
        return origin, 0.0, self.unit * self.number(0.1, 1, 5, 50), float(self.unit * scale)

    def gaussian(self) -> Calibration:
        tar, non = (Gaussian(*self.density()) for _ in range(2))
        if self.rng.random() < 0.3:  # parabolas that are lines, or nearly so
            non = replace(non, scale=tar.scale * self.one_of(1, 1 + 1e-15, 1 + 1e-8, 1 - 1e-4))
        return GaussianCalibration(tar=tar, non=non, **self.common())

    def student_t(self) -> Calibration:
        def inverse_dof() -> float:
            return self.one_of(0, 1e-320, 1e-15, 1e-6, 0.01, 0.1, 0.5, 1, 2, 10)

        tar, non = (StudentT(*self.density(), inverse_dof()) for _ in range(2))
        if self.rng.random() < 0.3:
            non = replace(non, inverse_dof=tar.inverse_dof)
        return StudentTCalibration(tar=tar, non=non, **self.common())

    def nig(self) -> Calibration:
        def density() -> NIG:
            asymmetry = self.one_of(0, 0.1, -0.5, 1, -2, 3)
            tail = self.one_of(0, 0, 1e-3, 0.05, 0.5, 1.5, 5, 20, 45.9)
            return NIG(*self.density(), asymmetry, max(tail, least_tail(asymmetry)))

        return NIGCalibration(tar=density(), non=density(), **self.common())

    def line(self) -> dict[str, Any]:
        slope = self.one_of(0, 1, -1, 1e-300, self.number(10)) / self.unit
        return {"alpha": 0.5, "origin": self.origin, "slope": slope, "height": self.number(3)}

    def logistic(self) -> Calibration:
        return Logistic(**self.line(), **self.common())

    def linear_gaussian(self) -> Calibration:
        line = {**self.line(), "mean_tar": 1.0, "mean_non": 0.0, "variance": 1.0}
        return LinearGaussian(**line, **self.common())

    def pav(self) -> Calibration:
        steps = int(self.rng.integers(1, 30))
        knots = np.unique(self.origin + 3 * self.unit * self.rng.normal(size=steps))
        llrs = np.sort(3 * self.rng.normal(size=len(knots)))
        return PAV(scores=tuple(knots.tolist()), llrs=tuple(llrs.tolist()), **self.common())

    def scores(self, calibration: Calibration) -> Floats:
        """Scores near and far, and where the LLR turns."""
        far = self.unit * 10.0 ** self.rng.uniform(0, 75, 100)
        near = [np.linspace(-60, 60, 1501), 10 * self.rng.normal(size=500)]
        scores = self.origin + np.concatenate([*(self.unit * n for n in near), far, -far])
        ends = [-math.inf, -1e308, 0.0, -0.0, 5e-324, 1e308, math.inf]
        scores = np.concatenate([scores, ends])
        turned = turns(calibration)
        return np.concatenate(
            [-scores if calibration.lower_is_better else scores, turned[:: len(turned) // 100 + 1]]
        )


MODELS: dict[str, Callable[[Draw], Calibration]] = {
    "linear-gaussian": Draw.linear_gaussian,
    "logistic": Draw.logistic,
    "pav": Draw.pav,
    "gaussian": Draw.gaussian,
    "student-t": Draw.student_t,
    "nig": Draw.nig,
}


def turns(calibration: Calibration) -> Floats:
    places = calibration.curve._ends_of_pieces
    return places[np.isfinite(places)]


def contained(intervals: tuple[Interval, ...], scores: Floats) -> Any:
    inside = np.zeros(len(scores), bool)
    for interval in intervals:
        inside |= (interval.low <= scores) & (scores <= interval.high)
    return inside


def assert_kept(calibration: Calibration, llr: float, scores: Floats) -> tuple[Interval, ...]:
    """Assert all that is promised of the intervals, at many scores."""
    intervals = calibration.regions(llr)
    assert all(interval.low <= interval.high for interval in intervals)
    assert all(before.high < after.low for before, after in pairwise(intervals))
    lows, highs = np.array([(i.low, i.high) for i in intervals]).reshape(-1, 2).T
    # Each end is accepted; its neighbour outside is not.
    assert (calibration(np.concatenate([lows, highs])) >= llr).all()
    lows, highs = lows[np.isfinite(lows)], highs[np.isfinite(highs)]
    outside = [np.nextafter(lows, -np.inf), np.nextafter(highs, np.inf)]
    assert (calibration(np.concatenate(outside)) < llr).all()
    # And so for every score.
    steps = np.concatenate([lows, highs])[:, None] * (1 + 2.0 ** -np.arange(4, 53, 4))
    scores = np.concatenate([scores, lows, highs, *outside, steps.ravel()])
    np.testing.assert_array_equal(contained(intervals, scores), calibration(scores) >= llr)
    return intervals


@pytest.mark.parametrize("method", MODELS)
@pytest.mark.parametrize("seed", range(25))
def test_a_score_is_in_an_interval_exactly_if_its_llr_is_large_enough(
    method: str, seed: int
) -> None:
    draw = Draw(seed)
    calibration = MODELS[method](draw)
    scores = draw.scores(calibration)
    got = calibration(scores)
    thresholds = [0.0, draw.number(3), draw.number(30), -math.inf, math.inf]
    thresholds += [*calibration.supported_llrs, *draw.rng.choice(got, 3).tolist()]
    thresholds += [float(np.nextafter(got.max(), np.inf)), float(np.nextafter(got.min(), -np.inf))]
    thresholds += calibration(turns(calibration)[:3]).tolist()
    for llr in thresholds:
        assert_kept(calibration, llr, scores)


def test_the_random_models_are_of_all_kinds() -> None:
    """Some are accepted nowhere, some everywhere, some in three pieces."""
    for method in ("gaussian", "student-t", "nig"):
        pieces, policies = set(), set()
        for seed in range(12):
            calibration = MODELS[method](Draw(seed))
            policies.add(calibration.bounds.policy)
            middle = sum(calibration.llr_range) / 2
            pieces |= {len(calibration.regions(llr)) for llr in (-1.0, 1.0, middle)}
        assert policies == set(POLICIES)
        assert {0, 1, 2} <= pieces


# ----------------------------------------------------------------------------- closed forms


@given(sets=ANY, extra=st.floats(-5, 5))
def test_pav_by_its_steps(sets: Sets, extra: float) -> None:
    calibration = llrcal.fit(*sets, method="pav")
    assert isinstance(calibration, PAV)
    for llr in (*calibration.llrs, extra):
        first = next(
            (k for k, v in zip(calibration.scores, calibration.llrs, strict=True) if v >= llr), None
        )
        if first is None:
            assert calibration.regions(llr) == ()
        elif first == calibration.scores[0]:
            assert calibration.regions(llr) == (Interval(-math.inf, math.inf),)
        else:
            assert calibration.regions(llr) == (Interval(first, math.inf),)


@cache
def fitted(method: str, **options: Any) -> Calibration:
    """A plain formula, which may fall: it is what has several intervals."""
    options = {"bounds": "range", "rising": False, **options}
    return llrcal.fit(normal(150, 1.5, 2.0), normal(400, -1.5, 0.8), method=method, **options)


def test_a_line_is_crossed_once() -> None:
    for method in ("logistic", "linear-gaussian"):
        calibration = fitted(method)
        (interval,) = calibration.regions(1.25)
        expected = (1.25 - calibration.params["offset"]) / calibration.params["slope"]
        assert interval.low == pytest.approx(expected, rel=1e-13)
        assert interval.high == math.inf


def test_a_falling_line_accepts_what_is_low() -> None:
    options: dict[str, Any] = {"method": "logistic", "bounds": "none", "rising": False}
    calibration = llrcal.fit([0.0, 1.0, 2.0], [1.5, 3.0, 4.0], **options)
    (interval,) = calibration.regions(0.5)
    expected = (0.5 - calibration.params["offset"]) / calibration.params["slope"]
    assert interval == Interval(-math.inf, interval.high)
    assert interval.high == pytest.approx(expected, rel=1e-13)


def test_two_gaussians_are_a_parabola() -> None:
    calibration = fitted("gaussian", bounds="none")
    (m1, v1), (m2, v2) = (side.values() for side in calibration.params.values())
    square = [1 / v2 - 1 / v1, 2 * (m1 / v1 - m2 / v2), m2**2 / v2 - m1**2 / v1 - math.log(v1 / v2)]
    for llr in (0.0, 2.0, 50.0):
        low, high = sorted(np.roots([*square[:2], square[2] - 2 * llr]).real)
        left, right = calibration.regions(llr)
        assert (left.high, right.low) == pytest.approx((low, high), rel=1e-12)
        assert left.low < -1e60
        assert right.high > 1e60


def test_what_bends_back_is_cut_at_the_training_scores() -> None:
    calibration = fitted("gaussian")
    low, high = calibration.training_range
    (right,) = calibration.regions(2.0)
    assert low < right.low < high
    assert right.high == math.inf
    llr = float(calibration(low))
    left, right = calibration.regions(llr)
    assert left == Interval(-math.inf, left.high)
    assert low <= left.high < right.low < high


@pytest.mark.parametrize("method", ["student-t", "nig"])
def test_three_turns_make_two_intervals_and_what_lies_beyond(method: str) -> None:
    """A narrow peak on heavy tails: high far out, low at the shoulders, high in the middle."""
    rng = np.random.default_rng(1)
    tar = np.concatenate([rng.normal(0, 0.3, 400), rng.standard_t(1.2, 600)])
    options: dict[str, Any] = {"method": method, "bounds": "range", "rising": False}
    calibration: llrcal.Calibration = llrcal.fit(tar, rng.normal(0.5, 2, 3000), **options)
    scores = np.linspace(*calibration.training_range, 2_000_001)
    llr = 0.1
    accepted = calibration(scores) >= llr
    crossings = scores[1:][accepted[1:] != accepted[:-1]]
    ends = [e for i in calibration.regions(llr) for e in (i.low, i.high) if math.isfinite(e)]
    assert len(ends) == 4
    assert ends == pytest.approx(crossings, abs=2 * (scores[1] - scores[0]))


def extremes(calibration: Generative, low: float, high: float) -> list[tuple[float, float]]:
    """Scores and LLRs of the turns between two scores, each found by golden sections."""
    grid = np.linspace(low, high, 4001)
    llrs = calibration.log_ratio(grid)
    turned = np.flatnonzero(np.diff(np.sign(np.diff(llrs)))) + 1
    found = []
    for i in turned:
        sign = 1 if llrs[i] < llrs[i - 1] else -1
        best = minimize_scalar(
            lambda x, sign=sign: sign * float(calibration.log_ratio(np.array([x]))[0]),
            bounds=(grid[i - 1], grid[i + 1]),
            method="bounded",
            options={"xatol": 1e-12},
        )
        found.append((float(best.x), sign * float(best.fun)))
    return found


@pytest.mark.parametrize("method", ["gaussian", "student-t", "nig"])
def test_an_llr_just_short_of_an_extreme_is_found(method: str) -> None:
    """Where the crossings lie so close together that only the turn between them tells of them."""
    seen = 0
    for seed in range(30):
        draw = Draw(seed)
        draw.origin, draw.unit = 0.0, 1.0
        drawn = MODELS[method](draw)
        calibration = replace(drawn, bounds=Bounds("none"), lower_is_better=False)
        assert isinstance(calibration, Generative)
        for score, llr in extremes(calibration, -40, 40):
            margin = 1e-8 * max(1, abs(llr))
            within = [
                any(score in interval for interval in calibration.regions(llr + side * margin))
                for side in (-1, 1)
            ]
            assert within == [True, False]
            seen += 1
    assert seen > 10


@pytest.mark.parametrize("method", ["gaussian", "student-t", "nig"])
def test_far_from_zero_a_turn_is_among_few_doubles(method: str) -> None:
    """At 1e9, with a scale of 1e-3, an extreme is not a double: its neighbours are all there is."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        tar = 1e9 + 1e-3 * rng.standard_t(4, 300) * 2
        non = 1e9 + 1e-3 * rng.normal(0.3, 1, 2000)
        calibration = llrcal.fit(tar, non, method=method, rising=False)
        turn = min(turns(calibration)[1:-1], key=lambda score: float(calibration(score)))
        near = turn + np.spacing(turn) * np.arange(-300, 301)
        llrs = calibration(near)
        for llr in np.unique(llrs)[:20]:
            inside = contained(calibration.regions(float(llr)), near)
            np.testing.assert_array_equal(inside, llrs >= llr)


# -------------------------------------------------------------------------------- the rest


def test_distances_are_accepted_below_the_threshold() -> None:
    tar, non = normal(150, 1.5, 1.2), normal(400, 6, 1.0)
    for method in llrcal.METHODS:
        calibration = llrcal.fit(tar, non, method=method, lower_is_better=True)
        mirrored = llrcal.fit(-tar, -non, method=method).regions(1.5)
        expected = tuple(Interval(-i.high, -i.low) for i in reversed(mirrored))
        assert calibration.regions(1.5) == expected
        assert calibration.regions(1.5)[0].low == -math.inf


def test_an_llr_that_nobody_reaches_and_one_that_all_do() -> None:
    for method in llrcal.METHODS:
        calibration = fitted(method, bounds="counts")
        low, high = calibration.llr_range
        assert calibration.regions(math.nextafter(high, math.inf)) == ()
        assert calibration.regions(math.inf) == ()
        assert calibration.regions(low) == (Interval(-math.inf, math.inf),)
        assert calibration.regions(-math.inf) == (Interval(-math.inf, math.inf),)


def test_equal_scores() -> None:
    flat = llrcal.fit([1.0, 1.0], [1.0], method="logistic")
    assert flat.regions(0.0) == (Interval(-math.inf, math.inf),)
    assert flat.regions(1e-300) == ()


def test_zero_has_no_sign() -> None:
    calibration = llrcal.fit([0.0, 1.0], [-1.0, -2.0], method="pav")
    (interval,) = calibration.regions(0.1)
    assert math.copysign(1, interval.low) == 1
    assert interval.low == 0


def test_no_number() -> None:
    with pytest.raises(llrcal.OptionError, match="nan"):
        fitted("logistic").regions(math.nan)


def test_an_interval_holds_its_ends() -> None:
    interval = Interval(-1.0, math.inf)
    assert -1.0 in interval
    assert math.inf in interval
    assert math.nextafter(-1.0, -2.0) not in interval
    assert np.float64(0.5) in interval
