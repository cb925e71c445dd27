"""Proper scoring rules: costs of probabilities that are least, on average, for the true ones.

Brümmer and Doddington, "Likelihood-ratio calibration using prior-weighted proper scoring rules",
Interspeech 2013; Buja, Stuetzle and Shen, "Loss functions for binary class probability estimation
and classification" (2005), section 11. Every such rule adds up the costs of decisions at all
thresholds t of the probability q of a target, here with weights t^(a-1) (1 - t)^(b-1):

    a target costs      integral from q to 1 of t^(a-1) (1 - t)^b dt,
    a non-target costs  integral from 0 to q of t^a (1 - t)^(b-1) dt.

With a = b = 0 these are the logarithmic costs, -log q and -log(1 - q); with a = b = 1 the quadratic
ones of Brier; with a = b = -1/2 the exponential ones of boosting. All are scaled so that a
probability of one half costs log 2, the mean over both classes, as it does with the logarithmic
rule. Exchanging the classes exchanges a with b. docs/scoring-rules.md shows what they are good for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyval
from scipy.special import expit

from llrcal.arrays import Floats, is_number
from llrcal.errors import OptionError

NAMED = {"log": (0.0, 0.0), "brier": (1.0, 1.0), "boosting": (-0.5, -0.5)}
LEAST, GREATEST = -0.9, 10.0  # weights beyond are all at the ends, or all at one threshold
ONE_OF_THE_RULES = (
    f"one of {', '.join(NAMED)}, or two numbers from {LEAST:g} to {GREATEST:g}, the exponents of "
    "its weights"
)
_NOTHING = 1e-290
_TERMS = 64  # of series in probabilities of at most one half


@dataclass(frozen=True)
class ScoringRule:
    """A rule of the family, by the exponents of its weights."""

    a: float
    b: float

    @classmethod
    def of(cls, rule: Any) -> ScoringRule:
        """A rule by its name, or by a pair of exponents.

        Raises
        ------
        OptionError
            If there is no such rule, or an exponent is out of range.
        """
        if isinstance(rule, cls):
            return rule
        if isinstance(rule, str) and rule in NAMED:
            return cls(*NAMED[rule])
        if isinstance(rule, list | tuple) and len(rule) == 2:
            a, b = rule
            if all(is_number(one) and LEAST <= one <= GREATEST for one in (a, b)):
                return cls(float(a) + 0.0, float(b) + 0.0)  # -0.0 becomes 0.0
        raise OptionError(f"rule is {rule!r:.50}; give {ONE_OF_THE_RULES}")

    @property
    def name(self) -> str:
        """Its name, or its exponents as they are written on the command line."""
        names = {exponents: name for name, exponents in NAMED.items()}
        return names.get((self.a, self.b), f"{self.a!r},{self.b!r}")

    @property
    def plain(self) -> str | list[float]:
        """Its name, or its exponents if it has none, for JSON."""
        return self.name if self.name in NAMED else [self.a, self.b]

    def costs(self, x: Floats, sign: float) -> Floats:
        """Costs where ``sign`` times the log-odds of a target is ``x``.

        The sign is 1 for non-targets and -1 for targets, so that costs rise with ``x``. A cost that
        is too large for a double is infinite.
        """
        a, b = self._exponents(sign)
        with np.errstate(over="ignore"):
            return _scale(a, b) * _raw_costs(np.asarray(x, np.float64), a, b)

    def terms(self, x: Floats, sign: float) -> tuple[Floats, Floats, Floats]:
        """The costs, and their first and second derivatives in ``x``."""
        log, q, bend = logistic_terms(x)
        log_rest = np.maximum(x, 0) + log
        if self == LOG:
            return log_rest, q, bend
        a, b = self._exponents(sign)
        # Where q is the probability of the other class: 1 - q, and minus both logarithms.
        log_q = np.maximum(-x, 0) + log
        with np.errstate(over="ignore", invalid="ignore"):  # where the cost is infinite
            rise = _scale(a, b) * np.exp(-(a + 1) * log_q - b * log_rest)
            return self.costs(x, sign), rise, rise * ((a + 1) * expit(-x) - b * q)

    def _exponents(self, sign: float) -> tuple[float, float]:
        # Of exponents that are all but zero, products with others lose their digits.
        a, b = (one if abs(one) >= _NOTHING else 0.0 for one in (self.a, self.b))
        return (a, b) if sign > 0 else (b, a)

    def default_cost(self, alpha: float) -> float:
        """Mean cost of LLRs of zero, with weight ``alpha`` for targets."""
        log_odds = np.array([math.log(alpha) - math.log1p(-alpha)])
        tar, non = self.costs(-log_odds, -1.0), self.costs(log_odds, 1.0)
        return float(alpha * tar[0] + (1 - alpha) * non[0])

    def weights(self, prior_log_odds: Floats, *, alpha: float = 0.5) -> Floats:
        """Weight of the normalised Bayes error-rate at each prior log-odds; its integral is one.

        The mean cost of LLRs, with weight ``alpha`` for targets and relative to that of LLRs of
        zero, is the mean of normalised Bayes error-rates over prior log-odds with these weights.
        """
        x = np.asarray(prior_log_odds, np.float64)
        a, b = self.a, self.b
        threshold = math.log(alpha) - math.log1p(-alpha) - x  # log-odds of the posterior at it
        log_weights = -a * np.logaddexp(0, -threshold) - (b + 1) * np.logaddexp(0, threshold)
        weights = np.exp(log_weights - np.maximum(x, 0))
        return np.asarray(weights * (_scale(a, b) * alpha / self.default_cost(alpha)))


def logistic_terms(x: Floats) -> tuple[Floats, Floats, Floats]:
    """``log(1 + e^-|x|)``, p = 1 / (1 + e^-x), and p (1 - p).

    The first is what log(1 + e^x) adds to x where x is positive, and to zero elsewhere; p and
    p (1 - p) are its derivatives. All of them follow from one exponential: ``numpy.logaddexp``
    takes longer for one of them.
    """
    small = np.exp(-np.abs(x))
    whole = 1 + small
    return np.log1p(small), np.where(x >= 0, 1.0, small) / whole, small / (whole * whole)


RuleLike = str | Sequence[float] | ScoringRule
"""The name of a rule, its two exponents, or the rule itself."""

LOG = ScoringRule(*NAMED["log"])


@lru_cache(maxsize=32)
def _scale(a: float, b: float) -> float:
    halves = [float(_raw_costs(np.zeros(1), *pair)[0]) for pair in ((a, b), (b, a))]
    return 2 * math.log(2) / sum(sorted(halves))  # the same for both classes, to the last bit


def _raw_costs(x: Floats, a: float, b: float) -> Floats:
    """The integral from 0 to q of t^a (1 - t)^(b-1) dt, where x is the log-odds of q.

    In powers of the smaller of q and 1 - q, so that nothing is lost in either tail.
    """
    low, high = _series(a, b)

    def up_to(at: Any) -> Any:
        return np.exp(-(a + 1) * np.logaddexp(0, -at)) * polyval(expit(at), low)

    above = x > 0
    out = np.empty(x.shape)
    out[~above] = up_to(x[~above])
    # Beyond one half, by r = 1 - t: from 1 - q to one half of r^(b-1) (1 - r)^a. Its first term,
    # r^(b-1), is integrated apart: as b goes to zero it becomes a logarithm.
    log_r = -np.logaddexp(0, x[above])
    since_half = log_r + math.log(2)
    first = -(np.expm1(b * since_half) / b if b else since_half) * 0.5**b
    rest = np.exp((b + 1) * log_r) * polyval(expit(-x[above]), high)
    out[above] = up_to(0.0) + first + (0.5 ** (b + 1) * polyval(0.5, high) - rest)
    return out


@lru_cache(maxsize=32)
def _series(a: float, b: float) -> tuple[Floats, Floats]:
    """Coefficients of the integrals of t^a (1 - t)^(b-1) and, but for r^(b-1), its mirror image.

    Both without the common power: t^(a+1) and r^(b+1).
    """
    k = np.arange(_TERMS)
    low = _binomials(b - 1) / (a + 1 + k)
    high = _binomials(a)[1:] / (b + k[1:])
    return np.trim_zeros(low, "b"), np.trim_zeros(high, "b") if high.any() else np.zeros(1)


def _binomials(power: float) -> Floats:
    """Coefficients of (1 - t)^power."""
    k = np.arange(1, _TERMS)
    return np.concatenate([[1.0], np.cumprod((k - 1 - power) / k)])
