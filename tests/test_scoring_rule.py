"""Proper scoring rules: derivatives to many digits, and that each is proper."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit

from llrcal.errors import OptionError
from llrcal.scoring_rule import Rule, as_rule, default_cost, rule_costs, rule_terms

RULES: tuple[Rule, ...] = ("log", "brier")
EVERY_RULE = pytest.mark.parametrize("rule", RULES)


def exact(x: Any, rule: Rule) -> Any:
    """The cost at log-odds x of the wrong class, in as many digits as mpmath works with."""
    if rule == "log":
        return mpmath.log(1 + mpmath.exp(x))
    return 4 * mpmath.log(2) / (1 + mpmath.exp(-x)) ** 2


@EVERY_RULE
def test_terms_are_the_costs_and_their_derivatives(rule: Rule) -> None:
    places = [-40.0, -7.3, -1e-3, 0.0, 0.7, 3.0, 40.0]
    found = rule_terms(np.array(places), rule)
    with mpmath.workdps(50):
        for k, values in enumerate(found):
            want = [float(mpmath.diff(lambda at: exact(at, rule), x, k)) for x in places]
            assert values == pytest.approx(want, rel=1e-12)
    assert rule_costs(np.array(places), rule) == pytest.approx(found[0], rel=1e-14)


@given(st.sampled_from(RULES), st.floats(0.001, 0.999))
def test_each_rule_is_proper(rule: Rule, p: float) -> None:
    """If a target has probability p, its log-odds (in the middle) cost least, on average."""
    x = logit(p) + np.linspace(-6, 6, 31)
    costs = p * rule_costs(-x, rule) + (1 - p) * rule_costs(x, rule)
    assert costs.argmin() == 15
    assert (np.diff(costs[:16]) < 0).all()
    assert (np.diff(costs[15:]) > 0).all()


@EVERY_RULE
def test_far_out(rule: Rule) -> None:
    largest = np.finfo(float).max
    costs = rule_costs(np.array([-np.inf, -largest, -300.0, 0.0, 300.0, largest, np.inf]), rule)
    assert costs[0] == costs[1] == 0
    assert (np.diff(costs) >= 0).all()
    assert costs[3] == pytest.approx(math.log(2), rel=1e-15)
    assert np.isfinite(costs[-1]) == (rule == "brier")


@EVERY_RULE
@pytest.mark.parametrize("alpha", [1e-300, 0.01, 0.5, 0.8])
def test_llrs_of_zero_cost_what_the_prior_does(rule: Rule, alpha: float) -> None:
    entropy = -alpha * math.log(alpha) - (1 - alpha) * math.log1p(-alpha)
    mean = entropy if rule == "log" else 4 * math.log(2) * alpha * (1 - alpha)
    assert default_cost(alpha, rule) == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize(
    "rule", ["Brier", "boosting", "0.5,0.5", "", None, 1.0, (0, 0), ["log"], {}, np.array(["log"])]
)
def test_what_is_no_rule_is_refused(rule: Any) -> None:
    with pytest.raises(OptionError, match=r"rule is .*; give one of log, brier"):
        as_rule(rule)
