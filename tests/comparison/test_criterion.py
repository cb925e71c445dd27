"""What one error amounts to, against errors that are made one at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from llrcal.comparison import OperatingPoint
from llrcal.comparison.ranking import CURVE, Criterion, CriterionName, differences
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.trials import Trials

POINTS = (OperatingPoint(0.01), OperatingPoint(0.3, c_miss=10.0))
RANGE = (-4.0, 2.5)
COUNTS = (120, 800)
FAR = 50.0  # an LLR beyond every threshold

EVERY_ERROR = pytest.mark.parametrize("name", ["points", "range"])


def priors(name: CriterionName) -> list[float]:
    if name == "range":
        return np.linspace(*RANGE, CURVE).tolist()
    return [math.log(0.01 / 0.99), math.log(0.3 / 0.7) + math.log(10)]


def mean_error(misses: int, false_alarms: int, name: CriterionName) -> float:
    """The mean normalised Bayes error, if so many errors are made at every prior."""
    errors = []
    for x in priors(name):
        p = 1 / (1 + math.exp(-x))
        rates = misses / COUNTS[0], false_alarms / COUNTS[1]
        errors.append((p * rates[0] + (1 - p) * rates[1]) / min(p, 1 - p))
    return math.fsum(errors) / len(errors)


@EVERY_ERROR
def test_the_cost_is_one_error_of_each_class(name: CriterionName) -> None:
    expected = math.hypot(mean_error(1, 0, name), mean_error(0, 1, name))
    assert Criterion(name, POINTS, RANGE).cost_of_one_error(*COUNTS) == pytest.approx(
        expected, rel=1e-12
    )


@EVERY_ERROR
def test_the_cost_is_what_an_evaluation_makes_of_one_error(name: CriterionName) -> None:
    criterion = Criterion(name, POINTS, RANGE)

    def value(misses: int, false_alarms: int) -> float:
        tar, non = np.full(COUNTS[0], FAR), np.full(COUNTS[1], -FAR)
        tar[:misses], non[:false_alarms] = -FAR, FAR
        return criterion.value(evaluate_quietly(Trials(tar, non)))

    assert value(0, 0) == 0
    expected = math.hypot(value(1, 0), value(0, 1))
    assert criterion.cost_of_one_error(*COUNTS) == pytest.approx(expected, rel=1e-12)


def test_by_cllr_single_errors_cost_nothing() -> None:
    """Every trial counts, and not only those on the wrong side of a threshold."""
    assert Criterion("cllr", POINTS, RANGE).cost_of_one_error(*COUNTS) == 0


def test_a_difference_of_one_error_is_not_seen_however_sure_the_drawn_sets_are() -> None:
    """Drawn sets are not to be trusted further: the next test set may have the error elsewhere."""
    one_error_of_each = Criterion("points", POINTS, RANGE).cost_of_one_error(*COUNTS)
    one_error = mean_error(0, 1, "points")
    apart = one_error * np.random.default_rng(0).normal(1, 0.1, 400)
    drawn = {"none": np.zeros(400), "one": apart}
    values = {"none": 0.0, "one": one_error}
    assert differences(values, drawn)["one"].is_seen
    guarded = differences(values, drawn, one_error=one_error_of_each)["one"]
    assert not guarded.is_seen
    # By hand: both deviations add up in squares, and the quantile is that of the drawn sets.
    deviation = float(np.std(apart, ddof=1))
    quantile = np.sort(np.abs(apart - apart.mean()) / deviation)[math.ceil(0.95 * 401) - 1]
    half = quantile * math.hypot(deviation, one_error_of_each)
    assert guarded.interval == pytest.approx((one_error - half, one_error + half))
