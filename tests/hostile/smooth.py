"""Scores that are hostile to a smooth curve, and intervals that cannot be had."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

import llrcal
from llrcal import Calibration
from llrcal.errors import DegenerateError, OptionError, ScoreError
from tests.hostile.case import Answered, Case, Refused, Section
from tests.hostile.scores import GRID, NON, TAR, same

INNER = np.linspace(-1.5, 2.5, 17)


def smooth(tar: Any, non: Any) -> Any:
    return lambda: llrcal.fit(tar, non, method="smooth")


def interval(scores: Any = 0.5, **options: Any) -> Any:
    return lambda: llrcal.fit(TAR, NON, method="smooth").interval(scores, **options)


def check_two(calibration: llrcal.Calibration) -> None:
    """The mirror image of the same with the classes exchanged, and undecided as it should be."""
    mirrored = llrcal.fit([0.0, -1.5], [-1.0, -2.0], method="smooth")
    scores = np.array([0.0, 1.0, 1.5, 2.0])
    same(calibration(scores), -mirrored(-scores), within=1e-9)
    assert (np.diff(calibration(scores)) > 0).all()
    low, high = calibration.interval(scores)
    assert (low < 0).all()
    assert (high > 0).all()


def check_apart(calibration: llrcal.Calibration) -> None:
    low, high = calibration.llr_range
    assert -math.log(301) - math.log(2) <= low < -3
    assert 3 < high <= math.log(3001) + math.log(2)
    assert calibration(20.0) < 0 < calibration(60.0)


def check_zero(calibration: llrcal.Calibration) -> None:
    same(calibration.without_warnings([-math.inf, 1, math.inf]), np.zeros(3))


def check_inverted(calibration: llrcal.Calibration) -> None:
    llrs = calibration.without_warnings(GRID)
    assert np.abs(llrs).max() < 0.1
    assert (np.diff(llrs) >= 0).all()


def check_outlier(calibration: llrcal.Calibration) -> None:
    plain = llrcal.fit(TAR, NON, method="smooth")
    same(calibration(INNER), plain(INNER), within=0.4)


def in_unit(unit: float) -> Any:
    return lambda: llrcal.fit(unit * TAR, unit * NON, method="smooth").without_warnings(unit * GRID)


def check_unit(answer: Any) -> None:
    same(answer, llrcal.fit(TAR, NON, method="smooth").without_warnings(GRID), within=1e-9)


def check_neighbours(calibration: llrcal.Calibration) -> None:
    """As with the scores 0 and 1: nothing depends on how far apart they are."""
    plain = llrcal.fit([0.0] * 5 + [1.0] * 50, [0.0] * 500 + [1.0] * 5, method="smooth")
    llrs = calibration([1.0, math.nextafter(1, 2)])
    same(llrs, plain([0.0, 1.0]), within=0.01)


def check_nearly_sure(ends: tuple[float, float]) -> None:
    low, high = llrcal.fit(TAR, NON, method="smooth").interval(0.5)
    assert ends[0] < low < high < ends[1]
    assert np.isfinite(ends).all()


def check_beyond(ends: Any) -> None:
    calibration = llrcal.fit(TAR, NON, method="smooth")
    same(ends, calibration.interval(np.array(calibration.training_range)))


def old() -> Calibration:
    """A model from before there were intervals."""
    return replace(llrcal.fit(TAR, NON, method="pav"), margins=None)


SEPARABLE = TAR - TAR.min() + 60, NON - NON.max() + 20
NEXT_TO_ONE = math.nextafter(1, 2)
CASES = (
    Case(
        "two targets and two non-targets",
        smooth([1.0, 2.0], [0.0, 1.5]),
        Answered(check_two),
        "LLRs that rise, within what two trials support; each interval has zero in it.",
    ),
    Case(
        "perfectly separable classes, `smooth`",
        smooth(*SEPARABLE),
        Answered(check_apart),
        "Finite LLRs within what the counts support.",
    ),
    Case(
        "all scores identical, `smooth`",
        smooth([1.0, 1.0], [1.0]),
        Answered(check_zero, warns="all scores are equal"),
        "Every LLR is zero, with a warning.",
    ),
    Case(
        "inverted scores, `smooth`",
        smooth(NON, TAR),
        Answered(check_inverted, warns="targets score lower than non-targets"),
        "LLRs close to zero, which rise all the same, and a warning.",
    ),
    *(
        Case(
            f"a {name} score of {outlier:g}, `smooth`",
            smooth(
                np.append(TAR, outlier) if name == "target" else TAR,
                np.append(NON, outlier) if name == "non-target" else NON,
            ),
            Answered(check_outlier),
            "LLRs in the middle move by less than 0.4 nats (relative above one).",
        )
        for name, outlier in (("target", 1e9), ("non-target", -1e9), ("non-target", 1e9))
    ),
    Case(
        "a score 10^13 times as far away as the others",
        smooth(TAR, np.append(NON, -1e13)),
        Refused(DegenerateError, "lies 1e+13 away", "the middle of the scores", "Remove it"),
        "Refused.",
    ),
    Case(
        "an infinite score, `smooth`",
        smooth(np.append(TAR, math.inf), NON),
        Refused(ScoreError, "the first is inf", "index 300", "Remove or repair"),
        "Refused.",
    ),
    *(
        Case(
            f"scores in a unit of {unit:g}, `smooth`",
            in_unit(unit),
            Answered(check_unit),
            "The same LLRs to nine digits.",
        )
        for unit in (1e-290, 1e290)
    ),
    Case(
        "two scores, next to each other among the doubles",
        smooth([1.0] * 5 + [NEXT_TO_ONE] * 50, [1.0] * 500 + [NEXT_TO_ONE] * 5),
        Answered(check_neighbours),
        "The LLRs of two scores that are further apart, to two digits.",
    ),
    *(
        Case(
            f"an interval of level {name}",
            interval(level=level),
            Refused(OptionError, "level is", "level", "strictly between 0 and 1"),
            "Refused.",
        )
        for name, level in (
            ("0", 0),
            ("1", 1),
            ("95", 95),
            ("NaN", math.nan),
            ("True", True),
            ("a text with a number", "0.95"),
            ("a list", [0.95]),
        )
    ),
    Case(
        "an interval of the last level below 1",
        interval(level=math.nextafter(1, 0)),
        Answered(check_nearly_sure),
        "Wider than others, and finite.",
    ),
    Case(
        "intervals of infinite scores",
        interval(np.array([-math.inf, math.inf])),
        Answered(check_beyond),
        "Those of the outermost training scores.",
    ),
    Case(
        "the interval of NaN",
        interval([0.5, math.nan]),
        Refused(ScoreError, "NaN", "index 1"),
        "Refused.",
    ),
    Case(
        "intervals of a model that has none",
        lambda: old().interval(0.5),
        Refused(OptionError, "this pav calibration", "no intervals", "train it again"),
        "Refused.",
    ),
    Case(
        "a figure with intervals that nobody gives",
        lambda: llrcal.figures.transforms(old(), level=0.9),
        Refused(OptionError, "none of these calibrations", "level", "leave level out"),
        "Refused; no figure without the bands that were asked for.",
    ),
)

SECTION = Section(
    "S",
    "The smooth curve and its intervals",
    "The same scores, few of them, or something wrong with them; and intervals of their LLRs.",
    CASES,
)
