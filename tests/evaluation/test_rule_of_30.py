"""The rule of 30, against the definition on brute-force hull vertices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import evaluate
from tests import oracles
from tests.trial_sets import FEW_VALUES, INFINITE, Sets, classes, normal

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")


@given(
    sets=classes(FEW_VALUES, most=20) | classes(FEW_VALUES | INFINITE, most=20),
    times=st.tuples(st.integers(5, 31), st.integers(5, 31)),
)
def test_rule_of_30_is_where_such_a_vertex_is_best(sets: Sets, times: tuple[int, int]) -> None:
    tar, non = (scores * k for scores, k in zip(sets, times, strict=True))
    low, high = evaluate(tar, non).rule_of_30
    expected = oracles.rule_of_30(tar, non)
    assert (low, high) == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


def errors_at_best(tar: list[float], non: list[float], x: float) -> tuple[int, int]:
    hull = evaluate(tar, non).hull
    vertex = int(hull.best_vertex(np.array(x)))
    return int(hull.misses[vertex]), int(hull.false_alarms[vertex])


def test_errors_within_and_beyond_the_range() -> None:
    tar, non = normal(500, 1.5, 1.7).tolist(), normal(3000, -1.5, 1.7).tolist()
    low, high = evaluate(tar, non).rule_of_30
    assert -math.inf < low < high < math.inf
    for x in np.linspace(low + 1e-9, high - 1e-9, 50):
        assert min(errors_at_best(tar, non, x)) >= 30
    assert errors_at_best(tar, non, low - 1e-9)[1] < 30
    assert errors_at_best(tar, non, high + 1e-9)[0] < 30
