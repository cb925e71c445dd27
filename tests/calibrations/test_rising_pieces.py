"""Quadratic pieces in place of a formula whose last digits may fall."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.calibrations.rising_pieces import rising_pieces
from tests.calibrations.rising_sets import neighbours

FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "arc tangent": np.arctan,
    "steep": lambda z: np.arctan(1e4 * z),
    "cubic, flat in the middle": lambda z: z**3,
    "constant": lambda z: np.full(len(z), 2.5),
    "line": lambda z: 3 * z - 1,
}


def rough(function: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """The function with errors that look random and differ from one double to the next."""

    def with_errors(z: Floats) -> Floats:
        bits = z.view(np.int64).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return function(z) + 1e-13 * ((bits >> np.uint64(40)) / 2.0**23 - 1)

    return with_errors


@pytest.mark.parametrize("name", FUNCTIONS)
def test_pieces_are_close_and_never_fall(name: str) -> None:
    function = FUNCTIONS[name]
    places = np.array([-100.0, -10.0, 0.0, 0.3, 80.0])
    pieces = rising_pieces(rough(function), places, anchor=0.0)
    some = np.random.default_rng(0).normal(0, 10, 2000)
    z = np.unique(
        np.concatenate([neighbours(np.append(places, some)), np.linspace(-120, 90, 9999)])
    )
    values = pieces(z)
    assert (values[1:] >= values[:-1]).all()
    expected = function(np.clip(z, -100, 80))
    near = np.abs(z) < 60  # further out, a coarser answer will do
    np.testing.assert_allclose(values[near], expected[near], rtol=2e-10, atol=2e-10)
    np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-6)


def test_values_do_not_depend_on_the_others_asked_for() -> None:
    pieces = rising_pieces(np.arctan, np.array([-5.0, 5.0]), anchor=-5.0)
    z = np.random.default_rng(0).normal(size=1000)
    assert pieces(z).tolist() == [float(pieces(np.array([one]))[0]) for one in z]


def test_a_single_place() -> None:
    pieces = rising_pieces(np.arctan, np.array([0.5]), anchor=0.5)
    assert pieces(np.array([-np.inf, 0.5, 3.0])).tolist() == [np.arctan(0.5)] * 3
