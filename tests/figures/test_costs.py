"""Costs against the prior show what ``evaluate`` says, with the bands that it gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection

from llrcal import OptionError, evaluate
from llrcal.arrays import Floats
from llrcal.figures import bayes_error, ece, tippett
from llrcal.figures.costs import _draw_minima, _top
from llrcal.figures.curves import curves
from llrcal.figures.drawing import Canvas
from tests.figures.drawing import FIXED, axes, data, evaluations, legend_names, lines, some
from tests.trial_sets import normal

FINE = np.linspace(-1, 1, 101)
EV = evaluate(normal(80, 2, 2), normal(300, -2, 2))
X = np.linspace(-2, 2, 5)
FIGURES: list[Callable[..., Axes]] = [bayes_error, ece, tippett]


def areas(ax: Axes) -> dict[str, tuple[Floats, Floats]]:
    """Lower and upper ends of all filled areas by their labels, in the order of x."""
    found = {}
    for area in ax.collections:
        assert isinstance(area, FillBetweenPolyCollection)
        corners = np.asarray(area.get_paths()[0].vertices, np.float64)
        half = (len(corners) - 3) // 2
        low, high = corners[1 : half + 1, 1], corners[half + 2 : -1, 1][::-1]
        found[str(area.get_label())] = (low, high)
    return found


def test_bands_are_those_of_the_evaluation() -> None:
    ax = bayes_error(EV, ax=axes(), x=X, level=0.9)
    np.testing.assert_array_equal(areas(ax)["band of LLRs"], EV.bands(level=0.9).bayes_error(X))
    assert legend_names(ax)[-1] == "90 % by trial"
    ax = ece(EV, ax=axes(), x=X, level=0.95)
    expected = EV.bands().cross_entropy(X * math.log(10))
    np.testing.assert_array_equal(areas(ax)["band of LLRs"], expected)
    assert ax.get_ylim()[1] > expected[1].max()


@pytest.mark.slow
def test_bands_of_a_tippett_plot_hold_its_curves() -> None:
    ax = tippett({"mine": EV}, ax=axes(), level=0.95)
    for name in ("targets of mine", "non-targets of mine"):
        (line,) = (line for line in ax.get_lines() if line.get_label() == name)
        y = np.asarray(line.get_ydata())[:-1]
        low, high = (end[: len(y)] for end in areas(ax)[f"band of {name}"])
        assert ((low <= y) & (y <= high)).all()
        assert (high - low).max() < 0.25
    assert legend_names(ax)[-1] == "95 % by trial"


@pytest.mark.parametrize("figure", FIGURES)
def test_no_band_unless_asked_for(figure: Callable[..., Axes]) -> None:
    assert not figure(EV, ax=axes()).collections
    with pytest.raises(OptionError, match="level is 95"):
        figure(EV, ax=axes(), level=95)


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_infinite_ends_leave_the_frame() -> None:
    wrong = evaluate([-math.inf, *range(9)], [-1.0, -2.0])
    low, high = areas(ece(wrong, ax=axes(), x=X, level=0.95))["band of LLRs"]
    assert np.isfinite(low).all()
    assert (high > 1e30).all()


def test_errors_are_the_numbers_of_evaluate() -> None:
    chosen = some("linear-gaussian-0.5", "pav")
    ax = bayes_error(chosen, ax=axes())
    for label, ev in chosen.items():
        x, y = data(lines(ax)[label])
        np.testing.assert_array_equal(y, ev.bayes_error(x))
        assert len(x) == 1001
        assert lines(ax)[label].get_color() == FIXED[label].light
    x, y = data(lines(ax)["minimum"])
    np.testing.assert_array_equal(y, chosen["linear-gaussian-0.5"].min_bayes_error(x))
    assert set(data(lines(ax)["default"])[1]) == {1}


def test_the_range_is_that_of_the_rule_of_30_and_a_little_more() -> None:
    chosen = some("logistic-0.5", "pav")
    ax = bayes_error(chosen, ax=axes())
    low = max(ev.rule_of_30[0] for ev in chosen.values())
    high = min(ev.rule_of_30[1] for ev in chosen.values())
    left, right = ax.get_xlim()
    assert left < low < high < right
    assert right - left < 1.25 * (high - low)
    assert data(lines(ax)["30 false alarms"])[0].tolist() == [low, low]
    assert data(lines(ax)["30 misses"])[0].tolist() == [high, high]
    assert {text.get_text(): text.xy[0] for text in ax.texts} == {  # type: ignore[attr-defined]
        "30 false alarms": low,
        "30 misses": high,
    }


def test_without_a_rule_a_wide_range_and_no_marks() -> None:
    ax = bayes_error({"few": evaluate([2.0, 0.5], [-1.0, 1.0, -2.0])}, ax=axes())
    assert ax.get_xlim() == (-7, 7)
    assert not ax.texts
    assert set(lines(ax)) == {"few", "minimum", "default"}


def test_errors_at_priors_of_the_callers_choice() -> None:
    low, high = evaluations()["nig"].rule_of_30
    ax = bayes_error(some("nig"), ax=axes(), x=[low + 0.1, 0.0, high - 0.1])
    assert data(lines(ax)["nig"])[0].tolist() == [low + 0.1, 0.0, high - 0.1]
    assert ax.get_xlim() == (low + 0.1, high - 0.1)
    assert not ax.texts  # neither limit is in the frame


def test_a_poor_method_leaves_the_frame() -> None:
    poor = evaluate(np.full(50, -9.0), np.append(np.full(500, -10.0), np.full(40, 9.0)))
    ax = bayes_error({"poor": poor, **some("nig")}, ax=axes(), x=np.linspace(-4, 4, 9))
    assert data(lines(ax)["poor"])[1].max() > 1.5
    assert ax.get_ylim() == pytest.approx((0, 1.5))


def test_the_default_is_named_where_it_shows() -> None:
    ax = bayes_error(some("nig"), ax=axes(), x=[-3.0, 3.0])
    assert ("default" in legend_names(ax)) == (ax.get_ylim()[1] > 1)
    low = axes()
    bayes_error({"good": evaluate([5.0] * 99 + [-1.0], [-5.0] * 100)}, ax=low, x=[-0.1, 0.1])
    assert low.get_ylim()[1] < 0.1
    assert legend_names(low) == ["good", "minimum"]


def test_cross_entropies_are_the_numbers_of_evaluate() -> None:
    chosen = some("logistic-0.92", "nig")
    ax = ece(chosen, ax=axes())
    for label, ev in chosen.items():
        x, y = data(lines(ax)[label])
        np.testing.assert_array_equal(y, ev.cross_entropy(x * math.log(10)))
    x, y = data(lines(ax)["minimum"])
    np.testing.assert_array_equal(y, chosen["logistic-0.92"].min_cross_entropy(x * math.log(10)))
    assert legend_names(ax) == ["logistic-0.92", "nig", "after PAV", "LR = 1"]
    x, y = data(lines(ece(chosen, ax=axes(), x=[-1.0, 0.0, 2.0]))["LR = 1"])
    assert x.tolist() == [-1, 0, 2]
    p = 1 / 11
    assert y[0] == pytest.approx(-p * math.log2(p) - (1 - p) * math.log2(1 - p), rel=1e-12)


@pytest.mark.parametrize(
    ("peaks", "top"),
    [((0.2, 0.1), 0.21), ((0.6,), 1.05), ((1.2, 0.3), 1.26), ((7.0, 0.3), 1.5), ((0.0,), 1.05)],
)
def test_the_axis_ends_above_the_curves_but_not_far_above_one(
    peaks: tuple[float, ...], top: float
) -> None:
    heights = [np.array([0.0, peak]) for peak in peaks]
    assert _top(heights) == pytest.approx(top)
    assert _top([*heights, np.array([0.0, np.inf])]) == pytest.approx(1.5)


def test_minima_that_cannot_be_told_apart_are_one_black_line() -> None:
    canvas = Canvas(axes(), (-1, 1), (0, 1), ("x", "y"))
    minima = {"pav": FINE + 1, "nig": FINE + 1.005, "gaussian": FINE + 1.2}
    _draw_minima(canvas, curves(FINE, minima), "least")
    common, other = canvas.ax.get_lines()
    assert [name for name, _ in canvas.entries] == ["least"]
    assert (common.get_label(), other.get_label()) == ("minimum", "minimum of gaussian")
    assert (common.get_color(), other.get_color()) == ("black", FIXED["gaussian"].light)
    for line, label in ((common, "pav"), (other, "gaussian")):
        assert line.get_linestyle() == "--"
        np.testing.assert_array_equal(data(line)[1], minima[label])


@pytest.mark.parametrize("draw", [bayes_error, ece])
def test_minima_of_several_systems_are_their_own(draw: Any) -> None:
    systems = {
        name: evaluate(normal(300, mean, 1), normal(900, -mean, 1))
        for name, mean in {"weak": 0.5, "good": 1.0, "better": 1.5}.items()
    }
    ax = draw(systems, ax=axes())
    assert "minimum" not in lines(ax)
    for name in systems:
        own = lines(ax)[f"minimum of {name}"]
        assert own.get_color() == lines(ax)[name].get_color()
        assert own.is_dashed()


def test_actual_curves_are_solid_and_their_markers_do_not_meet() -> None:
    canvas = Canvas(axes(), (-1, 1), (0, 1), ("x", "y"))
    canvas.curves(curves(FINE, {"pav": FINE, "nig": FINE, "$": FINE}))
    ax = canvas.ax
    markers: list[Any] = [line.get_markevery() for line in ax.get_lines()]
    places = [set(range(len(FINE))[first::step]) for first, step in markers]
    assert not places[0] & places[1]
    assert not places[1] & places[2]
    assert {line.get_linestyle() for line in ax.get_lines()} == {"-"}
    assert len({line.get_marker() for line in ax.get_lines()}) == 3


@pytest.mark.parametrize("x", [[], [1.0], [1.0, 1.0], [2.0, 1.0], [[0.0, 1.0]], [0.0, np.nan]])
def test_priors_that_no_curve_can_be_drawn_over(x: list[float]) -> None:
    for draw in (partial(bayes_error, EV), partial(ece, EV)):
        with pytest.raises(OptionError):
            draw(x=x, ax=axes())
