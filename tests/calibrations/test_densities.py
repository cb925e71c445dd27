"""The generative methods: LLRs are log-ratios of the two fitted densities."""

from __future__ import annotations

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.methods.densities import Generative
from llrcal.method_table import MethodName
from tests.notes import FAR_SCORES

pytestmark = FAR_SCORES

METHODS = ("gaussian", "student-t", "nig")
_rng = np.random.default_rng(7)
TAR = _rng.standard_t(6, 500) + 3
NON = _rng.gamma(3, 0.7, 5000) - 4


def fitted(method: MethodName) -> Generative:
    calibration = llrcal.fit(TAR, NON, method=method, bounds="none", rising=False)
    assert isinstance(calibration, Generative)
    return calibration


@pytest.mark.parametrize("method", METHODS)
def test_llr_is_the_log_ratio_of_the_densities(method: MethodName) -> None:
    calibration = fitted(method)
    grid = np.linspace(-6, 8, 57)
    ratio = calibration.tar.logpdf(grid) - calibration.non.logpdf(grid)
    low, high = calibration.training_range
    is_inside = (low <= grid) & (grid <= high)
    found = calibration(grid)
    assert found[is_inside] == pytest.approx(ratio[is_inside], rel=1e-9, abs=1e-9)
    assert found == pytest.approx(ratio, rel=4e-7, abs=4e-7)
    assert calibration.params == {"tar": calibration.tar.params, "non": calibration.non.params}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shift", [2.0, 2000.0])
def test_classes_of_one_shape(method: MethodName, shift: float) -> None:
    """Far out, their log densities differ by rounding errors, which cost nothing elsewhere."""
    scores = np.random.default_rng(1).standard_t(4, 3000)
    calibration = llrcal.fit(scores + shift, scores, method=method, bounds="none", rising=False)
    assert isinstance(calibration, Generative)
    ratio = calibration.tar.logpdf(scores) - calibration.non.logpdf(scores)
    assert calibration(scores) == pytest.approx(ratio, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_loglik_is_the_mean_log_density_of_the_training_scores(method: MethodName) -> None:
    calibration = fitted(method)
    assert calibration.tar.loglik == pytest.approx(calibration.tar.logpdf(TAR).mean(), rel=1e-12)
    assert calibration.non.loglik == pytest.approx(calibration.non.logpdf(NON).mean(), rel=1e-12)
    objective = (TAR.size * calibration.tar.loglik + NON.size * calibration.non.loglik) / (
        TAR.size + NON.size
    )
    assert calibration.report.objective == pytest.approx(-objective, rel=1e-12)
    if method == "gaussian":
        for side, scores in (("tar", TAR), ("non", NON)):
            closed = [scores.mean(), scores.var()]
            assert [*calibration.params[side].values()] == pytest.approx(closed, rel=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_errors_name_the_class(method: MethodName) -> None:
    with pytest.raises(llrcal.DegenerateError, match=r"^target scores: all 5"):
        llrcal.fit(np.ones(5), NON, method=method)
    with pytest.raises(llrcal.DegenerateError, match=r"^non-target scores: all 5"):
        llrcal.fit(TAR, np.ones(5), method=method)
    with pytest.raises(llrcal.ScoreError, match="1 of 500 target scores are not finite"):
        llrcal.fit(np.append(TAR[1:], np.inf), NON, method=method)


def test_edge_is_reported_by_class() -> None:
    uniform = np.linspace(0, 1, 200) ** 1.3
    report = llrcal.fit(TAR, uniform, method="nig").report
    assert [note.place for note in report.notes if "kappa = 0" in note.text] == ["non"]


def test_scores_that_differ_by_less_than_any_scale() -> None:
    tar, non = np.array([-3.0, 1, 0, -1]), np.array([2.2e-309, 0, -1, -3])
    calibration = llrcal.fit(tar, non, method="student-t")
    assert calibration.report.converged
    assert np.isfinite(calibration([-2.0, 0.0, 3.0])).all()
