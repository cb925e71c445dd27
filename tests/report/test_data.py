"""What the page draws: the numbers of ``evaluate``, where JSON has them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from llrcal.calibrations.methods.densities import Generative
from llrcal.calibrations.methods.pav import PAV
from llrcal.comparison import OperatingPoint
from llrcal.comparison.comparison import PER_UNIT
from llrcal.evaluation import evaluate
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.figures.curves import llr_view
from llrcal.report.data import _EVIDENCE, as_json, page_data, priors
from llrcal.trials import Trials
from tests.notes import FAR_SCORES
from tests.report.comparisons import HOSTILE, hostile, small

pytestmark = FAR_SCORES


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return json.loads(as_json(page_data(small())))


def test_positions_are_the_grid_and_then_the_points() -> None:
    comparison = small()
    grid, places = priors(comparison)
    points = [point.prior_log_odds for point in comparison.points]
    assert places.tolist() == [*grid, *points]
    assert np.array_equal(grid * PER_UNIT, np.round(grid * PER_UNIT))
    drawn = page_data(comparison)["positions"]
    assert drawn == {"first": grid[0] * PER_UNIT, "count": len(grid), "perUnit": PER_UNIT}
    low, high = comparison.range
    assert grid[0] <= min(low - 2, *points)
    assert grid[-1] >= max(high + 2, *points)
    far = (OperatingPoint(1e-300), OperatingPoint(0.5, c_miss=1e200))
    grid, places = priors(replace(small(), points=far))
    assert len(grid) < 1000
    assert places[-2] == far[0].prior_log_odds
    grid, places = priors(replace(small(), points=()))
    assert np.array_equal(grid, places)


@pytest.mark.slow
def test_error_rates_are_those_of_evaluate_to_the_last_bit(data: dict[str, Any]) -> None:
    comparison = small()
    _, x = priors(comparison)
    assert data["minimum"] == comparison.raw.min_bayes_error(x).tolist()
    for method, candidate in zip(data["methods"], comparison.candidates.values(), strict=True):
        ev = candidate.evaluation
        assert method["label"] == candidate.label
        assert method["actual"] == ev.bayes_error(x).tolist()
        assert method["minimum"] == ev.min_bayes_error(x).tolist()
        assert method["pmiss"] == ev.pmiss(-x).tolist()
        assert method["pfa"] == ev.pfa(-x).tolist()


def test_the_recommended_one_is_named(data: dict[str, Any]) -> None:
    comparison = small()
    assert data["methods"][data["recommended"]]["label"] == comparison.recommended
    assert data["ruleOf30"] == list(comparison.raw.rule_of_30)


def test_transforms_are_the_calibrations(data: dict[str, Any]) -> None:
    comparison = small()
    lines = data["transforms"]["lines"]
    low, high = data["transforms"]["scoreView"]
    for line, candidate in zip(lines, comparison.candidates.values(), strict=True):
        scores, llrs = np.array(line["scores"]), np.array(line["llrs"])
        assert scores[0] <= low + 1e-5
        assert scores[-1] >= high - 1e-5
        assert (np.diff(scores) >= 0).all()
        assert line["steps"] == isinstance(candidate.calibration, PAV)
        if not line["steps"]:
            np.testing.assert_allclose(candidate.calibration(scores), llrs, rtol=1e-4, atol=1e-4)


def test_steps_begin_at_the_knots(data: dict[str, Any]) -> None:
    pav = small().candidates["pav"].calibration
    assert isinstance(pav, PAV)
    line = next(line for line in data["transforms"]["lines"] if line["steps"])
    drawn = dict(zip(line["scores"], line["llrs"], strict=True))
    for score, llr in zip(pav.scores[1:], pav.llrs[1:], strict=True):
        assert drawn[float(f"{score:.8g}")] == float(f"{llr:.8g}")


def test_histograms_and_densities_each_hold_all_of_a_class(data: dict[str, Any]) -> None:
    comparison = small()
    histograms = data["histograms"]
    low, high = histograms["view"]
    for trials in (histograms["train"], histograms["test"]):
        assert trials["outside"] == 0
        for side in ("tar", "non"):
            assert sum(trials[side]) * (high - low) / histograms["bins"] == pytest.approx(1)
    for fitted, candidate in zip(
        histograms["densities"], comparison.candidates.values(), strict=True
    ):
        assert (fitted is not None) == isinstance(candidate.calibration, Generative)
        if fitted:
            for side in ("tar", "non"):
                assert np.trapezoid(fitted[side], histograms["grid"]) == pytest.approx(1, abs=0.03)


@pytest.mark.slow
def test_one_score_far_out_does_not_squash_the_picture() -> None:
    comparison = small()
    test = comparison.test
    far = replace(comparison, test=Trials(np.append(test.tar, 1e6), test.non, "far"))
    data = page_data(far)
    assert data["histograms"]["view"][1] < 100
    assert data["histograms"]["test"]["outside"] == 1
    assert data["transforms"]["lines"][0]["scores"][-1] == 1e6
    assert data["transforms"]["llrView"][1] < 25


def test_json_cannot_leave_its_script() -> None:
    text = as_json(page_data(hostile()))
    assert not set("<>&\u2028\u2029") & set(text)
    assert text.isascii()
    labels = [method["label"] for method in json.loads(text)["methods"]]
    assert labels[0] == HOSTILE[0]
    assert "[U+202E]" in labels[3]


def test_infinite_numbers_are_null() -> None:
    comparison = hostile()
    _, x = priors(comparison)
    llrs = json.loads(as_json(page_data(comparison)))["methods"][-1]
    assert math.isinf(list(comparison.candidates.values())[-1].evaluation.cllr)
    far = replace(comparison, points=(OperatingPoint(1e-300, c_fa=1e300),))
    assert page_data(far)["methods"][-1]["actual"][-1] is None
    assert len(llrs["actual"]) == len(x)


@pytest.mark.slow
def test_too_few_errors_for_the_rule_of_30() -> None:
    comparison = small()
    few = replace(comparison, raw=evaluate([1.0, 2.0], [0.0, 1.5]))
    assert page_data(few)["ruleOf30"] is None


def test_tippett_covers_all_llrs(data: dict[str, Any]) -> None:
    found = data["tippett"]
    llrs = np.array(found["llrs"])
    low, high = llr_view(one.evaluation for one in small().candidates.values())
    assert llrs[0] <= low < llrs[1]
    assert llrs[-2] < high <= llrs[-1]
    assert _EVIDENCE / 2 < len(llrs) < 2 * _EVIDENCE
    at = int(np.searchsorted(llrs, 0.0))
    for i, candidate in enumerate(small().candidates.values()):
        tar, non = np.array(found["tar"][i]), np.array(found["non"][i])
        assert min(tar[0], non[0]) > 0.99 > 0.01 > max(tar[-1], non[-1])
        assert (np.diff(tar) <= 0).all()
        assert (np.diff(non) <= 0).all()
        assert tar[at] == float(f"{1 - candidate.evaluation.pmiss(float(llrs[at])):.8g}")


def test_ece_is_cllr_at_even_odds(data: dict[str, Any]) -> None:
    found, middle = data["ece"], _EVIDENCE // 2
    assert found["priorLogOdds"][middle] == 0
    for curve, candidate in zip(found["actual"], small().candidates.values(), strict=True):
        assert math.isclose(curve[middle], candidate.evaluation.cllr, rel_tol=1e-5)
    assert math.isclose(found["minimum"][middle], small().raw.min_cllr, rel_tol=1e-5)
    assert found["neutral"][middle] == max(found["neutral"]) == 1


def test_views_of_odd_llrs() -> None:
    def view(tar: list[float], non: list[float]) -> tuple[float, float]:
        return llr_view([evaluate_quietly(tar, non)])

    assert view([math.inf], [-math.inf]) == (-1.0, 1.0)
    assert view([0.5], [0.5]) == (-0.5, 1.5)
    low, high = view([1e9], [-3.0])
    assert low < -3
    assert 1000 < high < 1100
