"""Candidates that were adapted to the test scores: which, how, and what is said of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.methods.densities import Generative
from llrcal.comparison import Comparison, compare
from llrcal.comparison.tables import metrics
from llrcal.figures.curves import fitted_densities
from llrcal.figures.table import of_comparison
from llrcal.report.build import build_report
from llrcal.trials import Trials
from tests import beyond_memory
from tests.figures.drawing import axes
from tests.trial_sets import normal

HERE = Trials(normal(400, 2.0, 1.0), normal(3000, -1.0, 1.0), "here")
THERE = Trials(normal(250, 4.0, 1.0), normal(4750, 1.0, 1.0), "there")
METHODS = ["logistic", "smooth", "gaussian", "nig"]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(HERE, THERE, methods=METHODS, adapt=0.05, replicates=40)


@pytest.mark.slow
def test_they_are_what_adapt_makes_of_the_scores_alone(comparison: Comparison) -> None:
    """Of the default method and of nig: the others would give much the same LLRs."""
    assert list(comparison.candidates) == [*METHODS, "smooth-adapted", "nig-adapted"]
    for method in ("smooth", "nig"):
        old = llrcal.fit(HERE.tar, HERE.non, method=method)
        new = llrcal.adapt(old, np.concatenate([*THERE]), p_target=0.05)
        assert comparison.candidates[f"{method}-adapted"].calibration == new
    assert [row["adapted"] for row in metrics(comparison)] == [""] * 4 + ["yes"] * 2


def test_it_is_said_that_they_have_seen_the_scores(comparison: Comparison) -> None:
    assert comparison.recommended in ("smooth-adapted", "nig-adapted")
    assert comparison.verdict.text.endswith("has seen the test scores, but not their labels.")
    assert "adapted" in {note.code for note in comparison.notes}
    page = build_report(comparison)
    assert "Those called adapted have also seen the test scores, but not their labels." in page
    assert "; adapted to the test scores, without their labels" in page
    assert "Calibrations that were adapted" in page


def test_their_densities_are_those_of_the_field(comparison: Comparison) -> None:
    """And not of training, in figures as on the page."""
    grid = np.linspace(-4, 8, 200)
    found = comparison.candidates["nig-adapted"].of_score
    assert isinstance(found, Generative)
    for side, place in zip(fitted_densities(found, grid), (4.0, 1.0), strict=True):
        np.testing.assert_allclose(side, np.exp(-0.5 * (grid - place) ** 2) / 2.5066, atol=0.06)


def test_every_drawing_of_a_comparison(comparison: Comparison) -> None:
    every = of_comparison(comparison)
    assert "densities-nig-adapted" in every
    for name in ("transforms", "densities-nig-adapted", "bayes-error-all"):
        every[name](ax=axes())


def test_pieces_give_the_same(tmp_path: object, comparison: Comparison) -> None:
    np.save(f"{tmp_path}/tar.npy", THERE.tar)
    np.save(f"{tmp_path}/non.npy", THERE.non)
    test = beyond_memory.open_trials(f"{tmp_path}/tar.npy", nontargets=f"{tmp_path}/non.npy")
    found = compare(HERE, test, methods=METHODS, adapt=0.05, replicates=0)
    label = "smooth-adapted"
    assert found.candidates[label].calibration == comparison.candidates[label].calibration


def test_one_that_has_not_seen_the_scores_is_preferred() -> None:
    there = Trials(normal(300, 2.0, 1.0), normal(2500, -1.0, 1.0))
    found = compare(HERE, there, methods=["gaussian"], adapt=0.1, replicates=40)
    assert found.recommended == "gaussian"


@pytest.mark.parametrize(
    ("methods", "adapted"),
    [
        (["pav", "logistic"], ["pav-adapted"]),
        ([("nig", {"bayes": True}), "nig"], ["nig-bayes-adapted"]),
        (["gaussian", "nig"], ["gaussian-adapted", "nig-adapted"]),
    ],
)
def test_which_are_adapted(methods: list[Any], adapted: list[str]) -> None:
    found = compare(HERE, THERE, methods=methods, adapt=0.05, replicates=0)
    assert list(found.candidates)[len(methods) :] == adapted


def test_what_cannot_be_adapted_is_refused() -> None:
    infinite = Trials(np.append(HERE.tar, np.inf), HERE.non, allow_infinite=True)
    with pytest.raises(llrcal.OptionError, match="none of the calibrations can be adapted"):
        compare(infinite, THERE, methods=["pav"], adapt=0.05)
    with pytest.raises(llrcal.OptionError, match="adapt is 0; give the rough share"):
        compare(HERE, THERE, methods=METHODS, adapt=0)
    with pytest.raises(llrcal.OptionError, match="adapt is for test trials from another domain"):
        compare(HERE, folds=3, methods=METHODS, adapt=0.05)
