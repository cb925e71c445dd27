"""Cllr: the cost of log-likelihood-ratios over all operating points, in bits.

    Cllr = (1/2) [ mean_tar log2(1 + e^-llr) + mean_non log2(1 + e^llr) ]

minCllr is Cllr after the best rising transformation of the LLRs (PAV, infinities kept), and the
difference of the two is the calibration loss. Brümmer and du Preez, Computer Speech and Language
20 (2006), 230-275.
"""

from __future__ import annotations

import math

import numpy as np

from llrcal.arrays import Array, ArrayLike, Counts
from llrcal.inputs.scores import as_scores
from llrcal.onepass.hull import Hull
from llrcal.onepass.sums import ExactSum
from llrcal.scoring_rule import LOG, ScoringRule


def cllr(tar: ArrayLike, non: ArrayLike) -> float:
    """Cllr of target and non-target LLRs in nats; infinite if an infinite LLR is wrong.

    Examples
    --------
    >>> from llrcal.evaluation.cllr import cllr
    >>> cllr([0.0, 0.0], [0.0])
    1.0
    """
    tar = as_scores(tar, "target", allow_infinite=True)
    non = as_scores(non, "non-target", allow_infinite=True)
    return in_bits(cost(tar, -1.0), cost(non, 1.0))


def min_cllr(hull: Hull) -> float:
    """Cllr of the optimally calibrated LLRs."""
    with np.errstate(over="ignore"):
        tar = _weighted(hull.tar, np.logaddexp(0, -hull.llrs))
        non = _weighted(hull.non, np.logaddexp(0, hull.llrs))
    return (tar + non) / (2 * math.log(2))


def min_cost(hull: Hull, rule: ScoringRule) -> float:
    """The same with another rule: PAV is optimal for every proper scoring rule."""
    if rule == LOG:
        return min_cllr(hull)
    tar = _weighted(hull.tar, rule.costs(-hull.llrs, -1.0))
    non = _weighted(hull.non, rule.costs(hull.llrs, 1.0))
    return (tar + non) / (2 * math.log(2))


def cost(llrs: Array, sign: float, rule: ScoringRule = LOG) -> ExactSum:
    """Sum of log(1 + exp(sign * llr)), which can be merged with that of other LLRs.

    With another rule than the logarithmic one, the sum of its costs at a prior of one half.
    """
    if rule == LOG:
        return ExactSum.of_costs(llrs, sign)
    return ExactSum.of(llrs, lambda chunk: rule.costs(chunk * sign, sign))


def in_bits(tar: ExactSum, non: ExactSum) -> float:
    """Cllr from the costs of both classes."""
    return (tar.mean + non.mean) / (2 * math.log(2))


def _weighted(counts: Counts, costs: Array) -> float:
    """Mean cost of one class; blocks without a score of the class do not count."""
    used = counts > 0
    return float(counts[used] @ costs[used]) / float(counts.sum())
