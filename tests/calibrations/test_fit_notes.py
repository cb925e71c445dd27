"""What a fit says, word for word: errors, and notes on odd answers."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.fit import fit_methods
from llrcal.errors import DegenerateError, OptionError
from llrcal.method_table import MethodName
from llrcal.notes import Note, Severity
from tests.notes import codes
from tests.trial_sets import normal

pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

TAR, NON = normal(300, 2, 1.2), normal(3000, -1, 1)
NAMES = ", ".join(llrcal.METHODS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bounds": "loose"}, "bounds are 'loose'; choose one of counts, elub, range, none"),
        ({"bounds": None}, "bounds are None; choose one of counts, elub, range, none"),
        ({"method": 7}, f"method is 7; choose one of {NAMES}"),
        ({"method": "svm"}, f"there is no method 'svm'; choose one of {NAMES}"),
        ({"lower_is_better": 1}, "lower_is_better is 1; give True or False"),
        (
            {"method": "pav", "alpha": 0.5},
            "method pav has no option 'alpha'; it takes no options. "
            "Methods with this option: linear-gaussian, logistic",
        ),
        (
            {"method": "logistic", "beta": 0.5},
            "method logistic has no option 'beta'; it takes alpha, rule",
        ),
    ],
)
def test_settings_that_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(words)}$"):
        llrcal.fit(TAR, NON, **options)


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ("pav", "methods are 'pav'; give a list of names"),
        (7, "methods are 7; give a list of names"),
        ([("pav",)], "methods: ('pav',) is neither a name nor a pair of a name and options"),
    ],
)
def test_lists_of_methods_that_are_none(methods: Any, words: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(words)}$"):
        llrcal.fit_all(TAR, NON, methods=methods)


def test_one_value_in_each_class_has_no_variance() -> None:
    words = "each class has a single value, so no variance can be estimated; use pav or logistic"
    with pytest.raises(DegenerateError, match=f"^{words}$"):
        llrcal.fit([1.0, 1.0], [0.0], method="linear-gaussian")
    with pytest.raises(DegenerateError, match=f"^for the negated distances: {words}$"):
        llrcal.fit([0.0], [1.0, 1.0], method="linear-gaussian", lower_is_better=True)


def test_a_slope_that_overflows() -> None:
    words = (
        "the slope inf or the height 0 of the line is out of range; use pav, or multiply all "
        "scores by a constant that brings them close to one"
    )
    with pytest.raises(DegenerateError, match=f"^{words}$"):
        llrcal.fit([5e-324], [0.0], method="logistic")


@pytest.mark.parametrize(
    ("tar", "non", "words"),
    [
        (
            np.append(TAR, -1e6),
            NON,
            "the slope is negative although most targets score better than most non-targets: a few "
            "extreme scores decide it (the scores range from -1e+06 to 5.52). Look at these, or "
            "use pav",
        ),
        (
            np.append(-TAR, 1e6),
            -NON,
            "the slope is positive although most targets score worse than most non-targets: a few "
            "extreme scores decide it (the scores range from -5.52 to 1e+06). Look at these, or "
            "use pav",
        ),
    ],
)
def test_a_slope_against_the_ranks(tar: Any, non: Any, words: str) -> None:
    plain = llrcal.fit(tar, non, method="linear-gaussian", rising=False)
    assert plain.report.notes[-1].text == words
    rising = llrcal.fit(tar, non, method="linear-gaussian")
    assert words in [note.text for note in rising.report.notes]


@pytest.mark.parametrize(
    ("tar", "non", "name"), [(TAR[:1], NON, "target"), (TAR, NON[:1], "non-target")]
)
def test_a_single_score_of_a_class(tar: Any, non: Any, name: str) -> None:
    assert llrcal.fit(tar, non, method="pav").report.notes[1].text == (
        f"there is only one {name} score, which may be due to chance: by Doddington's rule, it "
        "takes 30 errors of a kind to estimate their rate"
    )


@pytest.mark.parametrize("value", [math.nan, None, "1"])
def test_a_threshold_that_is_no_number(value: Any) -> None:
    words = f"the LLR to be reached is {value!r}; give a number"
    with pytest.raises(OptionError, match=f"^{re.escape(words)}$"):
        llrcal.fit(TAR, NON, method="logistic").regions(value)


@pytest.mark.parametrize("value", ["yes", 1, None, np.True_])
@pytest.mark.parametrize("name", ["rising", "lower_is_better"])
def test_yes_or_no(name: str, value: Any) -> None:
    options: dict[str, Any] = {name: value}
    with pytest.raises(OptionError, match=rf"^{name} is .*; give True or False$"):
        llrcal.fit(TAR, NON, **options)


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
def test_ordinary_fits_are_silent(method: MethodName) -> None:
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
    assert doubt.text.startswith("the fit did not converge: out of steps. A better one may exist;")


def test_near_ties_are_told_of() -> None:
    """The density shrinks onto two fifths of the scores, along a ridge that has no end in sight."""
    rng = np.random.default_rng(148)
    tar = rng.standard_t(3, 12)
    tar[:5] = tar[0] + 1e-8 * rng.normal(size=5)
    with pytest.warns(llrcal.LlrcalWarning, match=r"tar: no convergence in \d+ iter.* coincide"):
        calibration = llrcal.fit(tar, rng.normal(-3, 1, 200), method="nig")
    assert not calibration.report.converged


@pytest.mark.parametrize("method", llrcal.METHODS)
def test_every_method_notes_scores_that_run_the_wrong_way(method: MethodName) -> None:
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
