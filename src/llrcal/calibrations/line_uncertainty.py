"""What is uncertain about a line that minimises a proper scoring rule.

The line is where the mean pull of the trials vanishes. So its covariance is that of the mean pulls
of both classes, between two inverses of the curvature (Huber's "sandwich"), whatever the rule and
the weight of the targets are. There are two estimates of it. One looks at the trials alone, and
holds if the line is wrong, too; but where few trials matter, it varies a lot. The other weighs all
trials by how likely the line finds them to be of a class: it varies less, and holds if the line is
right. The larger of both is taken. With few trials it is itself uncertain, and the quantiles are
those of Student's T.

95 % intervals of simulated sets of 20 + 200 to 200 + 2,000 trials held the line of all trials in 94
to 99 % of sets where the line was right, and in 92 to 96 % where targets spread four times as wide
as non-targets, or had Student's T with 2.5 dof; by the second estimate alone in 76 to 94 %, by the
first alone in 72 to 97 %.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, stdtrit

from llrcal.arrays import Floats, weighted_sum
from llrcal.calibrations.uncertainty import LEVEL, Uncertainty
from llrcal.fitting.logistic import log_odds
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
    odds = log_odds(alpha)
    rows = np.column_stack([standard, np.ones(len(standard))])
    found = [
        _sandwich(rows, line, trials, alpha, rule) for trials in (_by_the_line(sides, line), sides)
    ]
    if None in found:
        return Uncertainty.total(at)
    (moved, by_line), (_, by_trials) = (one for one in found if one is not None)
    deviations = np.sqrt(np.maximum(by_line, by_trials))
    few = min(count for _, _, count in sides)
    away = -stdtrit(max(few - 1, 1), (1 - LEVEL) / 2) * deviations
    llrs = line[0] * standard + line[1]

    def effect(count: int, share: float, sign: float) -> Floats:
        pull, _ = _pull_and_bend(standard, line, odds, rule, sign)
        return np.asarray(-share / count * np.einsum("ki,li->kl", moved, rows) * pull)

    tar, non = sides
    return Uncertainty(
        at,
        llrs - away,
        llrs + away,
        lambda: (effect(tar[2], alpha, -1), effect(non[2], 1 - alpha, 1)),
    )


def _sandwich(
    rows: Floats,
    line: tuple[float, float],
    sides: tuple[Side, Side],
    alpha: float,
    rule: ScoringRule,
) -> tuple[Floats, Floats] | None:
    """Rows times the inverse curvature, and the variances of the line at them; None if infinite."""
    odds, curvature, variance = log_odds(alpha), np.zeros((2, 2)), np.zeros((2, 2))
    for (values, weights, count), share, sign in zip(
        sides, (alpha, 1 - alpha), (-1, 1), strict=True
    ):
        pull, bend = _pull_and_bend(values, line, odds, rule, sign)
        with np.errstate(over="ignore", invalid="ignore"):  # outliers by rules without a bound
            curvature += share * _moments(values, weights * bend)
            mean = _moments(values, weights * pull)[1]
            around = _moments(values, weights * pull * pull) - np.outer(mean, mean)
            variance += share**2 / max(count - 1, 1) * around
    if not (np.isfinite(curvature).all() and np.isfinite(variance).all()):
        return None
    # In units of the curvatures, which an outlier may drive far apart.
    units = np.sqrt(np.maximum(curvature.diagonal(), np.finfo(np.float64).tiny))
    inverse = np.linalg.pinv(curvature / np.outer(units, units), hermitian=True)
    moved = np.einsum("ki,ij->kj", rows, inverse / np.outer(units, units))
    return moved, np.maximum(np.einsum("ki,ij,kj->k", moved, variance, moved), 0)


def _by_the_line(sides: tuple[Side, Side], line: tuple[float, float]) -> tuple[Side, Side]:
    """Trials of both classes, each as likely to be of a class as the line says."""
    tar_count, non_count = (count for _, _, count in sides)
    values = np.concatenate([side[0] for side in sides])
    counts = np.concatenate([weights * count for _, weights, count in sides])
    log_odds = line[0] * values + line[1] + math.log(tar_count) - math.log(non_count)
    tar, non = (counts * expit(sign * log_odds) for sign in (1, -1))
    return (values, tar / tar.sum(), tar_count), (values, non / non.sum(), non_count)


def _pull_and_bend(
    values: Floats, line: tuple[float, float], odds: float, rule: ScoringRule, sign: float
) -> tuple[Floats, Floats]:
    """First and second derivatives of the costs of trials of a class by their LLRs."""
    _, rise, bend = rule.terms(sign * (line[0] * values + line[1] + odds), sign)
    return sign * rise, bend


def _moments(values: Floats, weights: Floats) -> Floats:
    """Weighted sums of the squares and products of values and ones."""
    across = values * weights
    first = across.sum()
    return np.array([[weighted_sum(values, across), first], [first, weights.sum()]])
