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

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from llrcal.arrays import Array, Counts, Floats, weighted_sum
from llrcal.evaluation.bayes_error import normalised
from llrcal.evaluation.cllr import min_cost
from llrcal.evaluation.eer import eer
from llrcal.evaluation.unseen import possible_error
from llrcal.onepass.chunks import CHUNK, threads
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import groups
from llrcal.scoring_rule import LOG, ScoringRule

MOST_GROUPS = 2**16  # if there are more, neighbours within a PAV block are merged
STEP = 0.1  # nats between the edges of the grid, near zero
STRETCH = 0.02  # the same far from zero, as a fraction of the LLR


Measure = Callable[[Floats], Floats]
"""A quantity of single LLRs, such as a cost."""


@dataclass(frozen=True)
class InCells:
    """The trials of one class in cells."""

    cell: Array
    """Cell of each trial."""
    counts: Counts
    means: Floats
    """Mean of each quantity (row) in each cell; zero in cells without a trial of the class."""

    @classmethod
    def of(cls, llrs: Array, edges: Floats, measures: Sequence[Measure] = ()) -> InCells:
        """Assign LLRs to cells, and average quantities of them there."""
        cell = np.empty(len(llrs), np.int32)

        def place(start: int) -> tuple[Counts, list[Array]]:
            part = llrs[start : start + CHUNK].astype(np.float64, copy=False)
            found = np.searchsorted(edges, part, side="right") - 1
            cell[start : start + CHUNK] = found
            counted = np.bincount(found, minlength=len(edges))
            summed = [np.bincount(found, measure(part), len(edges)) for measure in measures]
            return counted.astype(np.int64, copy=False), summed

        counts, sums = np.zeros(len(edges), np.int64), np.zeros((len(measures), len(edges)))
        # Chunks of fixed size in fixed order, so that sums do not depend on the number of threads.
        with ThreadPoolExecutor(threads()) as pool:
            for found, summed in pool.map(place, range(0, len(llrs), CHUNK)):
                counts += found
                sums += np.reshape(summed, sums.shape)
        return cls(cell, counts, sums / np.maximum(counts, 1))


class Counted(Protocol):
    """Trials in cells, and numbers that follow from how many are in each."""

    @property
    def edges(self) -> Floats:
        """The least LLR of each cell."""

    @property
    def tar(self) -> InCells: ...

    @property
    def non(self) -> InCells: ...

    def metrics(self, tar: Counts, non: Counts) -> Floats:
        """The numbers, given the counts in each cell."""


@dataclass(frozen=True)
class Cells:
    """Cells in rising order of LLR, and the trials of a test set in them."""

    edges: Floats
    """The least LLR of each cell; the first and the last cell hold infinite LLRs only."""
    prior_log_odds: Floats
    """Operating points; their thresholds are among the edges."""
    tar: InCells
    """Its means are the costs by each rule."""
    non: InCells
    curve: Floats
    """Prior log-odds over which the mean Bayes error is taken, likewise; perhaps none."""
    rules: tuple[ScoringRule, ...] = (LOG,)
    """The logarithmic rule, and others whose costs are asked for."""

    @classmethod
    def of(
        cls,
        tar: Array,
        non: Array,
        *,
        prior_log_odds: Floats,
        curve: Floats | None = None,
        rules: Sequence[ScoringRule] = (),
    ) -> Cells:
        """Cells for LLRs, infinite ones included."""
        curve = np.empty(0) if curve is None else curve
        edges, every = edges_of(tar, non, -prior_log_odds, -curve), (LOG, *rules)
        tar_in, non_in = (
            InCells.of(llrs, edges, [partial(_costs, rule, sign) for rule in every])
            for llrs, sign in ((tar, -1.0), (non, 1.0))
        )
        return cls(edges, prior_log_odds, tar_in, non_in, curve, every)

    @property
    def counted(self) -> Cells:
        """The same without the cell of each of what may be millions of trials."""
        tar, non = (replace(side, cell=np.empty(0, np.int32)) for side in (self.tar, self.non))
        return replace(self, tar=tar, non=non)

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Where each number is among the :meth:`metrics`."""
        points, means, rules = len(self.prior_log_odds), int(len(self.curve) > 0), len(self.rules)
        sizes = {
            **dict.fromkeys(("cllr", "min_cllr", "calibration_loss", "eer"), 1),
            **dict.fromkeys(("act_dcf", "min_dcf"), points),
            **dict.fromkeys(("mean_error", "least_mean_error"), means),
            **dict.fromkeys(("rule_cost", "min_rule_cost", "rule_loss"), rules - 1),
        }
        ends = np.cumsum(list(sizes.values())).tolist()
        return {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends, strict=True)}

    def metrics(self, tar: Counts, non: Counts) -> Floats:
        """The numbers of an evaluation, given the counts in each cell.

        Cllr, minCllr, calibration loss, EER; the actual and then the minimum normalised costs at
        the operating points; where there is a curve, the mean of either over it; the costs by
        other rules, their minima, and the losses.
        """
        used = (tar + non) > 0
        hull = Hull.pool(tar[used], non[used])
        costs = [
            (_mean(tar_cost, tar) + _mean(non_cost, non)) / (2 * math.log(2))
            for tar_cost, non_cost in zip(self.tar.means, self.non.means, strict=True)
        ]
        least = [min_cost(hull, rule) for rule in self.rules]
        losses = [cost - best for cost, best in zip(costs, least, strict=True)]
        x, points = self._thresholds, len(self.prior_log_odds)
        actual = normalised(*self._rates(tar, non), x)
        vertex = hull.best_vertex(x)
        best = normalised(hull.pmiss[vertex], hull.pfa[vertex], x)
        means = [actual[points:].mean(), best[points:].mean()] if len(self.curve) else []
        overall = [costs[0], least[0], losses[0], eer(hull)]
        by_rule = [*costs[1:], *least[1:], *losses[1:]]
        return np.concatenate([overall, actual[:points], best[:points], means, by_rule])

    @cached_property
    def _thresholds(self) -> Floats:
        return np.concatenate([self.prior_log_odds, self.curve])

    def _rates(self, tar: Counts, non: Counts) -> tuple[Floats, Floats]:
        """Miss and false-alarm rates at the thresholds of the operating points."""
        first_accepted = np.searchsorted(self.edges, -self._thresholds)
        below, above = np.cumsum(tar), np.cumsum(non[::-1])[::-1]
        # Thresholds are finite and the outermost cells infinite, so there are cells on both sides.
        return below[first_accepted - 1] / tar.sum(), above[first_accepted] / non.sum()

    def possible_costs(self, level: float) -> Floats:
        """How far intervals of the actual costs at the operating points reach at least."""
        points, tar, non = len(self.prior_log_odds), self.tar.counts, self.non.counts
        pmiss, pfa = (rate[:points] for rate in self._rates(tar, non))
        counts = int(tar.sum()), int(non.sum())
        return possible_error(pmiss, pfa, self.prior_log_odds, counts=counts, level=level)


def edges_of(tar: Array, non: Array, *thresholds: Floats) -> Floats:
    """Edges at thresholds, between the groups of PAV, and close enough everywhere."""
    return with_ends(*thresholds, grid(tar, non), _group_edges(tar, non))


def with_ends(*inner: Floats) -> Floats:
    """Edges in rising order, and a cell at either end for infinite LLRs only."""
    ends = np.array([-np.inf, np.nextafter(-np.inf, 0), np.inf])
    return np.unique(np.concatenate([ends, *inner]))


def _costs(rule: ScoringRule, sign: float, llrs: Floats) -> Floats:
    """What LLRs cost, in nats; the sign is that of a wrong one."""
    x = sign * llrs
    return np.logaddexp(0.0, x) if rule == LOG else rule.costs(x, sign)


def _group_edges(tar: Array, non: Array) -> Floats:
    """Edges between the groups of PAV, always including those between its blocks."""
    pooled = groups(tar, non)
    step = -(-len(pooled.low) // MOST_GROUPS)
    kept = np.union1d(np.arange(0, len(pooled.low), step), Hull.of(pooled).first_group)
    with np.errstate(over="ignore"):  # the edge above the largest double should be infinity
        return pooled.edges[kept]


def grid(tar: Array, non: Array) -> Floats:
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
