"""Transform plots show the calibrations themselves."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from llrcal import OptionError, fit
from llrcal.calibrations import Bounds
from llrcal.calibrations.bounds import Policy
from llrcal.figures import transforms
from tests.figures.drawing import FIXED, NON, TAR, axes, calibrations, data, legend_names, lines
from tests.notes import FAR_SCORES

pytestmark = FAR_SCORES


def test_curves_are_the_calibrations() -> None:
    ax = transforms(calibrations(), ax=axes(), low=-5, high=8)
    for label, calibration in calibrations().items():
        line = lines(ax)[label]
        x, y = data(line)
        assert (x[0], x[-1]) == (-5, 8)
        np.testing.assert_array_equal(y, calibration(x))
        assert line.get_color() == FIXED[label].light
        assert line.is_dashed() == bool(FIXED[label].dashes)
    assert legend_names(ax) == [*calibrations(), "unseen scores"]
    assert ax.get_xlim() == (-5, 8)


def test_the_axis_is_symmetric_and_one_method_cannot_stretch_it() -> None:
    apart = np.array([1.0, 1.001]), np.array([-1.0, -1.001])
    wild = fit(*apart, method="linear-gaussian", bounds="range")
    ax = transforms({**calibrations(), "wild": wild}, ax=axes(), low=-5, high=8)
    low, high = ax.get_ylim()
    assert low == -high
    assert high < np.abs(data(lines(ax)["wild"])[1]).max() / 100
    inside = [np.abs(data(lines(ax)[label])[1]).max() <= high for label in calibrations()]
    assert sum(inside) >= 5
    transforms(calibrations(), ax=ax, low=-5, high=8, limit=12)
    assert ax.get_ylim() == (-12, 12)


ENDS = float(min(TAR.min(), NON.min())), float(max(TAR.max(), NON.max()))


def shades(ax: Axes) -> list[tuple[float, float]]:
    boxes = [patch.get_extents().transformed(ax.transData.inverted()) for patch in ax.patches]
    return [(float(box.x0), float(box.x1)) for box in boxes]


def words(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("training", [None, ENDS])
def test_scores_beyond_the_training_scores_are_shaded(training: tuple[float, float] | None) -> None:
    ax = transforms(calibrations(), ax=axes(), low=-20, high=20, training=training)
    below, above = shades(ax)
    assert below == pytest.approx((-20, ENDS[0]))
    assert above == pytest.approx((ENDS[1], 20))
    assert legend_names(ax)[-1] == "unseen scores"
    assert words(ax) == ["held", "held"]
    for line in (lines(ax)[label] for label in calibrations()):
        x, y = data(line)
        for beyond in (x < ENDS[0], x > ENDS[1]):
            assert beyond.any()
            assert np.ptp(y[beyond]) == 0


def test_only_what_can_be_seen_is_shaded_and_only_wide_shades_have_a_word() -> None:
    ax = transforms(calibrations(), ax=axes(), low=ENDS[0] - 0.01, high=ENDS[1] + 1)
    assert shades(ax) == [pytest.approx((ENDS[1], ENDS[1] + 1))]
    assert words(ax) == []
    inside = axes()
    transforms(calibrations(), ax=inside, low=-1, high=1)
    assert shades(inside) == []
    assert legend_names(inside) == list(calibrations())


def test_the_word_is_that_of_the_policy() -> None:
    def drawn(*policies: Policy) -> list[str]:
        ax = axes()
        cals = {str(policy): fit(TAR, NON, method="gaussian", bounds=policy) for policy in policies}
        transforms(cals, ax=ax, low=-20, high=5)
        return words(ax)

    assert drawn("range") == drawn("counts", "range") == ["held"]
    assert drawn("none") == ["extrapolated"]
    assert drawn("none", "range") == []


def test_calibrations_trained_on_different_scores_share_no_shade() -> None:
    both = {"one": fit(TAR, NON), "other": fit(TAR / 2, NON / 2)}
    ax = transforms(both, ax=axes(), low=-20, high=20)
    assert shades(ax) == []


def test_distances_are_shaded_where_they_were_not_seen() -> None:
    ax = transforms(
        {"distances": fit(-TAR, -NON, lower_is_better=True)}, ax=axes(), low=-20, high=20
    )
    assert shades(ax) == [pytest.approx((-20, -ENDS[1])), pytest.approx((-ENDS[0], 20))]
    left, right = (text.get_position()[1] for text in ax.texts)
    assert left > 0 > right  # falling curves leave room below on the left: words stand on the frame


@pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")
def test_a_flat_transform_has_a_frame_too() -> None:
    ax = transforms({"flat": fit([1.0, 1.0], [1.0], method="logistic")}, ax=axes(), low=0, high=2)
    assert ax.get_ylim() == (-1, 1)


@pytest.mark.parametrize("distances", [False, True])
def test_bands_are_the_intervals_of_those_that_give_them(distances: bool) -> None:
    sign = -1 if distances else 1
    cals = {
        method: fit(sign * TAR, sign * NON, method=method, lower_is_better=distances)
        for method in ("pav", "smooth")
    }
    ax = transforms(cals, ax=axes(), low=-9, high=9, level=0.9)
    _, band = ax.collections
    x, y = band.get_paths()[0].vertices.T  # type: ignore[union-attr]
    low, high = cals["smooth"].interval(x, level=0.9)
    off = np.minimum(np.abs(y - low), np.abs(y - high))
    assert off.max() < 1e-12
    assert np.ptp(y) > 5
    assert legend_names(ax) == ["pav", "smooth", "90 % interval", "unseen scores"]
    line = lines(ax)["smooth"]
    assert to_rgb(np.asarray(band.get_facecolor())[0]) == to_rgb(line.get_color())
    assert band.get_zorder() < line.get_zorder()
    assert not transforms(cals, ax=axes(), low=-9, high=9).collections


def test_bands_that_cannot_be_drawn() -> None:
    with pytest.raises(OptionError, match=r"none of these .* gives intervals; leave level out"):
        transforms(replace(calibrations()["pav"], margins=None), ax=axes(), level=0.9)
    smooth = fit(TAR, NON, method="smooth")
    for wrong in (1.0, "0.9"):
        with pytest.raises(OptionError, match=f"level is {wrong!r}; give a number"):
            transforms(smooth, ax=axes(), level=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (0, math.inf), (math.nan, 1)])
def test_no_range(low: float, high: float) -> None:
    with pytest.raises(OptionError, match="cannot be drawn"):
        transforms(calibrations(), ax=axes(), low=low, high=high)


def test_by_default_the_training_scores_and_a_little_more() -> None:
    nig = calibrations()["nig"]
    ax = transforms(nig, ax=axes())
    low, high = ax.get_xlim()
    room = 0.1 * (ENDS[1] - ENDS[0])
    assert (low, high) == pytest.approx((ENDS[0] - room, ENDS[1] + room))
    assert legend_names(ax) == ["nig", "unseen scores"]
    assert not lines(ax)["nig"].is_dashed()
    assert transforms(nig, ax=axes(), low=-1).get_xlim() == pytest.approx((-1, high))
    unknown = replace(nig, bounds=Bounds())
    with pytest.raises(OptionError, match="from -inf to inf; give other low and high"):
        transforms(unknown, ax=axes())
