"""The LLR axis divided into cells, within which trials need only be counted.

Every number of an evaluation follows from the number of trials of each class in each cell, because

- the convex hull has vertices only between the groups of PAV (:mod:`llrcal.onepass.ranks`), and
  every boundary between two groups is an edge,
- decisions are made at thresholds, and every threshold is an edge,
- the Cllr cost of a trial hardly varies within a cell: it is replaced by the mean over its class
  in the cell, which does not change Cllr itself.

So a resampled set of millions of trials is represented by two short arrays of counts.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llrcal.arrays import Array, Counts, Floats, weighted_sum
from llrcal.evaluation.bayes_error import normalised
from llrcal.evaluation.cllr import min_cllr
from llrcal.evaluation.eer import eer
from llrcal.onepass.chunks import CHUNK, threads
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import groups

MOST_GROUPS = 2**16  # if there are more, neighbours within a PAV block are merged
STEP = 0.1  # nats between the edges of the grid, near zero
STRETCH = 0.02  # the same far from zero, as a fraction of the LLR


@dataclass(frozen=True)
class InCells:
    """The trials of one class in cells."""

    cell: Array
    """Cell of each trial."""
    counts: Counts
    mean_cost: Floats
    """Mean Cllr cost in each cell, in nats; zero in cells without a trial of the class."""

    @classmethod
    def of(cls, llrs: Array, edges: Floats, *, sign: float) -> InCells:
        """Assign LLRs to cells; their cost is log(1 + exp(sign * llr))."""
        cell = np.empty(len(llrs), np.int32)

        def place(start: int) -> tuple[Counts, Floats]:
            part = llrs[start : start + CHUNK].astype(np.float64, copy=False)
            found = np.searchsorted(edges, part, side="right") - 1
            cell[start : start + CHUNK] = found
            cost = np.logaddexp(0.0, sign * part)
            counted = np.bincount(found, minlength=len(edges))
            summed = np.bincount(found, weights=cost, minlength=len(edges))
            return counted.astype(np.int64, copy=False), np.asarray(summed, np.float64)

        counts, costs = np.zeros(len(edges), np.int64), np.zeros(len(edges))
        # Chunks of fixed size in fixed order, so that sums do not depend on the number of threads.
        with ThreadPoolExecutor(threads()) as pool:
            for found, cost in pool.map(place, range(0, len(llrs), CHUNK)):
                counts += found
                costs += cost
        return cls(cell, counts, costs / np.maximum(counts, 1))


@dataclass(frozen=True)
class Cells:
    """Cells in rising order of LLR, and the trials of a test set in them."""

    edges: Floats
    """The least LLR of each cell; the first and the last cell hold infinite LLRs only."""
    prior_log_odds: Floats
    """Operating points; their thresholds are among the edges."""
    tar: InCells
    non: InCells
    curve: Floats
    """Prior log-odds over which the mean Bayes error is taken, likewise; perhaps none."""

    @classmethod
    def of(
        cls, tar: Array, non: Array, *, prior_log_odds: Floats, curve: Floats | None = None
    ) -> Cells:
        """Cells for LLRs, infinite ones included."""
        curve = np.empty(0) if curve is None else curve
        ends = np.array([-np.inf, np.nextafter(-np.inf, 0), np.inf])
        inner = -prior_log_odds, -curve, _grid(tar, non), _group_edges(tar, non)
        edges = np.unique(np.concatenate([ends, *inner]))
        tar_in, non_in = InCells.of(tar, edges, sign=-1.0), InCells.of(non, edges, sign=1.0)
        return cls(edges, prior_log_odds, tar_in, non_in, curve)

    def metrics(self, tar: Counts, non: Counts) -> Floats:
        """The numbers of an evaluation, given the counts in each cell.

        Returns
        -------
        Floats
            Cllr, minCllr, calibration loss, EER, then the actual and then the minimum normalised
            costs at the operating points; where there is a curve, the mean of either over it.
        """
        used = (tar + non) > 0
        hull = Hull.pool(tar[used], non[used])
        tar_cost = _mean(self.tar.mean_cost, tar)
        non_cost = _mean(self.non.mean_cost, non)
        cllr, least = (tar_cost + non_cost) / (2 * math.log(2)), min_cllr(hull)
        x, points = self._thresholds, len(self.prior_log_odds)
        misses, false_alarms = self._errors(tar, non)
        actual = normalised(misses / tar.sum(), false_alarms / non.sum(), x)
        vertex = hull.best_vertex(x)
        best = normalised(hull.pmiss[vertex], hull.pfa[vertex], x)
        means = [actual[points:].mean(), best[points:].mean()] if len(self.curve) else []
        overall = [cllr, least, cllr - least, eer(hull)]
        return np.concatenate([overall, actual[:points], best[:points], means])

    @cached_property
    def _thresholds(self) -> Floats:
        return np.concatenate([self.prior_log_odds, self.curve])

    def _errors(self, tar: Counts, non: Counts) -> tuple[Counts, Counts]:
        """Misses and false alarms at the thresholds of the operating points."""
        first_accepted = np.searchsorted(self.edges, -self._thresholds)
        below, above = np.cumsum(tar), np.cumsum(non[::-1])[::-1]
        # Thresholds are finite and the outermost cells infinite, so there are cells on both sides.
        return below[first_accepted - 1], above[first_accepted]


def _group_edges(tar: Array, non: Array) -> Floats:
    """Edges between the groups of PAV, always including those between its blocks."""
    pooled = groups(tar, non)
    step = -(-len(pooled.low) // MOST_GROUPS)
    kept = np.union1d(np.arange(0, len(pooled.low), step), Hull.of(pooled).first_group)
    with np.errstate(
        over="ignore"
    ):  # the edge above the largest double is infinity, as it should be
        return pooled.edges[kept]


def _grid(tar: Array, non: Array) -> Floats:
    """Edges every tenth of a nat near zero, and every fiftieth of the LLR far from it."""
    ends = np.array([_finite_range(tar), _finite_range(non)])
    scale = STEP / STRETCH
    low, high = np.arcsinh(np.array([ends.min(), ends.max()]) / scale) / STRETCH
    return np.asarray(scale * np.sinh(STRETCH * np.arange(np.ceil(low), np.floor(high) + 1)))


def _finite_range(llrs: Array) -> tuple[float, float]:
    """Least and greatest of zero and all finite LLRs."""
    finite = np.isfinite(llrs)
    return float(llrs.min(where=finite, initial=0)), float(llrs.max(where=finite, initial=0))


def _mean(costs: Floats, counts: Counts) -> float:
    """Mean cost, given the counts in each cell; empty cells do not count, even if infinite."""
    used = counts > 0
    return weighted_sum(costs[used], counts[used] / counts.sum())
