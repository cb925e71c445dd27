"""Numbers of a test set that follow from how many of its trials are in each cell of the LLR axis.

A statistic is worked out for the set itself and for every set drawn from it, from counts alone:
every number of an evaluation follows from the number of trials of each class in each cell, because

- the convex hull has vertices only between the groups of PAV (:mod:`llrcal.onepass.ranks`), and
  every boundary between two groups is an edge,
- decisions are made at thresholds, and every threshold is an edge,
- the cost of a trial by Cllr, or by another scoring rule, hardly varies within a cell: it is
  replaced by the mean over its class in the cell, which does not change Cllr itself.

So a resampled set of millions of trials is represented by two short arrays of counts.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial, reduce

import numpy as np
from scipy.special import expit

from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation.costs import costs_of, min_cost
from llrcal.evaluation.error_rates import eer, least_error, normalised
from llrcal.evaluation.forensic import dev_pav
from llrcal.onepass.chunks import CHUNK, MergedByFields, threads, with_counts
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Ends, Groups, Runs
from llrcal.onepass.two_classes import InCounts
from llrcal.scoring_rule import Rule

MOST_GROUPS = 2**16  # if there are more, neighbours within a PAV block are merged
STEP = 0.1  # nats between the edges of the grid, near zero
STRETCH = 0.02  # the same far from zero, as a fraction of the LLR

Measure = Callable[[Floats, float], Floats]
"""A quantity of LLRs of one class, such as a cost, given the sign of those that are wrong."""

Numbers = Mapping[str, Floats]
"""Numbers by name, of which there may be several: one for each operating point, for example."""

_TINY = np.finfo(np.float64).tiny  # instead of no chance at all, which has no infinite costs
_LIMBS, _LIMB = 3, 2.0**19  # of a quantity: sums of 2^44 limbs are whole numbers below 2^63


@dataclass(frozen=True)
class CellSums(MergedByFields):
    """How many LLRs are in each cell, and sums of quantities of them, in any order the same."""

    counts: Counts
    digits: Counts
    """Sums of each limb of quantities: limbs x quantities x cells."""
    beyond: Floats
    """Sums of what is infinite, and zero elsewhere."""


@dataclass(frozen=True)
class Cells:
    """Cells of the LLR axis, and quantities that rise or fall with the LLR, of one class.

    In each cell a quantity is rounded down to a multiple of 2^-57 of the most that it can be
    there, and sums of such multiples are exact. So they depend neither on the order of trials nor
    on where these are.
    """

    edges: Floats
    ends: tuple[float, float]
    """The least and the greatest finite LLR, at least."""
    measures: tuple[Measure, ...]
    sign: float

    @cached_property
    def exponents(self) -> Array:
        """Powers of two that no quantity (row) exceeds in a cell (column)."""
        low = np.clip(self.edges, *self.ends)
        both = low, np.append(low[1:], self.ends[1])
        most = [[np.abs(one(end, self.sign)) for end in both] for one in self.measures]
        bound = np.max(most, axis=1) if most else np.empty((0, len(low)))
        return np.frexp(np.where(np.isfinite(bound), bound, 1.0))[1]

    def place(self, llrs: Array) -> Array:
        """The cell of each LLR."""
        return np.searchsorted(self.edges, llrs, side="right") - 1

    def sums(self, llrs: Floats, cell: Array, times: Counts | None = None) -> CellSums:
        """The sums of some LLRs, each once or as often as it was counted, given their cells."""
        size = len(self.edges)
        digits = np.zeros((_LIMBS, len(self.measures), size), np.int64)
        beyond = np.zeros(digits.shape[1:])
        for i, measure in enumerate(self.measures):
            values = measure(llrs, self.sign)
            finite = np.isfinite(values)
            if not finite.all():
                beyond[i] = np.bincount(cell, np.where(finite, 0.0, values), size)
                values = np.where(finite, values, 0.0)
            rest = np.ldexp(values, -self.exponents[i][cell])
            for limb in digits[:, i]:
                rest *= _LIMB
                whole = np.floor(rest)
                rest -= whole
                if times is None:  # doubles hold the sums of a chunk exactly
                    limb[:] = np.bincount(cell, whole, size)
                else:
                    np.add.at(limb, cell, whole.astype(np.int64) * times)
        counts = np.bincount(cell, minlength=size)
        if times is not None:
            counts[:] = 0
            np.add.at(counts, cell, times)
        return CellSums(counts, digits, beyond)

    def in_order(self, found: CellSums) -> InCells:
        """Trials in rising order of their LLRs, given their sums."""
        cell = np.flatnonzero(found.counts)
        starts = np.cumsum(found.counts[cell]) - found.counts[cell]
        return InCells(starts, cell.astype(np.int32), found.counts, self.means(found))

    def means(self, found: CellSums) -> Floats:
        """The mean of each quantity in each cell; zero in cells without an LLR."""
        total = np.zeros(found.digits.shape[1:])
        for limb in found.digits[::-1]:
            total = (total + limb) / _LIMB
        means = np.ldexp(total / np.maximum(found.counts, 1), self.exponents)
        return np.where(found.beyond, found.beyond, means)


class CellFold:
    """The sums of arrays of LLRs."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self.value = cells.sums(np.empty(0), np.empty(0, np.int64))

    def add(self, llrs: Array, counts: Counts | None = None) -> None:
        """Add some LLRs, each once or as often as it was counted."""
        for chunk, times in with_counts(llrs, counts):
            part = chunk.astype(np.float64, copy=False)
            self.value = self.value.merge(self._cells.sums(part, self._cells.place(part), times))


@dataclass(frozen=True)
class InCells:
    """The trials of one class in cells.

    Trials are given in the order of their scores, with which LLRs mostly rise, so that there are
    hardly more runs of trials in one cell than cells.
    """

    starts: Array
    """Where each run begins; the first at zero."""
    cell: Array
    """The cell of each run."""
    counts: Counts
    """How many trials are in each cell."""
    means: Floats
    """Mean of each quantity (row) in each cell; zero in cells without a trial of the class."""

    @classmethod
    def of(cls, llrs: Runs, cells: Cells) -> InCells:
        """Assign LLRs to cells, and average quantities of them there."""
        cell = np.empty(len(llrs.values), np.int32)

        def place(start: int) -> CellSums:
            chunk = slice(start, start + CHUNK)
            part = llrs.values[chunk].astype(np.float64, copy=False)
            cell[chunk] = found = cells.place(part)
            return cells.sums(part, found, None if llrs.are_single else llrs.counts[chunk])

        with ThreadPoolExecutor(threads()) as pool:
            found = reduce(CellSums.merge, pool.map(place, range(0, len(cell), CHUNK)))
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        trials = np.add.reduceat(llrs.counts, first)
        return cls(np.cumsum(trials) - trials, cell[first], found.counts, cells.means(found))

    @property
    def cell_of_each(self) -> Array:
        """The cell of each trial."""
        return np.repeat(self.cell, np.diff(self.starts, append=self.counts.sum()))


@dataclass(frozen=True)
class Statistic:
    """Trials in cells, and the numbers that follow from the counts of each class in each cell."""

    edges: Floats
    """The least LLR of each cell, in rising order; the first and the last hold infinite LLRs."""
    sides: tuple[InCells, InCells]
    """Targets and non-targets."""
    numbers: Callable[[Counts, Counts], Numbers]

    @property
    def actual(self) -> Numbers:
        """The numbers of the set itself."""
        tar, non = self.sides
        return self.numbers(tar.counts, non.counts)


class Sides(ABC):
    """LLRs of both classes, wherever they are, as statistics ask for them."""

    @staticmethod
    def of(tar: Given, non: Given) -> Sides:
        """Those of two classes, in the order of scores; or those that stand for both classes."""
        if isinstance(tar, Sides):
            return tar
        return non if isinstance(non, Sides) else _InMemory(Runs.of(tar), Runs.of(non))

    @property
    @abstractmethod
    def groups(self) -> Groups:
        """The groups of PAV."""

    @cached_property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """The least and the greatest finite LLR; or zero, if that is further out."""

    @abstractmethod
    def in_cells(self, tar: Cells, non: Cells) -> tuple[InCells, InCells]:
        """Both classes in cells."""

    @abstractmethod
    def reach(self, edges: Floats) -> tuple[Ends, Ends]:
        """The least and the greatest LLR of each class in cells that begin at edges."""

    def measured(self, edges: Floats, *measures: Measure) -> tuple[InCells, InCells]:
        """Both classes in cells between edges, with the means of quantities."""
        tar, non = (Cells(edges, self.ends, measures, sign) for sign in (-1.0, 1.0))
        return self.in_cells(tar, non)

    def edges_between(self, *thresholds: Floats) -> Floats:
        """Edges at thresholds, between the groups of PAV, and close enough everywhere."""
        pooled = self.groups
        step = -(-len(pooled.low) // MOST_GROUPS)
        # Always those between the blocks of PAV.
        kept = np.union1d(np.arange(0, len(pooled.low), step), Hull.of(pooled).first_group)
        return with_ends(*thresholds, self.grid, pooled.edges[kept])

    @property
    def grid(self) -> Floats:
        """Edges every tenth of a nat near zero, and every fiftieth of the LLR far from it."""
        scale = STEP / STRETCH
        low, high = np.arcsinh(np.array(self.ends) / scale) / STRETCH
        return np.asarray(scale * np.sinh(STRETCH * np.arange(np.ceil(low), np.floor(high) + 1)))


Given = Array | Runs | Sides
"""LLRs of one class in the order of scores: one by one, or with how often each occurs; or those of
both classes, given twice."""


@dataclass(frozen=True)
class _InMemory(Sides):
    tar: Runs
    non: Runs

    @property
    def groups(self) -> Groups:
        return InCounts(self.tar.distinct, self.non.distinct).groups

    @cached_property
    def ends(self) -> tuple[float, float]:
        every = (side.values for side in (self.tar, self.non))
        finite = np.concatenate([llrs[np.isfinite(llrs)] for llrs in every])
        return float(finite.min(initial=0)), float(finite.max(initial=0))

    def in_cells(self, tar: Cells, non: Cells) -> tuple[InCells, InCells]:
        return InCells.of(self.tar, tar), InCells.of(self.non, non)

    def reach(self, edges: Floats) -> tuple[Ends, Ends]:
        return Ends.of(self.tar.values, edges), Ends.of(self.non.values, edges)


def _rates(accepted: Array, tar: Counts, non: Counts) -> tuple[Floats, Floats]:
    """Miss and false-alarm rates, given the first cell that is accepted, and counts in each."""
    misses, rejected = ((np.cumsum(counts) - counts)[accepted] for counts in (tar, non))
    total = non.sum()
    return misses / tar.sum(), (total - rejected) / total


def with_ends(*inner: Floats) -> Floats:
    """Edges in rising order, and a cell at either end for infinite LLRs only."""
    ends = np.array([-np.inf, np.nextafter(-np.inf, 0), np.inf])
    return np.unique(np.concatenate([ends, *inner]))


def evaluation_statistic(
    tar: Given,
    non: Given,
    prior_log_odds: Floats,
    *,
    curve: Floats | None = None,
    rules: Sequence[Rule] = (),
) -> Statistic:
    """The numbers of an evaluation.

    Cllr, minCllr, calibration loss, EER; at the operating points, the rates of error and the
    actual and minimum normalised costs; where there is a ``curve`` of prior log-odds, the mean of
    either over it; the costs by other rules, their minima, and the losses.
    """
    every: tuple[Rule, ...] = ("log", *rules)
    points = len(prior_log_odds)
    x = prior_log_odds if curve is None else np.concatenate([prior_log_odds, curve])
    llrs = Sides.of(tar, non)
    edges = llrs.edges_between(-x)
    sides = llrs.measured(edges, *(partial(costs_of, rule=rule) for rule in every))
    accepted = np.searchsorted(edges, -x)

    def numbers(tar: Counts, non: Counts) -> Numbers:
        used = (tar + non) > 0
        hull = Hull.pool(tar[used], non[used])
        means = zip(sides[0].means, sides[1].means, strict=True)
        costs = np.array([_mean(t, tar) + _mean(n, non) for t, n in means]) / (2 * math.log(2))
        least = np.array([min_cost(hull, rule) for rule in every])
        pmiss, pfa = _rates(accepted, tar, non)
        actual, best = normalised(pmiss, pfa, x), least_error(hull, x)
        found = {
            "cllr": costs[:1],
            "min_cllr": least[:1],
            "calibration_loss": (costs - least)[:1],
            "eer": np.array([eer(hull)]),
            "pmiss": pmiss[:points],
            "pfa": pfa[:points],
            "act_dcf": actual[:points],
            "min_dcf": best[:points],
            "rule_cost": costs[1:],
            "min_rule_cost": least[1:],
            "rule_loss": (costs - least)[1:],
        }
        if curve is not None:
            found["mean_error"] = actual[points:].mean(keepdims=True)
            found["least_mean_error"] = best[points:].mean(keepdims=True)
        return found

    return Statistic(edges, sides, numbers)


def rates_statistic(tar: Given, non: Given, thresholds: Floats) -> Statistic:
    """Miss and false-alarm rates at thresholds, and the costs where these are Bayes thresholds."""
    edges = with_ends(thresholds)
    accepted = np.searchsorted(edges, thresholds)

    def numbers(tar: Counts, non: Counts) -> Numbers:
        pmiss, pfa = _rates(accepted, tar, non)
        return {"pmiss": pmiss, "pfa": pfa, "act_dcf": normalised(pmiss, pfa, -thresholds)}

    return Statistic(edges, Sides.of(tar, non).measured(edges), numbers)


def entropy_statistic(tar: Given, non: Given, prior_log_odds: Floats) -> Statistic:
    """Cross-entropies at prior log-odds, in bits.

    Within a cell, costs are taken at the mean LLR of the class, which is about right to 1e-4 bits.
    """
    llrs = Sides.of(tar, non)
    edges = with_ends(llrs.grid)
    sides = llrs.measured(edges, _llr)
    # What a trial of each class costs in each cell (row) at each prior (column).
    of_tar, of_non = (
        np.maximum(expit(-sign * prior_log_odds), _TINY)
        * np.logaddexp(0, sign * (side.means[0][:, None] + prior_log_odds))
        / math.log(2)
        for side, sign in zip(sides, (-1.0, 1.0), strict=True)
    )

    def numbers(tar: Counts, non: Counts) -> Numbers:
        return {"cross_entropy": _mean(of_tar, tar) + _mean(of_non, non)}

    return Statistic(edges, sides, numbers)


def forensic_statistic(tar: Given, non: Given) -> Statistic:
    """The devPAV, and mean LLRs of either class.

    In a cell, the LLRs of a class are taken to reach as far as those of the whole set, which is at
    most a tenth of a nat near zero.
    """
    both = Sides.of(tar, non)
    edges = both.edges_between()
    sides = both.measured(edges, _llr)
    reach = both.reach(edges)

    def numbers(*both: Counts) -> Numbers:
        used = np.flatnonzero(both[0] + both[1])
        hull = Hull.pool(both[0][used], both[1][used])
        first = used[hull.first_group]
        last = used[np.append(hull.first_group[1:], len(used)) - 1]
        tar, non = (
            Ends(np.where(n > 0, one.least, np.inf), np.where(n > 0, one.greatest, -np.inf))
            for one, n in zip(reach, both, strict=True)
        )
        ends = tar.merge(non)
        distance = dev_pav(hull, Ends(ends.least[first], ends.greatest[last]))
        with np.errstate(invalid="ignore"):  # infinite LLRs on both sides have no mean
            llrs = [_mean(side.means[0], n) for side, n in zip(sides, both, strict=True)]
        found = np.array([distance, *llrs])
        return {"dev_pav": found[:1], "llr_tar": found[1:2], "llr_non": found[2:]}

    return Statistic(edges, sides, numbers)


def _llr(llrs: Floats, _sign: float) -> Floats:
    return llrs


def _mean(values: Floats, counts: Counts) -> Floats:
    """Mean of values, or of rows of them, by counts; cells without a trial may be infinite.

    A plain sum, since products of matrices would leave its order to the threads of BLAS.
    """
    used = counts > 0
    shares = counts[used] / counts.sum()
    return np.asarray((values[used].T * shares).sum(axis=-1))
