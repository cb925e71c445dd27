"""Scores and labels on their way in: what is taken, what is refused, and in which words."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal import ScoreError, split
from llrcal.arrays import Array
from llrcal.inputs.scores import as_floats, as_scores
from llrcal.onepass.chunks import CHUNK

# ------------------------------------------------------------------------------ as_scores


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats_are_passed_through_uncopied(dtype: type) -> None:
    given_scores: Array = np.array([1.5, -2.0], dtype)
    assert np.shares_memory(as_scores(given_scores, "target"), given_scores)
    assert as_scores(given_scores, "target").dtype == dtype


@pytest.mark.parametrize(
    "scores",
    [
        [1, 200, 3],
        (1, 200, 3),
        np.array([1, 200, 3], np.uint8),
        np.array([1, 200, 3], np.int64),
        np.array([1, 200, 3], np.uint64),
        np.array([1, 200, 3], np.float16),
        np.array([1, 200, 3], np.longdouble),
        np.ma.MaskedArray([1.0, 200.0, 3.0], mask=[False] * 3),
        [np.float32(1), np.int8(100) * np.int16(2), 3.0],
    ],
    ids=lambda scores: f"{type(scores).__name__}-{np.asarray(scores).dtype}",
)
def test_other_numbers_become_doubles(scores: Any) -> None:
    array = as_scores(scores, "target")
    assert array.dtype == np.float64
    assert array.tolist() == [1.0, 200.0, 3.0]
    assert type(array) is np.ndarray


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([], "no target scores: the array is empty"),
        (np.zeros(0), "no target scores: the array is empty"),
        (1.0, "target scores have shape ()"),
        ([[1.0, 2.0]], "target scores have shape (1, 2)"),
        (np.zeros((3, 0)), "target scores have shape (3, 0)"),
        ([True, False], "target scores are booleans"),
        (["1.0", "2"], "target scores have type <U3"),
        (np.array([b"1"]), "target scores have type |S1"),
        (np.array([1.0, None], object), "target scores have type object"),
        ([10**30, 1], "target scores have type object"),
        (None, "target scores have type object"),
        ([1 + 0j], "target scores have type complex128"),
        (np.array(["2020-01-01"], "M8[D]"), "target scores have type datetime64[D]"),
        (np.array([(1.0,)], [("score", "f8")]), "target scores have type"),
        (np.ma.MaskedArray([1.0, 2.0], mask=[False, True]), "target scores are a masked array"),
        ([[1.0, 2.0], [3.0]], "target scores"),
    ],
)
def test_what_is_no_list_of_numbers_is_refused(scores: Any, words: str) -> None:
    with pytest.raises(ScoreError, match=re.escape(words)):
        as_scores(scores, "target")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.longdouble, ">f8"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_message_names_count_and_first_index(bad: float, dtype: Any) -> None:
    scores = np.array([1.0, 2.0, bad, 3.0, bad], dtype)
    words = f"2 of 5 target scores are not finite; the first is {bad} at index 2"
    with pytest.raises(ScoreError, match=words):
        as_scores(scores, "target")


def test_infinities_pass_where_they_are_legal_but_nan_does_not() -> None:
    scores = [math.inf, 1.0, -math.inf]
    assert as_scores(scores, "target", allow_infinite=True).tolist() == scores
    words = "1 of 3 target scores are NaN; the first is nan at index 1"
    with pytest.raises(ScoreError, match=words):
        as_scores([math.inf, math.nan, -math.inf], "target", allow_infinite=True)


def test_nan_is_found_and_counted_in_every_chunk() -> None:
    scores = np.zeros(2 * CHUNK + 10)
    scores[[CHUNK + 5, -1]] = np.nan
    words = f"2 of {2 * CHUNK + 10} non-target scores are not finite; .* at index {CHUNK + 5}"
    with pytest.raises(ScoreError, match=words):
        as_scores(scores, "non-target")


def test_long_doubles_too_large_for_a_double_are_refused() -> None:
    too_large = np.array([1.0, 0.0], np.longdouble)
    too_large[1] = np.finfo(np.longdouble).max
    if np.finfo(np.longdouble).max == np.finfo(np.float64).max:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(ScoreError, match="at index 1"):
        as_scores(too_large, "target")


def test_floats_of_any_shape() -> None:
    assert as_floats(2.5, "the").shape == ()
    assert as_floats(np.zeros((2, 3), np.int8), "the").shape == (2, 3)


# ---------------------------------------------------------------------------------- split

SCORES = [1.5, -0.5, 2.0, 0.25]


NUMBERS = [(1, 0), (1.0, 0.0), (True, False), (np.uint8(1), np.uint8(0)), (1, -1)]
WORDS = (
    "1 0, target nontarget, tar non, tgt imp, true false, genuine impostor, mated nonmated, "
    "same different, Hp Hd, +1 -1, Yes No, TRUE False"
)


@pytest.mark.parametrize("labels", [*NUMBERS, *(pair.split() for pair in WORDS.split(", "))])
def test_split_by_every_kind_of_label(labels: Any) -> None:
    for given_labels in ([*labels] * 2, np.array([*labels] * 2, object)):
        if isinstance(given_labels, list) or isinstance(labels, list):
            tar, non = split(SCORES, given_labels)
            assert tar.tolist() == [1.5, 2.0]
            assert non.tolist() == [-0.5, 0.25]


@pytest.mark.parametrize(
    ("labels", "value", "index", "count"),
    [
        ([1, 0, 2, -1], "2", 2, 2),
        ([1, 0.5, 0, 0], "0.5", 1, 1),
        ([1, 0, 0, math.nan], "nan", 3, 1),
        (["target", "spoof", "nontarget", "spoof"], "spoof", 1, 2),
        (["TarGet", "nontarget", "target", "non"], "TarGet", 0, 1),
        (["tar", "", "non", "non"], "''", 1, 1),
        (["tar", "non", "tar ", "non"], "tar ", 2, 1),
        (np.array(["tar", None, "non", "non"], object), "None", 1, 1),
    ],
)
def test_a_wrong_label_is_named(labels: Any, value: str, index: int, count: int) -> None:
    words = rf"^{count} labels are .*{re.escape(value)}.* at index {index}\."
    with pytest.raises(ScoreError, match=words):
        split(SCORES, labels)


@pytest.mark.parametrize("labels", [[1j, 0, 1, 0], [b"tar", b"non", b"tar", b"non"]])
def test_labels_of_a_wrong_type(labels: Any) -> None:
    with pytest.raises(ScoreError, match="labels have type"):
        split(SCORES, labels)


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        (SCORES, [1, 0, 1]),
        (SCORES, [1, 0, 1, 0, 1]),
        (SCORES, [[1, 0, 1, 0]]),
        (SCORES, 1),
        ([SCORES], [[1, 0, 1, 0]]),
        (1.5, 1),
    ],
)
def test_one_label_for_each_score(scores: Any, labels: Any) -> None:
    words = f"scores have shape {np.shape(scores)} and labels {np.shape(labels)}"
    with pytest.raises(ScoreError, match=re.escape(words)):
        split(scores, labels)


def test_split_leaves_its_input_alone() -> None:
    scores, labels = np.array(SCORES), np.array([1, 0, 1, 0])
    tar, non = split(scores, labels)
    tar[:], non[:] = 0, 0
    assert scores.tolist() == SCORES
    assert labels.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [-1, 1, -1, -1], np.array([1, 0, 0, 1], np.int8)])
def test_labels_in_place_of_scores_are_refused(labels: Any) -> None:
    """Which are as many as the scores; others may be whole numbers."""
    scores = [0.5, 1.5, -2.0, 0.25]
    with pytest.raises(ScoreError, match="the second array looks like labels"):
        llrcal.fit(scores, labels, method="gaussian")
    llrcal.fit(scores, [*labels, 1], method="gaussian")
    llrcal.fit(scores, np.array(labels, np.float64), method="gaussian")
