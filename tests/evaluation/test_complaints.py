"""What an evaluation says where something is wrong, word for word: it is all that a user sees."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from llrcal import OptionError, ScoreError, evaluate
from llrcal.inputs.beside_scores import as_speakers, both_speakers


@pytest.mark.parametrize(
    ("name", "speakers"),
    [
        ("target speakers", ([[1, 1]], [[1, 2]])),
        ("non-target speakers", ([[1, 1], [2, 2]], [[1, 2]] * 2)),
    ],
)
def test_the_class_of_bad_speakers_is_named(name: str, speakers: Any) -> None:
    with pytest.raises(ScoreError, match=f"^{name}"):
        both_speakers(speakers, 2, 1)


def test_speakers_that_are_none() -> None:
    for bad in ([[1.0, 2.0]], [["a", "b"]], [[True, False]]):
        with pytest.raises(ScoreError, match=r"^target speakers have type .*; pass integers$"):
            as_speakers(bad, 1, "target")
    for odd in ([1, 2], [[1], [2]]):
        with pytest.raises(ScoreError, match=r"^target speakers have shape"):
            as_speakers(odd, 2, "target")
    words = (
        "target speakers have shape (1, 2); 3 trials need shape (3, 2): the enrolment and the test "
        "speaker of each"
    )
    with pytest.raises(ScoreError, match=f"^{re.escape(words)}$"):
        as_speakers([[1, 1]], 3, "target")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"p_target": 0}, "p_target is 0.0; it must lie strictly between 0 and 1"),
        ({"p_target": 1}, "p_target is 1.0; it must lie strictly between 0 and 1"),
        (
            {"p_target": [0.5, *[2.0] * 2000]},
            "p_target is 2.0 at index 1; it must lie strictly between 0 and 1",
        ),
        ({"p_target": math.nan}, "p_target is nan; it must lie strictly between 0 and 1"),
        ({"p_target": 0.5, "c_fa": [1, -1]}, "c_fa is -1.0 at index 1; it must be positive and"),
        ({"p_target": 0.5, "c_miss": 0}, "c_miss is 0.0; it must be positive and finite"),
        ({"p_target": 0.5, "c_fa": math.inf}, "c_fa is inf; it must be positive and finite"),
        ({"p_target": "1"}, "p_target must be a number or an array of numbers, not '1'"),
        ({"p_target": [[1], [1, 2]]}, "p_target must be a number or an array of numbers, not [["),
        ({"p_target": 0.5, "c_miss": None}, "c_miss must be a number or an array of numbers, not"),
    ],
)
def test_costs_that_cannot_be(options: dict[str, Any], words: str) -> None:
    found = evaluate([1.0], [0.0])
    for cost in (found.act_dcf, found.min_dcf):
        with pytest.raises(OptionError, match=f"^{re.escape(words)}"):
            cost(**options)


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        (math.nan, "the threshold must be a number, not NaN"),
        ("1", "the threshold must be a number or an array of numbers, not '1'"),
    ],
)
def test_thresholds_that_are_none(threshold: Any, words: str) -> None:
    found = evaluate([1.0], [0.0])
    for rate in (found.pmiss, found.pfa):
        with pytest.raises(OptionError, match=f"^{words}$"):
            rate(threshold)


def test_truth_values_are_numbers_here_as_everywhere_in_numpy() -> None:
    found = evaluate([1.0, -1.0], [0.5, -3.0])
    np.testing.assert_array_equal(found.bayes_error([False, True]), found.bayes_error([0, 1]))


def test_a_complaint_quotes_no_more_than_fifty_letters() -> None:
    with pytest.raises(OptionError) as caught:
        evaluate([1.0], [0.0]).bayes_error("x" * 100)
    assert str(caught.value).endswith("not '" + "x" * 49)
