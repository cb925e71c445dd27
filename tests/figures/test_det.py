"""DET curves: the corners of the ROC on probit axes."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.artist import getp
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy.special import ndtri

from llrcal import Counts, evaluate
from llrcal.figures import det
from llrcal.figures.style import column_style
from tests.figures.drawing import (
    FIXED,
    axes,
    data,
    evaluations,
    legend_names,
    legend_of,
    lines,
    some,
)
from tests.trial_sets import normal


def test_every_point_is_a_corner_of_the_roc() -> None:
    chosen = some("logistic-0.5", "pav")
    ax = det(chosen, ax=axes())
    for label, ev in chosen.items():
        corners = set(zip(*ev.roc(), strict=True))
        drawn = list(zip(*data(lines(ax)[label]), strict=True))
        assert set(drawn) <= corners
        assert drawn[0] == (1, 0)
        assert drawn[-1] == (0, 1)
        assert len(drawn) > 20 or label == "pav"


@column_style()
def test_axes_are_probits_in_percent() -> None:
    ax = det(some("nig"), ax=axes())
    percent = [0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40]
    for axis in (ax.xaxis, ax.yaxis):
        np.testing.assert_allclose(axis.get_majorticklocs(), np.array(percent) / 100, rtol=1e-12)
        assert [label.get_text() for label in axis.get_majorticklabels()] == [
            f"{value:g}" for value in percent
        ]
        rates = np.array([0.001, 0.1, 0.4])
        np.testing.assert_allclose(axis.get_transform().transform(rates), ndtri(rates), rtol=1e-12)
    assert ax.get_xlim() == ax.get_ylim()
    assert ax.get_aspect() == 1


def test_gaussian_scores_give_a_straight_line() -> None:
    """Equal variances: slope -1, through the EER on the diagonal."""
    ax = det({"gaussian": evaluate(normal(2000, 1.5, 1), normal(2000, -1.5, 1))}, ax=axes())
    pfa, pmiss = data(lines(ax)["gaussian"])
    seen = (pfa > 0.01) & (pmiss > 0.01)
    np.testing.assert_allclose(ndtri(pfa[seen]) + ndtri(pmiss[seen]), -3, atol=0.05)
    x, y = data(lines(ax)["equal error-rates"])
    assert (x == y).all()


def test_points_of_actual_and_minimum_cost() -> None:
    chosen = some("linear-gaussian-empirical", "nig")
    ax = det(chosen, ax=axes(), p_target=0.1, c_miss=2, c_fa=1)
    for label, ev in chosen.items():
        (pfa,), (pmiss,) = data(lines(ax)[f"actual DCF of {label}"])
        cost = 0.1 * 2 * pmiss + 0.9 * pfa
        assert cost == pytest.approx(ev.act_dcf(0.1, 2, 1, normalised=False), rel=1e-12)
        (pfa,), (pmiss,) = data(lines(ax)[f"minimum DCF of {label}"])
        cost = 0.1 * 2 * pmiss + 0.9 * pfa
        assert cost == pytest.approx(ev.min_dcf(0.1, 2, 1, normalised=False), rel=1e-12)
        assert lines(ax)[f"actual DCF of {label}"].get_color() == FIXED[label].light
    assert legend_names(ax) == [*chosen, "actual DCF", "minimum DCF"]


def test_points_without_errors_are_triangles_on_the_frame() -> None:
    ax = det({"perfect": evaluate([3.0, 4.0], [-3.0])}, ax=axes(), p_target=0.5)
    low = ax.get_xlim()[0]
    for name in ("actual", "minimum"):
        mark = lines(ax)[f"{name} DCF of perfect"]
        assert [v[0] for v in data(mark)] == [low, low]
        assert str(mark.get_marker()) in "<v"
    assert legend_names(ax)[-1] == "beyond the frame"


@column_style()
def test_poor_and_excellent_recognizers_get_a_larger_frame() -> None:
    poor, good = axes(), axes()
    det({"poor": evaluate([0.0, 1.0], [0.5, 1.5])}, ax=poor)
    det({"good": evaluate(normal(5000, 3.5, 1), normal(5000, -3.5, 1))}, ax=good)
    assert poor.get_xlim()[1] > 0.9
    assert names_of_ticks(poor)[:4] == ["0.01", "0.1", "0.5", "2"]  # 0.2 and 1 would touch them
    assert good.get_xlim()[0] < 1e-5
    assert names_of_ticks(good)[0] == "0.001"


def names_of_ticks(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_xticklabels()]


@pytest.mark.parametrize("labels", [["nig"], ["pav", "nig"]])
def test_the_legend_shows_the_marks_and_lines_that_are_drawn(labels: list[str]) -> None:
    ax = det(some(*labels), ax=axes(), p_target=0.1)
    handles = [h for h in legend_of(ax).legend_handles if isinstance(h, Line2D)]
    shown = dict(zip(legend_names(ax), handles, strict=True))
    for label in labels:
        assert shown[label].get_marker() == "None"
        assert shown[label].get_color() == lines(ax)[label].get_color()
        assert shown[label].is_dashed() == lines(ax)[label].is_dashed()
        for name in ("actual DCF", "minimum DCF"):
            mark, drawn = shown[name], lines(ax)[f"{name} of {label}"]
            for part in ("marker", "fillstyle", "markersize"):
                assert getp(mark, part) == getp(drawn, part)
            assert mark.get_color() == ("black" if len(labels) > 1 else drawn.get_color())
    widths = [shown[label].get_linewidth() for label in labels]
    widths += [lines(ax)[label].get_linewidth() for label in labels]
    assert len(set(widths)) == 1


def test_labels_do_not_touch_in_a_larger_font() -> None:
    ax = axes()  # a narrow column, but the font of a notebook
    det(evaluations()["nig"], ax=ax)
    with column_style():
        usual = axes()
        det(evaluations()["nig"], ax=usual)
    assert "0.2" in names_of_ticks(usual)
    assert "0.2" not in names_of_ticks(ax)


def test_many_nontargets_reach_further_down() -> None:
    scores = np.linspace(0, 1, 101)
    nontargets = np.floor(10 ** np.linspace(10, 0, 101)).astype(int)
    counts = Counts(scores, targets=np.arange(101), nontargets=nontargets)
    ax = det(evaluate(counts), ax=axes())
    low, high = ax.get_xlim()
    assert low == pytest.approx(8e-11)
    assert high == ax.get_ylim()[1]
    assert ax.get_ylim()[0] >= 8e-6
    assert names_of_ticks(ax)[:3] == ["$10^{-7}$", "$10^{-5}$", "0.001"]
