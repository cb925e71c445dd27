"""Cllr: the cost of log-likelihood-ratios over all operating points, in bits.

    Cllr = (1/2) [ mean_tar log2(1 + e^-llr) + mean_non log2(1 + e^llr) ]

minCllr is that of the best rising transformation of the LLRs (PAV, infinities kept), and the
difference of the two is the calibration loss. Brümmer and du Preez, Computer Speech and Language
20 (2006), 230-275.
"""

from __future__ import annotations

import math

import numpy as np

from llrcal.arrays import Array, ArrayLike, Counts
from llrcal.chunks import chunks, map_parts
from llrcal.hull import Hull
from llrcal.scores import as_scores


def cllr(tar: ArrayLike, non: ArrayLike) -> float:
    """Cllr of target and non-target LLRs in nats; infinite where an infinite LLR is wrong.

    Examples
    --------
    >>> from llrcal.evaluation.cllr import cllr
    >>> cllr([0.0, 0.0], [0.0])
    1.0
    """
    tar = as_scores(tar, "target", allow_infinite=True)
    non = as_scores(non, "non-target", allow_infinite=True)
    return (_mean_cost(tar, -1.0) + _mean_cost(non, 1.0)) / (2 * math.log(2))


def min_cllr(hull: Hull) -> float:
    """Cllr of the optimally calibrated LLRs."""
    with np.errstate(over="ignore"):
        tar = _weighted(hull.tar, np.logaddexp(0, -hull.llrs))
        non = _weighted(hull.non, np.logaddexp(0, hull.llrs))
    return (tar + non) / (2 * math.log(2))


def _mean_cost(llrs: Array, sign: float) -> float:
    """Mean of log(1 + exp(sign * llr))."""

    def total(part: Array) -> float:
        return sum(float(_softplus(chunk * sign).sum()) for chunk in chunks(part, 2**15))

    return sum(map_parts(total, llrs)) / len(llrs)


def _softplus(x: Array) -> Array:
    x = x.astype(np.float64, copy=False)
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _weighted(counts: Counts, costs: Array) -> float:
    """Mean cost of one class; blocks without a score of the class do not count."""
    used = counts > 0
    return float(counts[used] @ costs[used]) / float(counts.sum())
