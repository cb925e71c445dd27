"""Candidates that were adapted to the test scores: which, how, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest

import llrcal
from llrcal import out_of_core
from llrcal.comparison import Comparison, compare
from llrcal.comparison.tables import metrics
from llrcal.report.build import build_report
from llrcal.trials import Trials
from tests.trial_sets import normal

HERE = Trials(normal(400, 2.0, 1.0), normal(3000, -1.0, 1.0), "here")
THERE = Trials(normal(250, 4.0, 1.0), normal(4750, 1.0, 1.0), "there")
METHODS = ["gaussian", "logistic"]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(HERE, THERE, methods=METHODS, adapt=0.05, replicates=40)


@pytest.mark.slow
def test_they_are_what_adapt_makes_of_the_scores_alone(comparison: Comparison) -> None:
    assert list(comparison.candidates) == ["gaussian", "logistic", "gaussian-adapted"]
    old = llrcal.fit(HERE.tar, HERE.non, method="gaussian")
    new = llrcal.adapt(old, np.concatenate([*THERE]), p_target=0.05)
    assert comparison.candidates["gaussian-adapted"].calibration == new
    assert [row["adapted"] for row in metrics(comparison)] == ["", "", "yes"]


def test_it_is_said_that_they_have_seen_the_scores(comparison: Comparison) -> None:
    assert comparison.verdict.headline == "Use gaussian-adapted."
    assert comparison.verdict.text.endswith("has seen the test scores, but not their labels.")
    assert "adapted" in {note.code for note in comparison.notes}
    page = build_report(comparison)
    assert "Those called adapted have also seen the test scores, but not their labels." in page
    assert "; adapted to the test scores, without their labels" in page
    assert "Calibrations that were adapted" in page


def test_pieces_give_the_same(tmp_path: object, comparison: Comparison) -> None:
    np.save(f"{tmp_path}/tar.npy", THERE.tar)
    np.save(f"{tmp_path}/non.npy", THERE.non)
    test = out_of_core.open_trials(f"{tmp_path}/tar.npy", nontargets=f"{tmp_path}/non.npy")
    found = compare(HERE, test, methods=METHODS, adapt=0.05, replicates=0)
    label = "gaussian-adapted"
    assert found.candidates[label].calibration == comparison.candidates[label].calibration


def test_one_that_has_not_seen_the_scores_is_preferred() -> None:
    there = Trials(normal(300, 2.0, 1.0), normal(3000, -1.0, 1.0))
    found = compare(HERE, there, methods=["gaussian"], adapt=0.1, replicates=40)
    assert found.recommended == "gaussian"


def test_what_cannot_be_adapted_is_refused() -> None:
    with pytest.raises(llrcal.OptionError, match="none of the calibrations can be adapted"):
        compare(HERE, THERE, methods=["logistic"], adapt=0.05)
    with pytest.raises(llrcal.OptionError, match="adapt is 0; give the rough share"):
        compare(HERE, THERE, methods=METHODS, adapt=0)
    with pytest.raises(llrcal.OptionError, match="adapt is for test trials of another place"):
        compare(HERE, folds=3, methods=METHODS, adapt=0.05)
