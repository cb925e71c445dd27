"""DET curves: the corners of the ROC on probit axes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from llrcal import OptionError, evaluate
from llrcal.figures import det
from llrcal.figures.looks import FIXED
from tests.figures.drawing import axes, data, evaluations, legend_names, lines, some
from tests.trial_sets import normal


def test_every_point_is_a_corner_of_the_roc() -> None:
    ax = axes()
    chosen = some("logistic-0.5", "pav")
    det(ax, chosen)
    for label, ev in chosen.items():
        corners = set(zip(*ev.roc(), strict=True))
        drawn = list(zip(*data(lines(ax)[label]), strict=True))
        assert set(drawn) <= corners
        assert drawn[0] == (1, 0)
        assert drawn[-1] == (0, 1)
        assert len(drawn) > 20 or label == "pav"


def test_axes_are_probits_in_percent() -> None:
    ax = axes()
    det(ax, some("nig"))
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
    ax = axes()
    det(ax, {"gaussian": evaluate(normal(2000, 1.5, 1), normal(2000, -1.5, 1))})
    pfa, pmiss = data(lines(ax)["gaussian"])
    seen = (pfa > 0.01) & (pmiss > 0.01)
    np.testing.assert_allclose(ndtri(pfa[seen]) + ndtri(pmiss[seen]), -3, atol=0.05)
    x, y = data(lines(ax)["equal error-rates"])
    assert (x == y).all()


def test_points_of_actual_and_minimum_cost() -> None:
    ax = axes()
    chosen = some("linear-gaussian-empirical", "nig")
    det(ax, chosen, p_target=0.1, c_miss=2, c_fa=1)
    for label, ev in chosen.items():
        (pfa,), (pmiss,) = data(lines(ax)[f"actual DCF of {label}"])
        cost = 0.1 * 2 * pmiss + 0.9 * pfa
        assert cost == pytest.approx(ev.act_dcf(0.1, 2, 1, normalised=False), rel=1e-12)
        (pfa,), (pmiss,) = data(lines(ax)[f"minimum DCF of {label}"])
        cost = 0.1 * 2 * pmiss + 0.9 * pfa
        assert cost == pytest.approx(ev.min_dcf(0.1, 2, 1, normalised=False), rel=1e-12)
        assert lines(ax)[f"actual DCF of {label}"].get_marker() == FIXED[label].marker
    assert legend_names(ax) == [*chosen, "actual DCF", "minimum DCF"]


def test_points_without_errors_lie_on_the_frame() -> None:
    ax = axes()
    det(ax, {"perfect": evaluate([3.0, 4.0], [-3.0])}, p_target=0.5)
    low = ax.get_xlim()[0]
    for name in ("actual", "minimum"):
        assert [v[0] for v in data(lines(ax)[f"{name} DCF of perfect"])] == [low, low]


def test_poor_and_excellent_recognizers_get_a_larger_frame() -> None:
    poor, good = axes(), axes()
    det(poor, {"poor": evaluate([0.0, 1.0], [0.5, 1.5])})
    det(good, {"good": evaluate(normal(5000, 3.5, 1), normal(5000, -3.5, 1))})
    assert poor.get_xlim()[1] > 0.9
    assert good.get_xlim()[0] < 1e-5
    assert "0.001" in [label.get_text() for label in good.get_xticklabels()]


def test_later_curves_are_thinner() -> None:
    ax = axes()
    det(ax, evaluations())
    widths = [lines(ax)[label].get_linewidth() for label in evaluations()]
    assert (np.diff(widths) < 0).all()


def test_bad_options() -> None:
    with pytest.raises(OptionError, match="no evaluation"):
        det(axes(), {})
    with pytest.raises(OptionError, match="p_target"):
        det(axes(), some("nig"), p_target=1.0)
