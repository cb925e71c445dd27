"""The list of measures: what follows from it, and that nothing in it can be forgotten."""

from __future__ import annotations

import copy
import math
from dataclasses import fields, replace
from typing import Any

import pytest

from llrcal import OperatingPoint, evaluate
from llrcal.evaluation.measures import MEASURES, Measure, Number, measure_named
from tests.trial_sets import normal

EVERY_MEASURE = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
POINTS = [OperatingPoint(0.1), OperatingPoint(0.5, 3)]


@EVERY_MEASURE
def test_every_part_of_a_declaration_is_asked_for(measure: Measure) -> None:
    given = {field.name: getattr(measure, field.name) for field in fields(measure)}
    for name in given:
        with pytest.raises(TypeError, match=name):
            Measure(**{other: value for other, value in given.items() if other != name})


@pytest.mark.parametrize(
    "wrong", [{"limits": (1.0, 1.0)}, {"limits": (0.0, 1.1)}, {"place": ""}, {"place": "{}"}]
)
def test_parts_that_contradict_each_other_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="of eer"):
        replace(measure_named("eer"), **wrong)


def test_intervals_are_within_the_limits_and_hold_the_number() -> None:
    """Of few trials, and of rates that are zero or one."""
    apart, equal = ([1.0, 2.0], [-1.0]), ([0.0], [0.0, 0.0])
    for tar, non in ((normal(6, 1, 1), normal(9, -1, 1)), apart, equal):
        ev = evaluate(tar, non)
        asked: dict[str, Any] = {"rules": ["brier", "log"], "forensic": True}
        intervals = ev.intervals(POINTS, **asked, replicates=199)
        for number in ev.numbers(POINTS, **asked, intervals=intervals):
            (low, high), (least, most) = number.interval, number.measure.limits
            if not math.isnan(number.value):
                assert least <= low <= high <= most, number.name
                assert low - 1e-12 <= number.value <= high + 1e-12, number.name


def test_names_are_unique_and_places_hold_the_numbers() -> None:
    ev = evaluate(normal(40, 1, 1), normal(90, -1, 1))
    asked: dict[str, Any] = {"rules": ["brier"], "forensic": True}
    numbers = ev.numbers(POINTS, **asked)
    assert len({number.name for number in numbers}) == len(numbers)
    answer = ev.to_dict(POINTS, **asked)
    for number in numbers:
        place: Any = answer
        for key in number.measure.place.format(number.label).split("."):
            place = place[key]
        assert number.value in (place if isinstance(place, list) else [place])


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [("eer", 0.02608, "2.6080 %"), ("cllr", 0.02608, "0.0261"), ("dev_pav", math.nan, "none")],
)
def test_shares_are_in_per_cent(name: str, value: float, written: str) -> None:
    assert Number(measure_named(name), "", value).written(value) == written


@EVERY_MEASURE
def test_copies_are_the_same_measure(measure: Measure) -> None:
    assert copy.deepcopy(measure) is measure  # as pickle makes them
