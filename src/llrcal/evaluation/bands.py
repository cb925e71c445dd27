"""Bands: how much the curves of an evaluation could vary with the choice of the test set.

At each threshold or prior, a band is the interval that the bootstrap gives there. So each place of
a curve has its own share of drawn sets outside; a whole curve is outside somewhere more often.
Bands of rates and errors also reach as far as what nobody has seen could:
:mod:`llrcal.evaluation.unseen`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from llrcal.arrays import Array, ArrayLike, Counts, Floats
from llrcal.evaluation.bayes_error import as_prior_log_odds, normalised
from llrcal.evaluation.cells import InCells, grid, with_ends
from llrcal.evaluation.forensic import Forensic, misleading_thresholds
from llrcal.evaluation.forensic_cells import ForensicCells, ForensicIntervals
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.evaluation.percentiles import Interval, centred, interval
from llrcal.evaluation.resampling import Progress, Resampling, unheard
from llrcal.evaluation.unseen import possible_error, possible_rate

Band = tuple[Floats, Floats]
"""Lower and upper ends, in the order of the thresholds or priors."""


_TINY = np.finfo(np.float64).tiny  # instead of no chance at all, which has no infinite costs


@dataclass(frozen=True)
class RateCells:
    """Trials in cells between thresholds: their numbers are miss and then false-alarm rates."""

    edges: Floats
    thresholds: Floats
    tar: InCells
    non: InCells

    @classmethod
    def of(cls, tar: Array, non: Array, thresholds: Floats) -> RateCells:
        edges = with_ends(thresholds)
        return cls(edges, thresholds, InCells.of(tar, edges), InCells.of(non, edges))

    def metrics(self, tar: Counts, non: Counts) -> Floats:
        first = np.searchsorted(self.edges, self.thresholds)
        below, rejected = (np.append(0, np.cumsum(counts))[first] for counts in (tar, non))
        return np.concatenate([below / tar.sum(), (non.sum() - rejected) / non.sum()])


@dataclass(frozen=True)
class EntropyCells:
    """Trials in small cells: their numbers are cross-entropies at priors, in bits.

    Within a cell, costs are taken at the mean LLR of the class, which is about right to 1e-4 bits.
    """

    edges: Floats
    tar: InCells
    non: InCells
    costs: tuple[Floats, Floats]
    """What a trial of each class costs in each cell (row) at each prior (column)."""

    @classmethod
    def of(cls, tar: Array, non: Array, prior_log_odds: Floats) -> EntropyCells:
        edges = with_ends(grid(tar, non))
        sides = [InCells.of(llrs, edges, [np.array]) for llrs in (tar, non)]
        costs = [
            np.maximum(expit(-sign * prior_log_odds), _TINY)
            * np.logaddexp(0, sign * (side.means[0][:, None] + prior_log_odds))
            / math.log(2)
            for side, sign in zip(sides, (-1.0, 1.0), strict=True)
        ]
        return cls(edges, sides[0], sides[1], (costs[0], costs[1]))

    def metrics(self, tar: Counts, non: Counts) -> Floats:
        of_each = zip(self.costs, (tar, non), strict=True)
        return sum((_mean_row(costs, counts) for costs, counts in of_each), np.zeros(1))


@dataclass(frozen=True)
class Bands:
    """Bands of the curves of an evaluation; see :meth:`llrcal.Evaluation.bands`."""

    llrs: WholeLLRs
    draws: Resampling
    level: float
    progress: Progress = unheard

    @property
    def by(self) -> str:
        """What is drawn: "trial" or "speaker"."""
        return self.draws.by

    def rates(self, thresholds: ArrayLike) -> tuple[Band, Band]:
        """Bands of the miss rate and of the false-alarm rate at thresholds."""
        drawn, actual = self._rates(np.asarray(thresholds, np.float64))
        ends = self._band(drawn, actual, most=1.0)
        bands = zip(*(np.split(end, 2) for end in ends), strict=True)
        # The highest rates of what happened to no target, and to no non-target.
        rates = [possible_rate(len(side), self.level) for side in (self.llrs.tar, self.llrs.non)]
        tar, non = (
            (np.minimum(low, 1 - possible), np.maximum(high, possible))
            for (low, high), possible in zip(bands, rates, strict=True)
        )
        return tar, non

    def misleading(self, strengths: Sequence[float]) -> tuple[tuple[Interval, Interval], ...]:
        """Intervals of the rates of misleading evidence beyond strengths, targets first."""
        thresholds = misleading_thresholds(strengths)
        tar, non = (
            list(zip(*(end.tolist() for end in band), strict=True))
            for band in self.rates(thresholds)
        )
        return tuple(zip(tar[: len(strengths)], non[len(strengths) :], strict=True))

    def forensic(self, actual: Forensic) -> ForensicIntervals:
        """Intervals of devPAV and mean LLRs, given those of the set itself."""
        cells = ForensicCells.of(self.llrs.tar, self.llrs.non)
        return cells.intervals(self.draws.numbers(cells, self.progress), actual, self.level)

    def bayes_error(self, prior_log_odds: ArrayLike) -> Band:
        """A band of the normalised error-rate of Bayes decisions at prior log-odds."""
        x = as_prior_log_odds(prior_log_odds)
        drawn, actual = self._rates(-x)
        drawn_pmiss, drawn_pfa = np.split(drawn, 2, axis=1)
        pmiss, pfa = np.split(actual, 2)
        errors = normalised(drawn_pmiss, drawn_pfa, x)
        low, high = self._band(errors, normalised(pmiss, pfa, x))
        counts = len(self.llrs.tar), len(self.llrs.non)
        return low, np.maximum(high, possible_error(pmiss, pfa, x, counts=counts, level=self.level))

    def cross_entropy(self, prior_log_odds: ArrayLike) -> Band:
        """A band of the empirical cross-entropy at prior log-odds, in bits."""
        x = as_prior_log_odds(prior_log_odds)
        cells = EntropyCells.of(self.llrs.tar, self.llrs.non, x)
        actual = cells.metrics(cells.tar.counts, cells.non.counts)
        return self._band(self.draws.numbers(cells, self.progress), actual)

    def _rates(self, thresholds: Floats) -> tuple[Floats, Floats]:
        """Miss and false-alarm rates in every drawn set (row), and those of the set itself."""
        cells = RateCells.of(self.llrs.tar, self.llrs.non, thresholds)
        actual = cells.metrics(cells.tar.counts, cells.non.counts)
        return self.draws.numbers(cells, self.progress), actual

    def _band(self, drawn: Floats, actual: Floats, *, most: float = math.inf) -> Band:
        ends = np.array(interval(np.minimum(centred(drawn, actual), most), self.level))
        return ends[:, 0], ends[:, 1]


def _mean_row(rows: Floats, counts: Counts) -> Floats:
    """Mean of the rows by counts; rows that are not counted may be infinite.

    A plain sum, since products of matrices would leave its order to the threads of BLAS.
    """
    used = counts > 0
    shares = counts[used] / counts.sum()
    return np.asarray((rows[used] * shares[:, None]).sum(axis=0))
