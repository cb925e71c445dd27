"""Empirical cross-entropy: Cllr spread out over the priors, in bits.

At prior log-odds x, with p = 1 / (1 + e^-x),

    ECE = p mean_tar log2(1 + e^-(llr + x)) + (1 - p) mean_non log2(1 + e^(llr + x)),

the average uncertainty about the hypotheses that remains once the LLR is known. At x = 0 it is
Cllr. If all LLRs are zero, it is the entropy of the prior. Ramos and Gonzalez-Rodriguez, Forensic
Science International 230 (2013), 156-169.

It depends on every LLR at every prior, so LLRs are represented by a few thousand weighted points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import entr, expit

from llrcal.arrays import Array, Floats, weighted_sum
from llrcal.errors import DegenerateError
from llrcal.onepass.hull import Hull
from llrcal.onepass.summary import Summary


@dataclass(frozen=True)
class WeightedLLRs:
    """The LLRs of one class: finite points with their shares, and a flag for infinite ones.

    Infinite LLRs of the correct sign cost nothing, so the shares sum to one minus their share.
    """

    values: Floats
    shares: Floats
    infinitely_wrong: bool

    @classmethod
    def of(cls, llrs: Array, *, wrong: float) -> WeightedLLRs:
        """Compress LLRs; ``wrong`` is the infinity that contradicts the class."""
        infinite = np.isinf(llrs)
        finite = llrs[~infinite] if infinite.any() else llrs
        values, shares = _points(finite)
        return cls(values, shares * (len(finite) / len(llrs)), bool((llrs == wrong).any()))

    @classmethod
    def summarised(cls, finite: Summary, count: int, *, wrong: bool) -> WeightedLLRs:
        """The same from a summary of the finite LLRs, out of ``count`` in all."""
        values, shares = _points_of(finite) if finite.count else (np.empty(0), np.empty(0))
        return cls(values, shares * (finite.count / count), wrong)

    @classmethod
    def optimal(cls, hull: Hull) -> tuple[WeightedLLRs, WeightedLLRs]:
        """Targets and non-targets with their optimal LLRs, which are never infinitely wrong."""

        def of(counts: Array) -> WeightedLLRs:
            used = (counts > 0) & np.isfinite(hull.llrs)
            return cls(hull.llrs[used], counts[used] / counts.sum(), infinitely_wrong=False)

        return of(hull.tar), of(hull.non)

    def multiplied(self, factor: float) -> WeightedLLRs:
        """The same trials with all LLRs multiplied by a factor."""
        return replace(self, values=self.values * factor)

    def mean_cost(self, prior_log_odds: float, sign: float) -> float:
        """Mean of log2(1 + exp(sign * (llr + x)))."""
        if self.infinitely_wrong:
            return math.inf
        costs = np.logaddexp(0, sign * (self.values + prior_log_odds))
        return weighted_sum(costs, self.shares) / math.log(2)


def cross_entropy(tar: WeightedLLRs, non: WeightedLLRs, prior_log_odds: Floats) -> Floats:
    """Empirical cross-entropy in bits, in the shape of ``prior_log_odds``."""
    if tar.infinitely_wrong or non.infinitely_wrong:
        return np.full(np.shape(prior_log_odds), np.inf)
    # One prior at a time, so that the points stay in the cache.
    entropies = [
        float(expit(x)) * tar.mean_cost(x, -1.0) + float(expit(-x)) * non.mean_cost(x, 1.0)
        for x in np.ravel(prior_log_odds).tolist()
    ]
    return np.reshape(np.array(entropies), np.shape(prior_log_odds))


def prior_entropy(prior_log_odds: Floats) -> Floats:
    """Entropy of the prior in bits: the cross-entropy of LLRs of zero."""
    both = entr(expit(prior_log_odds)) + entr(expit(-prior_log_odds))
    return np.asarray(both / math.log(2))


def _points(llrs: Array) -> tuple[Floats, Floats]:
    """Values in nats, and shares that sum to one."""
    if not len(llrs):
        return np.empty(0), np.empty(0)
    try:
        return _points_of(Summary.of(llrs))
    except DegenerateError:  # LLRs too far apart for any grid, which are rarely many
        values, counts = np.unique(llrs.astype(np.float64), return_counts=True)
        return values, counts / len(llrs)


def _points_of(summary: Summary) -> tuple[Floats, Floats]:
    points = summary.points()
    return summary.grid.origin + points.values * summary.grid.unit, points.weights
