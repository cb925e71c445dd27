"""Lines by proper scoring rules: optimality, derivatives, and sets without a minimum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.methods import label
from llrcal.calibrations.methods.logistic import Logistic
from llrcal.fitting.logistic import LineCost
from llrcal.scoring_rule import LOG, NAMED, RuleLike, ScoringRule
from tests.notes import codes
from tests.test_scoring_rule import integral, integrand
from tests.trial_sets import normal

# Many of these sets are odd on purpose, and fits to them give warnings.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

TAR, NON = normal(400, 2.0, 1.4), normal(3000, -0.5, 1.0)
RULES: tuple[RuleLike, ...] = ("brier", "boosting", (0.5, -0.5), (-0.9, -0.9), (2.0, 3.0))
EVERY_RULE = pytest.mark.parametrize("rule", RULES, ids=str)
finite = st.floats(-100, 100).map(lambda x: round(x, 3))
scores = st.lists(finite, min_size=2, max_size=30)


def fitted(tar: Any, non: Any, **options: Any) -> Logistic:
    calibration = llrcal.fit(tar, non, method="logistic", **options)
    assert isinstance(calibration, Logistic)
    return calibration


def criterion(line: Floats, tar: Floats, non: Floats, alpha: float, rule: RuleLike) -> float:
    scoring, shift = ScoringRule.of(rule), line[1] + np.log(alpha / (1 - alpha))
    tar_cost = scoring.costs(-(line[0] * tar + shift), -1.0).mean()
    non_cost = scoring.costs(line[0] * non + shift, 1.0).mean()
    return float(alpha * tar_cost + (1 - alpha) * non_cost)


# ------------------------------------------------------------------------- the logarithmic rule


@pytest.mark.parametrize("alpha", [0.01, 0.5, "empirical"])
def test_the_logarithmic_rule_is_the_default_to_the_bit(alpha: Any, tmp_path: Path) -> None:
    texts = []
    for options in ({}, {"rule": "log"}, {"rule": (0, 0)}, {"rule": LOG}):
        fitted(TAR, NON, alpha=alpha, **options).save(tmp_path / "model.json")
        texts.append((tmp_path / "model.json").read_text("utf-8"))
    assert len(set(texts)) == 1
    assert '"rule"' not in texts[0]


# --------------------------------------------------------------------------- other rules


@pytest.mark.slow
@pytest.mark.parametrize("rule", [*NAMED, (0.5, -0.5), (2.0, 3.0)], ids=str)
def test_gradient_and_hessian_to_many_digits(rule: RuleLike) -> None:
    """From the integrand of the rule, which is the slope of the cost of a trial."""
    scoring, odds = ScoringRule.of(rule), mpmath.log(mpmath.mpf("0.25"))
    z, weights = np.array([1.5, -0.3, 4.0, -2.0, 0.8]), np.array([0.2, 0.5, 0.3, 0.4, 0.6])
    tar, non, default = (z[:3], weights[:3]), (z[3:], weights[3:]), scoring.default_cost(0.2)
    found = LineCost(tar, non, 0.2 / default, 0.8 / default, scoring)(np.array([0.75, -0.5]))
    value, unit, gradient, hessian = 0, 0, np.zeros(2, object), np.zeros((2, 2), object)
    with mpmath.workdps(30):
        for i, weight in enumerate(weights):
            sign, share = (-1, mpmath.mpf("0.2")) if i < 3 else (1, mpmath.mpf("0.8"))
            a, b = (scoring.a, scoring.b)[::sign]
            x, row, share = sign * (0.75 * z[i] - 0.5 + odds), np.array([z[i], 1]), share * weight
            value += share * integral(x, a, b)
            unit += share * integral(sign * odds, a, b)
            gradient += share * sign * integrand(x, a, b) * row
            bend = mpmath.diff(integrand, (x, a, b), (1, 0, 0))
            hessian += share * bend * np.outer(row, row)
    assert found.value == pytest.approx(float(value / unit), rel=1e-12)
    np.testing.assert_allclose(found.gradient, (gradient / unit).astype(float), rtol=1e-10)
    np.testing.assert_allclose(found.hessian, (hessian / unit).astype(float), rtol=1e-9)


@pytest.mark.slow
@EVERY_RULE
@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.9])
def test_the_line_is_optimal(rule: RuleLike, alpha: float) -> None:
    calibration = fitted(TAR, NON, alpha=alpha, rule=rule)
    line = np.array([calibration.slope, calibration.offset])
    assert calibration.report.converged
    assert calibration.report.positive_definite
    assert not calibration.report.notes
    here = criterion(line, TAR, NON, alpha, rule)
    assert calibration.report.objective == pytest.approx(here, rel=1e-9)

    def cost(point: Floats) -> float:
        return criterion(point, TAR, NON, alpha, rule)

    for start in (line, np.array([0.3, 0.0]), np.array([4.0, -4.0])):
        other = minimize(cost, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13})
        assert here <= float(other.fun) * (1 + 1e-9)


@EVERY_RULE
def test_exchanging_the_classes_mirrors_the_line(rule: RuleLike) -> None:
    scoring = ScoringRule.of(rule)
    one = fitted(TAR, NON, alpha=0.2, rule=rule, bounds="none")
    other = fitted(-NON, -TAR, alpha=0.8, rule=(scoring.b, scoring.a), bounds="none")
    grid = np.linspace(-5, 5, 31)
    assert other(-grid) == pytest.approx(-one(grid), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rule", ["boosting", (-0.2, -0.8)], ids=str)
def test_the_weight_cancels_out_if_the_exponents_add_up_to_minus_one(rule: RuleLike) -> None:
    lines = [fitted(TAR, NON, alpha=alpha, rule=rule).params for alpha in (0.001, 0.5, 0.9)]
    assert lines[0] == pytest.approx(lines[1], rel=1e-9)
    assert lines[2] == pytest.approx(lines[1], rel=1e-9)


@EVERY_RULE
def test_the_criterion_is_a_weighted_mean_of_bayes_errors(rule: RuleLike) -> None:
    tar, non = TAR[:50], NON[:50]
    calibration = fitted(tar, non, alpha=0.05, rule=rule, bounds="none")
    ev = llrcal.evaluate(calibration(tar), calibration(non))
    scoring, x = ScoringRule.of(rule), np.linspace(-300, 300, 1_500_001)
    mean = np.trapezoid(scoring.weights(x, alpha=0.05) * ev.bayes_error(x), x)
    assert calibration.report.objective == pytest.approx(
        mean * scoring.default_cost(0.05), rel=1e-4
    )


# ------------------------------------------------------------------------------- odd sets


@pytest.mark.slow
@given(scores, scores, st.sampled_from([0.001, 0.5, 0.92]), st.sampled_from(RULES))
def test_any_set_gets_a_finite_line(
    tars: list[float], nons: list[float], alpha: float, rule: RuleLike
) -> None:
    calibration = fitted(tars, nons, alpha=alpha, rule=rule)
    assert np.isfinite([calibration.slope, calibration.height]).all()
    assert np.isfinite(calibration(np.array(tars + nons))).all()
    if "no minimum" in codes(calibration.report.notes):
        log_line = fitted(tars, nons, alpha=alpha)
        assert calibration.params == log_line.params


@given(scores, scores, st.sampled_from([(-0.5, -0.5), (-0.9, -0.3), (0.0, -0.7)]))
def test_convex_rules_always_have_a_minimum(
    tars: list[float], nons: list[float], rule: RuleLike
) -> None:
    tar, non = np.array(tars), np.array(nons)
    assume(tar.min() < non.max())
    assume(non.min() < tar.max())
    report = fitted(tar, non, rule=rule).report
    assert not {"no minimum", "several minima"} & set(codes(report.notes))


@EVERY_RULE
def test_separable_classes(rule: RuleLike) -> None:
    tar, non = np.array([3.0, 4.5, 5.0, 7.0]), np.array([-2.0, 0.0, 1.0, 2.5, 2.75])
    calibration = fitted(tar, non, rule=rule)
    assert codes(calibration.report.notes)[0] == "separable"
    assert 0.1 < calibration.slope < 10
    two = fitted([7.0] * 3, [2.0] * 50, rule=rule)
    pav = llrcal.fit([7.0] * 3, [2.0] * 50, method="pav")
    assert two([2.0, 7.0]) == pytest.approx(pav([2.0, 7.0]), rel=1e-6)


@pytest.mark.parametrize("rule", ["log", *RULES], ids=str)
def test_constant_scores(rule: RuleLike) -> None:
    calibration = fitted([1.0, 1.0], [1.0], alpha=0.2, rule=rule)
    assert codes(calibration.report.notes)[0] == "constant"
    assert calibration.params == {"slope": 0.0, "offset": 0.0}
    here = criterion(np.zeros(2), np.ones(2), np.ones(1), 0.2, rule)
    assert calibration.report.objective == pytest.approx(here, rel=1e-12)


def test_no_minimum() -> None:
    # All but one target lie above all non-targets: the cost of Brier goes on falling with a slope
    # that makes certain decisions, because the one error costs no more than it does already.
    tar, non = np.append(np.linspace(1, 2, 50), -30.0), np.linspace(-2, -1, 50)
    tar = np.append(tar, 0.9)
    with pytest.warns(llrcal.LlrcalWarning, match=r"no minimum .* rule='log'"):
        calibration = fitted(tar, non, rule=(3.0, 3.0))
    assert calibration.params == fitted(tar, non).params
    assert fitted(tar, non, rule="boosting").report.notes == ()


@pytest.mark.slow
def test_the_better_of_two_minima() -> None:
    # Two targets far below everything else turn the line of the logarithmic rule almost flat.
    tar = np.array([1.1, 0.9, 0.6, 0.8, 0.5, 1.0, 1.7, -5.5, -5.9])
    non = np.array([0.4, 0.1, -0.9, 0.0, 0.7, -1.3, -0.5, -1.9, -1.3, -1.8])
    calibration = fitted(tar, non, rule="brier")
    assert codes(calibration.report.notes) == ["several minima"]
    assert fitted(tar, non).slope < 0.1 < 5 < calibration.slope
    slopes, offsets = np.meshgrid(np.linspace(-10, 10, 201), np.linspace(-10, 10, 201))
    grid = np.stack([slopes.ravel(), offsets.ravel()], axis=1)
    least = min(criterion(point, tar, non, 0.5, "brier") for point in grid)
    assert calibration.report.objective <= least


@pytest.mark.parametrize("far", [1e3, 1e8])
@EVERY_RULE
def test_outliers_do_not_overflow(rule: RuleLike, far: float) -> None:
    # By the line of the logarithmic rule or of the medians, they may cost more than doubles hold.
    for tar, non in ((np.append(TAR, -far), NON), (TAR, np.append(NON, far))):
        for alpha in (1e-300, 0.5, 1 - 1e-12):
            calibration = fitted(tar, non, alpha=alpha, rule=rule)
            assert np.isfinite([calibration.slope, calibration.height]).all()
            if rule == "boosting":
                assert calibration.report.converged
                assert "no minimum" not in codes(calibration.report.notes)


def test_equal_medians() -> None:
    tar, non = np.array([-3.0, 0.0, 0.0, 4.0]), np.array([-4.0, 0.0, 0.0, 3.0])
    for rule in RULES:
        assert np.isfinite(fitted(tar, non, rule=rule).slope)


# ------------------------------------------------------------------------- files and names


def test_labels() -> None:
    assert label("logistic", {"alpha": 0.5, "rule": "brier"}) == "logistic-0.5-brier"
    assert label("logistic", {"rule": ScoringRule(0.5, 1.0)}) == "logistic-0.5_1.0"
    methods = [("logistic", {"alpha": 0.5, "rule": rule}) for rule in ("brier", (0.5, -0.5))]
    assert list(llrcal.fit_all(TAR, NON, methods=methods)) == [
        "logistic-0.5-brier",
        "logistic-0.5-0.5_-0.5",
    ]
