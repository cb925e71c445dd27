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
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation.costs import costs_of, min_cost
from llrcal.evaluation.error_rates import eer, least_error, normalised
from llrcal.evaluation.forensic import dev_pav
from llrcal.onepass.chunks import CHUNK, threads
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Ends
from llrcal.onepass.two_classes import InArrays
from llrcal.scoring_rule import LOG, ScoringRule

MOST_GROUPS = 2**16  # if there are more, neighbours within a PAV block are merged
STEP = 0.1  # nats between the edges of the grid, near zero
STRETCH = 0.02  # the same far from zero, as a fraction of the LLR

Measure = Callable[[Floats, float], Floats]
"""A quantity of LLRs of one class, such as a cost, given the sign of those that are wrong."""

Numbers = Mapping[str, Floats]
"""Numbers by name, of which there may be several: one for each operating point, for example."""

_TINY = np.finfo(np.float64).tiny  # instead of no chance at all, which has no infinite costs


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
    def of(cls, llrs: Array, edges: Floats, measures: Sequence[Measure], sign: float) -> InCells:
        """Assign LLRs to cells, and average quantities of them there."""
        cell = np.empty(len(llrs), np.int32)

        def place(start: int) -> tuple[Array, list[Array]]:
            part = llrs[start : start + CHUNK].astype(np.float64, copy=False)
            found = np.searchsorted(edges, part, side="right") - 1
            cell[start : start + CHUNK] = found
            weights = (None, *(measure(part, sign) for measure in measures))
            counts, *sums = (np.bincount(found, one, len(edges)) for one in weights)
            return counts, sums

        counts, sums = np.zeros(len(edges), np.int64), np.zeros((len(measures), len(edges)))
        # Chunks of fixed size in fixed order, so that sums do not depend on the number of threads.
        with ThreadPoolExecutor(threads()) as pool:
            for found, summed in pool.map(place, range(0, len(llrs), CHUNK)):
                counts += found
                sums += np.reshape(summed, sums.shape)
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        return cls(starts, cell[starts], counts, sums / np.maximum(counts, 1))

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


def in_cells(tar: Array, non: Array, edges: Floats, *measures: Measure) -> tuple[InCells, InCells]:
    """Both classes in cells between edges, for LLRs in the order of scores."""
    return InCells.of(tar, edges, measures, -1.0), InCells.of(non, edges, measures, 1.0)


def _rates(accepted: Array, tar: Counts, non: Counts) -> tuple[Floats, Floats]:
    """Miss and false-alarm rates, given the first cell that is accepted, and counts in each."""
    misses, rejected = ((np.cumsum(counts) - counts)[accepted] for counts in (tar, non))
    total = non.sum()
    return misses / tar.sum(), (total - rejected) / total


def edges_between(tar: Array, non: Array, *thresholds: Floats) -> Floats:
    """Edges at thresholds, between the groups of PAV, and close enough everywhere."""
    pooled = InArrays(tar, non).groups
    step = -(-len(pooled.low) // MOST_GROUPS)
    # Always those between the blocks of PAV.
    kept = np.union1d(np.arange(0, len(pooled.low), step), Hull.of(pooled).first_group)
    return with_ends(*thresholds, grid(tar, non), pooled.edges[kept])


def with_ends(*inner: Floats) -> Floats:
    """Edges in rising order, and a cell at either end for infinite LLRs only."""
    ends = np.array([-np.inf, np.nextafter(-np.inf, 0), np.inf])
    return np.unique(np.concatenate([ends, *inner]))


def grid(tar: Array, non: Array) -> Floats:
    """Edges every tenth of a nat near zero, and every fiftieth of the LLR far from it."""
    finite = np.concatenate([llrs[np.isfinite(llrs)] for llrs in (tar, non)])
    ends = np.array([finite.min(initial=0), finite.max(initial=0)], np.float64)
    scale = STEP / STRETCH
    low, high = np.arcsinh(ends / scale) / STRETCH
    return np.asarray(scale * np.sinh(STRETCH * np.arange(np.ceil(low), np.floor(high) + 1)))


def evaluation_statistic(
    tar: Array,
    non: Array,
    prior_log_odds: Floats,
    *,
    curve: Floats | None = None,
    rules: Sequence[ScoringRule] = (),
) -> Statistic:
    """The numbers of an evaluation.

    Cllr, minCllr, calibration loss, EER; at the operating points, the rates of error and the
    actual and minimum normalised costs; where there is a ``curve`` of prior log-odds, the mean of
    either over it; the costs by other rules, their minima, and the losses.
    """
    points, every = len(prior_log_odds), (LOG, *rules)
    x = prior_log_odds if curve is None else np.concatenate([prior_log_odds, curve])
    edges = edges_between(tar, non, -x)
    sides = in_cells(tar, non, edges, *(partial(costs_of, rule=rule) for rule in every))
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


def rates_statistic(tar: Array, non: Array, thresholds: Floats) -> Statistic:
    """Miss and false-alarm rates at thresholds, and the costs where these are Bayes thresholds."""
    edges = with_ends(thresholds)
    accepted = np.searchsorted(edges, thresholds)

    def numbers(tar: Counts, non: Counts) -> Numbers:
        pmiss, pfa = _rates(accepted, tar, non)
        return {"pmiss": pmiss, "pfa": pfa, "act_dcf": normalised(pmiss, pfa, -thresholds)}

    return Statistic(edges, in_cells(tar, non, edges), numbers)


def entropy_statistic(tar: Array, non: Array, prior_log_odds: Floats) -> Statistic:
    """Cross-entropies at prior log-odds, in bits.

    Within a cell, costs are taken at the mean LLR of the class, which is about right to 1e-4 bits.
    """
    edges = with_ends(grid(tar, non))
    sides = in_cells(tar, non, edges, _llr)
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


def forensic_statistic(tar: Array, non: Array) -> Statistic:
    """The devPAV, and mean LLRs of either class.

    In a cell, the LLRs of a class are taken to reach as far as those of the whole set, which is at
    most a tenth of a nat near zero.
    """
    edges = edges_between(tar, non)
    sides = in_cells(tar, non, edges, _llr)
    reach = Ends.of(tar, edges), Ends.of(non, edges)

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
