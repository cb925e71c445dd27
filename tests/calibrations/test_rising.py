"""A higher score never means less evidence, with any method and on any scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.calibrations.bounds import POLICIES
from llrcal.calibrations.methods.densities import Generative
from llrcal.calibrations.training import Training
from llrcal.method_table import MethodName
from tests.calibrations.rising_models import CLASSES as GENERATIVE
from tests.calibrations.rising_models import model
from tests.calibrations.rising_sets import (
    BENT,
    EVERY_CASE,
    EVERY_SET,
    SETS,
    assert_rising,
    fitted,
    formula_at,
)
from tests.conftest import real_scores
from tests.notes import codes
from tests.score_sets import KINDS, score_set
from tests.trial_sets import FINITE

# Many of these sets are odd on purpose, and fits to them give warnings.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")


# ------------------------------------------------------------------------------- the formula


@pytest.mark.slow
@EVERY_CASE
def test_llrs_are_bounded_running_extremes_of_the_formula(name: str, method: MethodName) -> None:
    """Outward from where the classes meet, on a grid; without the extremes, if they may fall."""
    for policy in POLICIES:
        calibration, plain = (fitted(name, method, policy, rising=r) for r in (True, False))
        low, high = calibration.training_range
        meeting = calibration.bounds.eer_score
        assert meeting is not None
        beyond = 1.0 if high < 1e8 else 0.0
        grid = np.sort(np.append(np.linspace(low - beyond, high + beyond, 40_001), meeting))
        values = formula_at(calibration, grid)
        middle = int(np.searchsorted(grid, meeting))
        held = values.copy()
        held[middle:] = np.maximum.accumulate(values[middle:])
        held[: middle + 1] = np.minimum.accumulate(values[middle::-1])[::-1]
        # A turning point lies within half a step of the grid; its LLR is flat there.
        turn = 2 * np.abs(np.diff(values, 2)).max() if method in BENT else 0.0
        for one, llrs, slack in ((calibration, held, turn), (plain, values, 0.0)):
            expected = one.bounds.supported(llrs, *one.supported_llrs)
            np.testing.assert_allclose(one(grid), expected, rtol=4e-7, atol=4e-7 + slack)
            at = (low <= grid) & (grid <= high)  # beyond, pieces follow the formula less closely
            np.testing.assert_allclose(one(grid)[at], expected[at], rtol=1e-8, atol=1e-8 + slack)
        assert not plain.plateaus
        assert_rising(calibration)


# ------------------------------------------------------------------------------ never falling


SHAPED = st.builds(score_set, st.sampled_from(sorted(KINDS)), st.integers(2, 60), st.integers(0))
CLASSES = (FINITE | st.tuples(SHAPED, SHAPED)).map(lambda sets: tuple(map(np.array, sets)))


@pytest.mark.slow
@given(
    classes=CLASSES,
    method=st.sampled_from(sorted(llrcal.METHODS)),
    policy=st.sampled_from(POLICIES),
    distances=st.booleans(),
)
def test_whatever_the_scores(
    classes: tuple[Floats, Floats], method: MethodName, policy: Any, distances: bool
) -> None:
    try:
        calibration = llrcal.fit(*classes, method=method, bounds=policy, lower_is_better=distances)
    except llrcal.DegenerateError:
        reject()
    assert_rising(calibration)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heavy tails", "far from zero", "reversed"])
@pytest.mark.parametrize("method", ["gaussian", "student-t", "nig"])
def test_with_parameters_integrated_out(name: str, method: MethodName) -> None:
    assert_rising(fitted(name, method, bayes=True))


@pytest.mark.slow
@pytest.mark.parametrize("kind", GENERATIVE)
@given(seed=st.integers(0, 2**32 - 1))
def test_whatever_the_densities(kind: type[Generative], seed: int) -> None:
    """Many more shapes than fits to scores would give, and far faster."""
    assert_rising(model(kind, np.random.default_rng(seed)))


def test_the_cosine_recognizer_that_bent_back() -> None:
    """NIG accepted the lowest of these scores."""
    folder = real_scores("voxceleb1_three_systems")
    tar, non = (np.load(folder / f"lda_cosine_{kind}.npy") for kind in ("tar", "non"))
    calibration = llrcal.fit(tar, non, method="nig")
    assert calibration(min(tar.min(), non.min())) == calibration.llr_range[0] < 0
    assert len(calibration.regions(0.0)) == 1
    assert_rising(calibration)


# -------------------------------------------------------------------------- the meeting point


def imbalance(tar: Array, non: Array, score: float) -> tuple[float, float]:
    """Shares of targets below and non-targets above, less one another, with the score on one side.

    The classes meet where the two have different signs.
    """
    before = float((tar < score).mean() - (non >= score).mean())
    return before, float((tar <= score).mean() - (non > score).mean())


@EVERY_SET
def test_the_classes_meet_where_counting_says(name: str) -> None:
    tar, non = (side.astype(np.float64) for side in SETS[name])
    meeting = Training.of(tar, non).eer_score
    before, after = imbalance(tar, non, meeting)
    # Summaries place a score within its bin, which may lie on the other side of a neighbour.
    slack = 2 / min(len(tar), len(non))
    assert before <= slack
    assert after >= -slack


def test_the_middle_of_a_gap() -> None:
    assert Training.of([3.0, 4.0], [-1.0, 1.0]).eer_score == 2.0
    assert Training.of([-1.0, 1.0], [3.0, 4.0]).eer_score == 2.0
    assert Training.of([5.0], [5.0]).eer_score == 5.0
    # Ten shares of a tenth add up to less than one in doubles.
    assert Training.of(np.arange(10.0) + 20, np.arange(10.0)).eer_score == pytest.approx(14.5)


def test_pav_meets_where_its_steps_reach_zero() -> None:
    for name in SETS:
        calibration = fitted(name, "pav")
        meeting = calibration.bounds.eer_score
        assert meeting is not None
        assert meeting in calibration.params["scores"]
        assert not calibration.plateaus
        if calibration.params["llrs"][-1] >= 0:
            assert calibration(meeting) >= 0
            below = [s for s in calibration.params["scores"] if s < meeting]
            assert all(calibration(score) < 0 for score in below)


# -------------------------------------------------------------------------------- what is said


@pytest.mark.parametrize("method", BENT)
@pytest.mark.parametrize("name", ["same mean, wider targets", "heavy tails", "ties", "reversed"])
def test_the_note_says_where_and_for_how_many(name: str, method: MethodName) -> None:
    calibration = fitted(name, method)
    every = np.concatenate(SETS[name])
    notes = [note.text for note in calibration.report.notes if note.code == "held"]
    assert len(notes) == len(calibration.plateaus) > 0
    for note, held in zip(notes, calibration.plateaus, strict=True):
        low, high = max(held.low, every.min()), min(held.high, every.max())
        assert note.startswith(f"between the scores {low:.4g} and {high:.4g} the formula")
        told = float(note.partition("(")[2].partition("%")[0]) / 100
        counted = float(((held.low < every) & (every < held.high)).mean())
        assert told == pytest.approx(counted, abs=2 / len(every))
        assert note.endswith("rising=False gives the plain formula")


def test_distances_are_named_as_they_were_given() -> None:
    tar, non = SETS["same mean, wider targets"]
    (note,) = llrcal.fit(-tar, -non, method="gaussian", lower_is_better=True).report.notes
    (held,) = fitted("same mean, wider targets", "gaussian").plateaus
    furthest = max((-tar).max(), (-non).max())
    assert note.text.startswith(f"between the scores {-held.high:.4g} and {furthest:.4g} the")


def test_nothing_is_said_of_rounding_errors_and_of_formulas_that_rise() -> None:
    for method in llrcal.METHODS:
        assert "held" not in codes(fitted("same", method).report.notes)
    for method in ("logistic", "linear-gaussian", "pav"):
        assert "held" not in codes(fitted("ordinary", method).report.notes)
    assert "held" not in codes(fitted("reversed", "gaussian", rising=False).report.notes)
