"""Logistic regression with slope and height integrated out.

Scores are standardised, z = (s - m) / (2 d), with m and d their mean and deviation when targets
weigh alpha. Slope and height have Gaussian priors around zero. Their deviation is the slope of the
LLR of two Gaussian classes that are three of their deviations apart: 6 sqrt(1 + 9 alpha (1 -
alpha)). The criterion of :mod:`llrcal.calibrations.methods.logistic` counts as the log likelihood
of as many trials as it is worth (:func:`llrcal.fitting.logistic.effective_sample_size`). The
posterior is replaced by the Gaussian with its mean and covariance, which are sums over a lattice;
so the log-odds x at a score are Gaussian. At even prior odds, the LLR is

    log E[1 / (1 + e^-x)] - log E[1 / (1 + e^x)].

At other odds the predictive probability would say something else: this LLR is right where targets
and non-targets are equally likely, and on the careful side of the plug-in LLR everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from scipy.special import expit

from llrcal.arrays import Floats, weighted_sum
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.curve import Formula
from llrcal.calibrations.methods.logistic import CONSTANT, standard_points
from llrcal.calibrations.training import Training, target_weight
from llrcal.calibrations.uncertainty import TIMES, Uncertainty
from llrcal.declaration import WIDEST, Deviation, Spread, Weight, schema
from llrcal.densities.density import FURTHEST, Evaluated
from llrcal.errors import OptionError
from llrcal.fitting.logistic import LineCost, effective_sample_size
from llrcal.fitting.optimizer import Solution, minimise
from llrcal.fitting.report import Report
from llrcal.scoring_rule import as_rule, default_cost

_APART = 3.0  # deviations
_LATTICE = np.stack(np.meshgrid(*2 * [np.arange(-9.0, 10.0) * 0.7]), axis=-1).reshape(-1, 2)
_PASSES, _SETTLED = 8, 0.01
# The trapezoidal rule, whose error falls exponentially: with deviations of 10, it is 1e-13.
_NODES = np.arange(-12.0, 12.0 + 1 / 32, 1 / 16)
_WEIGHTS = np.exp(-0.5 * _NODES**2) / np.exp(-0.5 * _NODES**2).sum()
_AT_ONCE = 2**12  # scores
_LogOdds = Annotated[float, schema(minimum=-WIDEST, maximum=WIDEST)]


@dataclass(frozen=True, kw_only=True, repr=False)
class LogisticBayes(Calibration):
    """The posterior of a line ``slope z + height``, with ``z = (s - origin - centre) / unit``."""

    alpha: Weight
    origin: Annotated[float, "A score amid those of training, from which scores are measured."]
    centre: Annotated[float, "Mean of the training scores, seen from origin."]
    unit: Annotated[Spread, "Twice the deviation of the training scores."]
    slope: Annotated[_LogOdds, "Mean of the rise of the log-odds per unit."]
    height: Annotated[_LogOdds, "Mean of the log-odds at the centre."]
    slope_deviation: Annotated[Deviation, "Standard deviation of the slope."]
    height_deviation: Annotated[Deviation, "Standard deviation of the height."]
    correlation: Annotated[float, schema(minimum=-1, maximum=1), "Of slope and height."]

    method: ClassVar[str] = "logistic"

    @classmethod
    def fit(cls, data: Training, *, alpha: float | str = 0.5, rule: str = "log") -> Self:
        if as_rule(rule) != "log":
            raise OptionError("bayes=True goes with the logarithmic rule only; leave out the rule")
        weight = data.weight(alpha)
        common: dict[str, Any] = {
            "tar_count": data.tar_count,
            "non_count": data.non_count,
            "alpha": alpha if isinstance(alpha, str) else weight,
        }
        least, greatest = data.score_range
        if least == greatest:
            report = Report.closed_form(default_cost(weight), (CONSTANT,))
            common |= {"origin": least, "centre": 0.0, "unit": 1.0, "slope": 0.0, "height": 0.0}
            certain = {"slope_deviation": 0.0, "height_deviation": 0.0, "correlation": 0.0}
            return cls(**(common | certain), report=report)
        tar, non, origin, wide = standard_points(data)
        plain = LineCost(tar, non, weight, 1 - weight)
        centre = weighted_sum(plain.values, plain.weights)
        unit = 2 * math.sqrt(weighted_sum((plain.values - centre) ** 2, plain.weights))
        trials = effective_sample_size(weight, data.tar_count, data.non_count)
        tar, non = (((values - centre) / unit, weights) for values, weights in (tar, non))
        line = LineCost(tar, non, weight * trials, (1 - weight) * trials)
        posterior = Posterior(line, prior_deviation(weight), trials)
        solution = minimise(posterior, np.zeros(2), tolerance=1e-12)
        mean, ((a, b), (_, c)) = posterior.moments(solution)
        return cls(
            **common,
            origin=origin,
            centre=centre * wide,
            unit=unit * wide,
            slope=float(mean[0]),
            height=float(mean[1]),
            slope_deviation=math.sqrt(a),
            height_deviation=math.sqrt(c),
            correlation=float(np.clip(b / math.sqrt(a * c), -1, 1)),
            report=Report.of(solution, solution.value),
        )

    @property
    def params(self) -> dict[str, Any]:
        mean, unit = self.origin + self.centre, self.unit
        prior = prior_deviation(target_weight(self.alpha, self.tar_count, self.non_count))
        return {
            "slope": self.slope / unit,
            "slope deviation": self.slope_deviation / unit,
            "height": self.height,
            "height deviation": self.height_deviation,
            "correlation": self.correlation,
            "height is at": mean,
            "prior": f"slope and height per {unit:.4g} of score: Gaussian around 0 with deviation "
            f"{prior:.3g}",
        }

    def moments(self, z: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the log-odds at standardised scores, a posteriori."""
        along, across = self.slope_deviation * z, self.height_deviation
        # A sum of squares, which no rounding makes negative.
        rest = across * math.sqrt((1 - self.correlation) * (1 + self.correlation))
        return self.slope * z + self.height, np.hypot(along + self.correlation * across, rest)

    def uncertainty(self, data: Training) -> Uncertainty:
        at = data.places
        z = ((at - self.origin) - self.centre) / self.unit
        weight = data.weight(self.alpha)
        trials = effective_sample_size(weight, data.tar_count, data.non_count)
        mean, deviation = self.moments(z)
        # The log-odds vary with the numbers of trials of both classes. These are given, and the
        # share that they have in the variance is known (Prentice and Pyke, Biometrika 66, 1979).
        by_counts = 1 / (weight * (1 - weight) * trials)
        away = TIMES * np.sqrt(np.maximum(deviation**2 - by_counts, 0))

        def influence() -> tuple[Floats, Floats]:
            across = self.slope_deviation * self.height_deviation * self.correlation
            covariance = (
                self.slope_deviation**2 * np.outer(z, z)
                + across * np.add.outer(z, z)
                + self.height_deviation**2
            )
            p = expit(mean + math.log(weight) - math.log1p(-weight))
            return (
                covariance * (weight * trials / data.tar_count * (1 - p)),
                covariance * (-(1 - weight) * trials / data.non_count * p),
            )

        return Uncertainty(at, mean - away, mean + away, influence)

    @property
    def formula(self) -> Formula:
        origin = self.origin + self.centre
        # What the sum has lost: scores around 1e9 may differ by 1e-3.
        lost = self.centre - (origin - self.origin)

        def llrs(distance: Floats) -> Floats:
            return self._predictive((distance - lost) / self.unit)

        return Formula(llrs, origin, self.unit, costly=True)

    def _predictive(self, z: Floats) -> Floats:
        z = np.clip(z, -FURTHEST, FURTHEST)
        parts = [z[at : at + _AT_ONCE] for at in range(0, max(1, len(z)), _AT_ONCE)]
        return np.concatenate([predictive_log_odds(*self.moments(part)) for part in parts])


def prior_deviation(weight: float) -> float:
    """The prior deviation of slope and height for standardised scores, given the target weight."""
    return 2 * _APART * math.sqrt(1 + weight * (1 - weight) * _APART**2)


class Posterior:
    """Minus the log posterior of slope and height, divided by the worth of the trials."""

    def __init__(self, cost: LineCost, deviation: float, worth: float) -> None:
        self._cost, self._precision, self._worth = cost, deviation**-2, worth

    def __call__(self, point: Floats) -> Evaluated:
        value, gradient, hessian = self._cost(point)
        return Evaluated(
            (value + 0.5 * self._precision * float((point * point).sum())) / self._worth,
            (gradient + self._precision * point) / self._worth,
            (hessian + self._precision * np.eye(2)) / self._worth,
        )

    def moments(self, mode: Solution) -> tuple[Floats, Floats]:
        """Mean and covariance of slope and height.

        Sums over a lattice around the mode, then around the mean that they give, until they stay:
        with few trials, the mean is far from the mode.
        """
        mean = mode.point
        covariance = np.asarray(np.linalg.inv(mode.hessian * self._worth), np.float64)
        for _ in range(_PASSES):
            root = np.asarray(np.linalg.cholesky(covariance), np.float64)
            points = mean + _rows(_LATTICE, root)
            logs = -self._cost.values_at(points) - 0.5 * self._precision * (points**2).sum(axis=1)
            weights = np.exp(logs - logs.max())
            weights /= weights.sum()
            # In standard units, in which they are zero and one if nothing moves.
            shift = (_LATTICE * weights[:, None]).sum(axis=0)
            away = _LATTICE - shift
            spread = (away[:, :, None] * away[:, None, :] * weights[:, None, None]).sum(axis=0)
            mean, covariance = mean + _rows(shift, root), _rows(_rows(spread, root).T, root)
            if max(np.abs(shift).max(), np.abs(spread - np.eye(2)).max()) < _SETTLED:
                break
        return mean, covariance


def _rows(rows: Floats, matrix: Floats) -> Floats:
    """Each row times the transposed matrix, in an order that no BLAS decides."""
    return np.asarray((rows[..., None, :] * matrix).sum(axis=-1))


def predictive_log_odds(mean: Floats, deviation: Floats) -> Floats:
    """Log-odds of the mean of 1 / (1 + e^-x) over Gaussian x."""
    x = mean[:, None] + deviation[:, None] * _NODES
    yes, no = (_log_mean_exp(-np.logaddexp(0, sign * x)) for sign in (-1, 1))
    return np.asarray(yes - no)


def _log_mean_exp(logs: Floats) -> Floats:
    largest = logs.max(axis=1, initial=-np.inf)
    return np.asarray(largest + np.log((np.exp(logs - largest[:, None]) * _WEIGHTS).sum(axis=1)))
