"""Cross-entropy plots show what ``evaluate`` says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from llrcal import OptionError
from llrcal.figures import ece
from tests.figures.drawing import axes, data, evaluations, legend_names, lines, some


def test_curves_are_the_numbers_of_evaluate() -> None:
    ax = axes()
    chosen = some("logistic-0.92", "nig")
    ece(chosen, ax=ax)
    for label, ev in chosen.items():
        x, y = data(lines(ax)[label])
        np.testing.assert_array_equal(y, ev.cross_entropy(x * math.log(10)))
    x, y = data(lines(ax)["minimum"])
    np.testing.assert_array_equal(y, chosen["logistic-0.92"].min_cross_entropy(x * math.log(10)))
    assert legend_names(ax) == ["logistic-0.92", "nig", "after PAV", "LR = 1"]


def test_at_even_odds_the_heights_are_cllr_and_min_cllr() -> None:
    ax = axes()
    ev = evaluations()["gaussian"]
    ece(ev, ax=ax)
    heights = {}
    for name, line in lines(ax).items():
        x, y = data(line)
        heights[name] = float(np.interp(0.0, x, y))
    assert heights["LLRs"] == pytest.approx(ev.cllr, rel=1e-9)
    assert heights["minimum"] == pytest.approx(ev.min_cllr, rel=1e-9)
    assert heights["LR = 1"] == pytest.approx(1.0, rel=1e-12)


def test_odds_of_the_callers_choice() -> None:
    ax = axes()
    ece(evaluations()["nig"], ax=ax, x=[-1.0, 0.0, 2.0])
    x, y = data(lines(ax)["LR = 1"])
    assert x.tolist() == [-1, 0, 2]
    p = 1 / 11
    assert y[0] == pytest.approx(-p * math.log2(p) - (1 - p) * math.log2(1 - p), rel=1e-12)
    assert ax.get_xlim() == (-1, 2)


@pytest.mark.slow
def test_nothing_to_draw() -> None:
    with pytest.raises(OptionError, match="nothing to draw"):
        ece({}, ax=axes())
    with pytest.raises(OptionError, match="rising"):
        ece(evaluations()["nig"], ax=axes(), x=[1.0, 0.0])
