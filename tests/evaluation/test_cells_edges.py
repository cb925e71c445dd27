"""The outermost cells, which no finite LLR shares with an infinite one."""

from __future__ import annotations

import numpy as np

from llrcal.evaluation.cells import Cells

LARGEST = float(np.finfo(np.float64).max)


def test_infinities_have_a_cell_each_whether_there_are_any_or_not() -> None:
    for tar, non in (([1.0, 2.0], [0.0]), ([np.inf, -LARGEST], [-np.inf, LARGEST])):
        cells = Cells.of(np.array(tar), np.array(non), prior_log_odds=np.array([0.5]))
        assert cells.edges[[0, 1, -1]].tolist() == [-np.inf, -LARGEST, np.inf]
    assert cells.tar.cell.tolist() == [len(cells.edges) - 1, 1]
    assert cells.non.cell.tolist() == [0, len(cells.edges) - 2]


def test_thresholds_are_edges() -> None:
    points = np.array([-2.5, 0.125, 7.0])
    cells = Cells.of(np.array([1.0]), np.array([0.0]), prior_log_odds=points)
    assert np.isin(-points, cells.edges).all()
    assert cells.prior_log_odds.tolist() == points.tolist()


def test_counts_are_whole_numbers_and_costs_are_means() -> None:
    tar = np.array([2.0, 2.0, 2.01, -9.0])
    cells = Cells.of(tar, np.array([2.0]), prior_log_odds=np.array([0.0]))
    assert cells.tar.counts.dtype == cells.non.counts.dtype == np.int64
    assert cells.tar.counts.sum() == 4
    for cell in np.unique(cells.tar.cell):
        expected = np.logaddexp(0, -tar[cells.tar.cell == cell]).mean()
        assert abs(cells.tar.means[0][cell] / expected - 1) < 1e-14
    assert (cells.tar.means[0][cells.tar.counts == 0] == 0).all()
