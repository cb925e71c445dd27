"""Cllr and minCllr, against forty digits and exact isotonic regression."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from llrcal import evaluate, optimal_llrs
from llrcal.evaluation import cllr
from tests import oracles
from tests.trial_sets import ANY, Sets, normal

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")


@given(sets=ANY)
def test_cllr_is_the_mean_cost(sets: Sets) -> None:
    assert cllr(*sets) == pytest.approx(oracles.cllr(*sets), rel=1e-14)
    assert evaluate(*sets).cllr == cllr(*sets)


@given(sets=ANY)
def test_min_cllr_is_that_of_exact_isotonic_regression(sets: Sets) -> None:
    expected = oracles.min_cllr(*sets)
    assert evaluate(*sets).min_cllr == pytest.approx(expected, rel=1e-13, abs=1e-14)


@given(sets=ANY)
def test_cllr_of_the_optimal_llrs_is_min_cllr(sets: Sets) -> None:
    ev = evaluate(*sets)
    best = evaluate(*optimal_llrs(*sets))
    assert best.cllr == pytest.approx(ev.min_cllr, rel=1e-13, abs=1e-14)
    assert best.min_cllr == ev.min_cllr


@given(sets=ANY)
def test_optimal_llrs_are_those_of_exact_isotonic_regression(sets: Sets) -> None:
    tar, non = sets
    expected = oracles.pav_llrs(tar, non)
    for scores, llrs in zip(sets, optimal_llrs(tar, non), strict=True):
        wanted = [expected[score] for score in scores]
        np.testing.assert_allclose(llrs, wanted, rtol=1e-14, atol=1e-14)


def test_large_llrs_neither_overflow_nor_vanish() -> None:
    assert cllr([-1e4], [-1e4]) == pytest.approx(1e4 / (2 * math.log(2)), rel=1e-15)
    assert cllr([1e308], [1e308]) == pytest.approx(1e308 / (2 * math.log(2)), rel=1e-15)
    assert cllr([40.0], [-40.0]) == pytest.approx(math.exp(-40) / math.log(2), rel=1e-12)


def test_gaussian_llrs_in_the_limit() -> None:
    """tar ~ N(2, 2^2), non ~ N(-2, 2^2), by a million evenly spaced quantiles."""
    assert cllr(normal(10**6, 2, 2), normal(10**6, -2, 2)) == pytest.approx(0.5140558, abs=2e-7)
