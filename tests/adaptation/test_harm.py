"""Lies, ties and codes for failures: harm is small, and a warning says what may be wrong."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import llrcal
from llrcal.adaptation.adapt import adaptation
from llrcal.arrays import Floats
from llrcal.notes import Severity
from tests.adaptation.worlds import NON, TAR, field_scores, found

NOISE = np.random.default_rng(1).uniform(-4, 6.6, 10_000)
FIELD = field_scores(0.1, count=3000)
LIES = {
    "targets": (TAR, 0.1, "one class"),
    "non-targets": (NON, 0.1, "share"),
    "noise": (NOISE, 0.1, "other scores"),
    "another recognizer": (50 * FIELD + 100, 0.1, "other scores"),
    "reversed": (2 - FIELD, 0.1, "reversed"),
    "share too large": (field_scores(0.05, count=3000), 0.5, "share"),
    "share too small": (field_scores(0.3, count=3000), 0.03, "share"),
}
UNTOLD = {"targets": "one class", "non-targets": "one class", "noise": "other scores"}


def levels(scores: Floats) -> Floats:
    """On a scale of twelve."""
    return np.clip(np.round(1.2 * scores), -4, 7)


@cache
def trained(*, tied: bool = False, code: bool = False) -> llrcal.Calibration:
    tar, non = (levels(TAR), levels(NON)) if tied else (TAR, NON)
    return llrcal.fit(tar, np.append(non, np.full(40 * code, -999.0)), method="smooth")


def cllr(cal: llrcal.Calibration, tar: Floats, non: Floats) -> float:
    return llrcal.evaluate(*(cal.without_warnings(side) for side in (tar, non))).cllr


def warned(cal: llrcal.Calibration) -> list[str]:
    return [one.code for one in cal.report.notes if one.severity is Severity.WARNING]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("lie", LIES)
def test_lies_do_little_harm_and_are_told(lie: str, tied: bool) -> None:
    scores, p_target, code = LIES[lie]
    if tied:
        scores = 50 * levels(FIELD) + 100 if lie == "another recognizer" else levels(scores)
    check_harm(scores, p_target, code, tied=tied)


@pytest.mark.parametrize("lie", UNTOLD)
def test_lies_without_a_share(lie: str) -> None:
    check_harm(LIES[lie][0], None, UNTOLD[lie])


def check_harm(scores: Floats, p_target: float | None, code: str, *, tied: bool = False) -> None:
    """The classes are as they were, and so is what the old calibration costs."""
    old = trained(tied=tied)
    new = adaptation(old, scores, p_target=p_target)
    sides = (levels(TAR), levels(NON)) if tied else (TAR, NON)
    assert cllr(new, *sides) - cllr(old, *sides) < 0.01
    assert code in warned(new)


@pytest.mark.parametrize("p_target", [0.1, 0.2, None])
def test_twelve_levels_that_have_not_moved_are_left_as_they_were(p_target: float | None) -> None:
    old = trained(tied=True)
    new = adaptation(old, levels(FIELD), p_target=p_target)
    at = np.arange(-4.0, 8.0)
    assert found(new).choice == "as it was"
    assert found(new).unmoved > 0.9
    assert (new.without_warnings(at) == old.without_warnings(at)).all()
    assert not warned(new)


def test_twelve_levels_that_are_watched() -> None:
    assert llrcal.watch(trained(tied=True), levels(FIELD)).verdict == "as in training"


def test_twelve_levels_that_have_moved() -> None:
    old, moved = trained(tied=True), levels(field_scores(0.1, shift=1.6, count=6000))
    new = adaptation(old, moved, p_target=0.1)
    sides = levels(TAR + 1.6), levels(NON + 1.6)
    assert found(new).choice == "moved"
    assert cllr(new, *sides) < 0.6 * cllr(old, *sides)


@pytest.mark.parametrize("p_target", [0.1, 0.2, None])
@pytest.mark.parametrize("trained_with", [False, True])
def test_a_code_for_failures_is_no_move(p_target: float | None, trained_with: bool) -> None:
    """One score in five hundred, in the field, and in training as well."""
    scores = np.append(FIELD, np.full(6, -999.0))
    new = adaptation(trained(code=trained_with), scores, p_target=p_target)
    assert found(new).choice == "as it was"
    assert found(new).unmoved > 0.9
    assert not warned(new)
    assert found(new).cllr.value == pytest.approx(without_code(p_target), abs=0.004)
    assert found(new).cllr.low < cllr(trained(), TAR, NON) < found(new).cllr.high


@cache
def without_code(p_target: float | None) -> float:
    """Cllr that is expected where no score is a code for a failure."""
    return found(adaptation(trained(), FIELD, p_target=p_target)).cllr.value


def test_a_move_is_found_beside_a_code_for_failures() -> None:
    old = trained(code=True)
    scores = np.append(FIELD + 1.2, np.full(6, -999.0))
    new = adaptation(old, scores, p_target=0.1)
    assert found(new).non_shift.value == pytest.approx(1.2, abs=0.1)
    assert cllr(new, TAR + 1.2, NON + 1.2) < cllr(trained(), TAR, NON) + 0.01
