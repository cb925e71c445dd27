"""Calibrations and evaluations against numbers from independent programs.

The files lie in shared/reference/verification and shared/scores/nist_sre08; where they are not
present, these tests are skipped.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from tests.conftest import shared

FOLDER = ("reference", "verification")
SETS = ("small", "ties", "big", "nig")
EACH_SET = pytest.mark.parametrize("name", SETS)
OPERATING_POINTS = (0.5, 0.1, 0.01, 0.001)


def exact(value: float, *, rel: float = 1e-9) -> Any:
    return pytest.approx(value, rel=rel, abs=1e-13)


@cache
def scores(name: str) -> tuple[Floats, Floats]:
    with np.load(shared(*FOLDER, f"{name}.npz")) as file:
        return file["tar"], file["non"]


@cache
def labelled(name: str) -> tuple[Floats, Floats]:
    """Scores of a text file with the columns score and label."""
    columns = np.loadtxt(shared(*FOLDER, name), delimiter=",", skiprows=1)
    return llrcal.split(columns[:, 0], columns[:, 1])


@cache
def evaluation(name: str) -> llrcal.Evaluation:
    return llrcal.evaluate(*scores(name))


@cache
def calibration(name: str, method: str, alpha: float | str | None = None) -> llrcal.Calibration:
    options: dict[str, Any] = {} if alpha is None else {"alpha": alpha}
    return llrcal.fit(*scores(name), method=method, **options)


def applied(name: str, fitted: llrcal.Calibration) -> llrcal.Evaluation:
    tar, non = scores(name)
    return llrcal.evaluate(fitted(tar), fitted(non))


def of_file(name: str) -> Any:
    return json.loads(shared(*FOLDER, name).read_text())


def lines(name: str) -> str:
    return shared(*FOLDER, name).read_text()


# ------------------------------------------------------------------ reference_numbers.json


def reference(name: str) -> dict[str, Any]:
    numbers = of_file("reference_numbers.json")[name]
    assert isinstance(numbers, dict)
    return numbers


def weighted(name: str, kind: str) -> dict[float | str, dict[str, float]]:
    """The entries kind_p by their weight; p = T / (T + N) to six digits means exactly that."""
    tar, non = scores(name)
    empirical = f"{len(tar) / (len(tar) + len(non)):.6g}"
    found: dict[float | str, dict[str, float]] = {}
    for key, value in reference(name).items():
        if key.startswith(f"{kind}_"):
            digits = key.removeprefix(f"{kind}_")
            found["empirical" if digits == empirical else float(digits)] = value
    assert "empirical" in found
    assert len(found) >= 3
    return found


@EACH_SET
def test_cllr_min_cllr_and_eer(name: str) -> None:
    expected, ev = reference(name), evaluation(name)
    assert ev.cllr == exact(expected["cllr"])
    assert ev.min_cllr == exact(expected["mincllr"])
    assert ev.eer == exact(expected["eer_rocch"])
    assert len(ev.hull.tar) == expected["nbins"]


@EACH_SET
@pytest.mark.parametrize("p", OPERATING_POINTS)
def test_detection_costs(name: str, p: float) -> None:
    expected, ev = reference(name), evaluation(name)
    assert ev.act_dcf(p) == exact(expected[f"actdcf_{p}"])
    assert ev.min_dcf(p) == exact(expected[f"mindcf_{p}"])
    assert ev.bayes_error(math.log(p / (1 - p))) == exact(expected[f"actdcf_{p}"])


@EACH_SET
def test_outermost_finite_pav_llrs(name: str) -> None:
    tar, non = llrcal.optimal_llrs(*scores(name))
    llrs = np.concatenate([tar, non])
    finite = llrs[np.isfinite(llrs)]
    first, last = reference(name)["pav_llr_first_last_finite"]
    assert (finite.min(), finite.max()) == (exact(first), exact(last))


@EACH_SET
def test_logistic(name: str) -> None:
    for alpha, expected in weighted(name, "logreg").items():
        fitted = calibration(name, "logistic", alpha)
        assert fitted.report.converged
        assert fitted.params["slope"] == exact(expected["a"], rel=1e-7)
        assert fitted.params["offset"] == exact(expected["b"], rel=1e-7)
        ev = applied(name, fitted)
        assert ev.cllr == exact(expected["cllr"])
        assert ev.act_dcf(0.01) == exact(expected["actdcf_001"])
        assert ev.act_dcf(0.001) == exact(expected["actdcf_0001"])


@EACH_SET
def test_linear_gaussian(name: str) -> None:
    for alpha, expected in weighted(name, "cmlg").items():
        fitted = calibration(name, "linear-gaussian", alpha)
        assert fitted.params["slope"] == exact(expected["a"])
        assert fitted.params["offset"] == exact(expected["b"])
        ev = applied(name, fitted)
        assert ev.cllr == exact(expected["cllr"])
        assert ev.act_dcf(0.01) == exact(expected["actdcf_001"])


@EACH_SET
def test_gaussian(name: str) -> None:
    expected, fitted = reference(name)["gauss"], calibration(name, "gaussian")
    for side, mean, variance in (("tar", "m1", "v1"), ("non", "m2", "v2")):
        assert fitted.params[side]["mean"] == exact(expected[mean])
        assert fitted.params[side]["variance"] == exact(expected[variance])
    ev = applied(name, fitted)
    assert ev.cllr == exact(expected["cllr"])
    assert ev.act_dcf(0.01) == exact(expected["actdcf_001"])
    assert ev.act_dcf(0.001) == exact(expected["actdcf_0001"])


# ------------------------------------------------------------- tiny_ties and synth, by JSON

JSON_SETS = {
    "verif_tiny_ties": "verif_tiny_ties.csv",
    "verif_synth_300_200000": "verif_synth_300_200000.csv.gz",
}
EACH_JSON_SET = pytest.mark.parametrize("name", JSON_SETS)
WEIGHTS: dict[str, float | str] = {"T/(T+N)": "empirical"}


@EACH_JSON_SET
def test_evaluation_by_two_programs(name: str) -> None:
    expected, (tar, non) = of_file(f"{name}.json"), labelled(JSON_SETS[name])
    assert (len(tar), len(non)) == (expected["n_targets"], expected["n_nontargets"])
    ev = llrcal.evaluate(tar, non)
    assert ev.cllr == exact(expected["pyllr"]["Cllr"], rel=1e-12)
    assert ev.cllr == exact(expected["focal_octave"]["Cllr"], rel=1e-12)
    assert ev.min_cllr == exact(expected["pyllr"]["minCllr"])
    # FoCal's minCllr carries a jitter of up to 1e-6, as that of BOSARIS does.
    assert ev.min_cllr == pytest.approx(expected["focal_octave"]["minCllr"], abs=1e-6)
    assert ev.eer == exact(expected["pyllr"]["EER_rocch"])


@EACH_JSON_SET
def test_logistic_to_seventeen_digits(name: str) -> None:
    document = of_file(f"{name}.json")
    assert len(document["logistic"]) == 4
    for expected in document["logistic"]:
        alpha = WEIGHTS.get(expected["alpha"], expected["alpha_value"])
        fitted = llrcal.fit(*labelled(JSON_SETS[name]), method="logistic", alpha=alpha)
        assert fitted.params["slope"] == exact(float(expected["A"]), rel=1e-7)
        assert fitted.params["offset"] == exact(float(expected["B"]), rel=1e-7)
        assert fitted.report.objective == exact(float(expected["objective_nats"]))
        if alpha == 0.5:
            other = document["focal_octave"]
            assert fitted.params["slope"] == exact(other["A_p05"], rel=1e-5)
            assert fitted.params["offset"] == exact(other["B_p05"], rel=1e-5)


@EACH_JSON_SET
def test_linear_gaussian_to_seventeen_digits(name: str) -> None:
    document = of_file(f"{name}.json")
    assert len(document["shared_variance_gaussian"]) == 4
    for expected in document["shared_variance_gaussian"]:
        word = expected["alpha"]
        alpha = WEIGHTS[word] if word in WEIGHTS else float(word)
        fitted = llrcal.fit(*labelled(JSON_SETS[name]), method="linear-gaussian", alpha=alpha)
        assert fitted.params["variance"] == exact(float(expected["v"]))
        assert fitted.params["slope"] == exact(float(expected["A"]))
        assert fitted.params["offset"] == exact(float(expected["B"]))


@EACH_JSON_SET
def test_gaussian_to_seventeen_digits(name: str) -> None:
    expected = of_file(f"{name}.json")["gaussian"]
    fitted = llrcal.fit(*labelled(JSON_SETS[name]), method="gaussian").params
    assert fitted["tar"]["mean"] == exact(float(expected["mu1"]))
    assert fitted["tar"]["variance"] == exact(float(expected["v1"]))
    assert fitted["non"]["mean"] == exact(float(expected["mu2"]))
    assert fitted["non"]["variance"] == exact(float(expected["v2"]))


# -------------------------------------------------------------------- BOSARIS under Octave

OCTAVE_SETS = ("small", "ties", "big", "separable")
EACH_OCTAVE_SET = pytest.mark.parametrize("name", OCTAVE_SETS)


def octave(name: str, pattern: str) -> list[float]:
    """The numbers that a pattern finds in one line of the output."""
    found = re.search(pattern, lines(f"bosaris_octave_{name}.txt"), re.MULTILINE)
    assert found is not None, pattern
    return [float(text) for text in found.groups()]


@EACH_OCTAVE_SET
def test_bosaris_rates(name: str) -> None:
    tar, non = scores(name)
    assert octave(name, r"^set \S+ T=(\d+) N=(\d+)") == [len(tar), len(non)]
    ev = evaluation(name)
    assert ev.cllr == exact(octave(name, r"^cllr (\S+)")[0], rel=1e-13)
    assert ev.eer == exact(octave(name, r"^eer\(ROCCH\) (\S+)")[0], rel=1e-13)
    # A jitter of 1e-6 on the LLRs, near their optimum.
    assert ev.min_cllr == pytest.approx(octave(name, r"^min_cllr (\S+)")[0], abs=1e-9)


@EACH_OCTAVE_SET
def test_bosaris_costs_to_every_printed_digit(name: str) -> None:
    printed = re.findall(
        r"^  prior (\S+) actdcf (\S+) mindcf (\S+)$",
        lines(f"bosaris_octave_{name}.txt"),
        re.MULTILINE,
    )
    assert [float(p) for p, _, _ in printed] == sorted(OPERATING_POINTS)
    ev = evaluation(name)
    for p, actual, least in printed:
        assert f"{ev.act_dcf(float(p)):.6g}" == actual
        assert f"{ev.min_dcf(float(p)):.6g}" == least


@pytest.mark.parametrize("name", ["small", "ties", "big"])
@pytest.mark.parametrize("p", [0.5, 0.01])
def test_bosaris_logistic(name: str, p: float) -> None:
    """It stops at about four digits, where the criterion is already flat to nine."""
    line = rf"^train_linear_calibration prior {p} obj cllr : a=(\S+) b=(\S+) nxe=(\S+)"
    slope, offset, cost = octave(name, line)
    fitted = calibration(name, "logistic", p)
    assert fitted.params["slope"] == pytest.approx(slope, rel=1e-3)
    assert fitted.params["offset"] == pytest.approx(offset, rel=1e-3)
    # Its cost is relative to that of the prior alone; ours is the minimum, so not above it.
    prior_alone = -p * math.log(p) - (1 - p) * math.log1p(-p)
    ours = fitted.report.objective / prior_alone
    assert cost - 1e-7 < ours < cost * (1 + 1e-9)


@EACH_OCTAVE_SET
def test_bosaris_pav(name: str) -> None:
    """The same dummies; its outermost LLRs are further out by its jitter of 1e-6."""
    bounds, first, last = octave(name, r"nbounds=(\d+)  llr first (\S+) last (\S+)")
    llrs = calibration(name, "pav").params["llrs"]
    assert llrs[0] == pytest.approx(first + 1e-6, abs=2e-9)
    assert llrs[-1] == pytest.approx(last - 1e-6, abs=2e-9)
    assert 2 * len(llrs) == bounds  # each step has two ends


# ----------------------------------------------------------------- van Leeuwen's package in R


def r_numbers(name: str, pattern: str) -> list[str]:
    found = re.search(rf"^{name} {pattern}", lines("roc_R.txt"), re.MULTILINE)
    assert found is not None, pattern
    return list(found.groups())


EACH_R_SET = pytest.mark.parametrize("name", ["small", "ties", "big"])


@EACH_R_SET
def test_r_cllr_to_every_printed_digit(name: str) -> None:
    (printed,) = r_numbers(name, r"roc \S+ Cllr (\S+)")
    assert f"{evaluation(name).cllr:.12g}" == printed


@EACH_R_SET
def test_r_min_cllr_with_its_dummies(name: str) -> None:
    """A target and a non-target more at either end, which the prior does not count."""
    (printed,) = r_numbers(name, r".* Cllr.min (\S+)")
    tar, non = scores(name)
    ends = [-math.inf, math.inf]
    best = llrcal.optimal_llrs(np.append(tar, ends), np.append(non, ends))
    tar_count, non_count = len(tar), len(non)
    prior = math.log((tar_count + 2) / (non_count + 2)) - math.log(tar_count / non_count)
    ev = llrcal.evaluate(best[0][:-2] + prior, best[1][:-2] + prior)
    assert ev.cllr == exact(float(printed), rel=1e-11)


@EACH_R_SET
def test_r_linear_gaussian(name: str) -> None:
    """Its variances are divided by n - 1."""
    slope, offset = (float(text) for text in r_numbers(name, r"train.cmlg a=(\S+) b=(\S+)"))
    fitted = calibration(name, "gaussian").params
    unbiased = [
        fitted[side]["variance"] * len(s) / (len(s) - 1)
        for side, s in zip(("tar", "non"), scores(name), strict=True)
    ]
    mean_tar, mean_non = fitted["tar"]["mean"], fitted["non"]["mean"]
    ours = (mean_tar - mean_non) / (sum(unbiased) / 2)
    assert ours == exact(slope)
    assert -ours * (mean_tar + mean_non) / 2 == exact(offset)


@EACH_R_SET
def test_r_logistic(name: str) -> None:
    offset, slope = (float(text) for text in r_numbers(name, r"train.logreg .* b=(\S+) a=(\S+)"))
    fitted = calibration(name, "logistic", 0.5)
    assert fitted.params["slope"] == exact(slope, rel=1e-9)
    assert fitted.params["offset"] == exact(offset, rel=1e-9)


# --------------------------------------------------------------------- classes that separate


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_separable_classes() -> None:
    ev = evaluation("separable")
    assert (ev.eer, ev.min_cllr) == (0.0, 0.0)
    fitted = calibration("separable", "logistic")
    assert fitted.report.converged
    assert "separable" in " ".join(fitted.report.notes)
    assert 0 < fitted.params["slope"] < math.inf
    assert applied("separable", fitted).eer == 0


# ------------------------------------------------------------------------ NIST SRE 2008


@cache
def sre08() -> tuple[Floats, Floats]:
    tar, non = (np.load(shared("scores", "nist_sre08", f"{c}.npy")) for c in ("tar", "non"))
    assert (len(tar), len(non)) == (20_449, 78_327)
    return tar, non


@cache
def sre08_numbers() -> dict[str, str]:
    """The digits that shared/scores/README.md quotes."""
    text = shared("scores", "README.md").read_text("utf-8").replace("\N{MINUS SIGN}", "-")
    patterns = {
        "cllr": r"Published answers for nist_sre08 .*?: Cllr (\S+?),",
        "min_cllr": r"Published answers for nist_sre08 .*? min Cllr (\S+?),",
        "actual": r"p=0.01, c_miss=10, c_fa=1: actual (\S+?),",
        "minimum": r"p=0.01, c_miss=10, c_fa=1: .*?minimum (\S+) ",
        "mean_tar": r"mean target (\S+?),",
        "mean_non": r"mean non-target (\S+?)\.? ",
        "eer": r"the hull's is (\S+) %",
    }
    found = {key: re.search(pattern, text) for key, pattern in patterns.items()}
    assert all(found.values()), found
    return {key: match.group(1) for key, match in found.items() if match}


def test_sre08_cllr_to_every_printed_digit() -> None:
    ev = llrcal.evaluate(*sre08())
    assert f"{ev.cllr:.7g}" == sre08_numbers()["cllr"]
    assert f"{ev.min_cllr:.7g}" == sre08_numbers()["min_cllr"]
    assert f"{100 * ev.eer:.7g}" == sre08_numbers()["eer"]


def test_sre08_costs_to_every_printed_digit() -> None:
    ev = llrcal.evaluate(*sre08())
    costs = {"p_target": 0.01, "c_miss": 10, "c_fa": 1}
    assert f"{ev.act_dcf(**costs, normalised=False):.7g}" == sre08_numbers()["actual"]
    assert f"{ev.min_dcf(**costs, normalised=False):.7g}" == sre08_numbers()["minimum"]


def test_sre08_means_to_every_printed_digit() -> None:
    params = llrcal.fit(*sre08(), method="gaussian").params
    assert f"{params['tar']['mean']:.7g}" == sre08_numbers()["mean_tar"]
    assert f"{params['non']['mean']:.7g}" == sre08_numbers()["mean_non"]
