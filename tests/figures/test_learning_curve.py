"""Learning curves as drawn are the numbers of the value."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

import llrcal
from llrcal import OptionError, figures
from llrcal.comparison.learning_curve import METRICS
from llrcal.figures.looks import looks
from tests.comparison.test_learning_curve import hand_made
from tests.figures.drawing import axes, data, legend_names, lines


@cache
def curve() -> llrcal.LearningCurve:
    train, test = (llrcal.simulate(targets=200, nontargets=4_000, seed=i) for i in (1, 2))
    return llrcal.learning_curve(train, test, methods=["logistic", "pav", "gaussian"], draws=3)


@pytest.mark.parametrize("metric", METRICS)
def test_lines_are_medians_and_bands_their_ends(metric: str) -> None:
    ax = axes()
    assert figures.learning_curve(curve(), ax=ax, metric=metric) is ax  # type: ignore[arg-type]
    targets = [size.targets for size in curve().sizes]
    for label, points in curve().points.items():
        bands = [getattr(point, metric) for point in points]
        x, y = data(lines(ax)[label])
        assert x.tolist() == targets
        assert y.tolist() == [band.median for band in bands]
        assert lines(ax)[label].get_color() == looks([label])[label].light
    shades = [one for one in ax.collections if isinstance(one, PolyCollection)]
    assert len(shades) == 3
    heights = np.asarray(shades[0].get_paths()[0].vertices)[:, 1]
    bands = [getattr(point, metric) for point in curve().points["logistic"]]
    ends = [end for band in bands for end in (band.low, band.high)]
    assert set(ends) <= set(heights.tolist())
    assert ax.get_xscale() == "log"
    has_minimum = metric != "calibration_loss"
    assert ("minimum" in legend_names(ax)) == has_minimum
    if has_minimum:
        assert set(data(lines(ax)["minimum"])[1]) == {curve().minimum[metric]}


def test_of_many_methods_two_have_bands_and_far_errors_leave_the_frame() -> None:
    many = hand_made(a=[0.5, 0.3], b=[0.4, 0.35], c=[9.0, 0.25], d=[0.6, 0.5], e=[0.7, 0.4])
    ax = figures.learning_curve(many, ax=axes())
    assert len(ax.collections) == 2
    assert ax.get_ylim()[1] < 1


def test_one_size_is_drawn() -> None:
    with figures.column_style():
        figure, ax = figures.column_figure()
        figures.learning_curve(hand_made(nig=[0.2]), ax=ax, legend=False)
        figure.draw_without_rendering()
    assert ax.get_legend() is None
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(OptionError, match=r"llrcal\.learning_curve\(train, test\)"):
        figures.learning_curve({}, ax=axes())  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="no metric 'eer'"):
        figures.learning_curve(curve(), ax=axes(), metric="eer")  # type: ignore[arg-type]
