"""Parabolas in place of any formula: close to it, and never falling where they are to rise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.calibrations.bounds import UNBOUNDED
from llrcal.calibrations.curve import Curve, Formula, Series
from llrcal.calibrations.pieces import Pieces
from tests.calibrations.rising_sets import neighbours

Function = Callable[[Floats], Floats]
FUNCTIONS: dict[str, Function] = {
    "arc tangent": np.arctan,
    "steep": lambda z: np.arctan(1e4 * z),
    "cubic, flat in the middle": lambda z: z**3,
    "constant": lambda z: np.full(len(z), 2.5),
    "line": lambda z: 3 * z - 1,
    "wave": lambda z: np.sin(z) + z / 5,
    "narrow wave": lambda z: np.sin(2 * z),
    "falling": lambda z: -z,
    "kink": lambda z: np.abs(z - 0.3),
}
EVERY_FUNCTION = pytest.mark.parametrize("name", FUNCTIONS)
PLACES = np.array([-40.0, -10.0, 0.0, 0.3, 30.0])
# How close eight thousand pieces come, where closer ones would be too many.
CLOSE = {"wave": 1e-8, "narrow wave": 1e-7}


def rough(function: Function) -> Function:
    """The function with errors that look random and differ from one double to the next."""

    def with_errors(z: Floats) -> Floats:
        bits = z.view(np.int64).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return function(z) + 1e-13 * ((bits >> np.uint64(40)) / 2.0**23 - 1)

    return with_errors


def curve(pieces: Pieces) -> Curve:
    return Curve(pieces.knots, pieces.rows())


def grid() -> Floats:
    some = np.random.default_rng(0).normal(0, 10, 1000)
    near = neighbours(np.append(PLACES, some), 10)
    return np.unique(np.concatenate([near, np.linspace(-45, 35, 40_001)]))


@EVERY_FUNCTION
def test_pieces_are_close_to_the_formula(name: str) -> None:
    function, z = FUNCTIONS[name], grid()
    pieces = Pieces.of(rough(function), PLACES)
    assert len(pieces.left) < 2**13 + 100
    expected, close = function(np.clip(z, PLACES[0], PLACES[-1])), CLOSE.get(name, 1e-9)
    np.testing.assert_allclose(curve(pieces)(z), expected, rtol=close, atol=close)


@EVERY_FUNCTION
@pytest.mark.parametrize("anchor", [-40.0, 0.0, 30.0])
def test_rising_pieces_are_the_running_extremes_to_the_last_bit(name: str, anchor: float) -> None:
    function, z = FUNCTIONS[name], grid()
    got = curve(Pieces.of(rough(function), PLACES).rising(anchor))(z)
    assert (np.diff(got) >= 0).all()
    plain = function(np.clip(z, PLACES[0], PLACES[-1]))
    above, below = z >= anchor, z <= anchor
    expected = np.empty_like(z)
    expected[below] = np.minimum.accumulate(plain[below][::-1])[::-1]
    expected[above] = np.maximum.accumulate(plain[above])
    # The grid misses a turn by up to its step, of 0.002.
    slack = 1e-9 if name not in ("wave", "narrow wave") else 5e-3
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=slack)


def test_a_turn_close_to_an_edge_is_where_it_is() -> None:
    """It is shallow, but without it the parabola would have another slope at that end."""
    z = np.linspace(-1, 1, 1001)
    for edge in (-1e-9, -3e-7, -1e-3):
        found = curve(Pieces.of(lambda z: z * z + 10, np.array([-1.0, edge, 1.0])))
        np.testing.assert_allclose(found(z), z * z + 10, rtol=1e-12)


def test_plateaus_of_a_known_function() -> None:
    """A sine wave on a slope: held after each crest, and before each trough, as worked out here."""
    crest = math.acos(-0.2)  # where cos(x) = -1/5
    pieces = Pieces.of(FUNCTIONS["wave"], np.array([-12.0, 0.0, 12.0]))
    found = pieces.rising(0.0).plateaus()
    turns = [-crest - 2 * math.pi, -crest, crest, crest + 2 * math.pi]
    assert [min(ends, key=abs) for ends in found] == pytest.approx(turns, abs=1e-6)
    assert (found[0][0], found[-1][1]) == (-math.inf, math.inf)
    for ends in found[1:-1]:  # where the formula is back
        low, high = FUNCTIONS["wave"](np.array(ends))
        assert low == pytest.approx(high, abs=1e-9)


def test_what_only_falls_is_one_plateau() -> None:
    falling, rising = (Pieces.of(FUNCTIONS[name], PLACES) for name in ("falling", "line"))
    assert falling.rising(0.0).plateaus() == [(-math.inf, math.inf)]
    assert not rising.rising(0.0).plateaus()


@EVERY_FUNCTION
def test_bounds_are_those_of_each_value(name: str) -> None:
    function, z = FUNCTIONS[name], grid()
    plain = function(np.clip(z, PLACES[0], PLACES[-1]))
    got = curve(Pieces.of(function, PLACES).clipped(-0.5, 0.8))(z)
    close = 2 * CLOSE.get(name, 1e-9)
    np.testing.assert_allclose(got, np.clip(plain, -0.5, 0.8), rtol=close, atol=close)
    assert -0.5 <= got.min() <= got.max() <= 0.8


def test_a_single_place() -> None:
    one_curve = curve(Pieces.of(np.arctan, np.array([0.5])).rising(0.5))
    assert one_curve(np.array([-np.inf, 0.5, 3.0])).tolist() == [np.arctan(0.5)] * 3


def test_rounding_errors_of_a_formula_are_not_followed() -> None:
    found = Pieces.of(lambda z: 1e4 * rough(np.arctan)(z / 1e4), np.array([0.0, 1.0]))
    z = np.linspace(0, 1, 1001)
    assert len(found.left) < 2**13
    np.testing.assert_allclose(curve(found)(z), 1e4 * np.arctan(z / 1e4), atol=1e-8)


@pytest.mark.parametrize("name", ["arc tangent", "wave", "steep"])
def test_series_are_close_and_need_few_values(name: str) -> None:
    asked = 0

    def function(z: Floats) -> Floats:
        nonlocal asked
        asked += z.size
        return FUNCTIONS[name](z)

    z = np.linspace(-40, 30, 10_001)
    series = Series(function, -40.0, 30.0)
    np.testing.assert_allclose(series(z), FUNCTIONS[name](z), rtol=1e-10, atol=1e-10)
    assert asked < 6000


def test_where_no_series_converges_the_function_is_asked() -> None:
    series = Series(FUNCTIONS["kink"], -40.0, 30.0)
    z = np.append(np.linspace(-40, 30, 10_001), 0.3 + np.linspace(-1e-6, 1e-6, 101))
    np.testing.assert_allclose(series(z), FUNCTIONS["kink"](z), atol=1e-9)


@pytest.mark.parametrize("origin", [0.0, 1e9, -1e9])
@pytest.mark.parametrize("unit", [1e-300, 1e-3, 1.0, 1e9, 1e290])
def test_a_formula_in_any_unit(origin: float, unit: float) -> None:
    origin *= unit
    formula = Formula(lambda d: np.arctan(d / unit), origin, unit)
    pieces = formula.pieces(UNBOUNDED)
    one_curve = Curve(pieces.knots, pieces.rows(), origin, formula.per_unit)
    distances = unit * np.linspace(-9, 9, 1001)
    scores = origin + distances
    np.testing.assert_allclose(
        one_curve(scores), np.arctan((scores - origin) / unit), rtol=2e-9, atol=2e-9
    )
