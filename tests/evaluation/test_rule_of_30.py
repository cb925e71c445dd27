"""The rule of 30, against the definition on brute-force hull vertices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import evaluate
from tests import oracles
from tests.trial_sets import FEW_VALUES, INFINITE, Sets, classes

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
