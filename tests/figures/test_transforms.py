"""Transform plots show the calibrations themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from llrcal import OptionError, fit
from llrcal.figures import transforms
from llrcal.figures.looks import FIXED
from tests.figures.drawing import NON, TAR, axes, calibrations, data, legend_names, lines


def test_curves_are_the_calibrations() -> None:
    ax = axes()
    transforms(ax, calibrations(), low=-5, high=8)
    for label, calibration in calibrations().items():
        line = lines(ax)[label]
        x, y = data(line)
        assert (x[0], x[-1]) == (-5, 8)
        np.testing.assert_array_equal(y, calibration(x))
        assert line.get_color() == FIXED[label].colour
        assert line.is_dashed() == bool(FIXED[label].dashes)
    assert legend_names(ax) == list(calibrations())
    assert ax.get_xlim() == (-5, 8)


def test_the_axis_is_symmetric_and_one_method_cannot_stretch_it() -> None:
    ax = axes()
    wild = fit(np.array([1.0, 1.001]), np.array([-1.0, -1.001]), method="linear-gaussian")
    transforms(ax, {**calibrations(), "wild": wild}, low=-5, high=8)
    low, high = ax.get_ylim()
    assert low == -high
    assert high < np.abs(data(lines(ax)["wild"])[1]).max() / 100
    inside = [np.abs(data(lines(ax)[label])[1]).max() <= high for label in calibrations()]
    assert sum(inside) >= 5
    transforms(ax, calibrations(), low=-5, high=8, limit=12)
    assert ax.get_ylim() == (-12, 12)


def test_the_training_range_is_shaded() -> None:
    ax = axes()
    ends = float(min(TAR.min(), NON.min())), float(max(TAR.max(), NON.max()))
    transforms(ax, calibrations(), low=-20, high=20, training=ends)
    (shade,) = ax.patches
    box = shade.get_extents().transformed(ax.transData.inverted())
    assert (box.x0, box.x1) == (pytest.approx(ends[0]), pytest.approx(ends[1]))
    assert legend_names(ax)[-1] == "training scores"


def test_a_flat_transform_has_a_frame_too() -> None:
    ax = axes()
    transforms(ax, {"flat": fit([1.0, 1.0], [1.0], method="logistic")}, low=0, high=2)
    assert ax.get_ylim() == (-1, 1)


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (0, math.inf), (math.nan, 1)])
def test_no_range(low: float, high: float) -> None:
    with pytest.raises(OptionError, match="cannot be drawn"):
        transforms(axes(), calibrations(), low=low, high=high)


def test_nothing_to_draw() -> None:
    with pytest.raises(OptionError, match="no calibration"):
        transforms(axes(), {}, low=0, high=1)
