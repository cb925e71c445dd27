"""Of how many speakers the scores are, and how much they then weigh."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import llrcal
from llrcal.adaptation.adapt import adaptation
from llrcal.adaptation.watch import watched
from llrcal.calibrations.adapted import Adapted
from llrcal.errors import OptionError
from tests.adaptation.worlds import COUNT, SHARE, World, found
from tests.notes import codes, texts

WORLD = World("Gaussian", "shift")


@cache
def with_speakers(number: float | None) -> Adapted:
    return found(adaptation(WORLD.cal, WORLD.field, p_target=SHARE, speakers=number))


def test_fewer_speakers_say_less() -> None:
    numbers = (1, 5, 20, 100, 2000)
    every = [with_speakers(number) for number in numbers]
    assert [each.speakers for each in every] == list(numbers)
    effective = [each.effective for each in every]
    assert effective == sorted(effective)
    assert effective[0] < 5
    assert effective[2] < 70
    assert effective[-1] < COUNT
    widths = [each.non_shift.high - each.non_shift.low for each in (every[2], every[-1])]
    assert widths[0] > 1.5 * widths[1]


def test_few_speakers_are_no_proof_of_a_small_move() -> None:
    world = World("Gaussian")
    field = world.field + 0.5
    assert found(adaptation(world.cal, field, p_target=SHARE, speakers=2000)).unmoved < 0.1
    few = found(adaptation(world.cal, field, p_target=SHARE, speakers=10))
    assert few.unmoved > 0.5
    assert watched(world.cal, field, p_target=SHARE, speakers=10).effective == few.effective


def test_without_speakers_a_note_says_what_is_assumed() -> None:
    new = adaptation(WORLD.cal, WORLD.field, p_target=SHARE)
    assert codes(new.report.notes) == ["speakers"]
    assert "assumed that the scores are of many speakers" in texts(new.report.notes)[0]
    assert f"{found(new).effective:,.0f} independent ones" in texts(new.report.notes)[0]
    assert found(new).speakers is None
    assert codes(watched(WORLD.cal, WORLD.field).notes) == ["speakers"]
    told = adaptation(WORLD.cal, WORLD.field, p_target=SHARE, speakers=300)
    assert not codes(told.report.notes)


EACH_ITS_OWN = np.arange(COUNT)
NEARLY_ALL_ONE = np.where(EACH_ITS_OWN < 0.95 * COUNT, 0, EACH_ITS_OWN)


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        (EACH_ITS_OWN, COUNT),
        (EACH_ITS_OWN.astype(str), COUNT),
        (EACH_ITS_OWN % 40, 40),
        (np.column_stack([EACH_ITS_OWN % 40, EACH_ITS_OWN % 40]), 40),
        (np.column_stack([EACH_ITS_OWN % 40, 40 + EACH_ITS_OWN % 40]), 80),
        (["ann"] * COUNT, 1),
        (NEARLY_ALL_ONE, 1 / (0.95**2 + 0.05 / COUNT)),
    ],
)
def test_labels_of_speakers(labels: Any, number: float) -> None:
    what = found(adaptation(WORLD.cal, WORLD.field, p_target=SHARE, speakers=labels))
    assert what.speakers == pytest.approx(number)
    if number in (COUNT, 40):
        assert what.effective == pytest.approx(with_speakers(number).effective)


@pytest.mark.parametrize("speakers", [0, 0.5, -3, float("nan"), "20", True, None])
def test_numbers_that_are_none(speakers: Any) -> None:
    if speakers is None:
        speakers = []
    with pytest.raises(OptionError, match="speakers"):
        llrcal.adapt(WORLD.cal, WORLD.field, speakers=speakers)


@pytest.mark.parametrize("labels", [["ann", "bob"], EACH_ITS_OWN[1:], np.array(["ann"])])
def test_labels_of_other_scores(labels: Any) -> None:
    for function in (llrcal.adapt, llrcal.watch):
        with pytest.raises(OptionError, match="speakers has another length than the scores"):
            function(WORLD.cal, WORLD.field, speakers=labels)
