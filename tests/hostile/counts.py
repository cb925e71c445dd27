"""Counts of trials that are hostile to whoever counts on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import llrcal
from llrcal.errors import OptionError, ScoreError, TrialFileError
from tests.hostile.case import Answered, Case, Refused, Section

HEADER = "score,targets,nontargets\n"


def counts(scores: Any, targets: Any, nontargets: Any) -> Any:
    return lambda: llrcal.Counts(scores, targets, nontargets)


def read(text: str, name: str = "counts.csv", **options: Any) -> Any:
    def run() -> Any:
        Path(name).write_text(text)
        return llrcal.fit(llrcal.open_trials(name, **options), method="logistic")

    return run


def check_merged(found: llrcal.Counts) -> None:
    assert found.scores.tolist() == [0.5, 2.0]
    assert found.targets.tolist() == [3, 4]
    assert found.nontargets.tolist() == [3, 0]


def check_many(ev: llrcal.Evaluation) -> None:
    assert ev.eer == 1 / 11  # of the hull, by hand
    assert ev.pfa(1.0) == 0.1


CASES = (
    Case(
        "a negative count",
        counts([1.0, 2.0], [3, 1], [2, -1]),
        Refused(ScoreError, "1 of 2 counts of nontargets are no whole numbers", "index 1"),
        "Refused.",
    ),
    Case(
        "half a trial",
        counts([1.0, 2.0], [3, 0.5], [2, 1]),
        Refused(ScoreError, "counts of targets are no whole numbers from 0", "0.5 at index 1"),
        "Refused.",
    ),
    Case(
        "a count that is NaN",
        counts([1.0, 2.0], [3, np.nan], [2, 1]),
        Refused(ScoreError, "counts of targets are no whole numbers", "nan at index 1"),
        "Refused.",
    ),
    Case(
        "more trials of one score than 64 bits hold",
        counts([1.0, 2.0], [2**64, 1], [2, 1]),
        Refused(
            ScoreError, "no whole numbers from 0 to 10^13", "1.8446744073709552e+19 at index 0"
        ),
        "Refused.",
    ),
    Case(
        "more trials in all than can be counted, though none of the scores has too many",
        counts(np.arange(3.0), [9 * 10**12] * 3, [1, 1, 1]),
        Refused(ScoreError, "more than 10^13 trials", "of a class"),
        "Refused.",
    ),
    Case(
        "counts that are booleans",
        counts([1.0, 2.0], [True, False], [False, True]),
        Refused(ScoreError, "targets have type bool", "targets", "pass whole numbers"),
        "Refused.",
    ),
    Case(
        "counts for some of the scores",
        counts([1.0, 2.0], [1], [2, 1]),
        Refused(ScoreError, "targets have shape (1,)", "targets", "one count for each of 2"),
        "Refused.",
    ),
    Case(
        "no scores to count",
        counts([], [], []),
        Refused(ScoreError, "no counted scores", "empty"),
        "Refused.",
    ),
    Case(
        "a counted score that is NaN",
        counts([1.0, np.nan], [1, 2], [2, 1]),
        Refused(ScoreError, "not finite", "nan at index 1", "Remove or repair"),
        "Refused.",
    ),
    Case(
        "repeated scores, in no order, and one without trials",
        counts([2.0, 0.5, -7.0, 0.5], [4, 1, 0, 2], [0, 3, 0, 0]),
        Answered(check_merged),
        "Merged, and put in order.",
    ),
    Case(
        "counts without a target",
        lambda: llrcal.fit(counts([1.0, 2.0], [0, 0], [2, 1])()),
        Refused(ScoreError, "there are no targets", "counts"),
        "Refused where targets are needed; the field may have none.",
    ),
    Case(
        "ten million million trials of two scores",
        lambda: llrcal.evaluate(
            llrcal.Counts(
                np.array([-3.0, 3.0]),
                np.array([0, 10**13]),
                np.array([9 * 10**12, 10**12]),
            )
        ),
        Answered(check_many),
        "Answered, exactly.",
    ),
    Case(
        "a file of counts with a word in it",
        read(HEADER + "1.5,3,2\n0.5,many,1\n"),
        Refused(TrialFileError, "column 'targets' has 1 values that are no numbers", "row 1"),
        "Refused.",
    ),
    Case(
        "a file of counts with a missing value",
        read(HEADER + "1.5,3,2\n0.5,,1\n"),
        Refused(TrialFileError, "values that are no numbers", "row 1"),
        "Refused.",
    ),
    Case(
        "a file of counts, some of them negative",
        read(HEADER + "1.5,3,2\n0.5,-2,1\n"),
        Refused(ScoreError, "counts of targets are no whole numbers", "index 1"),
        "Refused.",
    ),
    Case(
        "a file of counts with a line that is too long",
        read(HEADER + "1.5,3,2\n0.5,2,1,7\n"),
        Refused(TrialFileError, "has 4 columns where most have 3", "counts.csv, line 3"),
        "Refused.",
    ),
    Case(
        "a file of counts that has a header alone",
        read(HEADER),
        Refused(TrialFileError, "the columns look like text", "counts.csv"),
        "Refused.",
    ),
    Case(
        "counts without each group of speakers, but none of all trials",
        read("score,targets,nontargets,without\n1.5,3,2,1\n0.5,2,1,2\n"),
        Refused(TrialFileError, "no counts of all trials", "counts.csv"),
        "Refused.",
    ),
    Case(
        "counted trials and a key",
        read(HEADER + "1.5,3,2\n0.5,2,1\n", key="counts.csv"),
        Refused(OptionError, "holds counted trials, which have neither ids", "key", "leave out"),
        "Refused.",
    ),
)

SECTION = Section(
    "N",
    "Counted trials",
    "Distinct scores, with how many targets and non-targets have each.",
    CASES,
)
