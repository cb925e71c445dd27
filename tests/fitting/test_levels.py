"""Scores on a few levels: how they are spread, and what densities make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import llrcal
from llrcal.arrays import Floats
from llrcal.fitting.levels import spread_levels
from llrcal.method_table import MethodName
from llrcal.onepass.summary import Points, Summary
from tests.notes import codes
from tests.score_sets import score_set
from tests.trial_sets import normal

RNG = np.random.default_rng(0)


def judged(mean: float, count: int = 600) -> Floats:
    """Ten levels; whoever is surer than that takes the outermost."""
    return np.clip(np.round(RNG.normal(mean, 3, count)), -4, 5)


TAR, NON = judged(1.5), judged(-2.0)


def points(scores: Floats) -> Points:
    return Summary.of(scores).points()


def test_gaussian_scores_that_were_rounded_are_gaussian_again() -> None:
    """The scale of the outermost levels is that of the scores which they stand for."""
    spread, worth = spread_levels(points(TAR), len(TAR))
    _, variance = spread.mean_and_variance()
    unit = Summary.of(TAR).grid.unit
    assert np.sqrt(variance) * unit == pytest.approx(3, abs=0.25)
    assert spread.weights.sum() == pytest.approx(1)
    assert (np.diff(spread.values) > 0).all()
    assert worth == 100


def test_scores_that_hardly_tie_stay_as_they_are() -> None:
    scores = score_set("skewed", 100, 1)
    for some in (scores, np.append(scores, scores[:40]), np.array([1.0, 2.0]).repeat(20)):
        same, worth = spread_levels(points(some), len(some))
        assert same.values.tolist() == points(some).values.tolist()
        assert worth == len(some)


def test_mirrored_levels_are_spread_alike() -> None:
    one, other = (spread_levels(points(scores), 600)[0] for scores in (NON, -NON))
    origins = (Summary.of(scores).grid for scores in (NON, -NON))
    a, b = (g.origin + p.values * g.unit for g, p in zip(origins, (one, other), strict=True))
    np.testing.assert_allclose(a, -b[::-1], rtol=1e-12)


@pytest.mark.parametrize("method", ["nig", "student-t"])
def test_densities_of_judgements(method: MethodName) -> None:
    """Bits beyond the minimum: the best fit of NIG has .18, an edge at the last level."""
    cal = llrcal.fit(TAR, NON, method=method, bayes=True)
    metrics = llrcal.evaluate(cal(TAR), cal(NON))
    assert metrics.cllr - metrics.min_cllr < 0.02
    assert "few levels" not in codes(cal.report.notes)


@pytest.mark.parametrize("method", ["nig", "student-t"])
def test_a_best_fit_to_levels_recommends_something_else(method: MethodName) -> None:
    tar, non = normal(100, 2.0, 1.0), np.round(normal(400, 0.0, 1.0))
    notes = llrcal.fit(tar, non, method=method).report.notes
    (note,) = (note for note in notes if note.code == "few levels")
    assert note.text.startswith("non: the scores have few distinct values")
    assert "bayes=True or method='smooth'" in note.text
    for other in ("gaussian", "smooth"):
        assert "few levels" not in codes(llrcal.fit(tar, non, method=other).report.notes)


@pytest.mark.parametrize("bayes", [False, True])
def test_unit_and_origin_of_levels(bayes: bool) -> None:
    one = llrcal.fit(TAR, NON, method="nig", bayes=bayes)
    other = llrcal.fit(TAR * 0.37 + 50, NON * 0.37 + 50, method="nig", bayes=bayes)
    at = np.arange(-4.0, 6.0)
    np.testing.assert_allclose(one(at), other(at * 0.37 + 50), atol=1e-9)


def test_levels_of_many_scores_are_those_of_a_few() -> None:
    """Beyond 131,072 scores a class is kept in bins."""
    few, many = (
        llrcal.fit(np.tile(TAR, times), np.tile(NON, times), method="nig") for times in (1, 300)
    )
    at = np.arange(-4.0, 6.0)
    np.testing.assert_allclose(few.without_warnings(at), many.without_warnings(at), atol=1e-4)


def t_cost(x: Floats, scores: Floats) -> float:
    return float(-stats.t.logpdf(scores, np.exp(x[2]), x[0], np.exp(x[1])).mean())


def nig_cost(x: Floats, scores: Floats) -> float:
    location, width = x[0], np.exp(x[1])
    steep = np.exp(x[3])
    shape = steep * np.cosh(x[2]), steep * np.sinh(x[2])
    return float(-stats.norminvgauss.logpdf(scores, *shape, location, width).mean())


@pytest.mark.parametrize("decimals", [0, 1])
@pytest.mark.parametrize(("method", "cost"), [("student-t", t_cost), ("nig", nig_cost)])
def test_a_best_fit_to_rounded_scores_is_one(method: MethodName, cost: Any, decimals: int) -> None:
    """No search by another program, of the plain likelihood, ends higher."""
    rng = np.random.default_rng(decimals)
    scores = np.round(3 * rng.standard_t(6, 200) + rng.gamma(1, 1, 200), decimals)
    ours = llrcal.fit(scores, scores - 64.0, method=method).report.objective
    start = [scores.mean(), np.log(scores.std()), 0.0, 0.5][: 3 + (method == "nig")]
    best: Any = optimize.minimize(
        cost, start, args=(scores,), method="Nelder-Mead", options={"maxfev": 4000, "xatol": 1e-6}
    )
    assert ours <= best.fun + 1e-9
    assert ours == pytest.approx(best.fun, abs=1e-6)
