"""Scores that run the wrong way, and lines that a few of them decide."""

from __future__ import annotations

import pytest

import llrcal
from tests.notes import codes
from tests.trial_sets import normal

pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

TAR, NON = normal(300, 2, 1.2), normal(3000, -1, 1)


@pytest.mark.parametrize("method", llrcal.METHODS)
def test_every_method_notes_scores_that_run_the_wrong_way(method: str) -> None:
    assert "wrong way" in codes(llrcal.fit(-TAR, -NON, method=method).report.notes)
    assert "wrong way" not in codes(llrcal.fit(TAR, NON, method=method).report.notes)


def test_scores_that_tell_nothing_are_not_talked_about() -> None:
    same = normal(1000, 0, 1)
    for method in ("pav", "gaussian"):
        assert "wrong way" not in codes(llrcal.fit(same - 0.01, same, method=method).report.notes)


def test_too_few_scores_for_ranks_to_tell() -> None:
    tar, non = [0.0, 1.0], [0.5, 3.0]
    assert codes(llrcal.fit(tar, non, method="gaussian").report.notes) == ["held"]
    assert codes(llrcal.fit(tar, non, method="logistic").report.notes) == ["falling", "held"]


def test_what_becomes_of_llrs_that_fall_is_said_as_it_is() -> None:
    tar, non = [0.0, 1.0], [0.5, 3.0]
    held = llrcal.fit(tar, non, method="logistic")
    assert len(set(held([-1.0, 0.3, 2.0]).tolist())) == 1
    assert "so all scores get the same LLR" in held.report.notes[0].text
    plain = llrcal.fit(tar, non, method="logistic", rising=False)
    assert plain(0.0) > plain(3.0)
    (note,) = plain.report.notes
    assert note.text == "the slope is negative: the LLR falls as the score rises"


def test_python_users_are_told_of_arguments_and_others_of_options() -> None:
    (note,) = llrcal.fit(-TAR, -NON).report.notes
    assert "lower_is_better=True" in note.text
    assert "--distance" in note.on_command_line
    assert "lower_is_better" not in note.on_command_line
