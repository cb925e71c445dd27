"""Scores from the field that are hostile to whoever watches them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import llrcal
from llrcal.errors import DegenerateError, OptionError, ScoreError
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.scores import NON, TAR

RNG = np.random.default_rng(5)
FIELD = np.concatenate([RNG.choice(TAR, 150), RNG.choice(NON, 2850)])


def old() -> llrcal.Calibration:
    return llrcal.fit(TAR, NON, method="gaussian")


def watched(scores: Any, **options: Any) -> Any:
    return lambda: llrcal.watch(old(), scores, **options)


def check_not_as_in_training(seen: llrcal.Watched) -> None:
    assert seen.verdict != "as in training"
    assert seen.cost.high > 0.05


CASES = (
    Case(
        "watched scores of another recognizer altogether",
        watched(RNG.exponential(300, 3000)),
        Answered(check_not_as_in_training, warns="no move of the training classes seems"),
        "Never as in training, and a warning.",
    ),
    Case(
        "watched scores that are all equal",
        watched(np.ones(500)),
        Refused(DegenerateError, "all 500 unlabelled scores equal 1", "say nothing"),
        "Refused.",
    ),
    Case(
        "a NaN among watched scores",
        watched(np.append(FIELD, np.nan)),
        Refused(ScoreError, "not finite", "index 3000", "Remove or repair"),
        "Refused.",
    ),
    Case(
        "no scores to watch",
        watched([]),
        Refused(ScoreError, "no unlabelled scores", "unlabelled"),
        "Refused.",
    ),
    Case(
        "a watched calibration without a portrait",
        lambda: llrcal.watch(replace(old(), portrait=None), FIELD),
        Refused(OptionError, "no portrait of its training scores", "gaussian", "Train it again"),
        "Refused, with what to do.",
    ),
    Case(
        "labels of speakers of fewer scores than are watched",
        watched(FIELD, speakers=["ann", "bob"]),
        Refused(OptionError, "another length than the scores", "speakers", "give a number"),
        "Refused.",
    ),
    Case(
        "a share of targets of two among watched scores",
        watched(FIELD, p_target=2.0),
        Refused(OptionError, "strictly between 0 and 1", "p_target is 2.0", "give"),
        "Refused.",
    ),
)

SECTION = Section(
    "W",
    "Watched scores",
    "Whether the field has moved, asked of scores that cannot tell.",
    CASES,
)
