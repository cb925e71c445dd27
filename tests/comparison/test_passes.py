"""Comparisons in pieces: no more passes over the trials than there must be."""

from __future__ import annotations

import math

import numpy as np
import pytest

from llrcal.arrays import Floats
from llrcal.comparison import Comparison, compare
from llrcal.errors import OptionError
from llrcal.figures.curves import llr_places
from llrcal.figures.table import of_comparison
from llrcal.report.data import page_data
from llrcal.scale.engine import Threads
from llrcal.trials import Trials
from llrcal.trials.trials import TrialSet
from tests.figures.drawing import axes
from tests.scale.sets import Passes, cut, of_pieces

METHODS = ["logistic", "pav"]
GLANCE, READING, COUNTING = "looking at a few pieces", "reading", "counting"
RNG = np.random.default_rng(0)
SIDES = [(RNG.normal(2, 1.5, count), RNG.normal(-1.5, 1.2, 9 * count)) for count in (600, 500)]
LOOKING = (GLANCE, READING, "sampling scores")  # for copies among the test trials
FIGURES = ("bayes-error-all", "det", "reliability", "tippett", "ece")


def in_pieces(tar: Floats, non: Floats, passes: Passes) -> TrialSet:
    return of_pieces(cut(tar, non, 5), Threads(passes))


def everything(comparison: Comparison) -> dict[str, object]:
    """All that is written of a comparison, but for bytes; and the points of all curves."""
    drawn = {
        name: [np.asarray(line.get_xydata()).tolist() for line in draw(ax=axes()).get_lines()]
        for name, draw in of_comparison(comparison).items()
        if name in FIGURES
    }
    page = page_data(comparison)
    return {"drawn": drawn, "numbers": comparison.to_dict(), "tippett": page["tippett"]}


def test_two_passes_for_each_calibration() -> None:
    """Whatever figures, tables and report ask for; and they show the same as in memory."""
    passes = Passes()
    train, test = (in_pieces(*sides, passes) for sides in SIDES)
    found = everything(compare(train, test, methods=METHODS))
    each = [GLANCE, READING, COUNTING]
    samples = [*LOOKING, *LOOKING, *["sampling for figures"] * 2]
    assert sorted(passes.names) == sorted([*each * (2 + len(METHODS)), *samples])
    known = everything(compare(*(Trials(*sides) for sides in SIDES), methods=METHODS, replicates=0))
    assert repr(found) == repr(known)


@pytest.mark.parametrize("wrong", [0, 1])
def test_scores_that_run_the_wrong_way_are_refused_before_any_test(wrong: int) -> None:
    passes = Passes()
    sides = [in_pieces(*both, passes) for both in SIDES]
    sides[wrong] = sides[wrong].negated()
    with pytest.raises(OptionError, match="targets score lower than non-targets"):
        compare(*sides, methods=METHODS, inverted=False)
    assert passes.names.count(READING) <= 4  # one for copies, raw scores and training


@pytest.mark.parametrize("view", [(-9.3, 12.1), (-0.4, 0.3), (-4.0, 2.0), (-3e3, 40.0), (7.0, 8.0)])
def test_places_cover_the_view_closely(view: tuple[float, float]) -> None:
    places = llr_places(view, 301)
    low, high = view
    assert places[0] <= low < places[1]
    assert places[-2] < high <= places[-1]
    assert (np.diff(places) <= max((high - low) / 100, 0.06)).all()
    near = places[np.abs(places) <= 30]
    np.testing.assert_array_equal(near, np.round(near * 200) / 200)
    assert math.isclose(near[0] * 20, round(near[0] * 20)) or np.abs(near).max() <= 5
