"""Normalised Bayes error-rate (paper, section 3).

At prior log-odds x, with p = 1 / (1 + e^-x), decisions are made at the Bayes threshold -x, and

    y = (p pmiss + (1 - p) pfa) / min(p, 1 - p).

One is the error of a recognizer that decides by the prior alone. A detection cost with other
costs than one is the same thing at another prior: only x = logit p + log(c_miss / c_fa) matters.
"""

from __future__ import annotations

import numpy as np

from llrcal.arrays import ArrayLike, Floats
from llrcal.errors import OptionError


def normalised(pmiss: Floats, pfa: Floats, prior_log_odds: Floats) -> Floats:
    """Error-rate at the given miss and false-alarm rates, in units of the default's."""
    miss_weight = np.exp(np.maximum(prior_log_odds, 0))
    fa_weight = np.exp(np.maximum(-prior_log_odds, 0))
    return np.asarray(pmiss * miss_weight + pfa * fa_weight, np.float64)


def as_prior_log_odds(prior_log_odds: ArrayLike) -> Floats:
    """Prior log-odds as an array; anything that is not finite is refused."""
    x = np.asarray(prior_log_odds, np.float64)
    if not np.isfinite(x).all():
        raise OptionError("prior log-odds must be finite numbers")
    return x


def effective_prior_log_odds(p_target: ArrayLike, c_miss: ArrayLike, c_fa: ArrayLike) -> Floats:
    """Prior log-odds with the costs folded in."""
    p, miss, fa = (np.asarray(value, np.float64) for value in (p_target, c_miss, c_fa))
    if not ((p > 0) & (p < 1)).all():
        raise OptionError(f"p_target is {p}; it must lie strictly between 0 and 1")
    for name, cost in (("c_miss", miss), ("c_fa", fa)):
        if not ((cost > 0) & np.isfinite(cost)).all():
            raise OptionError(f"{name} is {cost}; it must be positive")
    return as_prior_log_odds(np.log(p) - np.log1p(-p) + np.log(miss) - np.log(fa))


def default_cost(p_target: ArrayLike, c_miss: ArrayLike, c_fa: ArrayLike) -> Floats:
    """Expected cost of deciding by the prior alone."""
    p = np.asarray(p_target, np.float64)
    miss, fa = np.asarray(c_miss, np.float64), np.asarray(c_fa, np.float64)
    return np.asarray(np.minimum(p * miss, (1 - p) * fa))
