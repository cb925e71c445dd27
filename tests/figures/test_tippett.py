"""Tippett plots: shares of LLRs, counted, and never beyond the data."""

from __future__ import annotations

import math

import numpy as np
import pytest

from llrcal import evaluate
from llrcal.figures import tippett
from tests.figures.drawing import (
    FIXED,
    TEST_NON,
    TEST_TAR,
    axes,
    calibrations,
    data,
    legend_names,
    lines,
    some,
)


def test_curves_are_shares_at_or_above() -> None:
    ax = tippett(some("logistic-0.5"), ax=axes())
    for name, scores in (("targets", TEST_TAR), ("non-targets", TEST_NON)):
        llrs = calibrations()["logistic-0.5"](scores)
        line = lines(ax)[f"{name} of logistic-0.5"]
        x, y = data(line)
        assert line.get_color() == FIXED["logistic-0.5"].light
        assert len(x) > 150
        for i in range(0, len(x) - 1, 40):
            expected = np.mean(llrs >= x[i] * math.log(10))
            assert y[i] == pytest.approx(expected, abs=1.5 / len(llrs))
    assert legend_names(ax) == ["logistic-0.5", "targets", "non-targets"]


def test_curves_end_with_the_data() -> None:
    ax = tippett({"few": evaluate([1.0, 2.0, 4.0], [-3.0, 0.5])}, ax=axes())
    x, y = data(lines(ax)["targets of few"])
    assert (x[0], x[-1]) == (pytest.approx(1 / math.log(10)), pytest.approx(4 / math.log(10)))
    assert (y[0], y[-2], y[-1]) == (1, pytest.approx(1 / 3), 0)
    x, y = data(lines(ax)["non-targets of few"])
    assert (x[0], x[-1]) == (pytest.approx(-3 / math.log(10)), pytest.approx(0.5 / math.log(10)))
    assert (y[0], y[-2], y[-1]) == (1, 0.5, 0)


def test_infinite_llrs_count_but_are_not_drawn() -> None:
    ax = tippett({"some": evaluate([1.0, 2.0, math.inf, math.inf], [-math.inf, -1.0])}, ax=axes())
    x, y = data(lines(ax)["targets of some"])
    assert np.isfinite(x).all()
    assert (y[0], y[-1]) == (1, 0.5)
    assert data(lines(ax)["non-targets of some"])[1][0] == 0.5
    empty = axes()
    tippett({"none": evaluate([math.inf], [-math.inf])}, ax=empty)
    assert not any("none" in name for name in lines(empty))
