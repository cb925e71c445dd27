"""Options that are hostile."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import llrcal
from llrcal.comparison import OperatingPoint, compare
from llrcal.errors import OptionError
from llrcal.evaluation.bootstrap import bootstrap_intervals
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.scores import NON, TAR, same


def fit(**options: Any) -> Any:
    return lambda _: llrcal.fit(TAR, NON, **options)


def evaluated(ask: Any) -> Any:
    return lambda _: ask(llrcal.evaluate(TAR, NON))


def single_alpha(folder: Path) -> Any:
    calibration = llrcal.fit(TAR, NON, alpha=np.float32(0.92))  # type: ignore[arg-type]
    calibration.save(folder / "model.json")
    return llrcal.load(folder / "model.json")


def check_single_alpha(calibration: llrcal.Calibration) -> None:
    assert calibration == llrcal.fit(TAR, NON, alpha=float(np.float32(0.92)))


def no_operating_point(_: Path) -> Any:
    return OperatingPoint([0.1, 0.2])  # type: ignore[arg-type]


def drawn(**options: Any) -> Any:
    settings: dict[str, Any] = {"prior_log_odds": [0.0], "replicates": 5}
    return lambda _: bootstrap_intervals(TAR, NON, **settings | options)


def nothing_to_compare(_: Path) -> Any:
    return compare(llrcal.Trials(TAR, NON), llrcal.Trials(TAR, NON), methods=[])


def check_far_priors(errors: Any) -> None:
    same(errors, [1.0, 1.0])


BETWEEN = "strictly between 0 and 1"
CASES = (
    Case(
        "an unknown method",
        fit(method="platt"),
        Refused(OptionError, "there is no method 'platt'", "method", "choose one of"),
        "Refused, with the names that there are.",
    ),
    Case(
        "a list for a method",
        fit(method=["pav"]),
        Refused(OptionError, "['pav']", "method", "choose one of"),
        "Refused.",
    ),
    Case(
        "methods that are one text",
        lambda _: llrcal.fit_all(TAR, NON, methods="pav"),
        Refused(OptionError, "'pav'", "methods", "give a list"),
        "Refused, not taken letter by letter.",
    ),
    Case(
        "no methods to compare",
        nothing_to_compare,
        Refused(OptionError, "no methods", "methods", "name one"),
        "Refused.",
    ),
    Case(
        "an option of another method",
        fit(method="pav", alpha=0.5),
        Refused(OptionError, "has no option 'alpha'", "method pav", "takes no options"),
        "Refused, not ignored.",
    ),
    *(
        Case(
            f"alpha = {name}",
            fit(alpha=alpha),
            Refused(OptionError, "alpha is", "alpha", f"give a number {BETWEEN}"),
            "Refused.",
        )
        for name, alpha in (
            ("0", 0),
            ("1", 1),
            ("NaN", math.nan),
            ("True", True),
            ("a text with a number", "0.5"),
            ("an array of two", np.array([0.5, 0.6])),
            ("5e-324", 5e-324),
            ("10 to the 400", 10**400),
        )
    ),
    Case(
        "alpha in single precision",
        single_alpha,
        Answered(check_single_alpha),
        "Taken for the double that it is, and saved.",
        "`json.dumps` of it: TypeError",
    ),
    Case(
        "unknown bounds",
        fit(bounds="Range"),
        Refused(OptionError, "'Range'", "bounds", "choose one of range, counts, none"),
        "Refused.",
    ),
    Case(
        "`lower_is_better` that is neither true nor false",
        fit(lower_is_better="no"),
        Refused(OptionError, "'no'", "lower_is_better", "give True or False"),
        "Refused: any text would be taken for true.",
    ),
    *(
        Case(
            f"a prior of {p}",
            evaluated(lambda ev, p=p: ev.act_dcf(p)),
            Refused(OptionError, "must lie" if p != "half" else "must be a number", "p_target"),
            "Refused.",
        )
        for p in (0, 1, -0.5, math.nan, "half")
    ),
    Case(
        "a cost of zero",
        evaluated(lambda ev: ev.min_dcf(0.5, 0, 1)),
        Refused(OptionError, "c_miss is 0.0", "c_miss", "must be positive"),
        "Refused.",
    ),
    Case(
        "an infinite cost",
        evaluated(lambda ev: ev.min_dcf(0.5, 1, math.inf)),
        Refused(OptionError, "c_fa is inf", "c_fa", "positive and finite"),
        "Refused.",
    ),
    Case(
        "several priors for one operating point",
        no_operating_point,
        Refused(OptionError, "one prior and two costs", "operating point", "make several"),
        "Refused.",
    ),
    Case(
        "prior log-odds of infinity",
        evaluated(lambda ev: ev.bayes_error(math.inf)),
        Refused(OptionError, "must be finite numbers", "prior log-odds"),
        "Refused: nothing is left to decide.",
    ),
    Case(
        "prior log-odds of a billion",
        evaluated(lambda ev: ev.bayes_error([-1e9, 1e9])),
        Answered(check_far_priors),
        "One, the error of deciding by the prior: no weight overflows.",
    ),
    Case(
        "a threshold of NaN",
        evaluated(lambda ev: ev.pmiss(math.nan)),
        Refused(OptionError, "not NaN", "threshold"),
        "Refused: every score would be below it.",
        "numpy sorts NaN behind all numbers",
    ),
    Case(
        "a text for a threshold",
        evaluated(lambda ev: ev.pfa("1.0")),
        Refused(OptionError, "must be a number", "threshold"),
        "Refused, not compared by the alphabet.",
    ),
    Case(
        "an LLR of NaN to be reached",
        lambda _: llrcal.fit(TAR, NON).regions(math.nan),
        Refused(OptionError, "nan", "the LLR to be reached", "give a number"),
        "Refused.",
    ),
    Case(
        "no bootstrap replicates",
        drawn(replicates=0),
        Refused(OptionError, "replicates is 0", "replicates", "positive integer"),
        "Refused.",
    ),
    Case(
        "an interval of 100 %",
        drawn(level=1.0),
        Refused(OptionError, "level is 1.0", "level", BETWEEN),
        "Refused.",
    ),
    Case(
        "speakers of one class only",
        drawn(tar_speakers=np.zeros((300, 2), int)),
        Refused(OptionError, "of both classes, or of neither", "speakers"),
        "Refused.",
    ),
)

SECTION = Section("O", "Options", "Arguments that are out of range, or are no numbers.", CASES)
