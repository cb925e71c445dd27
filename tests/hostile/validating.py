"""Validations whose criteria, names, trials or files are hostile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import llrcal
from llrcal.errors import OptionError, TrialFileError
from tests.hostile.case import Answered, Case, Ended, Refused, Section
from tests.hostile.command_line import command
from tests.report.pages import Page
from tests.validation.tables import write_table

EVIL = "</title><script>alert(1)</script>"


def validated(**options: Any) -> Callable[[], llrcal.Validation]:
    def run() -> llrcal.Validation:
        settings: dict[str, Any] = {"method": "gaussian", "replicates": 99, "date": "today"}
        return llrcal.validate(llrcal.read_trials(table()), **{**settings, **options})

    return run


def table() -> Path:
    return write_table(Path("cases.csv"), speakers=12)


def with_scripts() -> str:
    path = write_table(Path("<img src=x onerror=alert(1)>.csv"), speakers=12)
    texts: dict[str, Any] = dict.fromkeys(("title", "author", "date"), EVIL)
    trials = llrcal.read_trials(path)
    return llrcal.validate(
        trials, method="gaussian", replicates=99, **texts, stated={"purpose": EVIL}
    ).page()


def check_no_scripts(page: str) -> None:
    read = Page(page)
    assert read.text.count("alert(1)") > 4
    assert read.scripts == []
    assert not [name for _, given in read.elements for name in given if name.startswith("on")]
    assert {str(given["src"])[:11] for given in read.all("img")} == {"data:image/"}


def without_speakers() -> llrcal.Validation:
    trials = llrcal.read_trials(write_table(Path("cases.csv"), named=False))
    return llrcal.validate(trials, method="gaussian", replicates=99)


def check_by_trial(found: llrcal.Validation) -> None:
    assert found.intervals.by == "trial"
    assert "a speaker may be in training and test of a fold" in found.page()


def changed() -> llrcal.Validation:
    trials = llrcal.read_trials(table())
    Path("cases.csv").write_text(f"{Path('cases.csv').read_text()}\n")
    return llrcal.validate(trials, method="gaussian", replicates=99)


def tested_on_a_copy() -> llrcal.Validation:
    Path("other.csv").write_bytes(table().read_bytes())
    return llrcal.validate(*map(llrcal.read_trials, ("cases.csv", "other.csv")))


def apart() -> llrcal.Validation:
    trials = llrcal.Trials(np.arange(3.0, 9), np.arange(-9.0, -2))
    return llrcal.validate(trials, folds=2, method="gaussian", require=["dev_pav<1"], replicates=99)


def check_not_met(found: llrcal.Validation) -> None:
    assert not found.met
    assert "classes do not overlap" in found.criteria[0].verdict


CASES = (
    Case(
        "a criterion with one equals sign",
        validated(require=["cllr=0.3"]),
        Refused(OptionError, "give a measure", "require is 'cllr=0.3'", "such as 'cllr<0.3'"),
        "Refused, with the signs that there are.",
    ),
    Case(
        "a criterion on a measure that does not exist",
        validated(require=["accuracy>0.9"]),
        Refused(OptionError, "'accuracy' is not one of", "require is", "cllr, min_cllr, eer"),
        "Refused, with those that there are.",
    ),
    Case(
        "a criterion of 5 for an error-rate, where 5 % is meant",
        validated(require=["eer<5"]),
        Refused(OptionError, "eer is between 0 and 0.5", "eer<5", "add a % sign"),
        "Refused: it would always be met.",
    ),
    Case(
        "a criterion on devPAV, and classes that do not overlap",
        apart,
        Answered(check_not_met),
        "There is no devPAV: the criterion is not met, and the page says why.",
    ),
    Case(
        "scripts in the title, author and date of a validation, and in the name of its file",
        with_scripts,
        Answered(check_no_scripts),
        "Text on the page, which runs no scripts at all.",
    ),
    Case(
        "a validation of trials that name no speakers",
        without_speakers,
        Answered(check_by_trial),
        "Folds and intervals by trial, and the page says that they flatter.",
    ),
    Case(
        "more folds than speakers",
        validated(folds=13),
        Refused(OptionError, "there are 12 speakers", "cases.csv: 13 folds", "give folds="),
        "Refused, with a number that would do.",
    ),
    Case(
        "a file that has changed between being read and being validated",
        changed,
        Refused(TrialFileError, "has changed", "cases.csv", "start again"),
        "Refused: its checksum would be that of other trials.",
    ),
    Case(
        "a copy of the training trials to test on, under another name",
        tested_on_a_copy,
        Refused(OptionError, "have the ids of a training trial", "other.csv", "Give other trials"),
        "Refused.",
    ),
    Case(
        "a validation that would replace a file",
        command("validate clear.txt -o key.txt --folds 2"),
        Ended("exists already", "key.txt", "choose another name"),
        "Refused, and the file stays.",
    ),
    Case(
        "a validation that would replace its own scores",
        command("validate clear.txt -o clear.txt --force"),
        Ended("is also an input", "clear.txt", "name another file"),
        "Refused, even if forced.",
    ),
)

SECTION = Section(
    "V",
    "Validations",
    "What goes into a case file must not say more than the trials do.",
    CASES,
)
