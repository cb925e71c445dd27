"""The most misleading trials, against sorting all of them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import Trials, read_trials
from llrcal.errors import OptionError
from llrcal.evaluation.evaluate import evaluate_quietly

SIDE = st.lists(st.sampled_from([-math.inf, -2.0, -1.0, 0.0, 1.0, 2.0, math.inf]), min_size=1)


@given(tar=SIDE, non=SIDE, count=st.integers(1, 9))
def test_they_are_the_first_of_all(tar: list[float], non: list[float], count: int) -> None:
    every = [(-llr, "target", llr, i) for i, llr in enumerate(tar)]
    every += [(llr, "non-target", llr, i) for i, llr in enumerate(non)]
    every.sort(key=lambda one: -one[0])  # stable: targets first, in order
    found = evaluate_quietly(tar, non).worst(count)
    assert found.rows() == [one[1:] for one in every[:count]]


def test_trials_and_speakers_have_names() -> None:
    frame = pl.DataFrame(
        {
            "enrol": ["a", "b", "c", "a"],
            "test": ["x", "y", "z", "z"],
            "enrol_speaker": ["ann", "bob", "cy", "ann"],
            "test_speaker": ["cy", "bob", "cy", "cy"],
            "score": [3.0, -2.0, 5.0, -4.0],
            "label": [0, 1, 1, 0],
        }
    )
    found = evaluate_quietly(read_trials(frame)).worst(2)
    assert found.to_dicts() == [
        {
            "label": "non-target",
            "llr": 3.0,
            "index": 0,
            "enrol": "a",
            "test": "x",
            "enrol_speaker": "ann",
            "test_speaker": "cy",
        },
        {
            "label": "target",
            "llr": -2.0,
            "index": 0,
            "enrol": "b",
            "test": "y",
            "enrol_speaker": "bob",
            "test_speaker": "bob",
        },
    ]


def test_numbers_stand_for_speakers_without_names() -> None:
    trials = Trials(np.ones(1), np.full(1, 2.0), "x", np.array([[7, 7]]), np.array([[7, 9]]))
    found = evaluate_quietly(trials).worst(1)
    assert found.rows(named=True)[0]["test_speaker"] == 9


def test_wrong_use() -> None:
    ev = evaluate_quietly([1.0], [0.0])
    for count in (0, -1, 1.5, True):
        with pytest.raises(OptionError, match="count"):
            ev.worst(count)  # type: ignore[arg-type]
