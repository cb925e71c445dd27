"""Where classes meet, and that LLRs are held in the same places wherever the scores are."""

from __future__ import annotations

import math

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Array
from llrcal.calibrations.bounds import POLICIES
from llrcal.calibrations.training import ArrayTraining
from tests.calibrations.rising_sets import (
    BENT,
    EVERY_CASE,
    EVERY_METHOD,
    EVERY_SET,
    SETS,
    asked,
    fitted,
)
from tests.notes import codes
from tests.scale.sets import cut, of_pieces

# Many of these sets are odd on purpose, and fits to them give warnings.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")


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
    meeting = ArrayTraining(tar, non).eer_score
    before, after = imbalance(tar, non, meeting)
    # Summaries place a score within its bin, which may lie on the other side of a neighbour.
    slack = 2 / min(len(tar), len(non))
    assert before <= slack
    assert after >= -slack


def test_the_middle_of_a_gap() -> None:
    assert ArrayTraining([3.0, 4.0], [-1.0, 1.0]).eer_score == 2.0
    assert ArrayTraining([-1.0, 1.0], [3.0, 4.0]).eer_score == 2.0
    assert ArrayTraining([5.0], [5.0]).eer_score == 5.0
    # Ten shares of a tenth add up to less than one in doubles.
    assert ArrayTraining(np.arange(10.0) + 20, np.arange(10.0)).eer_score == pytest.approx(14.5)


@pytest.mark.slow
@EVERY_CASE
def test_the_meeting_point_is_of_the_scores_alone(name: str, method: str) -> None:
    alone = fitted(name, method)
    rng = np.random.default_rng(1)
    tar, non = (rng.permutation(side) for side in SETS[name])
    for methods in (["pav", method], [method, "logistic"]):
        assert llrcal.fit_all(tar, non, methods=list(dict.fromkeys(methods)))[method] == alone


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


# ----------------------------------------------------- the same wherever scores are, or turned


@EVERY_METHOD
@pytest.mark.parametrize("name", ["ordinary", "same mean, wider targets", "heavy tails", "ties"])
def test_the_same_bits_in_pieces(name: str, method: str) -> None:
    tar, non = SETS[name]
    whole = fitted(name, method)
    for count in (2, 7):
        parts = llrcal.fit(of_pieces(cut(tar, non, count, seed=count)), method=method)
        assert parts == whole
        assert parts.plateaus == whole.plateaus
        scores = asked(whole)
        assert parts(scores).tobytes() == whole(scores).tobytes()


@pytest.mark.slow
def test_the_same_bits_on_dask() -> None:
    pytest.importorskip("dask.dataframe")
    import pandas as pd
    from dask import dataframe as dd

    import llrcal.dask

    tar, non = SETS["heavy tails"]
    frame = pd.DataFrame(
        {"score": np.append(tar, non), "label": [1] * len(tar) + [0] * len(non)}
    ).sample(frac=1, random_state=1)
    trials = llrcal.dask.open_trials(dd.from_pandas(frame, npartitions=3))
    for method in BENT:
        calibration, whole = llrcal.fit(trials, method=method), fitted("heavy tails", method)
        assert whole.plateaus
        assert calibration == whole
        assert calibration(asked(whole)).tobytes() == whole(asked(whole)).tobytes()


@pytest.mark.slow
@EVERY_CASE
def test_one_threshold(name: str, method: str) -> None:
    """Scores are accepted from some score upwards; there is no second interval."""
    for policy in POLICIES:
        calibration = fitted(name, method, policy)
        low, high = calibration.llr_range
        for llr in (*np.linspace(low, high, 5)[1:-1], 0.0):
            regions = calibration.regions(float(llr))
            assert len(regions) <= 1
            assert all(region.high == math.inf for region in regions)


# -------------------------------------------------------------------------------- what is said


@pytest.mark.parametrize("method", BENT)
@pytest.mark.parametrize("name", ["same mean, wider targets", "heavy tails", "ties", "reversed"])
def test_the_note_says_where_and_for_how_many(name: str, method: str) -> None:
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
