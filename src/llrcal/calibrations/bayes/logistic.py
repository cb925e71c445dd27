"""Logistic regression with slope and height integrated out.

Scores are standardised, z = (s - m) / (2 d), with m and d their mean and deviation when targets
weigh alpha. Slope and height have Cauchy(0, 10) priors (after Gelman et al., *Annals of Applied
Statistics* 2, 2008), and the criterion of :mod:`llrcal.calibrations.logistic` counts as the log
likelihood of as many trials as its weights are worth, 1 / (alpha^2 / T + (1 - alpha)^2 / N). The
posterior is approximated by a Gaussian at its mode, so that the log-odds x at a score are Gaussian.
At even prior odds, the LLR is

    log E[1 / (1 + e^-x)] - log E[1 / (1 + e^x)].

At other odds the predictive probability would say something else: this LLR is right where targets
and non-targets are equally likely, and on the careful side of the plug-in LLR everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from llrcal.arrays import Array, Floats, weighted_sum
from llrcal.calibrations.curve import Curve
from llrcal.calibrations.fields import Fields
from llrcal.calibrations.logistic import CONSTANT, standardised
from llrcal.calibrations.panels import Panels
from llrcal.calibrations.training import Training
from llrcal.calibrations.turning_points import turning_points_around
from llrcal.densities.density import FURTHEST, Evaluated
from llrcal.errors import OptionError
from llrcal.fitting.line import LineCost
from llrcal.fitting.optimizer import minimise
from llrcal.fitting.report import Report
from llrcal.scoring_rule import LOG, RuleLike, ScoringRule

PRIOR_SCALE = 10.0
# The trapezoidal rule, whose error falls exponentially: with deviations of 10, it is 1e-13.
_NODES = np.arange(-12.0, 12.0 + 1 / 32, 1 / 16)
_WEIGHTS = np.exp(-0.5 * _NODES**2) / np.exp(-0.5 * _NODES**2).sum()
_AT_ONCE = 2**12  # scores


@dataclass(frozen=True, kw_only=True, repr=False)
class LogisticBayes(Curve):
    """The posterior of a line ``slope z + height``, with ``z = (s - origin - centre) / unit``."""

    alpha: float | str
    origin: float
    centre: float
    unit: float
    slope: float
    height: float
    slope_deviation: float
    height_deviation: float
    correlation: float

    method: ClassVar[str] = "logistic"

    @classmethod
    def fit(cls, data: Training, *, alpha: float | str = 0.5, rule: RuleLike = "log") -> Self:
        if ScoringRule.of(rule) != LOG:
            raise OptionError("bayes=True goes with the logarithmic rule only; leave out the rule")
        weight = data.weight(alpha)
        common: dict[str, Any] = {
            "tar_count": data.tar_count,
            "non_count": data.non_count,
            "alpha": alpha if isinstance(alpha, str) else weight,
        }
        least, greatest = data.score_range
        if least == greatest:
            report = Report.closed_form(LOG.default_cost(weight), (CONSTANT,))
            return cls(**common, **_nothing(least), report=report)
        origin = 0.5 * data.tar.grid.origin + 0.5 * data.non.grid.origin
        grids = data.tar.grid, data.non.grid
        wide = max(abs(grids[0].origin - grids[1].origin), *(grid.unit for grid in grids))
        tar, non = (standardised(side, origin, wide) for side in (data.tar, data.non))
        centre, deviation = _mean_and_deviation(tar, non, weight)
        unit = 2 * deviation
        worth = 1 / (weight**2 / data.tar_count + (1 - weight) ** 2 / data.non_count)
        tar, non = (((values - centre) / unit, weights) for values, weights in (tar, non))
        cost = Posterior(LineCost(tar, non, weight * worth, (1 - weight) * worth), worth)
        solution = minimise(cost, np.zeros(2), tolerance=1e-12)
        (a, b), (_, c) = np.linalg.inv(cost.precision(solution.point))
        return cls(
            **common,
            origin=origin,
            centre=centre * wide,
            unit=unit * wide,
            slope=float(solution.point[0]),
            height=float(solution.point[1]),
            slope_deviation=math.sqrt(a),
            height_deviation=math.sqrt(c),
            correlation=float(np.clip(b / math.sqrt(a * c), -1, 1)),
            report=Report.of(solution, solution.value),
        )

    @property
    def params(self) -> dict[str, Any]:
        mean, unit = self.origin + self.centre, self.unit
        return {
            "slope": self.slope / unit,
            "slope deviation": self.slope_deviation / unit,
            "height": self.height,
            "height deviation": self.height_deviation,
            "correlation": self.correlation,
            "height is at": mean,
            "prior": f"slope and height per {unit:.4g} of score: Cauchy(0, {PRIOR_SCALE:g})",
        }

    def moments(self, z: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the log-odds at standardised scores, a posteriori."""
        along, across = self.slope_deviation * z, self.height_deviation
        # A sum of squares, which no rounding makes negative.
        rest = across * math.sqrt((1 - self.correlation) * (1 + self.correlation))
        return self.slope * z + self.height, np.hypot(along + self.correlation * across, rest)

    def _formula(self, distance: Floats) -> Floats:
        """LLRs at distances from the centre."""
        z = np.clip(distance / self.unit, -FURTHEST, FURTHEST)
        parts = [z[at : at + _AT_ONCE] for at in range(0, max(1, len(z)), _AT_ONCE)]
        return np.concatenate([predictive_log_odds(*self.moments(part)) for part in parts])

    @cached_property
    def _panels(self) -> Panels:
        """The formula over the training scores."""
        low, high = self.bounds.lowest_score, self.bounds.highest_score
        return Panels(self._formula, self.unit, low - self._middle, high - self._middle)

    def _from_middle(self, distance: Floats) -> Floats:
        return self._panels(distance)

    @property
    def _middle(self) -> float:
        return self.origin + self.centre

    @property
    def _unit(self) -> float:
        return self.unit

    def _llrs(self, scores: Array) -> Floats:
        return self._panels(scores.astype(np.float64, copy=False) - self._middle)

    def _turns(self, low: float, high: float) -> Floats:
        middle = self._middle
        ends = low - middle, high - middle
        return middle + turning_points_around(self._panels, [], self.unit, ends)

    def to_model(self) -> dict[str, Any]:
        return {"bayes": True, "alpha": self.alpha} | {name: getattr(self, name) for name in _NAMES}

    @classmethod
    def from_model(cls, model: Fields, **common: Any) -> Self:
        values: dict[str, Any] = {
            name: model.number(name) for name in ("origin", "centre", "slope", "height")
        }
        values["unit"] = model.positive("unit")
        for name in ("slope_deviation", "height_deviation"):
            values[name] = model.not_negative(name)
        values["correlation"] = model.between("correlation", -1.0, 1.0)
        return cls(alpha=model.weight("alpha"), **values, **common)


_NAMES = (
    "origin",
    "centre",
    "unit",
    "slope",
    "height",
    "slope_deviation",
    "height_deviation",
    "correlation",
)


class Posterior:
    """Minus the log posterior of slope and height, divided by the worth of the trials."""

    def __init__(self, cost: LineCost, worth: float) -> None:
        self._cost, self._worth = cost, worth

    def __call__(self, point: Floats) -> Evaluated:
        value, gradient, hessian = self._cost(point)
        z = point / PRIOR_SCALE
        square = 1 + z * z
        return Evaluated(
            (value + float(np.log(square).sum())) / self._worth,
            (gradient + 2 * z / square / PRIOR_SCALE) / self._worth,
            (hessian + np.diag(2 * (1 - z * z) / square**2) / PRIOR_SCALE**2) / self._worth,
        )

    def precision(self, point: Floats) -> Floats:
        """The inverse covariance of the Gaussian that stands for the posterior.

        A Cauchy prior is a Gaussian one whose variance is unknown. With its expected precision, as
        here, the curvature is always positive, and LLRs come closer to those of the posterior
        itself than with the curvature of the Cauchy density.
        """
        square = 1 + (point / PRIOR_SCALE) ** 2
        return np.asarray(self._cost(point).hessian + np.diag(2 / square) / PRIOR_SCALE**2)


def predictive_log_odds(mean: Floats, deviation: Floats) -> Floats:
    """Log-odds of the mean of 1 / (1 + e^-x) over Gaussian x."""
    x = mean[:, None] + deviation[:, None] * _NODES
    yes, no = (_log_mean_exp(-np.logaddexp(0, sign * x)) for sign in (-1, 1))
    return np.asarray(yes - no)


def _log_mean_exp(logs: Floats) -> Floats:
    largest = logs.max(axis=1, initial=-np.inf)
    return np.asarray(largest + np.log((np.exp(logs - largest[:, None]) * _WEIGHTS).sum(axis=1)))


def _mean_and_deviation(
    tar: tuple[Floats, Floats], non: tuple[Floats, Floats], weight: float
) -> tuple[float, float]:
    """Mean and standard deviation of both classes, of which the targets weigh so much."""
    values = np.concatenate([tar[0], non[0]])
    weights = np.concatenate([tar[1] * weight, non[1] * (1 - weight)])
    mean = weighted_sum(values, weights)
    return mean, math.sqrt(weighted_sum((values - mean) ** 2, weights))


def _nothing(score: float) -> dict[str, Any]:
    """A line without a slope, which is certain."""
    return dict.fromkeys(_NAMES, 0.0) | {"origin": score, "unit": 1.0}
