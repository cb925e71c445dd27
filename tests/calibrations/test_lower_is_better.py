"""Distances: a calibration of the negated scores that takes them as they are."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.bounds import POLICIES, Policy
from llrcal.method_table import MethodName
from tests.notes import FAR_SCORES, codes
from tests.trial_sets import normal

pytestmark = FAR_SCORES

EVERY_METHOD = pytest.mark.parametrize("method", llrcal.METHODS)
EVERY_POLICY = pytest.mark.parametrize("bounds", POLICIES)
TAR, NON = 4 - normal(150, 1.5, 1.2), 4 - normal(400, -1.5, 1.0)
SCORES = [-math.inf, -1e9, *np.linspace(-5, 12, 201), *TAR[:20], *NON[:20], 1e9, math.inf]


def distances(method: MethodName, **options: Any) -> llrcal.Calibration:
    return llrcal.fit(TAR, NON, method=method, lower_is_better=True, **options)


@EVERY_METHOD
@EVERY_POLICY
def test_it_is_the_calibration_of_the_negated_scores(method: MethodName, bounds: Policy) -> None:
    negated = llrcal.fit(-TAR, -NON, method=method, bounds=bounds)
    calibration = distances(method, bounds=bounds)
    assert calibration == dataclasses.replace(negated, lower_is_better=True)
    assert calibration != negated
    assert calibration.params == negated.params
    scores = np.array(SCORES)
    assert calibration(scores).tobytes() == negated(-scores).tobytes()
    every = llrcal.fit_all(TAR, NON, methods=[method], bounds=bounds, lower_is_better=True)
    assert every == {method: calibration}


def test_the_training_range_is_that_of_the_distances() -> None:
    calibration = distances("logistic")
    low, high = float(TAR.min()), float(NON.max())
    assert calibration.training_range == (low, high)
    assert (calibration.bounds.lowest_score, calibration.bounds.highest_score) == (-high, -low)
    np.testing.assert_array_equal(calibration([high + 1, math.inf]), calibration(high))
    np.testing.assert_array_equal(calibration([low - 1, -math.inf]), calibration(low))


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
@EVERY_METHOD
def test_whole_numbers_do_not_wrap(method: MethodName) -> None:
    """Negated, the unsigned 1 of eight bits would be 255."""
    tar = np.round(20 + 9 * normal(150, 1.5, 1.2)).clip(0).astype(np.uint8)
    non = np.round(90 + 9 * normal(400, 1.5, 1.2)).astype(np.uint8)
    small = llrcal.fit(tar, non, method=method, lower_is_better=True)
    wide = llrcal.fit(tar.astype(float), non.astype(float), method=method, lower_is_better=True)
    assert small == wide
    np.testing.assert_array_equal(small(tar), wide(tar.astype(float)))


def test_single_precision_and_infinite_distances() -> None:
    tar, non = TAR.astype(np.float32), NON.astype(np.float32)
    one = llrcal.fit(tar, non, method="nig", lower_is_better=True)
    assert one.params == llrcal.fit(-tar, -non, method="nig").params
    np.testing.assert_array_equal(one(tar), one(tar.astype(np.float64)))
    pav = llrcal.fit([*TAR, 0.0], [*NON, math.inf], method="pav", lower_is_better=True)
    assert pav.training_range[1] == np.finfo(float).max
    assert pav(math.inf) == min(pav.llrs)  # type: ignore[attr-defined]


@EVERY_METHOD
def test_similarities_taken_for_distances_are_noted(method: MethodName) -> None:
    with pytest.warns(llrcal.LlrcalWarning, match="larger distances than non-targets"):
        report = llrcal.fit(-TAR, -NON, method=method, lower_is_better=True).report
    assert "wrong way" in codes(report.notes)


def test_what_is_wrong_is_told_of_the_distance_itself() -> None:
    with pytest.raises(llrcal.ScoreError, match="the first is inf at index 150"):
        llrcal.fit([*TAR, math.inf], NON, method="logistic", lower_is_better=True)
    with pytest.raises(llrcal.DegenerateError, match=r"for the negated distances: .*equal -1:"):
        llrcal.fit([1.0, 1.0], NON, method="gaussian", lower_is_better=True)
