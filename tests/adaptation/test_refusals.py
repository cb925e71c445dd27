"""What is refused, and with which words."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.adaptation.adapt import adaptation
from llrcal.adaptation.watch import watched
from llrcal.errors import DegenerateError, OptionError, ScoreError
from tests.adaptation.worlds import World

WORLD = World("Gaussian")
FIELD = WORLD.field
CAL = llrcal.fit(*WORLD.training, method="gaussian")
AWAY = llrcal.fit(*(-side for side in WORLD.training), method="gaussian", lower_is_better=True)

OPTIONS: list[tuple[dict[str, Any], str]] = [
    *(
        ({"p_target": share}, "p_target is .*strictly between 0 and 1")
        for share in (0.0, 1.0, -0.1, 1e-10, math.nan, "0.1", True)
    ),
    *(
        ({"factor": factor, "p_target": 0.1}, "factor is .*above 1")
        for factor in (1.0, 0.5, -2, math.inf, math.nan, 1e7, "2")
    ),
    ({"factor": 3.0}, "factor says how far off a share may be; give that: p_target"),
    ({"speakers": 0}, "speakers is 0; give the number of speakers"),
]


@pytest.mark.parametrize(("options", "words"), OPTIONS)
@pytest.mark.parametrize("function", [llrcal.adapt, llrcal.watch])
def test_options_out_of_range(
    function: Callable[..., object], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(OptionError, match=words):
        function(CAL, FIELD, **options)


def test_options_at_their_ends() -> None:
    for p_target, factor in ((1e-9, 1.01), (1 - 1e-9, 1e6)):
        watched(CAL, FIELD, p_target=p_target, factor=factor, speakers=1)


SCORES: list[tuple[Any, type[Exception], str]] = [
    ([], ScoreError, "no unlabelled scores"),
    ([2.0, 2.0, 2.0], DegenerateError, "all 3 unlabelled scores equal 2: they say nothing"),
    ([1.0], DegenerateError, "all 1 unlabelled scores equal 1"),
    ([1.0, math.nan], ScoreError, "unlabelled.*not finite.*index 1"),
    (np.append(FIELD, -np.inf), ScoreError, "not finite.*-inf at index 2000"),
    (FIELD * 1e-320, DegenerateError, "unlabelled scores.*multiply all scores"),
    (FIELD * 1e60, DegenerateError, "are they in the same units"),
]


@pytest.mark.parametrize(("scores", "error", "words"), SCORES)
@pytest.mark.parametrize("cal", [CAL, AWAY])
def test_scores_that_cannot_be_used(
    cal: llrcal.Calibration, scores: Any, error: type[Exception], words: str
) -> None:
    for function in (llrcal.adapt, llrcal.watch):
        with pytest.raises(error, match=words):
            function(cal, scores)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"scores": FIELD, "tar": [1.0]}, "one class only: give both tar and non, or neither"),
        ({"non": [1.0]}, "one class only: give both tar and non, or neither"),
        ({}, "there are no scores from the field"),
        ({"tar": [1.0, 2.0], "non": [math.nan]}, "non-target"),
        ({"tar": [], "non": [1.0]}, "no target scores"),
    ],
)
def test_labelled_scores_that_cannot_be_used(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ScoreError, match=words):
        llrcal.adapt(CAL, **given)


def test_a_calibration_without_a_portrait() -> None:
    old = replace(CAL, portrait=None)
    for function in (llrcal.adapt, llrcal.watch):
        with pytest.raises(OptionError, match=r"gaussian calibration has no portrait.*Train it"):
            function(old, FIELD)


@pytest.mark.parametrize("function", [partial(llrcal.adapt, CAL), partial(llrcal.watch, CAL)])
def test_few_scores_are_warned_of(function: Callable[..., object]) -> None:
    with pytest.warns(llrcal.LlrcalWarning, match="20 unlabelled scores and 0 labelled ones"):
        function(FIELD[::100])


@pytest.mark.parametrize("function", [llrcal.watch, watched, llrcal.adapt, adaptation])
def test_defaults(function: Callable[..., object]) -> None:
    options = inspect.signature(function).parameters
    found = [options[name].default for name in ("p_target", "factor", "speakers")]
    assert found == [None, 2.0, None]
