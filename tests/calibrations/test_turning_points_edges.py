"""Both turns of one cubic, and the least ups and downs that count."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.calibrations.turning_points import TOLERANCE, _stationary, _turns, turning_points


def with_level_places(first: float, second: float, steepness: float) -> Floats:
    """Coefficients, in rising powers, of a cubic that is level at two places."""
    product, total = first * second, first + second
    return steepness * np.array([0.0, product, -total / 2, 1 / 3])


@pytest.mark.parametrize("steepness", [1.0, -1.0, 1e-6, -1e6])
@pytest.mark.parametrize(
    ("first", "second", "inside"),
    [
        (0.2, 0.7, [0.2, 0.7]),
        (-0.4, 0.3, [0.3]),
        (0.6, 5.0, [0.6]),
        (-3.0, -0.1, []),
        (-0.5, 2.0, []),
        (0.01, 0.99, [0.01, 0.99]),
    ],
)
def test_all_level_places_of_a_cubic_are_found(
    first: float, second: float, inside: list[float], steepness: float
) -> None:
    cubic = with_level_places(first, second, steepness)
    row, place = _stationary(np.array([[1.0, 1.0, 0.0, 0.0], cubic]))  # a line comes first
    assert row.tolist() == [1] * len(inside)
    assert sorted(place) == pytest.approx(inside, rel=1e-12)


def test_parabolas_and_lines() -> None:
    rows = np.array([[0.0, -0.5, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0]])
    row, place = _stationary(rows)
    assert (row.tolist(), place.tolist()) == ([0], [0.25])


def test_two_turns_within_one_bin() -> None:
    found = turning_points(lambda x: (x - 0.2) ** 2 * (x - 0.8), np.array([0.0, 1.0]))
    assert np.abs(found[:, None] - [0.2, 0.6]).min(axis=0).max() < 1e-9


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0])
def test_an_up_or_down_counts_beyond_the_tolerance(level: float) -> None:
    for size, turns in ((0.5 * TOLERANCE, []), (1.5 * TOLERANCE, [0, 1])):
        assert _turns([level, level + size, level]) == turns
        assert _turns([level, level - size, level]) == turns


def test_above_one_the_tolerance_is_relative() -> None:
    for level in (1e3, -1e3):
        assert _turns([level, level + 100 * TOLERANCE, level]) == []
        assert _turns([level, level + 1500 * TOLERANCE, level]) == [0, 1]
