"""What is uncertain about a line that minimises a proper scoring rule.

The line is where the mean pull of the trials vanishes. So its covariance is that of the mean pulls
of both classes, between two inverses of the curvature (Huber's "sandwich"), whatever the rule and
the weight of the targets are. With few trials it is itself uncertain, and the quantiles are those
of Student's T.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, stdtrit

from llrcal.arrays import Floats, weighted_sum
from llrcal.calibrations.uncertainty import LEVEL, Uncertainty
from llrcal.scoring_rule import ScoringRule

Side = tuple[Floats, Floats, int]
"""Standardised scores of a class, their weights, which sum to one, and how many trials it has."""


def line_uncertainty(
    at: Floats,
    standard: Floats,
    line: tuple[float, float],
    sides: tuple[Side, Side],
    alpha: float,
    rule: ScoringRule,
) -> Uncertainty:
    """The uncertainty of ``slope * standard + height``, in the standard units of the sides."""
    log_odds = math.log(alpha) - math.log1p(-alpha)
    curvature, variance = np.zeros((2, 2)), np.zeros((2, 2))
    for (values, weights, count), share, sign in zip(
        _by_the_line(sides, line), (alpha, 1 - alpha), (-1, 1), strict=True
    ):
        pull, bend = _pull_and_bend(values, line, log_odds, rule, sign)
        with np.errstate(over="ignore", invalid="ignore"):  # outliers by rules without a bound
            curvature += share * _moments(values, weights * bend)
            mean = _moments(values, weights * pull)[1]
            around = _moments(values, weights * pull * pull) - np.outer(mean, mean)
            variance += share**2 / max(count - 1, 1) * around
    if not (np.isfinite(curvature).all() and np.isfinite(variance).all()):
        return Uncertainty.total(at)
    rows = np.column_stack([standard, np.ones(len(standard))])
    # In units of the curvatures, which an outlier may drive far apart.
    units = np.sqrt(np.maximum(curvature.diagonal(), np.finfo(np.float64).tiny))
    inverse = np.linalg.pinv(curvature / np.outer(units, units), hermitian=True)
    inverse /= np.outer(units, units)
    moved = np.einsum("ki,ij->kj", rows, inverse)
    deviations = np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", moved, variance, moved), 0))
    few = min(count for _, _, count in sides)
    away = -stdtrit(max(few - 1, 1), (1 - LEVEL) / 2) * deviations
    llrs = line[0] * standard + line[1]

    def effect(count: int, share: float, sign: float) -> Floats:
        pull, _ = _pull_and_bend(standard, line, log_odds, rule, sign)
        return np.asarray(-share / count * np.einsum("ki,li->kl", moved, rows) * pull)

    tar, non = sides
    return Uncertainty(
        at,
        llrs - away,
        llrs + away,
        lambda: (effect(tar[2], alpha, -1), effect(non[2], 1 - alpha, 1)),
    )


def _by_the_line(sides: tuple[Side, Side], line: tuple[float, float]) -> tuple[Side, Side]:
    """Trials of both classes, each as likely to be of a class as the line says.

    If the line is right, their weighted means are those of the class, and vary less than means over
    its own trials, since there may be few of these where it matters.
    """
    tar_count, non_count = (count for _, _, count in sides)
    values = np.concatenate([side[0] for side in sides])
    counts = np.concatenate([weights * count for _, weights, count in sides])
    log_odds = line[0] * values + line[1] + math.log(tar_count) - math.log(non_count)
    tar, non = (counts * expit(sign * log_odds) for sign in (1, -1))
    return (values, tar / tar.sum(), tar_count), (values, non / non.sum(), non_count)


def _pull_and_bend(
    values: Floats, line: tuple[float, float], log_odds: float, rule: ScoringRule, sign: float
) -> tuple[Floats, Floats]:
    """First and second derivatives of the costs of trials of a class by their LLRs."""
    rise, bend = rule.derivatives(sign * (line[0] * values + line[1] + log_odds), sign)
    return sign * rise, bend


def _moments(values: Floats, weights: Floats) -> Floats:
    """Weighted sums of the squares and products of values and ones."""
    across = values * weights
    first = across.sum()
    return np.array([[weighted_sum(values, across), first], [first, weights.sum()]])
