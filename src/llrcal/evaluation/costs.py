"""Costs of log-likelihood-ratios by proper scoring rules, in bits.

Cllr, over all operating points, is

    Cllr = (1/2) [ mean_tar log2(1 + e^-llr) + mean_non log2(1 + e^llr) ].

minCllr is Cllr after the best rising transformation of the LLRs (PAV, infinities kept), and the
difference of the two is the calibration loss. Brümmer and du Preez, Computer Speech and Language
20 (2006), 230-275.

Empirical cross-entropy is Cllr spread out over the priors: at prior log-odds x, p = 1 / (1 + e^-x),

    ECE = p mean_tar log2(1 + e^-(llr + x)) + (1 - p) mean_non log2(1 + e^(llr + x)),

the average uncertainty about the hypotheses that remains once the LLR is known. At x = 0 it is
Cllr. If all LLRs are zero, it is the entropy of the prior. Ramos and Gonzalez-Rodriguez, Forensic
Science International 230 (2013), 156-169.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import entr, expit

from llrcal.arrays import Array, ArrayLike, Counts, Floats, weighted_sum
from llrcal.errors import DegenerateError
from llrcal.inputs.scores import as_scores
from llrcal.onepass.chunks import fold_array
from llrcal.onepass.hull import Hull
from llrcal.onepass.summary import Summary
from llrcal.onepass.sums import CostFold, ExactSum, SumFold
from llrcal.scoring_rule import Rule, rule_costs


def cllr(tar: ArrayLike, non: ArrayLike) -> float:
    """Cllr of target and non-target LLRs in nats; infinite if an infinite LLR is wrong.

    Examples
    --------
    >>> from llrcal.evaluation import cllr
    >>> cllr([0.0, 0.0], [0.0])
    1.0
    """
    tar = as_scores(tar, "target", allow_infinite=True)
    non = as_scores(non, "non-target", allow_infinite=True)
    return in_bits(cost(tar, -1.0), cost(non, 1.0))


def cost(llrs: Array, sign: float) -> ExactSum:
    """Sum of log(1 + exp(sign * llr)), which can be merged with that of other LLRs."""
    return fold_array(partial(CostFold, sign), llrs)


def cost_fold(sign: float, rule: Rule) -> SumFold:
    """A new fold of LLRs that adds up their costs by a rule, at a prior of one half."""
    if rule == "log":
        return CostFold(sign)
    return SumFold(lambda chunk: rule_costs(chunk * sign, rule))


def costs_of(llrs: Floats, sign: float, rule: Rule = "log") -> Floats:
    """What each LLR costs, in nats; the sign is that of a wrong one."""
    return rule_costs(sign * llrs, rule)


def in_bits(tar: ExactSum, non: ExactSum) -> float:
    """Cllr from the costs of both classes."""
    return (tar.mean + non.mean) / (2 * math.log(2))


def min_cost(hull: Hull, rule: Rule = "log") -> float:
    """The minCllr; or the same with another rule, since PAV is optimal for every proper one."""
    total = 0.0
    with np.errstate(over="ignore"):
        for counts, sign in ((hull.tar, -1.0), (hull.non, 1.0)):
            costs = costs_of(hull.llrs, sign, rule)
            used = counts > 0  # blocks without a score of the class do not count
            total += float(counts[used] @ costs[used]) / float(counts.sum())
    return total / (2 * math.log(2))


@dataclass(frozen=True)
class RuleCost:
    """A cost by a proper scoring rule and its minimum, at a prior of one half.

    LLRs of zero cost one.
    """

    rule: str
    actual: float
    minimum: float
    """The cost after the best rising transformation."""

    @property
    def loss(self) -> float:
        """What better calibration could gain."""
        return self.actual - self.minimum

    def to_dict(self) -> dict[str, float]:
        """The numbers as plain values."""
        return {"actual": self.actual, "minimum": self.minimum, "loss": self.loss}


@dataclass(frozen=True)
class WeightedLLRs:
    """The LLRs of one class: finite points with their shares, and a flag for infinite ones.

    Cross-entropy depends on every LLR at every prior, so LLRs are represented by a few thousand
    points. Infinite LLRs of the correct sign cost nothing, so the shares sum to one minus theirs.
    """

    values: Floats
    shares: Floats
    infinitely_wrong: bool

    @classmethod
    def of(cls, llrs: Array, counts: Counts | None = None, *, wrong: float) -> WeightedLLRs:
        """Compress LLRs; ``wrong`` is the infinity that contradicts the class.

        With counts, LLRs are distinct, and each occurs so many times.
        """
        total = len(llrs) if counts is None else int(counts.sum())
        infinite = np.isinf(llrs)
        finite = llrs[~infinite] if infinite.any() else llrs
        times = counts if counts is None else counts[~infinite]
        is_wrong = bool((llrs == wrong).any())
        try:
            return cls.summarised(Summary.of(finite, counts=times), total, wrong=is_wrong)
        except DegenerateError:  # none, or LLRs too far apart for any grid, which are rarely many
            if times is None:
                finite, times = np.unique(finite.astype(np.float64), return_counts=True)
            return cls(finite, times / total, is_wrong)

    @classmethod
    def summarised(cls, finite: Summary, count: int, *, wrong: bool) -> WeightedLLRs:
        """The same from a summary of the finite LLRs, out of ``count`` in all."""
        if not finite.count:
            return cls(np.empty(0), np.empty(0), wrong)
        points, grid = finite.points(), finite.grid
        shares = points.weights * (finite.count / count)
        return cls(grid.origin + points.values * grid.unit, shares, wrong)

    @classmethod
    def optimal(cls, hull: Hull) -> tuple[WeightedLLRs, WeightedLLRs]:
        """Targets and non-targets with their optimal LLRs, which are never infinitely wrong."""

        def of(counts: Counts) -> WeightedLLRs:
            used = (counts > 0) & np.isfinite(hull.llrs)
            return cls(hull.llrs[used], counts[used] / counts.sum(), infinitely_wrong=False)

        return of(hull.tar), of(hull.non)


def cross_entropy(tar: WeightedLLRs, non: WeightedLLRs, prior_log_odds: Floats) -> Floats:
    """Empirical cross-entropy in bits, in the shape of ``prior_log_odds``."""
    if tar.infinitely_wrong or non.infinitely_wrong:
        return np.full(np.shape(prior_log_odds), np.inf)
    # One prior at a time, so that the points stay in the cache.
    entropies = [
        sum(
            float(expit(-sign * x))
            * weighted_sum(np.logaddexp(0, sign * (side.values + x)), side.shares)
            for side, sign in ((tar, -1.0), (non, 1.0))
        )
        / math.log(2)
        for x in np.ravel(prior_log_odds).tolist()
    ]
    return np.reshape(np.array(entropies), np.shape(prior_log_odds))


def prior_entropy(prior_log_odds: Floats) -> Floats:
    """Entropy of the prior in bits: the cross-entropy of LLRs of zero."""
    both = entr(expit(prior_log_odds)) + entr(expit(-prior_log_odds))
    return np.asarray(both / math.log(2))
