"""The two linear methods: closed form, optimality, separable classes, weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.methods.linear import Linear
from llrcal.calibrations.methods.logistic import SEPARABLE
from llrcal.method_table import MethodName
from tests.notes import codes
from tests.trial_sets import normal

# Many of these sets are odd on purpose, and fits to them give warnings.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

finite = st.floats(-100, 100).map(lambda x: round(x, 3))
scores = st.lists(finite, min_size=2, max_size=30)


def criterion(slope: float, offset: float, tar: Floats, non: Floats, alpha: float) -> float:
    """The weighted logistic-regression criterion of the paper."""
    shift = offset + np.log(alpha / (1 - alpha))
    tar_cost = np.logaddexp(0, -(slope * tar + shift)).mean()
    non_cost = np.logaddexp(0, slope * non + shift).mean()
    return float(alpha * tar_cost + (1 - alpha) * non_cost)


@given(scores, scores, st.floats(0.01, 0.99))
def test_linear_gaussian_is_the_closed_form(
    tars: list[float], nons: list[float], alpha: float
) -> None:
    tar, non = np.array(tars), np.array(nons)
    assume(np.ptp(tar) + np.ptp(non) > 0)
    got = llrcal.fit(tar, non, method="linear-gaussian", alpha=alpha).params
    v = alpha * tar.var() + (1 - alpha) * non.var()
    slope = (tar.mean() - non.mean()) / v
    near = {"rel": 1e-9, "abs": 1e-11 * max(1, abs(slope)) * 100}
    assert got["variance"] == pytest.approx(v, rel=1e-10)
    assert got["mean_tar"] == pytest.approx(tar.mean(), abs=1e-11)
    assert got["mean_non"] == pytest.approx(non.mean(), abs=1e-11)
    assert got["slope"] == pytest.approx(slope, **near)
    assert got["offset"] == pytest.approx(-slope * (tar.mean() + non.mean()) / 2, **near)


@given(scores, scores, st.sampled_from([0.001, 0.1, 0.5, 0.92, 0.999]))
def test_logistic_is_optimal(tars: list[float], nons: list[float], alpha: float) -> None:
    tar, non = np.array(tars), np.array(nons)
    assume(tar.min() < non.max())
    assume(non.min() < tar.max())
    calibration = llrcal.fit(tar, non, method="logistic", alpha=alpha)
    slope, offset = calibration.params["slope"], calibration.params["offset"]
    assert calibration.report.converged
    here = criterion(slope, offset, tar, non, alpha)
    assert calibration.report.objective == pytest.approx(here, rel=1e-9)

    def cost(point: Floats) -> float:
        return criterion(point[0], point[1], tar, non, alpha)

    other = minimize(cost, np.array([slope, offset]), method="Nelder-Mead")
    assert here <= float(other.fun) + 1e-12


def test_extreme_imbalance() -> None:
    # 20 : 200,000; general libraries stop far from the optimum here.
    rng = np.random.default_rng(2)
    tar, non = rng.normal(2, 1.2, 20), rng.normal(-1, 1, 200_000)
    calibration = llrcal.fit(tar, non, method="logistic", alpha="empirical")
    slope, offset = calibration.params["slope"], calibration.params["offset"]
    alpha = 20 / 200_020
    shift = offset + np.log(alpha / (1 - alpha))
    tar_pull = 1 / (1 + np.exp(slope * tar + shift))
    non_pull = 1 / (1 + np.exp(-(slope * non + shift)))
    assert tar_pull.sum() == pytest.approx(non_pull.sum(), rel=1e-9)
    assert (tar_pull @ tar) == pytest.approx(non_pull @ non, rel=1e-8)


class TestSeparable:
    tar = np.array([3.0, 4.5, 5.0, 7.0])
    non = np.array([-2.0, 0.0, 1.0, 2.5, 2.75])

    def test_report_says_so(self) -> None:
        report = llrcal.fit(self.tar, self.non, method="logistic").report
        assert report.converged
        assert "separable" in codes(report.notes)
        overlapping = llrcal.fit(self.tar, np.append(self.non, 3.5), method="logistic").report
        assert not overlapping.notes

    @pytest.mark.parametrize(("tars", "nons"), [(1, 3000), (2, 3000), (3000, 1), (1, 2)])
    def test_the_line_rises_however_few_they_are(self, tars: int, nons: int) -> None:
        tar, non = np.linspace(3, 4, tars), np.linspace(-5, 0, nons)
        calibration = llrcal.fit(tar, non, method="logistic")
        assert calibration.params["slope"] > 0
        below, above = calibration([-2.5, 3.5])
        assert below < 0 < above
        assert calibration.report.notes[0] == SEPARABLE

    def test_two_values_get_the_llrs_of_pav(self) -> None:
        both = [llrcal.fit([7.0] * 3, [2.0] * 50, method=m) for m in ("logistic", "pav")]
        assert both[0]([2.0, 7.0]) == pytest.approx(both[1]([2.0, 7.0]), rel=1e-9)

    def test_touching_classes_are_separable_too(self) -> None:
        report = llrcal.fit([2.0, 3.0], [1.0, 2.0], method="logistic").report
        assert "separable" in codes(report.notes)

    def test_separable_the_wrong_way_round(self) -> None:
        calibration = llrcal.fit(self.non, self.tar, method="logistic")
        assert calibration.params["slope"] < 0
        assert codes(calibration.report.notes) == ["separable", "wrong way", "held"]


def test_equal_scores_say_nothing() -> None:
    calibration = llrcal.fit([1.0, 1.0], [1.0], method="logistic")
    assert calibration.params["slope"] == 0
    assert np.array_equal(calibration([-np.inf, 0.0, 1.0, 5.0]), np.zeros(4))
    assert calibration.report.notes
    with pytest.raises(llrcal.DegenerateError, match="variance"):
        llrcal.fit([1.0, 1.0], [0.0], method="linear-gaussian")


def test_one_score_of_a_class_is_enough() -> None:
    assert llrcal.fit([1.0], [0.0, 1.5, -1.0], method="logistic").report.converged
    assert llrcal.fit([1.0], [0.0, 1.5, -1.0], method="linear-gaussian").params["slope"] > 0


@pytest.mark.parametrize("unit", [2.0**-996, 2.0**996])
def test_scores_whose_variance_is_no_double(unit: float) -> None:
    tar, non = np.array([1.0, 2.0, 3.5]), np.array([-2.0, 0.5, 1.0])
    one = llrcal.fit(tar, non, method="linear-gaussian")
    other = llrcal.fit(tar * unit, non * unit, method="linear-gaussian")
    assert other.params["slope"] * unit == one.params["slope"]
    assert np.array_equal(other(tar * unit), one(tar))
    assert 0 < other.params["variance"] < np.inf
    assert other.report.objective == pytest.approx(one.report.objective + np.log(unit), rel=1e-12)


@pytest.mark.parametrize("unit", [1e-310, 1e306])
@pytest.mark.parametrize("method", [method for method in llrcal.METHODS if method != "pav"])
def test_scores_at_the_end_of_the_doubles_are_refused(method: MethodName, unit: float) -> None:
    scores = np.array([1.0, 2.0, 3.0, 5.0, 8.0]) * unit
    with pytest.raises(llrcal.DegenerateError, match=r"spread of the target scores.*multiply"):
        llrcal.fit(scores, -scores, method=method)


def mean_log_density(scores: Floats, mean: float, variance: float) -> float:
    """Of a Gaussian, in nats."""
    logs = -0.5 * np.log(2 * np.pi * variance) - (scores - mean) ** 2 / (2 * variance)
    return float(logs.mean())


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.92])
def test_the_objective_of_linear_gaussian_is_the_weighted_likelihood(alpha: float) -> None:
    tar, non = normal(40, 3, 2), normal(500, -1, 0.5)
    fitted = llrcal.fit(tar, non, method="linear-gaussian", alpha=alpha)
    params = fitted.params
    tar_part = mean_log_density(tar, params["mean_tar"], params["variance"])
    non_part = mean_log_density(non, params["mean_non"], params["variance"])
    expected = -(alpha * tar_part + (1 - alpha) * non_part)
    assert fitted.report.objective == pytest.approx(expected, rel=1e-12)


def test_the_sign_of_a_zero_is_not_kept() -> None:
    """A model of equal scores of zero is the same file, whichever zero they are."""
    fitted = llrcal.fit([-0.0, -0.0], [-0.0], method="logistic")
    assert isinstance(fitted, Linear)
    assert math.copysign(1, fitted.origin) == 1


@pytest.mark.slow
def test_intervals_hold_where_the_line_is_wrong() -> None:
    """Targets are spread 3.5 times as wide as non-targets: no line is right for all scores.

    What is covered is the line of very many trials. Intervals that believe the line hold it in four
    sets of five.
    """
    rng = np.random.default_rng(1)
    tar, non = 1.5 + 2.5 * normal(20_000, 0, 1), -1 + 0.7 * normal(20_000, 0, 1)
    scores = np.quantile(np.concatenate([tar, non]), [0.05, 0.25, 0.5, 0.75, 0.95])
    line = llrcal.fit(tar, non, method="logistic", bounds="none")(scores)
    held = []
    for _ in range(80):
        sides = 1.5 + 2.5 * rng.normal(size=200), -1 + 0.7 * rng.normal(size=2_000)
        low, high = llrcal.fit(*sides, method="logistic", bounds="none").interval(scores)
        held.append((low <= line) & (line <= high))
    assert 0.89 < np.mean(held) < 0.99
