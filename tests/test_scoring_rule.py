"""Proper scoring rules: costs to many digits, closed forms, and that each of them is proper."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import expit, logit

from llrcal.arrays import Floats
from llrcal.errors import OptionError
from llrcal.scoring_rule import GREATEST, LEAST, LOG, NAMED, ScoringRule

# The inverse of a tinier exponent, a bound of costs, is too large for a double.
exponents = st.floats(LEAST, GREATEST).map(lambda one: one if abs(one) > 1e-300 else 0.0)
rules = st.builds(ScoringRule, exponents, exponents)


def integrand(x: Any, a: float, b: float) -> Any:
    """The slope of the cost of a non-target at log-odds x, before scaling."""
    return (1 + mpmath.exp(-x)) ** -(a + 1) * (1 + mpmath.exp(x)) ** -b


def integral(x: Any, a: float, b: float) -> Any:
    """The cost of a non-target at log-odds x, before scaling, by quadrature over log-odds."""
    ends = [-mpmath.inf, *(end for end in (-40.0, -8.0, -2.0, 0.0, 2.0, 8.0, 40.0) if end < x), x]
    return mpmath.quad(lambda at: integrand(at, a, b), ends)


def expected(rule: ScoringRule, x: float, sign: float) -> float:
    a, b = (rule.a, rule.b) if sign > 0 else (rule.b, rule.a)
    with mpmath.workdps(20):
        half = integral(0, a, b) + integral(0, b, a)
        return float(2 * mpmath.log(2) * integral(x, a, b) / half)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize(
    "pair", [*NAMED.values(), (0.5, -0.5), (-0.9, 10.0), (10.0, -0.9), (1e-9, -1e-9), (2.5, 0.0)]
)
def test_costs_are_the_integrals(pair: tuple[float, float], sign: float) -> None:
    rule = ScoringRule.of(pair)
    x = np.array([-50.0, -7.3, -1e-3, 0.0, 0.7, 90.0])
    want = [expected(rule, float(at), sign) for at in x]
    assert rule.costs(x, sign) == pytest.approx(want, rel=1e-10)


def test_named_rules_have_closed_forms() -> None:
    x = np.linspace(-40, 40, 801)
    forms = {
        "log": np.logaddexp(0, x),
        "brier": 4 * math.log(2) * expit(x) ** 2,
        "boosting": math.log(2) * np.exp(x / 2),
    }
    for name, form in forms.items():
        assert ScoringRule.of(name).costs(x, 1.0) == pytest.approx(form, rel=1e-13)
        assert ScoringRule.of(name).costs(x, -1.0) == pytest.approx(form, rel=1e-13)


def test_terms_are_the_costs_and_their_derivatives() -> None:
    """The derivatives have closed forms; tests of lines have them in 30 digits."""
    x, step = np.array([-20.0, -0.4, 0.0, 3.0]), 1e-4
    for pair in [*NAMED.values(), (0.5, -0.5), (7.0, 1.5)]:
        rule = ScoringRule.of(pair)
        here, ahead, behind = (rule.terms(x + way * step, 1.0) for way in (0, 1, -1))
        assert here[0] == pytest.approx(rule.costs(x, 1.0), rel=1e-13)
        for k in (0, 1):
            slope = (ahead[k] - behind[k]) / (2 * step)
            assert here[k + 1] == pytest.approx(slope, rel=1e-6, abs=1e-11)


def mean_costs(rule: ScoringRule, p: float) -> Floats:
    """Mean costs if a target has probability p, at its log-odds (in the middle) and others."""
    x = logit(p) + np.linspace(-6, 6, 241)
    return p * rule.costs(-x, -1.0) + (1 - p) * rule.costs(x, 1.0)


@given(rules, st.floats(0.001, 0.999))
def test_each_rule_is_proper(rule: ScoringRule, p: float) -> None:
    costs = mean_costs(rule, p)
    assert (costs >= costs[120] * (1 - 1e-10)).all()


@given(st.floats(LEAST, 2), st.floats(LEAST, 2), st.floats(0.05, 0.95))
@example(0.0, 5e-324, 0.875)
def test_where_weights_do_not_vanish_it_is_strictly_so(a: float, b: float, p: float) -> None:
    # In steps in which it changes by more than its rounding error.
    costs = mean_costs(ScoringRule(a, b), p)[::8]
    assert costs.argmin() == 15
    assert (np.diff(costs[:16]) < 0).all()  # it falls towards the true log-odds from either side
    assert (np.diff(costs[15:]) > 0).all()


@given(rules, st.floats(-1000, 1000))
def test_exchanging_the_classes_exchanges_the_exponents(rule: ScoringRule, x: float) -> None:
    mirrored, at = ScoringRule(rule.b, rule.a), np.array([x])
    assert rule.costs(at, 1.0) == mirrored.costs(at, -1.0)


@given(rules)
@example(ScoringRule(0.0, 3.4e-296))
def test_far_out(rule: ScoringRule) -> None:
    largest = np.finfo(float).max
    x = np.array([-np.inf, -1e3, -300.0, 0.0, 300.0, 1e3, largest, np.inf])
    for sign, exponent in ((1.0, rule.b), (-1.0, rule.a)):
        costs = rule.costs(x, sign)
        assert costs[0] == 0 == rule.costs(np.array([-largest]), sign)[0]
        assert not np.isnan(costs).any()
        # Where costs hardly grow, the last digits of large ones may fall.
        assert (np.diff(costs[np.isfinite(costs)]) >= -1e-10 * costs[3]).all()
        # A bound of 1e300 may be too large for a double, or not.
        assert np.isfinite(costs[-1]) == (exponent > 0) or 0 < exponent < 1e-250
        assert np.isfinite(costs[4])
    halves = rule.costs(x[3:4], 1.0) + rule.costs(x[3:4], -1.0)
    assert halves / 2 == pytest.approx(math.log(2), rel=1e-14)


@pytest.mark.parametrize("alpha", [0.01, 0.5, 0.8])
@pytest.mark.parametrize("pair", [*NAMED.values(), (0.5, -0.5), (3.0, 0.2)])
def test_weights_are_those_of_a_mean(pair: tuple[float, float], alpha: float) -> None:
    x = np.linspace(-200, 200, 400_001)
    weights = ScoringRule.of(pair).weights(x, alpha=alpha)
    assert float(np.trapezoid(weights, x)) == pytest.approx(1, rel=1e-6)


def test_weights_of_the_logarithmic_rule() -> None:
    # Cllr is the integral of the Bayes error-rate; the normalised one is relative to min(p, 1 - p).
    x = np.linspace(-9, 9, 61)
    smaller = expit(-np.abs(x))
    assert LOG.weights(x) == pytest.approx(smaller / (2 * math.log(2)), rel=1e-13)


def test_names() -> None:
    assert [ScoringRule.of(name).name for name in NAMED] == list(NAMED)
    assert ScoringRule.of([0, -0.0]) == LOG
    assert ScoringRule.of((0.5, np.float32(-0.5))).name == "0.5,-0.5"
    assert ScoringRule.of([np.int64(1), 1]).plain == "brier"
    assert ScoringRule.of((0.5, 2)).plain == [0.5, 2.0]


@pytest.mark.parametrize(
    "rule",
    ["Brier", "0.5,0.5", "", None, 1.0, (1.0,), (1, 2, 3), (-1.0, 0), (0, 10.1), (math.nan, 0),
     (True, 1), ("1", "1"), {0: 1, 1: 1}, [[0, 0], [0, 0]], (10**400, 0),
     np.array([1.0, 1.0])],
)  # fmt: skip
def test_what_is_no_rule_is_refused(rule: Any) -> None:
    with pytest.raises(OptionError, match=r"rule is .*; give one of log, brier, boosting, or two"):
        ScoringRule.of(rule)
