"""The weighted cost of labels: the criterion of logistic regression, and of Brier's rule.

    alpha/T sum_tar log(1 + e^-x) + (1 - alpha)/N sum_non log(1 + e^x),   x = LLR + logit alpha,

whatever the LLR is a function of: a score (:class:`LineCost`), a rising spline
(:mod:`llrcal.fitting.stiffness`), the scores of several systems (:mod:`llrcal.fusion.regression`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.densities.density import Evaluated
from llrcal.scoring_rule import Rule, rule_terms

Weighted = tuple[Floats, Floats]
"""Scores and their weights."""


def log_odds(alpha: float) -> float:
    """The logit of the weight of the targets."""
    return math.log(alpha) - math.log1p(-alpha)


def effective_sample_size(alpha: float, tar_count: Any, non_count: Any) -> Any:
    """How many trials the criterion is worth: 2 / (alpha/T + (1 - alpha)/N).

    As many times the criterion, its curvature is the inverse of the covariance of what minimises
    it. For if the LLRs are right and p is the probability of a target, a trial adds p (1 - p) to
    the curvature, and p (1 - p) (alpha (1 - p)/T + (1 - alpha) p/N) to the variance of the
    gradient. Both are large near p = 1/2, around which they are symmetric for classes that are well
    apart. If alpha is the share of the targets, T + N is exact; if it is 1/2, this is the number of
    Kish, 1 / (alpha²/T + (1 - alpha)²/N), which is up to half of it elsewhere.
    """
    return 2 / (alpha / tar_count + (1 - alpha) / non_count)


class LineCost:
    """The criterion as a function of slope and height, over weighted points of both classes."""

    def __init__(
        self,
        tar: Weighted,
        non: Weighted,
        tar_weight: float,
        non_weight: float,
        rule: Rule = "log",
    ) -> None:
        self.values = np.concatenate([tar[0], non[0]])
        self.weights = np.concatenate([tar[1] * tar_weight, non[1] * non_weight])
        # A target costs log(1 + e^-x), a non-target log(1 + e^x).
        self._sign = np.concatenate([np.full(len(tar[0]), -1.0), np.ones(len(non[0]))])
        self._rule = rule
        self.prior_log_odds = math.log(tar_weight) - math.log(non_weight)

    def __call__(self, point: Floats) -> Evaluated:
        slope, height = point
        x = self._sign * (slope * self.values + (height + self.prior_log_odds))
        costs, rise, bend = rule_terms(x, self._rule)
        pull, bend = self._sign * self.weights * rise, self.weights * bend
        bent = self.values * bend
        across, down = float(bent.sum()), weighted_sum(self.values, bent)
        return Evaluated(
            weighted_sum(costs, self.weights),
            np.array([weighted_sum(self.values, pull), float(pull.sum())]),
            np.array([[down, across], [across, float(bend.sum())]]),
        )
