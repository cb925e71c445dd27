"""Bayes-error plots show what ``evaluate`` says, over the range that the rule of 30 allows."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal import OptionError, evaluate
from llrcal.figures import bayes_error
from tests.figures.drawing import FIXED, axes, data, evaluations, legend_names, lines, some


def test_curves_are_the_numbers_of_evaluate() -> None:
    ax = axes()
    chosen = some("linear-gaussian-0.5", "pav")
    bayes_error(chosen, ax=ax)
    for label, ev in chosen.items():
        x, y = data(lines(ax)[label])
        np.testing.assert_array_equal(y, ev.bayes_error(x))
        assert len(x) == 1001
        assert lines(ax)[label].get_color() == FIXED[label].light
    x, y = data(lines(ax)["minimum"])
    np.testing.assert_array_equal(y, chosen["linear-gaussian-0.5"].min_bayes_error(x))
    assert data(lines(ax)["default"])[1].tolist() == [1, 1]


def test_the_range_is_that_of_the_rule_of_30_and_a_little_more() -> None:
    ax = axes()
    chosen = some("logistic-0.5", "pav")
    bayes_error(chosen, ax=ax)
    low = max(ev.rule_of_30[0] for ev in chosen.values())
    high = min(ev.rule_of_30[1] for ev in chosen.values())
    left, right = ax.get_xlim()
    assert left < low < high < right
    assert right - left < 1.25 * (high - low)
    assert data(lines(ax)["30 false alarms"])[0].tolist() == [low, low]
    assert data(lines(ax)["30 misses"])[0].tolist() == [high, high]
    assert {text.get_text(): text.xy[0] for text in ax.texts} == {  # type: ignore[attr-defined]
        "30 false alarms": low,
        "30 misses": high,
    }


def test_the_marks_are_on_the_right_sides() -> None:
    """At the left limit some 30 false alarms are left, at the right one some 30 misses."""
    ev = evaluations()["logistic-0.5"]
    low, high = ev.rule_of_30
    before, after = ev.hull.best_vertex(np.array([low + 1e-9, low - 1e-9]))
    assert ev.hull.false_alarms[before] >= 30 > ev.hull.false_alarms[after]
    before, after = ev.hull.best_vertex(np.array([high - 1e-9, high + 1e-9]))
    assert ev.hull.misses[before] >= 30 > ev.hull.misses[after]


def test_without_a_rule_a_wide_range_and_no_marks() -> None:
    ax = axes()
    bayes_error({"few": evaluate([2.0, 0.5], [-1.0, 1.0, -2.0])}, ax=ax)
    assert ax.get_xlim() == (-7, 7)
    assert not ax.texts
    assert set(lines(ax)) == {"few", "minimum", "default"}


def test_priors_of_the_callers_choice() -> None:
    ax = axes()
    x = np.array([-30.0, -1.0, 0.5])
    bayes_error(some("nig"), ax=ax, x=x)
    np.testing.assert_array_equal(data(lines(ax)["nig"])[0], x)
    assert ax.get_xlim() == (-30, 0.5)
    low, high = evaluations()["nig"].rule_of_30
    assert ("30 false alarms" in lines(ax)) == (low >= -30)
    assert ("30 misses" in lines(ax)) == (high <= 0.5)
    inside = bayes_error(some("nig"), ax=axes(), x=[low + 0.1, high - 0.1])
    assert not inside.texts  # neither limit is in the frame


def test_a_poor_method_leaves_the_frame() -> None:
    ax = axes()
    poor = evaluate(np.full(50, -9.0), np.append(np.full(500, -10.0), np.full(40, 9.0)))
    bayes_error({"poor": poor, **some("nig")}, ax=ax, x=np.linspace(-4, 4, 9))
    assert data(lines(ax)["poor"])[1].max() > 1.5
    assert ax.get_ylim() == pytest.approx((0, 1.5))


def test_the_default_is_named_where_it_shows() -> None:
    ax = axes()
    bayes_error(some("nig"), ax=ax, x=[-3.0, 3.0])
    assert ("default" in legend_names(ax)) == (ax.get_ylim()[1] > 1)
    low = axes()
    bayes_error({"good": evaluate([5.0] * 99 + [-1.0], [-5.0] * 100)}, ax=low, x=[-0.1, 0.1])
    assert low.get_ylim()[1] < 0.1
    assert legend_names(low) == ["good", "minimum"]


def test_nothing_to_draw() -> None:
    with pytest.raises(OptionError, match="nothing to draw"):
        bayes_error({}, ax=axes())
