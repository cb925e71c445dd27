"""PAV plots: LLRs against those of exact isotonic regression."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from llrcal import evaluate, optimal_llrs
from llrcal.figures import reliability
from tests.figures.drawing import (
    FIXED,
    TEST_NON,
    TEST_TAR,
    axes,
    calibrations,
    data,
    evaluations,
    legend_names,
    lines,
    some,
)
from tests.trial_sets import FINITE, Sets


def test_each_llr_is_drawn_at_its_optimal_one() -> None:
    ax = reliability({"gaussian": evaluations()["gaussian"]}, ax=axes())
    x, y = data(lines(ax)["gaussian"])
    starts, ends, heights = x[0::2], x[1::2], y[0::2]
    np.testing.assert_array_equal(heights, y[1::2])
    llrs = [calibrations()["gaussian"](scores) for scores in (TEST_TAR, TEST_NON)]
    for given_llrs, best in zip(llrs, optimal_llrs(*llrs), strict=True):
        finite = np.isfinite(best)
        block = np.searchsorted(starts, given_llrs[finite], side="right") - 1
        np.testing.assert_array_equal(heights[block], best[finite])
        assert (given_llrs[finite] <= ends[block]).all()
    assert lines(ax)["gaussian"].get_color() == FIXED["gaussian"].light


def test_infinities_are_markers_at_the_frame() -> None:
    ax = reliability({"few": evaluate([-0.5, 1.0, 3.0, 5.0], [-4.0, -2.0, 0.0, 2.0])}, ax=axes())
    low, high = ax.get_ylim()
    below, above = lines(ax)["-inf"], lines(ax)["inf"]
    assert data(below)[1].tolist() == [low, low]
    assert data(above)[1].tolist() == [high, high]
    # Non-targets alone up to the first target, targets alone from the last non-target on.
    assert data(below)[0][1] == -0.5
    assert data(above)[0][0] == 3.0
    assert below.get_marker() == "v"
    assert above.get_marker() == "^"
    assert not below.get_clip_on()


def test_the_last_block_ends_with_the_greatest_llr() -> None:
    ax = reliability({"few": evaluate([1.0, 2.0], [0.0, 1.5, 6.0])}, ax=axes())
    x, y = data(lines(ax)["few"])
    assert (x[0], x[-1]) == (1.0, 6.0)
    assert y[-1] == pytest.approx(math.log(1 / (2 / 3)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:targets score lower")
@given(sets=FINITE)
def test_everything_finite_lies_within_the_frame(sets: Sets) -> None:
    ev = evaluate(*sets)
    ax = reliability({"any": ev}, ax=axes())
    low, high = ax.get_ylim()
    finite = ev.hull.llrs[np.isfinite(ev.hull.llrs)]
    assert ((finite > low) & (finite < high)).all()
    assert math.isfinite(low)
    assert low < high


def test_several_share_a_frame_and_one_entry_for_infinities() -> None:
    few = evaluate([-0.5, 1.0, 3.0, 5.0], [-4.0, -2.0, 0.0, 2.0])
    wide = evaluate([-50.0, 60.0], [-40.0, 40.0])
    ax = reliability({"few": few, "wide": wide, **some("nig")}, ax=axes())
    low, high = ax.get_xlim()
    assert low < -40 < 60 <= high
    assert ax.get_ylim() == (low, high)
    assert ax.get_aspect() == 1
    assert [end.tolist() for end in data(lines(ax)["perfect"])] == [[low, high]] * 2
    assert legend_names(ax) == ["few", "wide", "nig", "infinite", "perfect"]
