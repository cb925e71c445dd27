"""Scores from the field over the mixture of the training classes that fits them best."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Rectangle, StepPatch

import llrcal
from llrcal.figures import watch
from tests.figures.drawing import NON, TAR, axes, calibrations, data, legend_names, lines

FIELD = np.concatenate([TAR[:60], NON])


def test_the_mixture_is_that_of_both_classes_and_fits() -> None:
    ax = watch(calibrations()["logistic-0.5"], FIELD, ax=axes())
    x, mixture = data(lines(ax)["training classes mixed"])
    tar, non = (data(lines(ax)[f"training {name}"])[1] for name in ("targets", "non-targets"))
    np.testing.assert_allclose(mixture, tar + non, rtol=1e-12)
    share = np.trapezoid(tar, x)
    assert share == pytest.approx(60 / len(FIELD), rel=0.3)
    assert np.trapezoid(mixture, x) == pytest.approx(1, abs=0.02)
    (bars,) = (patch for patch in ax.patches if isinstance(patch, StepPatch))
    heights, edges, _ = bars.get_data()
    assert heights @ np.diff(edges) == pytest.approx(1, abs=0.01)
    assert not any(isinstance(patch, Rectangle) for patch in ax.patches), "nothing has moved"
    assert len(legend_names(ax)) == 4


@pytest.mark.parametrize("sign", [1, -1])
def test_ranges_are_marked_where_scores_have_moved(sign: int) -> None:
    """Also of distances, which lie the other way round."""
    cal = llrcal.fit(sign * TAR, sign * NON, method="logistic", lower_is_better=sign < 0)
    ax = watch(cal, sign * (FIELD + 2), ax=axes())
    marks = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    middle = sign * (np.median(NON) + 2)
    (dense,) = (m for m in marks if m.get_x() < middle < m.get_x() + m.get_width())
    assert dense.get_facecolor()[:3] == pytest.approx((0.2, 0.2, 0.2)), "more than expected"
    assert legend_names(ax)[4:] == ["more than expected", "fewer than expected"]
