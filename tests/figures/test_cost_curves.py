"""What Bayes-error and cross-entropy plots share: where the axis ends, and which minima show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from llrcal import OptionError
from llrcal.figures.cost_curves import checked_priors, draw_actual, draw_minima, top_of
from tests.figures.drawing import FIXED, axes, data, lines

X = np.linspace(-1, 1, 101)


@pytest.mark.parametrize(
    ("peaks", "top"),
    [((0.2, 0.1), 0.21), ((0.6,), 1.05), ((1.2, 0.3), 1.26), ((7.0, 0.3), 1.5), ((0.0,), 1.05)],
)
def test_the_axis_ends_above_the_curves_but_not_far_above_one(
    peaks: tuple[float, ...], top: float
) -> None:
    curves = {str(peak): np.array([0.0, peak]) for peak in peaks}
    assert top_of(curves) == pytest.approx(top)
    assert top_of(curves, {"infinite": np.array([0.0, np.inf])}) == pytest.approx(1.5)


def test_equal_minima_are_one_black_line() -> None:
    ax = axes()
    draw_minima(ax, X, {"pav": X + 1, "nig": X + 1.005}, top=1.0)
    (line,) = ax.get_lines()
    assert line.get_color() == "black"
    assert line.get_linestyle() == "--"
    np.testing.assert_array_equal(data(line)[1], X + 1)


def test_a_minimum_that_differs_has_its_own_colour() -> None:
    ax = axes()
    draw_minima(ax, X, {"pav": X + 1, "nig": X + 1.005, "gaussian": X + 1.2}, top=1.0)
    assert list(lines(ax)) == ["minimum", "minimum of gaussian"]
    line = lines(ax)["minimum of gaussian"]
    assert line.get_color() == FIXED["gaussian"].light
    assert line.get_linestyle() == "--"
    np.testing.assert_array_equal(data(line)[1], X + 1.2)


def test_actual_curves_are_solid_and_their_markers_do_not_meet() -> None:
    ax = axes()
    draw_actual(ax, X, {"pav": X, "nig": X, "$": X})
    places = [set(range(len(X))[first::step]) for first, step in markers(ax)]
    assert not places[0] & places[1]
    assert not places[1] & places[2]
    assert {line.get_linestyle() for line in ax.get_lines()} == {"-"}
    assert len({line.get_marker() for line in ax.get_lines()}) == 3


def markers(ax: Axes) -> list[Any]:
    """First and step of the markers on each line."""
    return [line.get_markevery() for line in ax.get_lines()]


@pytest.mark.parametrize("x", [[], [1.0], [1.0, 1.0], [2.0, 1.0], [[0.0, 1.0]], [0.0, np.nan]])
def test_priors_that_no_curve_can_be_drawn_over(x: list[float]) -> None:
    with pytest.raises(OptionError):
        checked_priors(x)
