"""A higher score never means less evidence, with any method and on any scores."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.bounds import POLICIES
from llrcal.calibrations.methods.densities import Generative
from tests.calibrations.rising_models import CLASSES as GENERATIVE
from tests.calibrations.rising_models import model
from tests.calibrations.rising_sets import (
    BENT,
    EVERY_CASE,
    EVERY_POLICY,
    asked,
    assert_rising,
    fitted,
    neighbours,
    plain,
)
from tests.conftest import real_scores
from tests.score_sets import KINDS, score_set
from tests.trial_sets import FINITE

# Many of these sets are odd on purpose, and fits to them give warnings.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")]


# ------------------------------------------------------------------------------ never falling


@EVERY_POLICY
@EVERY_CASE
def test_a_higher_score_never_has_a_lower_llr(name: str, method: str, policy: str) -> None:
    assert_rising(fitted(name, method, policy))


SHAPED = st.builds(score_set, st.sampled_from(sorted(KINDS)), st.integers(2, 60), st.integers(0))
CLASSES = (FINITE | st.tuples(SHAPED, SHAPED)).map(lambda sets: tuple(map(np.array, sets)))


@given(
    classes=CLASSES,
    method=st.sampled_from(sorted(llrcal.METHODS)),
    policy=st.sampled_from(POLICIES),
    distances=st.booleans(),
)
def test_whatever_the_scores(
    classes: tuple[Floats, Floats], method: str, policy: Any, distances: bool
) -> None:
    try:
        calibration = llrcal.fit(*classes, method=method, bounds=policy, lower_is_better=distances)
    except llrcal.DegenerateError:
        reject()
    assert_rising(calibration)


@pytest.mark.parametrize("name", ["heavy tails", "far from zero", "reversed"])
@pytest.mark.parametrize("method", ["linear-gaussian", "logistic", "gaussian", "student-t", "nig"])
def test_with_parameters_integrated_out(name: str, method: str) -> None:
    assert_rising(fitted(name, method, bayes=True))


@pytest.mark.parametrize("kind", GENERATIVE)
@given(seed=st.integers(0, 2**32 - 1))
def test_whatever_the_densities(kind: type[Generative], seed: int) -> None:
    """Many more shapes than fits to scores would give, and far faster."""
    assert_rising(model(kind, np.random.default_rng(seed)))


def test_the_four_scores_after_which_student_t_fell() -> None:
    """By six units in the last place of its largest term, where the LLR is no longer held."""
    calibration = llrcal.fit([-3, -0.25, 0, 1], [-3, -0.25, 0, 1 / 128], method="student-t")
    assert_rising(calibration)
    back = calibration.plateaus[0].high
    llrs = calibration.without_warnings(neighbours(np.array([back])))
    assert np.ptp(llrs) < 1e-14


def test_the_cosine_recognizer_that_bent_back() -> None:
    """NIG accepted the lowest of these scores."""
    folder = real_scores("voxceleb1_three_systems")
    tar, non = (np.load(folder / f"lda_cosine_{kind}.npy") for kind in ("tar", "non"))
    calibration = llrcal.fit(tar, non, method="nig")
    assert calibration(min(tar.min(), non.min())) == calibration.llr_range[0] < 0
    assert len(calibration.regions(0.0)) == 1
    assert_rising(calibration)


# ------------------------------------------------------------------- held, against brute force


def brute_force(calibration: llrcal.Calibration, scores: Floats) -> Floats:
    """Running extremes of the formula, on a grid outward from the meeting point."""
    meeting = calibration.bounds.eer_score
    assert meeting is not None
    scores = np.sort(np.append(scores, meeting))
    llrs = plain(calibration, scores)
    middle = int(np.searchsorted(scores, meeting))
    above = np.maximum.accumulate(llrs[middle:])
    below = np.minimum.accumulate(llrs[: middle + 1][::-1])[::-1]
    return np.concatenate([below[:-1], above])


@EVERY_CASE
def test_the_llr_is_the_running_extreme_of_the_formula(name: str, method: str) -> None:
    calibration = fitted(name, method, "range")
    low, high = calibration.training_range
    grid = np.linspace(low - 1, high + 1, 40_001) if high < 1e8 else np.linspace(low, high, 40_001)
    scores = np.sort(np.append(grid, calibration.bounds.eer_score or 0.0))
    expected = brute_force(calibration, grid)
    # A turning point lies within half a step of the grid; its LLR is flat there.
    turn = 2 * np.abs(np.diff(plain(calibration, scores), 2)).max() if method in BENT else 0.0
    np.testing.assert_allclose(calibration(scores), expected, rtol=1e-9, atol=1e-9 + turn)


@pytest.mark.slow
@EVERY_CASE
def test_what_is_not_held_is_the_formula(name: str, method: str) -> None:
    for policy in POLICIES:
        calibration = fitted(name, method, policy)
        formula = fitted(name, method, policy, rising=False)
        if policy == "elub":  # LLRs that are held have empirical bounds of their own
            low, high = calibration.bounds.least_llr, calibration.bounds.greatest_llr
            bounds = replace(formula.bounds, least_llr=low, greatest_llr=high)
            formula = replace(formula, bounds=bounds)
        assert not formula.plateaus
        scores = asked(calibration)
        free = np.abs(scores) < 1e60  # so far out, the formula is nothing but rounding errors
        for held in calibration.plateaus:
            free &= (scores <= held.low) | (scores >= held.high)
        error = 2e-9 if policy != "none" else 2e-6  # far out
        np.testing.assert_allclose(
            calibration(scores[free]), formula(scores[free]), rtol=error, atol=error
        )
        for before, after in pairwise(calibration.plateaus):
            assert before.high <= after.low


@EVERY_CASE
def test_large_sets_do_not_notice_the_counts(name: str, method: str) -> None:
    """Within what the counts support, the soft end changes nothing; beyond, a factor of two."""
    ranged, counted = fitted(name, method, "range"), fitted(name, method, "counts")
    scores = asked(counted)
    llrs, kept = ranged(scores), counted(scores)
    least, greatest = counted.supported_llrs
    within = max(-counted.bounds.soft_end, 0)  # with very few trials
    carried = (least + within <= llrs) & (llrs <= greatest - within)
    np.testing.assert_allclose(kept[carried], llrs[carried], rtol=1e-11, atol=1e-11)
    assert kept.max() <= greatest + math.log(2) + 1e-15 * greatest
    assert kept.min() >= least - math.log(2) + 1e-15 * least
