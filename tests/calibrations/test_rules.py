"""Lines by Brier's rule: optimality, derivatives, and sets without a minimum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.methods import label
from llrcal.calibrations.methods.logistic import Logistic
from llrcal.scoring_rule import Rule, rule_costs
from tests.notes import codes
from tests.trial_sets import normal

# Many of these sets are odd on purpose, and fits to them give warnings.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

TAR, NON = normal(400, 2.0, 1.4), normal(3000, -0.5, 1.0)
finite = st.floats(-100, 100).map(lambda x: round(x, 3))
scores = st.lists(finite, min_size=2, max_size=30)


def fitted(tar: Any, non: Any, **options: Any) -> Logistic:
    calibration = llrcal.fit(tar, non, method="logistic", **options)
    assert isinstance(calibration, Logistic)
    return calibration


def criterion(line: Floats, tar: Floats, non: Floats, alpha: float, rule: Rule) -> float:
    shift = line[1] + np.log(alpha / (1 - alpha))
    tar_cost = rule_costs(-(line[0] * tar + shift), rule).mean()
    non_cost = rule_costs(line[0] * non + shift, rule).mean()
    return float(alpha * tar_cost + (1 - alpha) * non_cost)


# ------------------------------------------------------------------------- the logarithmic rule


@pytest.mark.parametrize("alpha", [0.01, 0.5, "empirical"])
def test_the_logarithmic_rule_is_the_default_to_the_bit(alpha: Any, tmp_path: Path) -> None:
    texts = []
    for options in ({}, {"rule": "log"}):
        fitted(TAR, NON, alpha=alpha, **options).save(tmp_path / "model.json")
        texts.append((tmp_path / "model.json").read_text("utf-8"))
    assert len(set(texts)) == 1
    assert '"rule"' not in texts[0]


# --------------------------------------------------------------------------- Brier's rule


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.9])
def test_the_line_is_optimal(alpha: float) -> None:
    calibration = fitted(TAR, NON, alpha=alpha, rule="brier")
    line = np.array([calibration.slope, calibration.offset])
    assert calibration.report.converged
    assert calibration.report.positive_definite
    assert not calibration.report.notes
    here = criterion(line, TAR, NON, alpha, "brier")
    assert calibration.report.objective == pytest.approx(here, rel=1e-9)

    def cost(point: Floats) -> float:
        return criterion(point, TAR, NON, alpha, "brier")

    for start in (line, np.array([0.3, 0.0]), np.array([4.0, -4.0])):
        other = minimize(cost, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13})
        assert here <= float(other.fun) * (1 + 1e-9)


def test_exchanging_the_classes_mirrors_the_line() -> None:
    one = fitted(TAR, NON, alpha=0.2, rule="brier", bounds="none")
    other = fitted(-NON, -TAR, alpha=0.8, rule="brier", bounds="none")
    grid = np.linspace(-5, 5, 31)
    assert other(-grid) == pytest.approx(-one(grid), rel=1e-9, abs=1e-9)


# ------------------------------------------------------------------------------- odd sets


@pytest.mark.slow
@given(scores, scores, st.sampled_from([0.001, 0.5, 0.92]))
def test_any_set_gets_a_finite_line(tars: list[float], nons: list[float], alpha: float) -> None:
    calibration = fitted(tars, nons, alpha=alpha, rule="brier")
    assert np.isfinite([calibration.slope, calibration.height]).all()
    assert np.isfinite(calibration(np.array(tars + nons))).all()
    if "no minimum" in codes(calibration.report.notes):
        log_line = fitted(tars, nons, alpha=alpha)
        assert calibration.params == log_line.params


def test_separable_classes() -> None:
    tar, non = np.array([3.0, 4.5, 5.0, 7.0]), np.array([-2.0, 0.0, 1.0, 2.5, 2.75])
    calibration = fitted(tar, non, rule="brier")
    assert codes(calibration.report.notes)[0] == "separable"
    assert 0.1 < calibration.slope < 10
    two = fitted([7.0] * 3, [2.0] * 50, rule="brier")
    pav = llrcal.fit([7.0] * 3, [2.0] * 50, method="pav")
    assert two([2.0, 7.0]) == pytest.approx(pav([2.0, 7.0]), rel=1e-6)


@pytest.mark.parametrize("rule", ["log", "brier"])
def test_constant_scores(rule: Rule) -> None:
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
        calibration = fitted(tar, non, rule="brier")
    assert calibration.params == fitted(tar, non).params


@pytest.mark.slow
def test_the_better_of_two_minima() -> None:
    # Two targets far below everything else turn the line of the logarithmic rule almost flat.
    tar = np.array([1.1, 0.9, 0.6, 0.8, 0.5, 1.0, 1.7, -5.5, -5.9])
    non = np.array([0.4, 0.1, -0.9, 0.0, 0.7, -1.3, -0.5, -1.9, -1.3, -1.8])
    calibration = fitted(tar, non, rule="brier")
    assert not calibration.report.notes
    assert fitted(tar, non).slope < 0.1 < 5 < calibration.slope
    slopes, offsets = np.meshgrid(np.linspace(-10, 10, 201), np.linspace(-10, 10, 201))
    grid = np.stack([slopes.ravel(), offsets.ravel()], axis=1)
    least = min(criterion(point, tar, non, 0.5, "brier") for point in grid)
    assert calibration.report.objective <= least


@pytest.mark.parametrize("far", [1e3, 1e8])
def test_outliers_do_not_overflow(far: float) -> None:
    for tar, non in ((np.append(TAR, -far), NON), (TAR, np.append(NON, far))):
        for alpha in (1e-300, 0.5, 1 - 1e-12):
            calibration = fitted(tar, non, alpha=alpha, rule="brier")
            assert np.isfinite([calibration.slope, calibration.height]).all()


def test_equal_medians() -> None:
    tar, non = np.array([-3.0, 0.0, 0.0, 4.0]), np.array([-4.0, 0.0, 0.0, 3.0])
    assert np.isfinite(fitted(tar, non, rule="brier").slope)


# ------------------------------------------------------------------------- files and names


def test_labels() -> None:
    assert label("logistic", {"alpha": 0.5, "rule": "brier"}) == "logistic-0.5-brier"
    methods = [("logistic", {"alpha": 0.5, "rule": "brier"})]
    assert list(llrcal.fit_all(TAR, NON, methods=methods)) == ["logistic-0.5-brier"]
