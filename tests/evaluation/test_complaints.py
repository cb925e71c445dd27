"""What an evaluation says where something is wrong, word for word: it is all that a user sees."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from llrcal import OptionError, ScoreError, evaluate, optimal_llrs
from llrcal.evaluation import cllr
from llrcal.evaluation.bootstrap import SpeakerDraws
from llrcal.inputs.speakers import as_speakers, both_speakers


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"replicates": 0}, "replicates is 0; it must be a positive integer"),
        ({"replicates": True}, "replicates is True; it must be a positive integer"),
        ({"replicates": 2.5}, "replicates is 2.5; it must be a positive integer"),
        ({"seed": -1}, "seed is -1; it must be a non-negative integer"),
        ({"seed": 0.0}, "seed is 0.0; it must be a non-negative integer"),
        ({"level": 0}, "level is 0; give a number strictly between 0 and 1"),
        ({"level": 1}, "level is 1; give a number strictly between 0 and 1"),
        ({"level": None}, "level is None; give a number strictly between 0 and 1"),
    ],
)
def test_options_of_the_bootstrap(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(words)}$"):
        evaluate([1.0, 2.0], [0.0]).intervals(**options)


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


@pytest.mark.parametrize("function", [cllr, evaluate, optimal_llrs])
def test_the_class_of_bad_llrs_is_named(function: Callable[..., object]) -> None:
    with pytest.raises(ScoreError, match=r"^1 of 1 target scores"):
        function([math.nan], [0.0])
    with pytest.raises(ScoreError, match=r"^1 of 1 non-target scores"):
        function([0.0], [math.nan])


def test_speakers_that_are_none() -> None:
    words = "target speakers have type float64; pass integers"
    with pytest.raises(ScoreError, match=f"^{words}$"):
        as_speakers([[1.0, 1.0]], 1, "target")
    words = (
        "target speakers have shape (1, 2); 3 trials need shape (3, 2): the enrolment and the test "
        "speaker of each"
    )
    with pytest.raises(ScoreError, match=f"^{re.escape(words)}$"):
        as_speakers([[1, 1]], 3, "target")


def test_target_trials_of_two_speakers() -> None:
    words = (
        "2 target trials have two speakers; the first is at index 1: 4 and 9. A target trial has "
        "one speaker"
    )
    pairs, non = np.array([[4, 4], [4, 9], [9, 4]]), np.array([[4, 9]])
    with pytest.raises(ScoreError, match=f"^{words}$"):
        SpeakerDraws.of(pairs, non, replicates=1, seed=0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"p_target": 0}, "p_target is 0.0; it must lie strictly between 0 and 1"),
        ({"p_target": 1}, "p_target is 1.0; it must lie strictly between 0 and 1"),
        (
            {"p_target": [0.5, *[2.0] * 2000]},
            "p_target is 2.0 at index 1; it must lie strictly between 0 and 1",
        ),
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
