"""Normalised Bayes error-rate (paper, section 3).

At prior log-odds x, with p = 1 / (1 + e^-x), decisions are made at the Bayes threshold -x, and

    y = (p pmiss + (1 - p) pfa) / min(p, 1 - p).

A value of one is the error of a recognizer that decides by the prior alone. Costs other than one
are equivalent to another prior: only x = logit p + log(c_miss / c_fa) matters.
"""

from __future__ import annotations

from numbers import Real

import numpy as np

from llrcal.arrays import ArrayLike, Bools, Floats
from llrcal.errors import OptionError


def normalised(pmiss: Floats, pfa: Floats, prior_log_odds: Floats) -> Floats:
    """Error-rate at the given miss and false-alarm rates, relative to deciding by the prior."""
    return _weighted(pmiss, prior_log_odds) + _weighted(pfa, -prior_log_odds)


def _weighted(rate: Floats, log_weight: Floats) -> Floats:
    """Rate * max(1, e^log_weight); zero if the rate is zero, even if the weight overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = rate * np.exp(np.maximum(log_weight, 0))
    return np.where(rate == 0, 0.0, product)


def as_prior_log_odds(prior_log_odds: ArrayLike) -> Floats:
    """Prior log-odds as an array; anything that is not finite is refused."""
    x = as_numbers(prior_log_odds, "prior log-odds")
    if not (good := np.isfinite(x)).all():
        raise OptionError(f"prior log-odds must be finite numbers, not {_first_bad(x, good)}")
    return x


def _first_bad(values: Floats, good: Bools) -> str:
    """The first bad value, and where it is among several: there may be thousands."""
    first = int(np.argmin(good))
    where = f" at index {first}" if values.ndim else ""
    return f"{float(values.flat[first])!r}{where}"


def as_numbers(values: ArrayLike, name: str) -> Floats:
    """An option as doubles; text is not parsed, and None does not become NaN."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        array = np.array("")
    objects = array.ravel() if array.dtype.kind == "O" else ()  # such as fractions, or None
    if array.dtype.kind not in "biufO" or not all(isinstance(value, Real) for value in objects):
        raise OptionError(f"{name} must be a number or an array of numbers, not {values!r:.50}")
    return array.astype(np.float64)


def effective_prior_log_odds(p_target: ArrayLike, c_miss: ArrayLike, c_fa: ArrayLike) -> Floats:
    """Prior log-odds with the costs folded in."""
    named = {"p_target": p_target, "c_miss": c_miss, "c_fa": c_fa}
    p, miss, fa = (as_numbers(value, name) for name, value in named.items())
    if not (good := (p > 0) & (p < 1)).all():
        bad = _first_bad(p, good)
        raise OptionError(f"p_target is {bad}; it must lie strictly between 0 and 1")
    for name, cost in (("c_miss", miss), ("c_fa", fa)):
        if not (good := (cost > 0) & np.isfinite(cost)).all():
            bad = _first_bad(cost, good)
            raise OptionError(f"{name} is {bad}; it must be positive and finite")
    return as_prior_log_odds(np.log(p) - np.log1p(-p) + np.log(miss) - np.log(fa))


def default_cost(p_target: ArrayLike, c_miss: ArrayLike, c_fa: ArrayLike) -> Floats:
    """Expected cost of deciding by the prior alone."""
    p = np.asarray(p_target, np.float64)
    miss, fa = np.asarray(c_miss, np.float64), np.asarray(c_fa, np.float64)
    return np.asarray(np.minimum(p * miss, (1 - p) * fa))
