"""What is said of either class of a generative calibration."""

from __future__ import annotations

import re

import pytest

from llrcal.calibrations import fit
from llrcal.errors import DegenerateError
from tests.notes import texts
from tests.trial_sets import normal


def test_notes_begin_with_the_class_that_they_are_about() -> None:
    notes = fit(normal(300, 2, 1.2), normal(3000, -1, 1), method="student-t").report.notes
    words = "the optimum is the Gaussian limit: dof is infinite"
    assert texts(notes) == [f"tar: {words}", f"non: {words}"]


def test_complaints_begin_with_the_class_that_they_are_about() -> None:
    many, one = normal(100, 0, 1), [2.0, 2.0]
    for name, tar, non in (("target", one, many), ("non-target", many, one)):
        with pytest.raises(DegenerateError, match=f"^{re.escape(name)} scores: "):
            fit(tar, non, method="gaussian")
