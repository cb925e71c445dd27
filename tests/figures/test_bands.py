"""Bands in figures are those of the evaluation, and named in the legend."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection

from llrcal import Evaluation, OptionError, evaluate
from llrcal.arrays import Floats
from llrcal.figures import bayes_error, ece, tippett
from tests.figures.drawing import axes, legend_names
from tests.trial_sets import normal

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
    wrong: Evaluation = evaluate([-math.inf, *range(9)], [-1.0, -2.0])
    low, high = areas(ece(wrong, ax=axes(), x=X, level=0.95))["band of LLRs"]
    assert np.isfinite(low).all()
    assert (high > 1e30).all()
