"""Bayes error-rates and detection costs, against counting at every threshold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import OptionError, evaluate
from tests import oracles
from tests.trial_sets import ANY, FEW_VALUES, Sets

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

# Thresholds that equal scores, and thresholds that do not.
PRIOR_LOG_ODDS = FEW_VALUES.map(lambda value: -value) | st.floats(-30, 30)
COSTS = st.floats(0.01, 100)
PRIORS = st.floats(1e-6, 1 - 1e-6)
OF_PRIORS = ("bayes_error", "min_bayes_error", "cross_entropy", "min_cross_entropy")


@given(sets=ANY, x=PRIOR_LOG_ODDS)
def test_bayes_error_counts_errors_at_the_bayes_threshold(sets: Sets, x: float) -> None:
    expected = oracles.bayes_error(*sets, x)
    assert evaluate(*sets).bayes_error(x) == pytest.approx(expected, rel=1e-13, abs=1e-300)


@given(sets=ANY, x=PRIOR_LOG_ODDS)
def test_min_bayes_error_is_that_of_the_best_threshold(sets: Sets, x: float) -> None:
    expected = oracles.min_bayes_error(*sets, x)
    assert evaluate(*sets).min_bayes_error(x) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@given(sets=ANY, threshold=FEW_VALUES | st.sampled_from([-math.inf, math.inf, 0.1]))
def test_rates_count_misses_below_and_false_alarms_at_or_above(
    sets: Sets, threshold: float
) -> None:
    tar, non = sets
    misses, false_alarms = oracles.errors_at(tar, non, threshold)
    ev = evaluate(tar, non)
    assert ev.pmiss(threshold) == misses / len(tar)
    assert ev.pfa(threshold) == false_alarms / len(non)


@given(sets=ANY, p=PRIORS, c_miss=COSTS, c_fa=COSTS)
def test_costs_are_bayes_errors_at_the_effective_prior(
    sets: Sets, p: float, c_miss: float, c_fa: float
) -> None:
    ev = evaluate(*sets)
    x = math.log(p) - math.log1p(-p) + math.log(c_miss) - math.log(c_fa)
    assert ev.act_dcf(p, c_miss, c_fa) == pytest.approx(ev.bayes_error(x), rel=1e-13)
    assert ev.min_dcf(p, c_miss, c_fa) == pytest.approx(ev.min_bayes_error(x), rel=1e-12)
    default = min(p * c_miss, (1 - p) * c_fa)
    for cost in (ev.act_dcf, ev.min_dcf):
        expected = cost(p, c_miss, c_fa) * default
        assert cost(p, c_miss, c_fa, normalised=False) == pytest.approx(expected, rel=1e-13)


# --------------------------------------------------------------------- shapes and types


@pytest.mark.parametrize("name", [*OF_PRIORS, "act_dcf", "min_dcf", "pmiss", "pfa"])
def test_a_float_for_a_float_and_an_array_for_an_array(name: str) -> None:
    ask = getattr(evaluate([0.5, 2.0, -1.0], [-2.0, 0.7, -0.3, -4.0]), name)
    one = ask(0.3)
    assert type(one) is type(ask(np.float64(0.3))) is type(ask(np.array(0.3))) is float
    several = ask([0.3, 0.6, 0.3])
    assert several.dtype == np.float64
    assert several.tolist() == [one, ask(0.6), one]
    assert ask(np.full((2, 3), 0.3)).tolist() == [[one] * 3] * 2
    assert ask(np.array([])).shape == (0,)


def test_priors_and_costs_broadcast() -> None:
    ev = evaluate([0.5, 2.0, -1.0], [-2.0, 0.7, -0.3, -4.0])
    p, c = np.array([0.1, 0.5]), np.array([[1.0], [10.0], [0.3]])
    for ask in (ev.act_dcf, ev.min_dcf):
        for normalised in (True, False):
            together = ask(p, c, normalised=normalised)
            assert together.shape == (3, 2)
            for i in range(3):
                alone = [ask(one, c[i, 0], normalised=normalised) for one in p]
                assert together[i] == pytest.approx(alone, rel=1e-15)


@pytest.mark.parametrize("x", [-1000.0, -746.0, -710.0, 710.0, 746.0, 1000.0])
def test_extreme_priors_of_llrs_without_errors_there(x: float) -> None:
    """Decisions by the prior alone make one kind of error, all of the cheap kind: 1."""
    ev = evaluate([0.5, 2.0, -1.0], [-2.0, 0.7])
    assert ev.bayes_error(x) == 1.0
    # The best threshold lies beyond the last non-target, or the first target.
    assert ev.min_bayes_error(x) == pytest.approx(2 / 3 if x < 0 else 1 / 2)
    assert evaluate([1.0], [-1.0]).min_bayes_error(x) == 0.0


# ------------------------------------------------------------------------- bad options


@pytest.mark.parametrize("name", OF_PRIORS)
@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, [0.0, math.nan], None, "even"])
def test_bad_prior_log_odds(name: str, x: Any) -> None:
    with pytest.raises(OptionError, match=r"prior.log.odds"):
        getattr(evaluate([1.0], [0.0]), name)(x)
