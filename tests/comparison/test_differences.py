"""Who can be told from the best: simultaneous intervals, against the distribution by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import studentized_range

from llrcal.comparison.ranking import differences


def test_the_best_and_what_the_others_are_worse_by() -> None:
    rng = np.random.default_rng(0)
    common = rng.normal(size=400)
    drawn = {
        "a": 1.0 + common,
        "b": 1.1 + common + rng.normal(0, 0.01, 400),  # the noise of both is the same, nearly
        "c": 1.1 + rng.normal(0, 1, 400),
    }
    found = differences({"c": 1.1, "b": 1.1, "a": 1.0}, drawn)
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
    found = differences({str(i): float(i) for i in range(count)}, drawn)
    exact = studentized_range.ppf(0.95, count, np.inf)
    half = found["1"].interval[1] - found["1"].value
    assert half == pytest.approx(exact, rel=0.02)


@pytest.mark.slow
def test_equal_numbers_are_told_apart_in_at_most_one_of_twenty_sets() -> None:
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(400):
        truth = rng.normal(size=10)  # ten equal methods, as far apart as chance puts them
        drawn = {str(i): truth[i] + rng.normal(size=200) for i in range(10)}
        found = differences({str(i): truth[i] for i in range(10)}, drawn)
        seen += any(one.is_seen for one in found.values())
    assert seen <= 400 * 0.05 + 3 * math.sqrt(400 * 0.05 * 0.95)


def test_the_same_numbers_are_no_difference() -> None:
    drawn = np.random.default_rng(0).normal(size=50)
    found = differences({"a": 0.3, "b": 0.3}, {"a": drawn, "b": drawn})
    assert found["b"].value == 0
    assert not found["b"].is_seen


def test_infinite_numbers() -> None:
    drawn = np.random.default_rng(0).normal(size=50)
    infinite = np.where(np.arange(50) < 20, drawn, np.inf)
    found = differences(
        {"a": 0.3, "b": math.inf, "c": 0.4}, {"a": drawn, "b": infinite, "c": drawn + 0.1}
    )
    assert list(found) == ["c", "b"]
    assert found["b"].is_seen
    found = differences({"a": math.inf, "b": math.inf}, {"a": infinite, "b": infinite})
    assert not found["b"].is_seen
