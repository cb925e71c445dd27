"""The LLR axis divided into cells, within which trials need only be counted.

Every number of an evaluation follows from the number of trials of each class in each cell, because

- the convex hull has vertices only between the groups of PAV (:mod:`llrcal.onepass.ranks`), and
  every boundary between two groups is an edge,
- decisions are made at thresholds, and every threshold is an edge,
- the cost of a trial by Cllr, or by another scoring rule, hardly varies within a cell: it is
  replaced by the mean over its class in the cell, which does not change Cllr itself.

So a resampled set of millions of trials is represented by two short arrays of counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.onepass.chunks import CHUNK, threads
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import groups

MOST_GROUPS = 2**16  # if there are more, neighbours within a PAV block are merged
STEP = 0.1  # nats between the edges of the grid, near zero
STRETCH = 0.02  # the same far from zero, as a fraction of the LLR

Measure = Callable[[Floats, float], Floats]
"""A quantity of LLRs of one class, such as a cost, given the sign of those that are wrong."""


@dataclass(frozen=True)
class InCells:
    """The trials of one class in cells.

    Trials are given in the order of their scores, with which LLRs mostly rise, so that there are
    hardly more runs of trials in one cell than cells.
    """

    starts: Counts
    """Where each run begins; the first at zero."""
    cell: Array
    """The cell of each run."""
    counts: Counts
    """How many trials are in each cell."""
    means: Floats
    """Mean of each quantity (row) in each cell; zero in cells without a trial of the class."""

    @classmethod
    def of(cls, llrs: Array, edges: Floats, measures: Sequence[Measure], sign: float) -> InCells:
        """Assign LLRs to cells, and average quantities of them there."""
        cell = np.empty(len(llrs), np.int32)

        def place(start: int) -> tuple[Counts, list[Array]]:
            part = llrs[start : start + CHUNK].astype(np.float64, copy=False)
            found = np.searchsorted(edges, part, side="right") - 1
            cell[start : start + CHUNK] = found
            counted = np.bincount(found, minlength=len(edges))
            summed = [np.bincount(found, measure(part, sign), len(edges)) for measure in measures]
            return counted.astype(np.int64, copy=False), summed

        counts, sums = np.zeros(len(edges), np.int64), np.zeros((len(measures), len(edges)))
        # Chunks of fixed size in fixed order, so that sums do not depend on the number of threads.
        with ThreadPoolExecutor(threads()) as pool:
            for found, summed in pool.map(place, range(0, len(llrs), CHUNK)):
                counts += found
                sums += np.reshape(summed, sums.shape)
        starts = np.flatnonzero(np.diff(cell, prepend=-1)).astype(np.int64, copy=False)
        return cls(starts, cell[starts], counts, sums / np.maximum(counts, 1))

    @property
    def cell_of_each(self) -> Array:
        """The cell of each trial."""
        return np.repeat(self.cell, np.diff(self.starts, append=self.counts.sum()))


@dataclass(frozen=True)
class Cells:
    """Cells in rising order of LLR, and the trials of a test set in them."""

    edges: Floats
    """The least LLR of each cell; the first and the last cell hold infinite LLRs only."""
    tar: InCells
    non: InCells

    @classmethod
    def of(cls, tar: Array, non: Array, edges: Floats, *measures: Measure) -> Cells:
        """Cells between edges, for LLRs in the order of scores, infinite ones included."""
        sides = (InCells.of(tar, edges, measures, -1.0), InCells.of(non, edges, measures, 1.0))
        return cls(edges, *sides)

    def rates(self, thresholds: Floats, tar: Counts, non: Counts) -> tuple[Floats, Floats]:
        """Miss and false-alarm rates at thresholds, which are edges, given counts in each cell."""
        first = np.searchsorted(self.edges, thresholds)
        below, rejected = (np.append(0, np.cumsum(counts))[first] for counts in (tar, non))
        return below / tar.sum(), (non.sum() - rejected) / non.sum()


def edges_between(tar: Array, non: Array, *thresholds: Floats) -> Floats:
    """Edges at thresholds, between the groups of PAV, and close enough everywhere."""
    return with_ends(*thresholds, grid(tar, non), _group_edges(tar, non))


def with_ends(*inner: Floats) -> Floats:
    """Edges in rising order, and a cell at either end for infinite LLRs only."""
    ends = np.array([-np.inf, np.nextafter(-np.inf, 0), np.inf])
    return np.unique(np.concatenate([ends, *inner]))


def grid(tar: Array, non: Array) -> Floats:
    """Edges every tenth of a nat near zero, and every fiftieth of the LLR far from it."""
    finite = [(llrs, np.isfinite(llrs)) for llrs in (tar, non)]
    least = min(float(llrs.min(where=where, initial=0)) for llrs, where in finite)
    greatest = max(float(llrs.max(where=where, initial=0)) for llrs, where in finite)
    scale = STEP / STRETCH
    low, high = np.arcsinh(np.array([least, greatest]) / scale) / STRETCH
    return np.asarray(scale * np.sinh(STRETCH * np.arange(np.ceil(low), np.floor(high) + 1)))


def _group_edges(tar: Array, non: Array) -> Floats:
    """Edges between the groups of PAV, always including those between its blocks."""
    pooled = groups(tar, non)
    step = -(-len(pooled.low) // MOST_GROUPS)
    kept = np.union1d(np.arange(0, len(pooled.low), step), Hull.of(pooled).first_group)
    with np.errstate(over="ignore"):  # the edge above the largest double should be infinity
        return pooled.edges[kept]
