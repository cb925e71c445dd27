"""The equal error-rate of the hull, against every pair of points of the ROC."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from llrcal import evaluate
from tests import oracles
from tests.trial_sets import ANY, Sets

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")


@given(sets=ANY)
def test_eer_is_where_the_lowest_line_meets_the_diagonal(sets: Sets) -> None:
    assert evaluate(*sets).eer == pytest.approx(oracles.eer(*sets), rel=1e-13, abs=1e-15)


def test_by_hand() -> None:
    assert evaluate([1.0, 2.0], [-1.0, 0.0]).eer == 0
    assert evaluate([-1.0, 0.0], [1.0, 2.0]).eer == 0.5
    assert evaluate([0.0], [0.0, 0.0]).eer == 0.5
    assert evaluate([math.inf, -math.inf], [-math.inf, math.inf]).eer == 0.5
    # One target of four below one non-target of four: from (0, 1/4) to (1/4, 0).
    assert evaluate([0.0, 2.0, 3.0, 4.0], [1.0, -2.0, -3.0, -4.0]).eer == 0.125
