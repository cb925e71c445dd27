"""Error-rates: those of Bayes decisions, the equal error-rate, and what rests on enough errors.

At prior log-odds x, with p = 1 / (1 + e^-x), decisions are made at the Bayes threshold -x, and the
normalised Bayes error-rate (paper, section 3) is

    y = (p pmiss + (1 - p) pfa) / min(p, 1 - p).

A value of one is the error of a recognizer that decides by the prior alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Floats
from llrcal.onepass.hull import Hull

Rates = tuple[Floats, Floats]
"""Of misses and of false alarms."""

LEAST_ERRORS = 30
"""Doddington's rule of 30: error-rates are based on at least so many errors of each kind."""


def normalised(pmiss: Floats, pfa: Floats, prior_log_odds: Floats) -> Floats:
    """Error-rate at the given miss and false-alarm rates, relative to deciding by the prior."""
    return _weighted(pmiss, prior_log_odds) + _weighted(pfa, -prior_log_odds)


def _weighted(rate: Floats, log_weight: Floats) -> Floats:
    """Rate * max(1, e^log_weight); zero if the rate is zero, even if the weight overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = rate * np.exp(np.maximum(log_weight, 0))
    return np.where(rate == 0, 0.0, product)


def least_error(hull: Hull, prior_log_odds: Floats) -> Floats:
    """Normalised error-rate at the best threshold for each of some prior log-odds."""
    vertex = hull.best_vertex(prior_log_odds)
    return normalised(hull.pmiss[vertex], hull.pfa[vertex], prior_log_odds)


def eer(hull: Hull) -> float:
    """Rate at which misses and false alarms are equal on the ROC convex hull, as a fraction.

    If scores are tied or few, EERs read off the steps of the ROC differ between programs. That of
    the convex hull is well defined: it is the largest minimum Bayes error over all priors, and can
    be reached by choosing between two thresholds at random.
    """
    pmiss, pfa = hull.pmiss, hull.pfa
    difference = pmiss - pfa
    after = int((difference >= 0).argmax())
    before = after - 1
    share = -difference[before] / (difference[after] - difference[before])
    return float(pmiss[before] + share * (pmiss[after] - pmiss[before]))


def rule_of_30(hull: Hull) -> tuple[float, float]:
    """Lowest and highest prior log-odds with 30 misses and 30 false alarms at the best threshold.

    Both are NaN if there are none.
    """
    enough = (hull.misses >= LEAST_ERRORS) & (hull.false_alarms >= LEAST_ERRORS)
    if not enough.any():
        return math.nan, math.nan
    first, last = np.flatnonzero(enough)[[0, -1]]
    # Vertex i is best for thresholds between the LLRs of the blocks below and above it.
    return -float(hull.llrs[last]), -float(hull.llrs[first - 1])


def possible_rate(count: int, level: float) -> float:
    """The highest rate of something that did not happen in so many trials.

    What is not in a test set is in no set drawn from it, so that resampling takes a rate of zero
    for certain. But if errors had a rate above r = 1 - (a / 2)^(1 / n), n independent trials
    without one would be rarer than a / 2; for a = 5 %, r is about 3.7 / n, as in the rule of three.
    So intervals of level 1 - a reach at least as far as r.
    """
    return -math.expm1(math.log((1 - level) / 2) / count)


@dataclass(frozen=True)
class Unseen:
    """How frequent errors may be that hardly ever, or never, happened to so many trials."""

    counts: tuple[int, int]
    """Of targets and of non-targets."""
    supporting: tuple[int, int]
    """How many of these tell of different speakers."""
    level: float

    def rates(self, pmiss: Floats, pfa: Floats) -> Rates:
        """The highest rates of misses and of false alarms, given those that were observed."""
        misses, alarms = (
            np.where(rate == 0, *(possible_rate(count, self.level) for count in (none, some)))
            for rate, some, none in zip((pmiss, pfa), self.counts, self.supporting, strict=True)
        )
        return misses, alarms


def possible_error(
    pmiss: Floats, pfa: Floats, x: Floats, *, possible: tuple[Floats, Floats]
) -> Floats:
    """The normalised error-rate with the highest rate of unseen misses, or of false alarms."""
    misses, alarms = possible
    more_misses = normalised(np.maximum(pmiss, misses), pfa, x)
    return np.maximum(more_misses, normalised(pmiss, np.maximum(pfa, alarms), x))
