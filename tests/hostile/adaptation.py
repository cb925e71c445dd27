"""Scores of another place that are hostile to an adaptation."""

from __future__ import annotations

from typing import Any

import numpy as np

import llrcal
from llrcal.errors import DegenerateError, OptionError, ScoreError
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.scores import NON, TAR, same

RNG = np.random.default_rng(4)
HERE = np.concatenate([RNG.choice(TAR, 150), RNG.choice(NON, 2850)])
GRID = np.linspace(-3, 4, 30)


def old(method: str = "gaussian") -> llrcal.Calibration:
    return llrcal.fit(TAR, NON, method=method)


def adapted(scores: Any, method: str = "gaussian", **options: Any) -> Any:
    return lambda: llrcal.adapt(old(method), scores, **{"p_target": 0.05, **options})


def check_unchanged(calibration: llrcal.Calibration) -> None:
    assert calibration.adapted is not None
    assert not calibration.adapted.applied
    same(calibration.without_warnings(GRID), old().without_warnings(GRID))


UNCHANGED = "The calibration as it was, with a warning that says why."
CASES = (
    Case(
        "scores of another recognizer altogether",
        adapted(RNG.exponential(300, 3000)),
        Answered(check_unchanged, warns="the model does not fit these scores"),
        UNCHANGED,
    ),
    Case(
        "scores in two heaps that are not the classes",
        adapted(np.concatenate([RNG.uniform(-9, -8, 2000), RNG.uniform(5, 5.1, 2000)])),
        Answered(check_unchanged, warns="the model does not fit these scores"),
        UNCHANGED,
    ),
    Case(
        "a share of targets that is wrong by a factor of 50",
        adapted(np.concatenate([RNG.choice(TAR, 1500), RNG.choice(NON, 1500)]), p_target=0.01),
        Answered(check_unchanged, warns="times what was said"),
        UNCHANGED,
    ),
    Case(
        "20 unlabelled scores",
        adapted(HERE[:20]),
        Answered(check_unchanged, warns="say too little about the new place"),
        UNCHANGED,
    ),
    Case(
        "unlabelled scores of one class only",
        adapted(RNG.choice(NON, 3000)),
        Answered(check_unchanged, warns="cannot tell the classes apart"),
        UNCHANGED,
    ),
    Case(
        "unlabelled scores of targets only",
        adapted(RNG.choice(TAR, 3000) + RNG.normal(0, 0.01, 3000)),
        Answered(check_unchanged, warns="look more like one class alone than like both"),
        UNCHANGED,
    ),
    Case(
        "unlabelled scores whose sign has turned",
        adapted(-HERE),
        Answered(check_unchanged, warns="is a higher score still more evidence for a target"),
        UNCHANGED,
    ),
    Case(
        "unlabelled scores that are all equal",
        adapted(np.ones(500)),
        Refused(DegenerateError, "all 500 unlabelled scores equal 1", "say nothing"),
        "Refused.",
    ),
    Case(
        "a NaN among the unlabelled scores",
        adapted(np.append(HERE, np.nan)),
        Refused(ScoreError, "not finite", "index 3000", "Remove or repair"),
        "Refused.",
    ),
    Case(
        "no scores at all",
        adapted(None),
        Refused(ScoreError, "no scores of the new place", "scores", "give scores"),
        "Refused.",
    ),
    Case(
        "labelled scores of one class",
        adapted(HERE, tar=TAR[:10]),
        Refused(ScoreError, "one class only", "tar and non", "give both"),
        "Refused.",
    ),
    Case(
        "a calibration without densities",
        adapted(HERE, method="pav"),
        Refused(OptionError, "has no densities", "pav", "train gaussian, student-t or nig"),
        "Refused, with the methods that have them.",
    ),
    Case(
        "a share of targets of zero",
        adapted(HERE, p_target=0.0),
        Refused(OptionError, "strictly between 0 and 1", "p_target is 0.0", "give"),
        "Refused.",
    ),
    Case(
        "a factor of one",
        adapted(HERE, factor=1.0),
        Refused(OptionError, "give a number above 1", "factor is 1.0"),
        "Refused.",
    ),
)

SECTION = Section(
    "P",
    "Scores of another place",
    "Adaptation by scores that say little or nothing, and by those that are not what was said.",
    CASES,
)
