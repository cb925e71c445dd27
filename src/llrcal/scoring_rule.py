"""Proper scoring rules: costs of probabilities that are least, on average, for the true ones.

The logarithmic rule costs -log(1 - q), if q is the probability of the class that a trial is not of.
Brier's quadratic one costs 4 log(2) q^2: scaled so that a probability of one half costs log 2 by
either. docs/scoring-rules.md shows what they are good for.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy.special import expit

from llrcal.arrays import Floats
from llrcal.errors import OptionError

Rule = Literal["log", "brier"]
_RULES: tuple[Rule, ...] = ("log", "brier")
_BRIER = 4 * math.log(2)


def as_rule(rule: Any) -> Rule:
    """The name of a rule, checked.

    Raises
    ------
    OptionError
        If there is no such rule.
    """
    for name in _RULES:
        if isinstance(rule, str) and rule == name:
            return name
    raise OptionError(f"rule is {rule!r:.50}; give one of {', '.join(_RULES)}")


def rule_costs(x: Floats, rule: Rule = "log") -> Floats:
    """Costs where ``x`` is the log-odds of the class that a trial is not of."""
    if rule == "log":
        return np.logaddexp(0, x)
    return np.asarray(_BRIER * np.square(expit(np.asarray(x, np.float64))))


def rule_terms(x: Floats, rule: Rule = "log") -> tuple[Floats, Floats, Floats]:
    """The same costs, and their first and second derivatives in ``x``."""
    log, q, bend = logistic_terms(x)
    if rule == "log":
        return np.maximum(x, 0) + log, q, bend
    rise = 2 * _BRIER * q * bend
    return _BRIER * q * q, rise, rise * (2 - 3 * q)


def default_cost(alpha: float, rule: Rule = "log") -> float:
    """Mean cost of LLRs of zero, with weight ``alpha`` for targets."""
    log_odds = math.log(alpha) - math.log1p(-alpha)
    tar, non = rule_costs(np.array([-log_odds, log_odds]), rule)
    return float(alpha * tar + (1 - alpha) * non)


def logistic_terms(x: Floats) -> tuple[Floats, Floats, Floats]:
    """``log(1 + e^-|x|)``, p = 1 / (1 + e^-x), and p (1 - p).

    The first is what log(1 + e^x) adds to x where x is positive, and to zero elsewhere; p and
    p (1 - p) are its derivatives. All of them follow from one exponential: ``numpy.logaddexp``
    takes longer for one of them.
    """
    small = np.exp(-np.abs(x))
    whole = 1 + small
    return np.log1p(small), np.where(x >= 0, 1.0, small) / whole, small / (whole * whole)
