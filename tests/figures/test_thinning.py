"""Thinning leaves out what cannot be seen, and nothing else."""

from __future__ import annotations

import numpy as np

from llrcal.figures.thinning import CELLS, visible_corners


def test_a_coarse_curve_is_kept_whole() -> None:
    x = np.array([0.0, 0.0, 0.2, 0.2, 1.0])
    assert visible_corners(x, x[::-1], frame=(0, 1)).all()


def test_a_dense_curve_loses_most_points_and_no_shape() -> None:
    t = np.linspace(0, 1, 10**6)
    keep = visible_corners(t, t**2, frame=(0, 1))
    assert keep[[0, -1]].all()
    assert keep.sum() < 5 * CELLS
    y = np.interp(t, t[keep], (t**2)[keep])
    assert np.abs(y - t**2).max() < 1 / CELLS


def test_what_lies_outside_the_frame_is_one_point_per_side() -> None:
    x = np.concatenate([np.linspace(-50, -40, 100), [0.5], np.linspace(40, 50, 100)])
    keep = visible_corners(x, np.full(len(x), 0.5), frame=(0, 1))
    assert keep.sum() == 5
    assert keep[100]
