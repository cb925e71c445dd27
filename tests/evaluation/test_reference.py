"""Evaluations against the numbers of other programs (tests/reference)."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import det_curve, roc_curve

import llrcal
from llrcal.arrays import Array
from tests.conftest import real_scores
from tests.reference.answers import answers, exact, numbers, printed
from tests.reference.scores import scores

OPERATING_POINTS = (0.001, 0.01, 0.1, 0.5)


@cache
def evaluation(name: str) -> llrcal.Evaluation:
    return llrcal.evaluate(*scores(name))


# -------------------------------------------------- PAV and Newton, in double precision

EACH_SET = pytest.mark.parametrize("name", ["small", "ties", "big", "nig"])


@EACH_SET
def test_cllr_min_cllr_and_eer(name: str) -> None:
    expected, ev = answers("newton")[name], evaluation(name)
    assert ev.cllr == exact(expected["cllr"])
    assert ev.min_cllr == exact(expected["mincllr"])
    assert ev.eer == exact(expected["eer_rocch"])
    assert len(ev.hull.tar) == expected["nbins"]


@EACH_SET
@pytest.mark.parametrize("p", OPERATING_POINTS)
def test_detection_costs(name: str, p: float) -> None:
    expected, ev = answers("newton")[name], evaluation(name)
    assert ev.act_dcf(p) == exact(expected[f"actdcf_{p}"])
    assert ev.min_dcf(p) == exact(expected[f"mindcf_{p}"])
    assert ev.bayes_error(math.log(p / (1 - p))) == exact(expected[f"actdcf_{p}"])


@EACH_SET
def test_outermost_finite_pav_llrs(name: str) -> None:
    llrs = np.concatenate(llrcal.optimal_llrs(*scores(name)))
    finite = llrs[np.isfinite(llrs)]
    first, last = answers("newton")[name]["pav_llr_first_last_finite"]
    assert (finite.min(), finite.max()) == (exact(first), exact(last))


# --------------------------------------------------------------------- PYLLR and FoCal


@pytest.mark.parametrize("name", ["tiny_ties", "synth"])
def test_pyllr_and_focal(name: str) -> None:
    pyllr, focal, ev = answers("pyllr")[name], answers("focal")[name], evaluation(name)
    assert ev.cllr == exact(pyllr["Cllr"], rel=1e-12)
    assert ev.cllr == exact(focal["Cllr"], rel=1e-12)
    assert ev.min_cllr == exact(pyllr["minCllr"])
    # FoCal's minCllr carries a jitter of up to 1e-6, as that of BOSARIS does.
    assert ev.min_cllr == pytest.approx(focal["minCllr"], abs=1e-6)
    assert ev.eer == exact(pyllr["EER_rocch"])


# ----------------------------------------------------------------- BOSARIS under Octave

EACH_BOSARIS_SET = pytest.mark.parametrize("name", ["small", "ties", "big", "separable"])


@EACH_BOSARIS_SET
def test_bosaris_rates(name: str) -> None:
    (tar, non), output, ev = scores(name), f"bosaris_{name}", evaluation(name)
    assert numbers(output, r"^set \S+ T=(\d+) N=(\d+)") == [len(tar), len(non)]
    assert [ev.cllr] == exact(numbers(output, r"^cllr (\S+)"), rel=1e-13)
    assert [ev.eer] == exact(numbers(output, r"^eer\(ROCCH\) (\S+)"), rel=1e-13)
    # Its LLRs carry a jitter of 1e-6, which matters little near their optimum.
    assert [ev.min_cllr] == pytest.approx(numbers(output, r"^min_cllr (\S+)"), abs=1e-9)


@EACH_BOSARIS_SET
@pytest.mark.parametrize("p", OPERATING_POINTS)
def test_bosaris_costs_to_every_printed_digit(name: str, p: float) -> None:
    ev = evaluation(name)
    actual, least = printed(f"bosaris_{name}", rf"^  prior {p} actdcf (\S+) mindcf (\S+)$")
    assert f"{ev.act_dcf(p):.6g}" == actual
    assert f"{ev.min_dcf(p):.6g}" == least


# -------------------------------------------------------- van Leeuwen's package roc, in R

EACH_ROC_SET = pytest.mark.parametrize("name", ["small", "ties", "big"])


@EACH_ROC_SET
def test_roc_cllr_to_every_printed_digit(name: str) -> None:
    (cllr,) = printed("roc", rf"^{name} roc \S+ Cllr (\S+)")
    assert f"{evaluation(name).cllr:.12g}" == cllr


@EACH_ROC_SET
def test_roc_min_cllr_with_its_dummies(name: str) -> None:
    """It adds a target and a non-target at either end, which the prior does not count."""
    (min_cllr,) = printed("roc", rf"^{name} .* Cllr.min (\S+)")
    tar, non = scores(name)
    ends = [-math.inf, math.inf]
    best = llrcal.optimal_llrs(np.append(tar, ends), np.append(non, ends))
    tar_count, non_count = len(tar), len(non)
    prior = math.log((tar_count + 2) / (non_count + 2)) - math.log(tar_count / non_count)
    ev = llrcal.evaluate(best[0][:-2] + prior, best[1][:-2] + prior)
    assert ev.cllr == exact(float(min_cllr), rel=1e-11)


# ------------------------------------------------------------------------ lir's tests


@pytest.mark.parametrize("case", answers("lir")["cllr"])
def test_lir_cllr(case: dict[str, Any]) -> None:
    with np.errstate(divide="ignore"):
        llrs = np.log(np.array(case["lrs"], np.float64))
    tar, non = llrcal.split(llrs, np.array(case["labels"]))
    assert llrcal.evaluate(tar, non).cllr == exact(case["cllr"], rel=1e-14)


@pytest.mark.parametrize("name", answers("lir")["sets"])
def test_lir_on_the_same_llrs(name: str) -> None:
    theirs, ev = answers("lir")["sets"][name], evaluation(name)
    assert ev.cllr == exact(theirs["cllr"], rel=1e-13)
    assert ev.min_cllr == exact(theirs["min_cllr"], rel=1e-12)
    assert ev.forensic.dev_pav == exact(theirs["dev_pav"], rel=1e-12)


# ----------------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize("name", ["small", "ties", "tiny_ties"])
def test_scikit_learn_has_the_same_rates_at_its_thresholds(name: str) -> None:
    (tar, non), ev = scores(name), evaluation(name)
    labels, both = np.repeat([1, 0], [len(tar), len(non)]), np.append(tar, non)
    for pfa, pmiss, thresholds in (det_curve(labels, both), _roc(labels, both)):
        np.testing.assert_allclose(ev.pfa(thresholds), pfa, rtol=0, atol=1e-15)
        np.testing.assert_allclose(ev.pmiss(thresholds), pmiss, rtol=0, atol=1e-15)
    # Every corner of the ROC is one of theirs.
    corners, theirs = (np.column_stack(one[:2]).round(12) for one in (ev.roc(), _roc(labels, both)))
    assert {*map(tuple, corners.tolist())} <= {*map(tuple, theirs.tolist())}


def _roc(labels: Array, llrs: Array) -> tuple[Array, Array, Array]:
    pfa, hits, thresholds = roc_curve(labels, llrs, drop_intermediate=False)
    return pfa, 1 - hits, thresholds


# --------------------------------------------- NIST SRE 2008, published with the package roc


def test_sre08_to_every_published_digit() -> None:
    tar, non = (np.load(real_scores("nist_sre08", f"{kind}.npy")) for kind in ("tar", "non"))
    ev = llrcal.evaluate(tar, non)
    assert (len(tar), len(non)) == (20_449, 78_327)
    assert (f"{ev.cllr:.7g}", f"{ev.min_cllr:.7g}") == ("0.2501407", "0.2237935")
    assert f"{100 * ev.eer:.7g}" == "5.617778"  # on the hull; they publish that of the steps
    costs = {"p_target": 0.01, "c_miss": 10, "c_fa": 1}
    assert f"{ev.act_dcf(**costs, normalised=False):.7g}" == "0.03375549"
    assert f"{ev.min_dcf(**costs, normalised=False):.7g}" == "0.03221064"
