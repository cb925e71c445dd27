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
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.special import expit

from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation.costs import costs_of, min_cost
from llrcal.evaluation.measures import (
    MEASURES,
    Asked,
    TakenAt,
    misleading_thresholds,
    values_of,
)
from llrcal.onepass.chunks import MergedByFields, fold_array, with_counts
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Ends, Groups, Runs
from llrcal.onepass.two_classes import InCounts
from llrcal.scoring_rule import Rule

MOST_GROUPS = 2**16  # if there are more, neighbours within a PAV block are merged
STEP = 0.1  # nats between the edges of the grid, near zero
STRETCH = 0.02  # the same far from zero, as a fraction of the LLR

Quantity = Callable[[Floats, float], Floats]
"""A quantity of LLRs of one class, such as a cost, given the sign of those that are wrong."""

Numbers = Mapping[str, Floats]
"""Numbers by name, of which there may be several: one for each operating point, for example."""

_ROOM = 0.125  # differences of the largest doubles would overflow
_TINY = np.finfo(np.float64).tiny  # instead of no chance at all, which has no infinite costs
_DIGITS = 62  # of the greatest sum of a quantity: others are whole numbers below 2^63


@dataclass(frozen=True)
class CellSums(MergedByFields):
    """How many LLRs are in each cell, and sums of quantities of them, in any order the same."""

    counts: Counts
    sums: Counts
    """Of quantities (rows), in units of :attr:`Cells.exponents`."""
    beyond: Floats
    """Sums of what is infinite, and zero elsewhere."""


@dataclass(frozen=True)
class Cells:
    """Cells of the LLR axis, and quantities that rise or fall with the LLR, of one class.

    In each cell a quantity is rounded to multiples of a power of two, so that sums of them over all
    trials are exact in 64 bits. So they depend neither on the order of trials nor on where these
    are.
    """

    edges: Floats
    ends: tuple[float, float]
    """The least and the greatest finite LLR, at least."""
    quantities: tuple[Quantity, ...]
    sign: float
    count: int
    """How many trials of the class there are."""

    @cached_property
    def exponents(self) -> Array:
        """Those of the powers of two to which a quantity (row) is rounded in a cell (column)."""
        low = np.clip(self.edges, *self.ends)
        both = low, np.append(low[1:], self.ends[1])
        most = [[np.abs(one(end, self.sign)) for end in both] for one in self.quantities]
        bound = np.max(most, axis=1) if most else np.empty((0, len(low)))
        digits = min(_DIGITS - self.count.bit_length(), 53)
        return np.frexp(np.where(np.isfinite(bound), bound, 1.0))[1] - digits

    def place(self, llrs: Array) -> Array:
        """The cell of each LLR."""
        return np.searchsorted(self.edges, llrs, side="right") - 1

    def sums(self, llrs: Floats, cell: Array, times: Counts | None = None) -> CellSums:
        """The sums of some LLRs, each once or as often as it was counted, given their cells."""
        counts = np.zeros(len(self.edges), np.int64)
        np.add.at(counts, cell, 1 if times is None else times)
        sums = np.zeros((len(self.quantities), len(counts)), np.int64)
        beyond = np.zeros(sums.shape)
        for i, quantity in enumerate(self.quantities):
            values = quantity(llrs, self.sign)
            finite = np.isfinite(values)
            if not finite.all():
                beyond[i] = np.bincount(cell, np.where(finite, 0.0, values), len(counts))
                values = np.where(finite, values, 0.0)
            whole = np.rint(np.ldexp(values, -self.exponents[i][cell])).astype(np.int64)
            np.add.at(sums[i], cell, whole if times is None else whole * times)
        return CellSums(counts, sums, beyond)

    def in_order(self, found: CellSums) -> InCells:
        """Trials in rising order of their LLRs, given their sums."""
        cell = np.flatnonzero(found.counts)
        starts = np.cumsum(found.counts[cell]) - found.counts[cell]
        return InCells(starts, cell.astype(np.int32), found.counts, self.means(found))

    def means(self, found: CellSums) -> Floats:
        """The mean of each quantity in each cell; zero in cells without an LLR."""
        means = np.ldexp(found.sums / np.maximum(found.counts, 1), self.exponents)
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
        counts = None if llrs.are_single else llrs.counts
        found = fold_array(partial(CellFold, cells), llrs.values, counts)
        cell = cells.place(llrs.values)
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        trials = np.add.reduceat(llrs.counts, first)
        starts = np.cumsum(trials) - trials
        return cls(starts, cell[first].astype(np.int32), found.counts, cells.means(found))

    @property
    def cell_of_each(self) -> Array:
        """The cell of each trial."""
        return np.repeat(self.cell, np.diff(self.starts, append=self.counts.sum()))


class Sides(ABC):
    """LLRs of both classes, wherever they are, as statistics ask for them."""

    speakers: tuple[Array, Array] | None = None
    """Where known, the speakers of targets and of non-targets."""
    without: tuple[Sides, ...] = ()
    """Where known, the same without the trials of each group of speakers."""

    @property
    @abstractmethod
    def groups(self) -> Groups:
        """The groups of PAV."""

    @property
    @abstractmethod
    def totals(self) -> tuple[int, int]:
        """How many targets and non-targets there are."""

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

    def measured(self, edges: Floats, *quantities: Quantity) -> tuple[InCells, InCells]:
        """Both classes in cells between edges, with the means of quantities."""
        tar, non = (
            Cells(edges, self.ends, quantities, sign, count)
            for sign, count in zip((-1.0, 1.0), self.totals, strict=True)
        )
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


@dataclass(frozen=True)
class InMemory(Sides):
    """LLRs in memory, in the order of scores."""

    tar: Runs
    non: Runs
    speakers: tuple[Array, Array] | None = None
    without: tuple[Sides, ...] = ()

    @property
    def groups(self) -> Groups:
        return InCounts(self.tar.distinct, self.non.distinct).groups

    @property
    def totals(self) -> tuple[int, int]:
        return int(self.tar.counts.sum()), int(self.non.counts.sum())

    @cached_property
    def ends(self) -> tuple[float, float]:
        every = (side.values for side in (self.tar, self.non))
        finite = np.concatenate([llrs[np.isfinite(llrs)] for llrs in every])
        return float(finite.min(initial=0)), float(finite.max(initial=0))

    def in_cells(self, tar: Cells, non: Cells) -> tuple[InCells, InCells]:
        return InCells.of(self.tar, tar), InCells.of(self.non, non)

    def reach(self, edges: Floats) -> tuple[Ends, Ends]:
        return Ends.of(self.tar.values, edges), Ends.of(self.non.values, edges)


@dataclass(frozen=True)
class Statistic:
    """Trials in cells, and measures that follow from how many of each class are in each cell."""

    edges: Floats
    """The least LLR of each cell, in rising order; the first and the last hold infinite LLRs."""
    sides: tuple[InCells, InCells]
    """Targets and non-targets, with the means of quantities: costs by rules, or LLRs."""
    ask: Callable[[SetInCells], Numbers]
    """The measures, taken of the set itself or of one that is drawn from it."""
    rules: tuple[Rule, ...] = ()
    """Those of the costs that are averaged."""
    reach: tuple[Ends, Ends] | None = None
    """The least and the greatest LLR of each class in each cell, where devPAV is wanted."""

    @cached_property
    def actual(self) -> Numbers:
        """The numbers of the set itself."""
        return self.ask(self.whole)

    @property
    def whole(self) -> SetInCells:
        """The set itself."""
        tar, non = self.sides
        return self.drawn(tar.counts, non.counts)

    def drawn(self, tar: Counts, non: Counts) -> SetInCells:
        """A set with so many trials of either class in each cell."""
        means = self.sides[0].means, self.sides[1].means
        return SetInCells(self.edges, means, self.rules, self.reach, tar, non)

    def numbers(self, tar: Counts, non: Counts) -> Numbers:
        """The numbers of such a set."""
        return self.ask(self.drawn(tar, non))


@dataclass(frozen=True)
class SetInCells:
    """A set of trials of which only counts in cells are known; measures can be taken of it."""

    edges: Floats
    means: tuple[Floats, Floats]
    rules: tuple[Rule, ...]
    reach: tuple[Ends, Ends] | None
    tar: Counts
    non: Counts

    @cached_property
    def _used(self) -> Counts:
        return np.flatnonzero(self.tar + self.non)

    @property
    def levels(self) -> tuple[Counts, Counts]:
        return self.tar[self._used], self.non[self._used]

    @cached_property
    def hull(self) -> Hull:
        return Hull.pool(*self.levels)

    @cached_property
    def _rates(self) -> tuple[Floats, Floats]:
        """Misses and false alarms if the first trials that are accepted are those of each cell."""
        misses, rejected = (np.cumsum(counts) - counts for counts in (self.tar, self.non))
        total = self.non.sum()
        return misses / self.tar.sum(), (total - rejected) / total

    def pmiss(self, threshold: Floats) -> Floats:
        """Miss rates at thresholds, which are edges."""
        return self._rates[0][np.searchsorted(self.edges, threshold)]

    def pfa(self, threshold: Floats) -> Floats:
        """False-alarm rates at thresholds, which are edges."""
        return self._rates[1][np.searchsorted(self.edges, threshold)]

    @cached_property
    def _costs(self) -> dict[Rule, float]:
        tar, non = ([_mean(row, n) for row in side] for side, n in self._means_and_counts)
        return {
            rule: float(t + n) / (2 * math.log(2))
            for rule, t, n in zip(self.rules, tar, non, strict=True)
        }

    def mean_cost(self, rule: Rule) -> float:
        return self._costs[rule]

    @cached_property
    def _least_costs(self) -> dict[Rule, float]:
        return {rule: min_cost(self.hull, rule) for rule in self.rules}

    def least_cost(self, rule: Rule) -> float:
        return self._least_costs[rule]

    @cached_property
    def mean_llrs(self) -> tuple[float, float]:
        with np.errstate(invalid="ignore"):  # infinite LLRs on both sides have no mean
            tar, non = (float(_mean(side[0], n)) for side, n in self._means_and_counts)
        return tar, non

    @property
    def _means_and_counts(self) -> Iterator[tuple[Floats, Counts]]:
        return zip(self.means, (self.tar, self.non), strict=True)

    @property
    def dev_pav(self) -> float:
        """In a cell, the LLRs of a class are taken to reach as far as those of the whole set."""
        first = self._used[self.hull.first_group]
        last = self._used[np.append(self.hull.first_group[1:], len(self._used)) - 1]
        tar, non = (
            Ends(np.where(n > 0, one.least, np.inf), np.where(n > 0, one.greatest, -np.inf))
            for one, n in zip(self.reach or (), (self.tar, self.non), strict=True)
        )
        ends = tar.merge(non)
        return dev_pav(self.hull, Ends(ends.least[first], ends.greatest[last]))


def with_ends(*inner: Floats) -> Floats:
    """Edges in rising order, and a cell at either end for infinite LLRs only."""
    ends = np.array([-np.inf, np.nextafter(-np.inf, 0), np.inf])
    return np.unique(np.concatenate([ends, *inner]))


def taken(at: Container[TakenAt], asked: Asked) -> Callable[[SetInCells], Numbers]:
    """The measures that are asked for, of those that are taken at some of the possible things."""
    wanted = [
        (measure, asked.places(measure))
        for measure in MEASURES
        if measure.at in at and (measure.at != "range" or asked.range is not None)
    ]
    return lambda trials: {one.name: values_of(one, trials, places) for one, places in wanted}


def statistics_for(asked: Asked) -> list[Callable[[Sides], Statistic]]:
    """Statistics that give all measures that are asked for, each kind on cells of its own."""
    found: list[Callable[[Sides], Statistic]] = [partial(cost_statistic, asked=asked)]
    if asked.strengths is not None:
        thresholds = np.concatenate(misleading_thresholds(asked.strengths))
        ask = taken(("strengths",), asked)
        found.append(partial(rate_statistic, thresholds=thresholds, ask=ask))
        found.append(partial(llr_statistic, asked=asked))
    return found


def cost_statistic(llrs: Sides, asked: Asked) -> Statistic:
    """Measures of costs, and of errors at prior log-odds."""
    rules: tuple[Rule, ...] = tuple(dict.fromkeys(("log", *asked.rules)))
    curve = np.empty(0) if asked.range is None else asked.range
    edges = llrs.edges_between(-asked.prior_log_odds, -curve)
    sides = llrs.measured(edges, *(partial(costs_of, rule=rule) for rule in rules))
    return Statistic(edges, sides, taken(("once", "range", "points", "rules"), asked), rules)


def rate_statistic(
    llrs: Sides, thresholds: Floats, ask: Callable[[SetInCells], Numbers]
) -> Statistic:
    """What follows from error-rates at thresholds."""
    edges = with_ends(thresholds)
    return Statistic(edges, llrs.measured(edges), ask)


def llr_statistic(llrs: Sides, asked: Asked) -> Statistic:
    """Measures of the LLRs themselves."""
    edges = llrs.edges_between()
    sides = llrs.measured(edges, _llr)
    return Statistic(edges, sides, taken(("forensic",), asked), reach=llrs.reach(edges))


def entropy_statistic(llrs: Sides, prior_log_odds: Floats) -> Statistic:
    """Cross-entropies at prior log-odds, in bits.

    Within a cell, costs are taken at the mean LLR of the class, which is about right to 1e-4 bits.
    """
    edges = with_ends(llrs.grid)
    sides = llrs.measured(edges, _llr)
    # What a trial of each class costs in each cell (row) at each prior (column).
    of_tar, of_non = (
        np.maximum(expit(-sign * prior_log_odds), _TINY)
        * np.logaddexp(0, sign * (side.means[0][:, None] + prior_log_odds))
        / math.log(2)
        for side, sign in zip(sides, (-1.0, 1.0), strict=True)
    )

    def ask(trials: SetInCells) -> Numbers:
        return {"cross_entropy": _mean(of_tar, trials.tar) + _mean(of_non, trials.non)}

    return Statistic(edges, sides, ask)


def _llr(llrs: Floats, _sign: float) -> Floats:
    return llrs


def _mean(values: Floats, counts: Counts) -> Floats:
    """Mean of values, or of rows of them, by counts; cells without a trial may be infinite.

    A plain sum, since products of matrices would leave its order to the threads of BLAS.
    """
    used = counts > 0
    shares = counts[used] / counts.sum()
    return np.asarray((values[used].T * shares).sum(axis=-1))


def dev_pav(hull: Hull, ends: Ends) -> float:
    """How far LLRs lie from those of PAV, given its blocks and the least and greatest LLR in each.

    The PAV transform is drawn over the LLRs of the trials, straight lines connecting its points,
    and devPAV is its mean distance from the identity over the range of LLRs in which it is finite,
    in log10. It is zero for perfect calibration. Vergeer, Alberink, Sjerps and Ypma, Forensic
    Science International 321 (2021), 110722.

    NaN if PAV is finite nowhere, since the classes do not overlap; infinite if it is finite at an
    infinite LLR.
    """
    finite = np.isfinite(hull.llrs)
    if not finite.any():
        return math.nan
    llrs = np.column_stack([ends.least[finite], ends.greatest[finite]]).ravel()
    if np.isinf(llrs).any():
        return math.inf
    pav = np.repeat(hull.llrs[finite], 2)
    width, distance = np.diff(llrs * _ROOM), pav * _ROOM - llrs * _ROOM
    if not width.any():
        return float(abs(distance[0]) / _ROOM / math.log(10))
    return float(width / width.sum() @ _mean_size(distance) / _ROOM / math.log(10))


def _mean_size(distance: Floats) -> Floats:
    """The mean absolute value on each of the straight lines between neighbouring distances."""
    before, after = distance[:-1], distance[1:]
    total = np.abs(before) + np.abs(after)
    with np.errstate(invalid="ignore"):  # nothing crosses where both are zero
        squares = before / total * before + after / total * after
    return np.where((before < 0) != (after < 0), squares, total) / 2
