"""Calibrations against the numbers of other programs (tests/reference)."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

import llrcal
from llrcal.method_table import MethodName
from tests.reference.answers import answers, exact, numbers
from tests.reference.scores import scores


@cache
def calibration(
    name: str, method: MethodName, alpha: float | str | None = None
) -> llrcal.Calibration:
    options: dict[str, Any] = {} if alpha is None else {"alpha": alpha}
    return llrcal.fit(*scores(name), method=method, bounds="none", rising=False, **options)


def applied(name: str, fitted: llrcal.Calibration) -> llrcal.Evaluation:
    tar, non = scores(name)
    return llrcal.evaluate(fitted(tar), fitted(non))


# -------------------------------------------------- PAV and Newton, in double precision

EACH_SET = pytest.mark.parametrize("name", ["small", "ties", "big", "nig"])


def weighted(name: str, kind: str) -> dict[float | str, dict[str, float]]:
    """The entries kind_p by their weight; p = T / (T + N) to six digits means exactly that."""
    tar, non = scores(name)
    empirical = f"{len(tar) / (len(tar) + len(non)):.6g}"
    keys = [key for key in answers("newton")[name] if key.startswith(f"{kind}_")]
    weights = [key.removeprefix(f"{kind}_") for key in keys]
    assert empirical in weights
    assert len(weights) >= 3
    return {
        "empirical" if weight == empirical else float(weight): answers("newton")[name][key]
        for weight, key in zip(weights, keys, strict=True)
    }


@EACH_SET
@pytest.mark.parametrize(("method", "kind"), [("logistic", "logreg"), ("linear-gaussian", "cmlg")])
def test_lines(name: str, method: MethodName, kind: str) -> None:
    near = {"rel": 1e-7} if method == "logistic" else {}
    for alpha, expected in weighted(name, kind).items():
        fitted = calibration(name, method, alpha)
        assert fitted.report.converged
        assert fitted.params["slope"] == exact(expected["a"], **near)
        assert fitted.params["offset"] == exact(expected["b"], **near)
        ev = applied(name, fitted)
        assert ev.cllr == exact(expected["cllr"])
        assert ev.act_dcf(0.01) == exact(expected["actdcf_001"])
        if method == "logistic":
            assert ev.act_dcf(0.001) == exact(expected["actdcf_0001"])


@EACH_SET
def test_gaussian(name: str) -> None:
    expected, fitted = answers("newton")[name]["gauss"], calibration(name, "gaussian")
    for side, mean, variance in (("tar", "m1", "v1"), ("non", "m2", "v2")):
        assert fitted.params[side]["mean"] == exact(expected[mean])
        assert fitted.params[side]["variance"] == exact(expected[variance])
    ev = applied(name, fitted)
    assert ev.cllr == exact(expected["cllr"])
    assert ev.act_dcf(0.01) == exact(expected["actdcf_001"])
    assert ev.act_dcf(0.001) == exact(expected["actdcf_0001"])


# ------------------------------------------------------ Newton to 17 digits, and FoCal

EACH_17_DIGIT_SET = pytest.mark.parametrize("name", ["tiny_ties", "synth"])


def weight(alpha: str) -> float | str:
    return "empirical" if alpha == "T/(T+N)" else float(alpha)


@EACH_17_DIGIT_SET
@pytest.mark.parametrize("method", ["logistic", "linear-gaussian"])
def test_lines_to_seventeen_digits(name: str, method: MethodName) -> None:
    fits = answers("newton_17_digits")[name][method.replace("-", "_")]
    assert len(fits) == 4
    for expected in fits:
        fitted = calibration(name, method, weight(expected["alpha"]))
        near = {"rel": 1e-7} if method == "logistic" else {}
        assert fitted.params["slope"] == exact(float(expected["A"]), **near)
        assert fitted.params["offset"] == exact(float(expected["B"]), **near)
        if method == "logistic":
            assert fitted.report.objective == exact(float(expected["objective_nats"]))
        else:
            assert fitted.params["variance"] == exact(float(expected["v"]))


@EACH_17_DIGIT_SET
def test_focal_logistic(name: str) -> None:
    expected, fitted = answers("focal")[name], calibration(name, "logistic", 0.5)
    assert fitted.params["slope"] == exact(expected["A_p05"], rel=1e-5)
    assert fitted.params["offset"] == exact(expected["B_p05"], rel=1e-5)


@EACH_17_DIGIT_SET
def test_gaussian_to_seventeen_digits(name: str) -> None:
    expected = answers("newton_17_digits")[name]["gaussian"]
    fitted = calibration(name, "gaussian").params
    assert fitted["tar"]["mean"] == exact(float(expected["mu1"]))
    assert fitted["tar"]["variance"] == exact(float(expected["v1"]))
    assert fitted["non"]["mean"] == exact(float(expected["mu2"]))
    assert fitted["non"]["variance"] == exact(float(expected["v2"]))


# ----------------------------------------------------------------- BOSARIS under Octave


@pytest.mark.parametrize("name", ["small", "ties", "big"])
@pytest.mark.parametrize("p", [0.5, 0.01])
def test_bosaris_logistic(name: str, p: float) -> None:
    """It stops at about four digits, where the criterion is already flat to nine."""
    line = rf"^train_linear_calibration prior {p} obj cllr : a=(\S+) b=(\S+) nxe=(\S+)"
    slope, offset, cost = numbers(f"bosaris_{name}", line)
    fitted = calibration(name, "logistic", p)
    assert fitted.params["slope"] == pytest.approx(slope, rel=1e-3)
    assert fitted.params["offset"] == pytest.approx(offset, rel=1e-3)
    # Its cost is relative to that of the prior alone; ours is the minimum, so not above it.
    prior_alone = -p * math.log(p) - (1 - p) * math.log1p(-p)
    ours = fitted.report.objective / prior_alone
    assert cost - 1e-7 < ours < cost * (1 + 1e-9)


@pytest.mark.parametrize("name", ["small", "ties", "big", "separable"])
def test_bosaris_pav(name: str) -> None:
    """The same dummies; its outermost LLRs are further out by its jitter of 1e-6."""
    line = r"nbounds=(\d+)  llr first (\S+) last (\S+)"
    bounds, first, last = numbers(f"bosaris_{name}", line)
    llrs = calibration(name, "pav").params["llrs"]
    assert llrs[0] == pytest.approx(first + 1e-6, abs=2e-9)
    assert llrs[-1] == pytest.approx(last - 1e-6, abs=2e-9)
    assert 2 * len(llrs) == bounds  # each step has two ends


# -------------------------------------------------------- van Leeuwen's package roc, in R

EACH_ROC_SET = pytest.mark.parametrize("name", ["small", "ties", "big"])


@EACH_ROC_SET
def test_roc_linear_gaussian(name: str) -> None:
    """Its variances are divided by n - 1."""
    slope, offset = numbers("roc", rf"^{name} train.cmlg a=(\S+) b=(\S+)")
    fitted = calibration(name, "gaussian").params
    unbiased = [
        fitted[side]["variance"] * len(s) / (len(s) - 1)
        for side, s in zip(("tar", "non"), scores(name), strict=True)
    ]
    mean_tar, mean_non = fitted["tar"]["mean"], fitted["non"]["mean"]
    ours = (mean_tar - mean_non) / (sum(unbiased) / 2)
    assert ours == exact(slope)
    assert -ours * (mean_tar + mean_non) / 2 == exact(offset)


@EACH_ROC_SET
def test_roc_logistic(name: str) -> None:
    offset, slope = numbers("roc", rf"^{name} train.logreg .* b=(\S+) a=(\S+)")
    fitted = calibration(name, "logistic", 0.5)
    assert fitted.params["slope"] == exact(slope, rel=1e-9)
    assert fitted.params["offset"] == exact(offset, rel=1e-9)
