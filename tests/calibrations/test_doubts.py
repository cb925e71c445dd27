"""Warnings of a fit: one class, for odd answers only, and never without a note."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.fit import fit_methods
from llrcal.notes import Note, Severity
from tests.trial_sets import normal

TAR, NON = normal(300, 2, 1.2), normal(3000, -1, 1)

ODD: dict[str, tuple[Floats, Floats, str]] = {
    "inverted": (-TAR, -NON, "targets score lower than non-targets"),
    "outlier": (np.append(TAR, -1e6), NON, "although most targets score better"),
    "separable": (TAR + 10, NON, "the classes are separable"),
    "constant": (np.ones(3), np.ones(4), "all scores are equal"),
}


def doubts(calibration: llrcal.Calibration) -> list[Note]:
    return [n for n in calibration.report.all_notes if n.severity is Severity.WARNING]


@pytest.mark.parametrize("name", ODD)
def test_odd_answers_give_a_warning_that_is_also_a_note(name: str) -> None:
    tar, non, words = ODD[name]
    with pytest.warns(llrcal.LlrcalWarning, match=words) as caught:
        calibration = llrcal.fit(tar, non, method="logistic")
    said = [str(warning.message) for warning in caught]
    assert said == [f"logistic: {note}" for note in doubts(calibration)]
    assert all(warning.filename == __file__ for warning in caught)


@pytest.mark.parametrize("method", llrcal.METHODS)
def test_ordinary_fits_are_silent(method: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        llrcal.fit(TAR, NON, method=method)
        llrcal.fit(normal(20, 1, 1), normal(30, 0, 1), method=method)
        llrcal.fit(normal(200, 0.7, 0.1) ** 2, normal(500, 0.2, 0.1), method=method)


def test_those_who_tell_of_doubts_themselves_get_no_warning() -> None:
    tar, non, _ = ODD["inverted"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        every = fit_methods(tar, non, methods=["logistic", "pav"])
    assert all(doubts(calibration) for calibration in every.values())


def test_every_label_is_warned_of_by_itself() -> None:
    tar, non, _ = ODD["inverted"]
    with pytest.warns(llrcal.LlrcalWarning) as caught:
        llrcal.fit_all(tar, non, methods=["pav", ("logistic", {"alpha": 0.9})])
    labels = [str(warning.message).partition(":")[0] for warning in caught]
    assert labels == ["pav", "logistic-0.9"]
    assert all(warning.filename == __file__ for warning in caught)


def test_a_fit_that_did_not_converge_is_doubted() -> None:
    calibration = llrcal.fit(TAR, NON, method="nig")
    assert not doubts(calibration)
    poor = replace(calibration.report, converged=False, reason="out of steps")
    (doubt,) = doubts(replace(calibration, report=poor))
    assert doubt.text == "the fit did not converge: out of steps"
