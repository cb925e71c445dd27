"""What calibrations say where something is wrong, word for word: it is all that a user sees."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.errors import DegenerateError, OptionError
from tests.trial_sets import normal

TAR, NON = normal(300, 2, 1.2), normal(3000, -1, 1)

NAMES = "smooth, linear-gaussian, logistic, pav, gaussian, student-t, nig"

pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")


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
            "method logistic has no option 'beta'; it takes alpha, rule, bayes",
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


def test_llrs_that_so_few_trials_cannot_support() -> None:
    sets = [20.0, 21.0], [0.0, 1.0, 2.0]
    assert not llrcal.fit(*sets, method="linear-gaussian").report.notes
    (note,) = llrcal.fit(*sets, method="linear-gaussian", bounds="range").report.notes
    assert note.text == (
        "LLRs range from -457 to 436 over the training scores, but 2 targets and 3 non-targets can "
        "support no more than -1.1 to 1.4; bounds='counts' limits them to that"
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
