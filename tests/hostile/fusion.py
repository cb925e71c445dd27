"""Scores of several systems that are hostile to a fusion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import llrcal
from llrcal.errors import DegenerateError, OptionError, ScoreError, TrialFileError
from llrcal.trials.systems import read_side_information
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.scores import same

RNG = np.random.default_rng(8)
TAR, NON = RNG.normal(1, 1, (40, 2)), RNG.normal(-1, 1, (90, 2))


def fused(tar: Any, non: Any, **options: Any) -> Any:
    return lambda: llrcal.fuse(tar, non, **options)


def in_pieces(tar: Any, **form: Any) -> Any:
    """The columns of a table, read in pieces."""

    def run() -> Any:
        table = pl.DataFrame(np.concatenate([tar, NON]), schema=["cos", "plda"])
        table.with_columns(label=np.arange(len(table)) < len(tar)).write_csv("all.csv")
        return llrcal.fuse_files("all.csv", scores=["cos", "plda"], **form)

    return run


def widened(columns: Any) -> Any:
    """Both classes with further columns, which a function makes of them."""
    return fused(*(np.column_stack([side, columns(side)]) for side in (TAR, NON)))


def check_finite(model: llrcal.Fused) -> None:
    for row in (np.full(len(model.names), value) for value in (-1e308, 0.0, 1e308, np.inf)):
        llrs, _ = model.answers(row[None, :])
        assert np.isfinite(llrs).all()


def check_as_without(model: llrcal.Fused) -> None:
    """The last column makes no difference."""
    check_finite(model)
    plain = llrcal.fuse(TAR, NON)
    new = np.column_stack([NON, np.full(90, 7.0)])
    same(np.round(model.answers(new)[0], 6), np.round(plain(NON), 6))


def check_shared(model: llrcal.Fused) -> None:
    """Two columns with the same scores have the same weight, in units of the scores."""
    check_finite(model)
    first, _, third = (weight.value for weight in model.weights.values())
    assert abs(first - 2 * third) < 1e-6 * abs(first)


def check_names(model: llrcal.Fused) -> None:
    assert list(model.weights) == ["a, b", "c=d\n"]
    model.save("fused.json")
    assert llrcal.load("fused.json") == model


def check_zero(llrs: Any) -> None:
    assert llrs.tolist() == [0.0]


LINES = RNG.choice(["far, near", "a=b"], 40), RNG.choice(["far, near", "a=b"], 90)


def evaluated(tar: Any, non: Any) -> Any:
    """One system, evaluated by condition."""
    return lambda: llrcal.evaluate(TAR[:, 0], NON[:, 0], by=(tar, non))


def check_cells(ev: llrcal.ByCondition) -> None:
    assert list(ev.cells) == [("a=b",), ("far, near",)]


def check_unseen(llrs: Any) -> None:
    assert llrs[0] == llrs[1]


def with_a_condition() -> Any:
    cal = llrcal.fit(TAR[:, 0], NON[:, 0], method="logistic", condition=LINES)
    return cal([1.0, 1.0, 1.0], condition=["moon", None, "a=b"])


def sides_of(text: str) -> Any:
    """Side information of two trials from a file."""

    def run() -> Any:
        Path("utt2dur").write_text(text)
        ids = pl.DataFrame({"enrol": ["m", "n"], "test": ["t", "u"]})
        return read_side_information("utt2dur", ids)

    return run


HOLES = np.where(np.arange(80).reshape(40, 2) == 7, np.nan, TAR)
CASES = (
    Case(
        "rows of different lengths",
        fused([[1.0, 2.0], [3.0]], NON),
        Refused(ScoreError, "different lengths", "target scores", "lists"),
        "Refused.",
    ),
    Case(
        "another number of systems in the non-targets",
        fused(TAR, NON[:, :1]),
        Refused(ScoreError, "shape (90, 1)", "non-target scores", "one column for each"),
        "Refused, with the names of the systems.",
    ),
    Case(
        "a NaN in a column",
        fused(HOLES, NON, names=["cos", "plda"]),
        Refused(ScoreError, "not finite", "plda: target scores", "missing='patterns'"),
        "Refused, with the system, the index, and how to fuse what there is.",
    ),
    Case(
        "an infinite score",
        fused(np.where(np.equal(TAR, TAR[3, 0]), np.inf, TAR), NON),
        Refused(ScoreError, "not finite", "index 3", "Remove or repair"),
        "Refused.",
    ),
    Case(
        "a column of equal values",
        widened(lambda side: np.full(len(side), 7.0)),
        Answered(check_as_without, warns="all values are equal, so they say nothing"),
        "The fusion of the others, with a warning.",
    ),
    Case(
        "the same column twice, in another unit",
        widened(lambda side: 2 * side[:, 0]),
        Answered(check_shared, warns="have the same scores, up to scale"),
        "The columns share one weight, with a warning.",
        "Unpenalised regression: weights that are arbitrary, or a singular matrix.",
    ),
    Case(
        "a column that is the sum of the others",
        widened(lambda side: side.sum(axis=1)),
        Answered(check_finite),
        "Finite weights: the prior shares them out.",
        "Unpenalised regression: weights that are arbitrary, or a singular matrix.",
    ),
    Case(
        "classes that are far apart",
        fused(TAR + 1e6, NON - 1e6),
        Answered(check_finite, warns="the fused classes do not overlap"),
        "Finite LLRs, with a warning.",
        "Unpenalised regression: weights that grow until the search gives up.",
    ),
    Case(
        "one trial of each class",
        fused(TAR[:1], NON[:1]),
        Answered(check_finite, warns="the fused classes do not overlap"),
        "Finite LLRs, with a warning.",
    ),
    Case(
        "columns of 1e300 and of 1e-300",
        fused(TAR * [1e300, 1e-300], NON * [1e300, 1e-300]),
        Answered(check_finite),
        "Finite LLRs.",
    ),
    Case(
        "columns of 1e-310, whose squares and inverses are no doubles",
        fused(TAR * 1e-310, NON * 1e-310),
        Refused(DegenerateError, "out of range", "system 1", "multiply all scores"),
        "Refused.",
    ),
    Case(
        "names with commas, signs and line ends",
        fused(TAR, NON, names=["a, b", "c=d\n"]),
        Answered(check_names),
        "An answer; they are read back from the model file as they are.",
    ),
    Case(
        "a system that is not there when the fusion is applied",
        lambda: llrcal.fuse(TAR, NON, names=["cos", "plda"])({"cos": [1.0], "dnn": [2.0]}),
        Refused(ScoreError, "no 'plda'", "unknown: 'dnn'", "Expected are 'cos', 'plda'"),
        "Refused, with both names.",
    ),
    Case(
        "a trial without any score",
        lambda: llrcal.fuse(HOLES, NON, missing="patterns")([[np.nan, np.nan]]),
        Answered(check_zero, warns="have no score of any system: LLR 0"),
        "An LLR of zero, with a warning.",
    ),
    Case(
        "a NaN in one column of a table in pieces",
        in_pieces(HOLES),
        Refused(TrialFileError, "NaN", "all.csv", "on_nan"),
        "Refused, with the file.",
        "Columns that are read one by one, without trials where they are NaN, are of other trials.",
    ),
    Case(
        "a condition that only one class has",
        fused(TAR, NON, condition=(["a"] * 40, ["a"] * 50 + ["b"] * 40)),
        Answered(
            lambda model: same(model.conditions.lines["b"], model.conditions.pooled, within=1e-5)
        ),
        "An answer: it gets the pooled calibration.",
    ),
    Case(
        "the labels as conditions",
        fused(TAR, NON, condition=(["a"] * 40, ["b"] * 90)),
        Refused(ScoreError, "no condition has both", "'a' and 'b'", "new trials have none"),
        "Refused: no condition has trials of both classes.",
        "A calibration that asks for the labels of the trials it is applied to.",
    ),
    Case(
        "the labels as side information",
        fused(TAR, NON, quality=({"y": np.ones(40)}, {"y": np.zeros(90)})),
        Refused(ScoreError, "labels are no side information", "y:", "new trials have none"),
        "Refused: every target has one value, and every non-target another.",
        "A fusion that separates the classes in training, and cannot be applied.",
    ),
    Case(
        "a column of scores without a name",
        fused(TAR, NON, names=["cos", ""]),
        Refused(OptionError, "does not name every system", "['cos', '']", "a text for each"),
        "Refused.",
    ),
    Case(
        "conditions with commas, evaluated by condition",
        evaluated(*LINES),
        Answered(check_cells),
        "Each condition by its own name.",
    ),
    Case(
        "conditions that only one class has, evaluated by condition",
        evaluated(["a"] * 40, ["b"] * 90),
        Refused(ScoreError, "both target and non-target", "condition 1"),
        "Refused.",
    ),
    Case(
        "a condition that was not there in training, and none at all",
        with_a_condition,
        Answered(check_unseen, warns="2 of 3 trials are in conditions that were not there"),
        "The mean of all conditions, with a warning.",
    ),
    Case(
        "a calibration by condition, asked without one",
        lambda: llrcal.fit(TAR[:, 0], NON[:, 0], condition=LINES)([1.0], condition=[]),
        Refused(ScoreError, "shape (0,)", "conditions", "one for each of 1"),
        "Refused.",
    ),
    Case(
        "side information without some recordings",
        sides_of("m 1.5\nt 2.5\nn 3.5\n"),
        Refused(TrialFileError, "has no finite numbers on 1 of 2 trials", "utt2dur", "(u)"),
        "Refused, with their ids.",
    ),
    Case(
        "side information that is no number",
        sides_of("m 1.5\nt long\nn 3.5\nu 1\n"),
        Refused(TrialFileError, "has no finite numbers on 1 of 2 trials", "utt2dur", "(t)"),
        "Refused, with the recording.",
    ),
    Case(
        "side information twice for one recording",
        sides_of("m 1.5\nt 1\nn 3.5\nu 1\nm 2.5\n"),
        Refused(TrialFileError, "occur more than once", "utt2dur", "(m)"),
        "Refused, with the recording.",
    ),
    Case(
        "side information after a blank line and a comment",
        sides_of("\n# seconds\nm,1.5\nn,1\nt,2\nu,3\n"),
        Answered(lambda sides: same(sides["maximum of quality 1"], [2.0, 3.0])),
        "An answer, as if they were not there.",
    ),
    Case(
        "side information in lines of different lengths",
        sides_of("m 1.5\nt 1 2\n"),
        Refused(TrialFileError, "has 3 columns", "line 2", "the first 2"),
        "Refused, with the line.",
    ),
)

SECTION = Section(
    "F",
    "Several systems",
    "Fusion of columns that say nothing, the same, or too much.",
    CASES,
)
