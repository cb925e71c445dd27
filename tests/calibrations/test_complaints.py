"""What calibrations say where something is wrong, word for word: it is all that a user sees."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.calibrations.fields import Fields
from llrcal.errors import DegenerateError, ModelFileError, OptionError
from tests.notes import texts
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


def test_a_fit_that_did_not_converge_is_doubted_for_its_reason() -> None:
    fitted = llrcal.fit(TAR, NON, method="logistic")
    report = replace(fitted.report, converged=False, reason="no more steps")
    assert texts(report.all_notes) == ["the fit did not converge: no more steps"]
    assert report.all_notes[0].severity == "warning"


@pytest.mark.parametrize("value", [math.nan, None, "1"])
def test_a_threshold_that_is_no_number(value: Any) -> None:
    words = f"the LLR to be reached is {value!r}; give a number"
    with pytest.raises(OptionError, match=f"^{re.escape(words)}$"):
        llrcal.fit(TAR, NON, method="logistic").regions(value)


KINDS = {
    "an object": {},
    "a list": [],
    "text": "word",
    "true or false": True,
    "null": None,
    "a number": 1.5,
}
WISHES = {
    "text": "must be text",
    "texts": "must be a list of texts",
    "flag": "must be true or false",
    "number": "must be a number",
    "positive": "must be a number",
    "not_negative": "must be a number",
    "count": "must be a whole number",
    "weight": "must be a number",
}
FITTING = {
    ("text", "text"),
    ("texts", "a list"),
    ("flag", "true or false"),
    *((ask, "a number") for ask in ("number", "positive", "not_negative")),
}


def complaint(ask: str, value: Any, **options: Any) -> str:
    with pytest.raises(ModelFileError) as caught:
        getattr(Fields({"x": value}, "model.json"), ask)("x", **options)
    return str(caught.value).removeprefix("model.json: field 'x' ")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ask", WISHES)
def test_a_field_of_another_kind(ask: str, kind: str) -> None:
    if (ask, kind) in FITTING:
        assert getattr(Fields({"x": KINDS[kind]}, "model.json"), ask)("x") == (KINDS[kind] or ())
    elif (ask, kind) == ("weight", "a number"):
        assert complaint(ask, KINDS[kind]) == "must lie between 0 and 1, but is 1.5"
    else:
        assert complaint(ask, KINDS[kind]) == f"{WISHES[ask]}, not {kind}"


@pytest.mark.parametrize(
    ("ask", "value", "words"),
    [
        ("texts", ["a", 1], "must be a list of texts, not a number"),
        ("text", "\ud800", "must be text, without unpaired surrogates"),
        ("texts", ["\ud800"], "must be a list of texts, without unpaired surrogates"),
        ("number", math.inf, "must be a finite number"),
        ("number", 10**400, "must be a finite number"),
        ("positive", 0, "must be positive, not 0.0"),
        ("not_negative", -1, "must not be negative, but is -1.0"),
        ("count", -1, "must be a whole number from 0 to 2^53, not -1"),
        ("count", 2**53 + 1, "must be a whole number from 0 to 2^53, not 9007199254740993"),
        ("rising", "word", "must be a list of numbers"),
        ("rising", [], "must be a list of numbers"),
        ("rising", [1, "2"], "must be a number, not text"),
        ("rising", [1, 2, 2], "must be in strictly rising order"),
        ("weight", 0, "must lie between 0 and 1, but is 0.0"),
        ("weight", "half", "must be a number, not text"),
    ],
)
def test_a_value_that_may_not_be(ask: str, value: Any, words: str) -> None:
    assert complaint(ask, value) == words


def test_the_last_values_that_may_be() -> None:
    given = {"zero": 0, "count": 2**53, "most": 1.7976931348623157e308, "one": 1, "few": [1.0]}
    fields = Fields(given, "model.json")
    assert fields.not_negative("zero") == 0
    assert fields.count("count") == 2**53
    assert fields.number("most") == 1.7976931348623157e308
    assert fields.count("one", least=1) == 1
    assert fields.rising("few") == (1.0,)
    fields.done()


def test_fields_that_are_missing_left_over_or_no_fields() -> None:
    with pytest.raises(ModelFileError, match=r"^model\.json: field 'x' is missing$"):
        Fields({}, "model.json").number("x")
    with pytest.raises(ModelFileError, match=r"^model\.json: field 'x' is unknown$"):
        Fields({"x": 1}, "model.json").done()
    with pytest.raises(ModelFileError, match=r"^model\.json: expected an object, found a list$"):
        Fields([], "model.json")
    with pytest.raises(ModelFileError, match=r"^model\.json: tar: field 'x' is missing$"):
        Fields({"tar": {}}, "model.json").section("tar").number("x")


def test_a_long_name_is_cut() -> None:
    with pytest.raises(ModelFileError, match=f"^model.json: field '{'x' * 80}' is unknown$"):
        Fields({"x" * 80: 1}, "model.json").done()
    with pytest.raises(ModelFileError, match=f"^model.json: field '{'x' * 80}…' is unknown$"):
        Fields({"x" * 81: 1}, "model.json").done()
