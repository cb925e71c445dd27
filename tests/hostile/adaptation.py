"""Scores from the field that are hostile to an adaptation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import llrcal
from llrcal.adaptation.adapt import adaptation
from llrcal.arrays import Floats
from llrcal.errors import DegenerateError, OptionError, ScoreError
from tests.cli.running import llrcal as command
from tests.hostile.case import Answered, Case, Ended, Refused, Section
from tests.hostile.scores import NON, TAR, same

RNG = np.random.default_rng(4)
HERE = np.concatenate([RNG.choice(TAR, 150), RNG.choice(NON, 2850)])
GRID = np.linspace(-3, 4, 30)
LEVELS = np.clip(np.round(HERE), -4, 5)


def old(tar: Any = TAR, non: Any = NON, **options: Any) -> llrcal.Calibration:
    return llrcal.fit(tar, non, **options)


def adapted(scores: Any, cal: Callable[[], llrcal.Calibration] = old, **options: Any) -> Any:
    return lambda: llrcal.adapt(cal(), scores, **options)


def quietly(scores: Any, cal: Callable[[], llrcal.Calibration]) -> Any:
    """The same where nothing is said of warnings."""
    return lambda: adaptation(cal(), scores)


def by_the_verb(scores: Floats, options: str = "", *, portrait: bool = True) -> Any:
    """The same on the command line, with files."""

    def run() -> Any:
        cal = old() if portrait else replace(old(), portrait=None)
        cal.save("old.json")
        np.save("field.npy", scores)
        return command(f"adapt old.json field.npy -o new.json --quiet {options}")

    return run


def check_finite(cal: llrcal.Calibration) -> None:
    """LLRs are finite and never fall, within the scores and far beyond."""
    assert cal.adapted is not None
    low, high = cal.training_range
    scores = np.concatenate([[-1e300], np.linspace(low, high, 50), [1e300]])
    llrs = cal.without_warnings(-scores[::-1] if cal.lower_is_better else scores)
    assert np.isfinite(llrs).all()
    steps = np.diff(cal.without_warnings(np.sort(scores)))
    assert ((steps <= 0) if cal.lower_is_better else (steps >= 0)).all()


def check_unchanged(cal: llrcal.Calibration) -> None:
    check_finite(cal)
    assert cal.adapted is not None
    assert cal.adapted.choice == "as it was"
    same(cal.without_warnings(GRID), old().without_warnings(GRID))


def check_moved(by: float) -> Callable[[llrcal.Calibration], None]:
    """LLRs are those of training, moved along."""

    def check(cal: llrcal.Calibration) -> None:
        check_finite(cal)
        assert cal.adapted is not None
        assert cal.adapted.choice == "moved"
        sign = -1 if cal.lower_is_better else 1
        there, here = cal.without_warnings(sign * (GRID + by)), old().without_warnings(GRID)
        off = np.abs(there - here)
        assert (off.mean() < 1, off.max() < 3) == (True, True)

    return check


def far(scores: Any) -> Any:
    return 1e9 + 1e-3 * np.asarray(scores)


UNCHANGED = "The calibration as it was, and a warning."
WARNED = "LLRs that are finite, and a warning."
FINITE = "LLRs that are finite, and never fall."
CASES = (
    Case(
        "scores of another recognizer altogether",
        adapted(RNG.exponential(300, 3000)),
        Answered(check_finite, warns="no move of the training classes seems"),
        WARNED,
    ),
    Case(
        "scores in two heaps that are not the classes",
        adapted(np.concatenate([RNG.uniform(-9, -8, 2000), RNG.uniform(5, 5.1, 2000)])),
        Answered(check_finite, warns="no move of the training classes seems"),
        WARNED,
    ),
    Case(
        "a share of targets that is wrong by a factor of 50",
        adapted(np.concatenate([RNG.choice(TAR, 1500), RNG.choice(NON, 1500)]), p_target=0.01),
        Answered(check_unchanged, warns="where 1 % were said"),
        UNCHANGED,
    ),
    Case(
        "20 unlabelled scores",
        adapted(HERE[:20]),
        Answered(check_finite, warns="say little about the field"),
        WARNED,
    ),
    Case(
        "two unlabelled scores",
        adapted([1.0, 2.0]),
        Answered(check_finite, warns="2 unlabelled scores and 0 labelled ones of a class"),
        WARNED,
    ),
    Case(
        "one unlabelled score",
        adapted([1.0]),
        Refused(DegenerateError, "all 1 unlabelled scores equal 1", "say nothing"),
        "Refused.",
    ),
    Case(
        "one labelled score of each class, both the same",
        adapted(None, tar=[2.0], non=[2.0]),
        Answered(check_finite, warns="say little about the field"),
        WARNED,
    ),
    Case(
        "unlabelled scores of targets only",
        adapted(np.random.default_rng(7).normal(2, 1.2, 3000)),
        Answered(check_unchanged, warns="may be of targets alone"),
        UNCHANGED,
    ),
    Case(
        "unlabelled scores of non-targets only",
        adapted(RNG.choice(NON, 3000) + RNG.normal(0, 0.01, 3000)),
        Answered(check_unchanged),
        "The calibration as it was.",
    ),
    Case(
        "unlabelled scores whose sign has turned, and the share of targets",
        adapted(-HERE, p_target=0.05),
        Answered(check_finite, warns="may be of non-targets alone"),
        WARNED,
    ),
    Case(
        "unlabelled scores that are all equal",
        adapted(np.ones(500)),
        Refused(DegenerateError, "all 500 unlabelled scores equal 1", "say nothing"),
        "Refused.",
    ),
    Case(
        "unlabelled scores of ten levels, and training on the same",
        quietly(LEVELS, lambda: old(np.clip(np.round(TAR), -4, 5), np.clip(np.round(NON), -4, 5))),
        Answered(check_finite),
        FINITE,
    ),
    Case(
        "one unlabelled score of 1e300",
        adapted(np.append(HERE, 1e300)),
        Refused(
            DegenerateError, "more than 10^12 times their spread", "1e+300", "Remove it, or clip"
        ),
        "Refused.",
    ),
    Case(
        "two unlabelled scores of ± 1e12",
        quietly(np.append(HERE, [-1e12, 1e12]), old),
        Answered(check_finite),
        FINITE,
    ),
    Case(
        "a calibration of scores at 1e9 ± 1e-3, and such scores, moved",
        adapted(far(HERE + 1), lambda: old(far(TAR), far(NON)), p_target=0.05),
        Answered(check_finite),
        FINITE,
    ),
    Case(
        "a calibration of distances, and distances that have moved",
        adapted(-HERE - 0.8, lambda: old(-TAR, -NON, lower_is_better=True), p_target=0.05),
        Answered(check_moved(0.8)),
        "LLRs of training, moved along.",
    ),
    Case(
        "a calibration of two targets and two non-targets",
        quietly(HERE, lambda: old([1.0, 2.0], [-1.0, 0.0])),
        Answered(check_finite),
        FINITE,
    ),
    Case(
        "a calibration of targets that are all equal",
        quietly(HERE, lambda: old(np.ones(30), NON)),
        Answered(check_finite),
        FINITE,
    ),
    Case(
        "a calibration that was adapted before",
        adapted(HERE + 0.8, lambda: llrcal.adapt(old(), HERE + 0.4, p_target=0.05), p_target=0.05),
        Answered(check_moved(0.8)),
        "LLRs of training, moved along.",
    ),
    Case(
        "a NaN among the unlabelled scores",
        adapted(np.append(HERE, np.nan)),
        Refused(ScoreError, "not finite", "index 3000", "Remove or repair"),
        "Refused.",
    ),
    Case(
        "an infinite score among the unlabelled ones",
        adapted(np.append(HERE, -np.inf)),
        Refused(ScoreError, "not finite", "-inf at index 3000", "Remove or repair"),
        "Refused.",
    ),
    Case(
        "unlabelled scores so small that they have few digits",
        adapted(HERE * 1e-320),
        Refused(DegenerateError, "out of range", "unlabelled scores", "multiply all scores"),
        "Refused.",
    ),
    Case(
        "nothing to adapt to",
        adapted(None),
        Refused(ScoreError, "there are no scores from the field", "scores", "give scores"),
        "Refused.",
    ),
    Case(
        "an empty array of unlabelled scores",
        adapted([]),
        Refused(ScoreError, "no unlabelled scores", "the array is empty"),
        "Refused.",
    ),
    Case(
        "labelled scores of one class",
        adapted(HERE, tar=TAR[:10]),
        Refused(ScoreError, "one class only", "tar and non", "give both"),
        "Refused.",
    ),
    Case(
        "a calibration from before there were portraits",
        adapted(HERE, lambda: replace(old(), portrait=None)),
        Refused(OptionError, "has no portrait", "smooth calibration", "Train it again"),
        "Refused.",
    ),
    *(
        Case(
            f"a share of targets of {share!r}",
            adapted(HERE, p_target=share),
            Refused(OptionError, "strictly between 0 and 1", f"p_target is {share!r}", "give"),
            "Refused.",
        )
        for share in (0.0, 1, float("nan"), "5 %")
    ),
    Case(
        "a factor of one",
        adapted(HERE, p_target=0.05, factor=1.0),
        Refused(OptionError, "give a number above 1", "factor is 1.0"),
        "Refused.",
    ),
    *(
        Case(
            f"{speakers!r} as the number of speakers",
            adapted(HERE, speakers=speakers),
            Refused(OptionError, "give the number of speakers", f"speakers is {speakers!r}"),
            "Refused.",
        )
        for speakers in (0, float("nan"), "20")
    ),
    Case(
        "`llrcal adapt --speakers 0`",
        by_the_verb(HERE, "--speakers 0"),
        Ended("give the number of speakers", "--speakers is 0.0", "at least 1"),
        "One line, and no model.",
    ),
    Case(
        "`llrcal adapt` with scores that are all equal",
        by_the_verb(np.ones(500)),
        Ended("all 500 unlabelled scores equal 1", "they say nothing about how the classes"),
        "One line, and no model.",
    ),
    Case(
        "`llrcal adapt` with a NaN",
        by_the_verb(np.append(HERE, np.nan)),
        Ended("NaN", "field.npy"),
        "One line, and no model.",
    ),
    Case(
        "`llrcal adapt --p-target 1`",
        by_the_verb(HERE, "--p-target 1"),
        Ended("strictly between 0 and 1", "--p-target is 1.0", "give the rough share"),
        "One line, and no model.",
    ),
    Case(
        "`llrcal adapt` with a model from before there were portraits",
        by_the_verb(HERE, portrait=False),
        Ended("has no portrait", "smooth calibration", "Train it again"),
        "One line, and no model.",
    ),
)

SECTION = Section(
    "P",
    "Scores from the field",
    "Adaptation by scores that say little or nothing, and by those that are not what was said.",
    CASES,
)
