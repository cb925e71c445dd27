"""Score arrays of hostile types and shapes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import llrcal
from llrcal.errors import OptionError, ScoreError
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.scores import NON, TAR, same


def fit(tar: Any, **options: Any) -> Any:
    return lambda: llrcal.fit(tar, NON, **options)


def same_as(tar: Any, non: Any = NON) -> Any:
    """The very same calibration as of plain doubles."""
    return lambda calibration: same_model(calibration, llrcal.fit(tar, non))


def same_model(calibration: llrcal.Calibration, other: llrcal.Calibration) -> None:
    assert calibration == other
    assert calibration.to_model() == other.to_model()


BYTES_TAR = np.clip(np.round(20 * TAR) + 100, 0, 255).astype(np.uint8)
BYTES_NON = np.clip(np.round(20 * NON) + 100, 0, 255).astype(np.uint8)


def check_unsigned_llrs(cllr: float) -> None:
    tar, non = BYTES_TAR.astype(float), BYTES_NON.astype(float)
    cost = np.logaddexp(0, -tar).mean() + np.logaddexp(0, non).mean()
    same(cllr, cost / (2 * np.log(2)), within=1e-12)


def check_unsigned_distances(calibration: llrcal.Calibration) -> None:
    wide = [255 - scores.astype(float) for scores in (BYTES_TAR, BYTES_NON)]
    same_model(calibration, llrcal.fit(*wide, lower_is_better=True))


def check_least_integers(llr: Any) -> None:
    same(llr, llrcal.fit([-128.0, 3.0, 100.0], [-128.0, -100.0, 4.0])(-128.0))


def halves() -> Any:
    tar, non = TAR.astype(np.float16), NON.astype(np.float16)
    return llrcal.fit(tar, non, method="gaussian")


def check_halves(calibration: llrcal.Calibration) -> None:
    tar, non = (scores.astype(np.float16).astype(float) for scores in (TAR, NON))
    same_model(calibration, llrcal.fit(tar, non, method="gaussian"))
    same(calibration.params["tar"]["mean"], tar.mean(), within=1e-13)


def check_singles(every: dict[str, llrcal.Calibration]) -> None:
    tar, non = (scores.astype(np.float32).astype(float) for scores in (TAR, NON))
    assert every == llrcal.fit_all(tar, non)


def read_only() -> Any:
    tar, non = TAR.copy(), NON.copy()
    tar.flags.writeable = non.flags.writeable = False
    calibration = llrcal.fit(tar, non)
    calibration(non)
    assert np.array_equal(tar, TAR)
    assert np.array_equal(non, NON)
    return calibration


def strided() -> Any:
    wide = np.repeat(TAR, 3).reshape(-1, 3)
    return llrcal.fit(wide[:, 1][::-1], np.asfortranarray(np.tile(NON, (2, 1)))[0])


def changed_later() -> Any:
    tar, non = TAR.copy(), NON.copy()
    ev = llrcal.evaluate(tar, non)
    tar[:], non[:] = 0, 0
    return ev.eer, ev.min_cllr, ev.pmiss(1.0)


def check_changed_later(answer: Any) -> None:
    ev = llrcal.evaluate(TAR, NON)
    same(answer, [ev.eer, ev.min_cllr, ev.pmiss(1.0)])


def swallowed() -> Any:
    calibration = llrcal.fit(TAR, NON)
    return [np.shape(calibration(x)) for x in ([], 1.0, [[1.0, 2.0], [3.0, 4.0]], np.zeros((0, 3)))]


def check_shapes(shapes: Any) -> None:
    assert shapes == [(0,), (), (2, 2), (0, 3)]


class Refuses:
    """An object of a library that does not convert it, as tensors on another device."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("the tensor is on another device")


REAL_NUMBERS = "pass real numbers"
CASES = (
    Case(
        "8-bit unsigned integers, evaluated",
        lambda: llrcal.evaluate(BYTES_TAR, BYTES_NON).cllr,
        Answered(check_unsigned_llrs, warns="these do not look like LLRs"),
        "Converted to doubles on entry: the right Cllr.",
        "PYLLR: 150.9 instead of 81.06, since `-tar` wraps around",
    ),
    Case(
        "8-bit unsigned distances",
        lambda: llrcal.fit(255 - BYTES_TAR, 255 - BYTES_NON, lower_is_better=True),
        Answered(check_unsigned_distances),
        "Negated as doubles, where they do not wrap around.",
    ),
    Case(
        "signed bytes with -128, which has no opposite",
        lambda: llrcal.fit(np.array([-128, 3, 100], np.int8), np.array([-128, -100, 4], np.int8))(
            -128
        ),
        Answered(check_least_integers),
        "Converted to doubles on entry.",
    ),
    Case(
        "half precision",
        halves,
        Answered(check_halves),
        "Summed in double precision, to the bit as if it had come in so.",
        "scipy computes in half precision; sklearn Platt: TypeError",
    ),
    Case(
        "single precision, all ten calibrations",
        lambda: llrcal.fit_all(TAR.astype(np.float32), NON.astype(np.float32)),
        Answered(check_singles),
        "To the bit the calibrations of the same numbers in double precision.",
    ),
    Case(
        "single precision for one class only",
        lambda: llrcal.fit(TAR.astype(np.float32), NON),
        Answered(same_as(TAR.astype(np.float32).astype(float))),
        "Each class is converted by itself.",
    ),
    Case(
        "a long double that is no double",
        fit(np.array([1.0, 2.0, np.longdouble("1e400")])),
        Refused(
            ScoreError, "1 of 3 target scores are not finite", "at index 2", "Remove or repair"
        ),
        "Infinite as a double, and refused as such.",
    ),
    Case(
        "big-endian doubles",
        fit(TAR.astype(">f8")),
        Answered(same_as(TAR)),
        "Read in their own byte order.",
    ),
    Case(
        "numbers as texts",
        fit(["1.0", "-0.9", "-1.2"]),
        Refused(ScoreError, "have type <U4", "target scores", REAL_NUMBERS),
        "Refused, not parsed.",
        "PYLLR and scipy sort them by the alphabet; sklearn parses them",
    ),
    Case(
        "numbers as texts, among objects",
        fit(np.array([1.0, "2.0", 3.0], object)),
        Refused(ScoreError, "not a number is '2.0'", "at index 1", REAL_NUMBERS),
        "Refused, and the first of them named.",
    ),
    Case(
        "`None` among the scores",
        fit(np.array([0.5, None, 1.5], object)),
        Refused(ScoreError, "not a number is None", "at index 1", REAL_NUMBERS),
        "Refused, and its index named.",
        "sklearn: it contains NaN; others: TypeError from deep inside",
    ),
    Case(
        "`None` for all scores",
        fit(None),
        Refused(ScoreError, "one NoneType", "target scores", REAL_NUMBERS),
        "Refused.",
    ),
    Case(
        "decimal numbers",
        fit(np.array([Decimal("1.5")])),
        Refused(ScoreError, "Decimal('1.5')", "at index 0", REAL_NUMBERS),
        "Refused: the caller decides how to round.",
    ),
    Case(
        "integers too large for 64 bits",
        fit([1, 2**70]),
        Refused(ScoreError, "have type object", "target scores", REAL_NUMBERS),
        "Refused, not rounded.",
    ),
    Case(
        "records",
        fit(np.array([(1.0,), (2.0,)], [("score", "f8")])),
        Refused(ScoreError, "have type [('score', '<f8')]", "target scores", REAL_NUMBERS),
        "Refused.",
    ),
    Case(
        "a masked array with nothing masked",
        fit(np.ma.MaskedArray(TAR)),
        Answered(same_as(TAR)),
        "Taken for what it is.",
    ),
    Case(
        "arrays that may not be written to",
        read_only,
        Answered(same_as(TAR)),
        "Nothing is written to arguments.",
    ),
    Case(
        "views with strides, one of them backwards",
        strided,
        Answered(same_as(TAR)),
        "The order and the layout in memory change no bit.",
    ),
    Case(
        "arrays that the caller changes later",
        changed_later,
        Answered(check_changed_later, warns="much is lost by calibration"),
        "An evaluation keeps a copy.",
    ),
    Case(
        "a column, of shape (300, 1)",
        fit(TAR[:, None]),
        Refused(ScoreError, "have shape (300, 1)", "target scores", "one-dimensional"),
        "Refused, not flattened.",
    ),
    Case(
        "an empty table",
        fit(np.zeros((0, 3))),
        Refused(ScoreError, "have shape (0, 3)", "target scores", "one-dimensional"),
        "Refused.",
    ),
    Case(
        "lists of different lengths",
        fit([[1.0, 2.0], [3.0]]),
        Refused(ScoreError, "lists of different lengths", "target scores"),
        "Refused.",
    ),
    Case(
        "a generator",
        fit(score for score in TAR),
        Refused(ScoreError, "one generator", "target scores", REAL_NUMBERS),
        "Refused: it could be read only once.",
    ),
    Case(
        "a set",
        fit({1.0, 2.0}),
        Refused(ScoreError, "one set", "target scores", REAL_NUMBERS),
        "Refused: it has lost how often each score occurs.",
    ),
    Case(
        "an object that refuses to become an array",
        fit(Refuses()),
        Refused(ScoreError, "the tensor is on another device", "target scores", "a NumPy array"),
        "Refused, with the reason that its library gives.",
        "numpy: the error of that library",
    ),
    Case(
        "a pandas series",
        fit(pd.Series(TAR, index=np.arange(300)[::-1])),
        Answered(same_as(TAR)),
        "Taken in its order, whatever its index.",
    ),
    Case(
        "a pandas series with a missing value",
        fit(pd.Series([1, None, 2], dtype="Int64")),
        Refused(ScoreError, "1 of 3 target scores are NaN", "at index 1", "Remove or repair"),
        "Refused as NaN.",
    ),
    Case(
        "a polars series",
        fit(pl.Series(TAR)),
        Answered(same_as(TAR)),
        "Taken as it is.",
    ),
    Case(
        "a polars series with a null",
        fit(pl.Series([1.0, None, 2.0])),
        Refused(ScoreError, "1 of 3 target scores are NaN", "at index 1", "Remove or repair"),
        "Refused as NaN.",
    ),
    Case(
        'the name of a file: `fit("scores.csv")`',
        lambda: llrcal.fit("scores.csv"),
        Refused(ScoreError, "is a path, but scores are expected", "'scores.csv'", "read_trials"),
        "Refused, with what to do.",
    ),
    Case(
        "a pandas frame in place of trials: `compare(frame, folds=5)`",
        lambda: llrcal.compare(pd.DataFrame({"score": TAR}), folds=5),
        Refused(OptionError, "trials are expected", "DataFrame", "llrcal.open_trials"),
        "Refused, with what to do.",
    ),
    Case(
        "nothing, one number or a table to be calibrated",
        swallowed,
        Answered(check_shapes),
        "LLRs have the shape of the scores.",
    ),
)

SECTION = Section("T", "Scores: types and shapes", "The same scores in other clothes.", CASES)
