"""Ranges worth looking at, and histograms over them."""

from __future__ import annotations

import numpy as np
import pytest

from llrcal.figures.curves import histogram, visible_range
from tests.trial_sets import normal

SCORES = normal(5000, 1, 2)


def test_the_area_is_the_share_of_scores_in_range() -> None:
    heights, edges = histogram(SCORES, -100, 100)
    assert heights @ np.diff(edges) == pytest.approx(1, rel=1e-12)
    assert (edges[0], edges[-1]) == (SCORES.min(), SCORES.max())
    heights, edges = histogram(SCORES, 0.5, 2.5)
    inside = np.mean((SCORES >= 0.5) & (SCORES <= 2.5))
    assert heights @ np.diff(edges) == pytest.approx(inside, rel=1e-12)


def test_few_scores_get_few_bins() -> None:
    sizes = [len(histogram(normal(n, 0, 1), -9, 9)[0]) for n in (5, 1000, 10**6)]
    assert sizes == [10, 20, 90]


def test_one_value_fills_one_bin() -> None:
    heights, edges = histogram(np.full(7, 3.0), 2.0, 4.0)
    assert heights @ np.diff(edges) == pytest.approx(1)
    assert (heights > 0).sum() == 1


def test_the_range_holds_the_bulk_and_stays_within_the_extremes() -> None:
    low, high = visible_range((SCORES, SCORES + 3), margin=0.0)
    for scores in (SCORES, SCORES + 3):
        assert np.mean(np.clip(scores, low, high) == scores) > 0.99
    wide = visible_range((SCORES, SCORES + 3), margin=10.0)
    assert wide == (SCORES.min(), SCORES.max() + 3)


def test_an_outlier_does_not_stretch_the_range() -> None:
    far = np.append(SCORES, 1e9)
    assert visible_range((far, SCORES), margin=0.5)[1] < 20


def test_equal_scores_have_a_range_too() -> None:
    assert visible_range((np.ones(3), np.ones(4)), margin=0.1) == (0.5, 1.5)
