"""Who can be told from the best: simultaneous intervals, and what a single error amounts to."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import studentized_range

from llrcal.comparison import OperatingPoint
from llrcal.comparison.ranking import CURVE, Criterion, CriterionName, differences
from llrcal.evaluation.evaluate import evaluate_quietly

POINTS = (OperatingPoint(0.01), OperatingPoint(0.3, c_miss=10.0))
RANGE = (-4.0, 2.5)
COUNTS = (120, 800)
FAR = 50.0  # an LLR beyond every threshold

SURE = defaultdict[str, float](float)  # as if there were no other trials than those seen

EVERY_ERROR = pytest.mark.parametrize("name", ["points", "range"])


def mean_error(misses: int, false_alarms: int, name: CriterionName) -> float:
    """The mean normalised Bayes error, if so many errors are made at every prior."""
    points = np.array([math.log(0.01 / 0.99), math.log(0.3 / 0.7) + math.log(10)])
    p = expit(np.linspace(*RANGE, CURVE) if name == "range" else points)
    errors = p * misses / COUNTS[0] + (1 - p) * false_alarms / COUNTS[1]
    return float(np.mean(errors / np.minimum(p, 1 - p)))


def cost_of_one_trial(name: CriterionName) -> float:
    some = evaluate_quietly(np.linspace(0, 4, COUNTS[0]), np.linspace(-4, 0, COUNTS[1]))
    return Criterion(name, POINTS, RANGE).cost_of_one_trial(some, some)


@EVERY_ERROR
def test_the_cost_is_one_error_of_each_class(name: CriterionName) -> None:
    expected = math.hypot(mean_error(1, 0, name), mean_error(0, 1, name))
    assert cost_of_one_trial(name) == pytest.approx(expected, rel=1e-12)


def test_by_cllr_the_cost_is_a_trial_of_each_class_where_any_trial_is() -> None:
    """By hand: 4 + 6 trials, both classes alike in weight, each as a target and as a non-target."""
    rng = np.random.default_rng(0)
    tar, non = rng.normal(2, 2, (2, 4)), rng.normal(-2, 2, (2, 6))
    squares = [
        [np.mean((np.log2(1 + np.exp(s * a)) - np.log2(1 + np.exp(s * b))) ** 2) for s in (-1, 1)]
        for a, b in (tar, non)
    ]
    of_target, of_non_target = np.sqrt(np.mean(squares, axis=0)) / 2
    expected = math.hypot(of_target / 4, of_non_target / 6)
    evaluations = [evaluate_quietly(*both) for both in zip(tar, non, strict=True)]
    found = Criterion("cllr", (), RANGE).cost_of_one_trial(*evaluations)
    assert found == pytest.approx(expected, rel=1e-12)


def test_infinite_llrs_may_cost_anything_unless_both_are() -> None:
    usual, sure = ([2.0, 3.0, -0.5], [-2.0, 0.5]), ([2.0, np.inf, -0.5], [-2.0, 0.5])
    one, other = (evaluate_quietly(*both) for both in (usual, sure))
    cost = Criterion("cllr", (), RANGE).cost_of_one_trial
    assert cost(one, other) == math.inf
    assert cost(other, other) == 0


def test_a_difference_of_one_error_is_not_seen_however_sure_the_drawn_sets_are() -> None:
    """Drawn sets are not to be trusted further: the next test set may have the error elsewhere."""
    one_error_of_each = cost_of_one_trial("points")
    one_error = mean_error(0, 1, "points")
    apart = one_error * np.random.default_rng(0).normal(1, 0.1, 400)
    drawn = {"none": np.zeros(400), "one": apart}
    values = {"none": 0.0, "one": one_error}
    assert differences(values, drawn, SURE)["one"].is_seen
    guarded = differences(values, drawn, {"one": one_error_of_each})["one"]
    assert not guarded.is_seen
    # By hand: both deviations add up in squares, and the quantile is that of the drawn sets.
    deviation = float(np.std(apart, ddof=1))
    quantile = np.sort(np.abs(apart - apart.mean()) / deviation)[math.ceil(0.95 * 401) - 1]
    half = quantile * math.hypot(deviation, one_error_of_each)
    assert guarded.interval == pytest.approx((one_error - half, one_error + half))


# ------------------------------------------------------------------------------ differences


def test_the_best_and_what_the_others_are_worse_by() -> None:
    rng = np.random.default_rng(0)
    common = rng.normal(size=400)
    drawn = {
        "a": 1.0 + common,
        "b": 1.1 + common + rng.normal(0, 0.01, 400),  # the noise of both is the same, nearly
        "c": 1.1 + rng.normal(0, 1, 400),
    }
    found = differences({"c": 1.1, "b": 1.1, "a": 1.0}, drawn, SURE)
    assert list(found) == ["c", "b"]
    assert found["b"].is_seen
    assert not found["c"].is_seen
    assert found["b"].value == pytest.approx(0.1)
    low, high = found["b"].interval
    assert low < 0.1 < high
    assert high - 0.1 == pytest.approx(0.1 - low)


@pytest.mark.parametrize("count", [2, 3, 10])
def test_intervals_are_those_of_tukey_where_numbers_are_normal(count: int) -> None:
    """The largest difference of independent normal numbers has the studentised range's law."""
    rng = np.random.default_rng(count)
    drawn = {str(i): rng.normal(size=20_000) for i in range(count)}
    found = differences({str(i): float(i) for i in range(count)}, drawn, SURE)
    exact = studentized_range.ppf(0.95, count, np.inf)
    half = found["1"].interval[1] - found["1"].value
    assert half == pytest.approx(exact, rel=0.02)


def test_infinite_numbers() -> None:
    drawn = np.random.default_rng(0).normal(size=50)
    infinite = np.where(np.arange(50) < 20, drawn, np.inf)
    found = differences(
        {"a": 0.3, "b": math.inf, "c": 0.4}, {"a": drawn, "b": infinite, "c": drawn + 0.1}, SURE
    )
    assert list(found) == ["c", "b"]
    assert found["b"].is_seen
    found = differences({"a": math.inf, "b": math.inf}, {"a": infinite, "b": infinite}, SURE)
    assert not found["b"].is_seen
