"""What every density has in common, and what a fitter needs to know about one.

A family of densities has free coordinates, in which a search for the best fit is made. It states
their bounds, start points, and the mean log density of weighted scores with gradient and Hessian.
It knows nothing about fitting.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from llrcal.arrays import Array, Floats, weighted_sum
from llrcal.notes import Note

HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
POSITIVE = (np.finfo(np.float64).smallest_subnormal, math.inf)

# A score further out than this many units is treated as if it were this far out: squares and
# fourth powers stay finite, and so does every log density.
FURTHEST = 1e70


class Evaluated(NamedTuple):
    """A smooth function at one point: value, gradient, Hessian."""

    value: float
    gradient: Floats
    hessian: Floats

    @classmethod
    def impossible(cls, size: int) -> Evaluated:
        """Likelihood zero: some score lies outside the support."""
        return cls(-np.inf, np.zeros(size), np.zeros((size, size)))

    @property
    def is_finite(self) -> bool:
        """Whether all of it is, and not too close to what doubles hold at most."""
        return math.isfinite(self.value + self.gradient.sum() + self.hessian.sum())

    def __neg__(self) -> Evaluated:
        return Evaluated(-self.value, -self.gradient, -self.hessian)


@dataclass(frozen=True)
class Density(ABC):
    """A fitted density of scores.

    Locations are kept relative to ``origin``, a round number among the scores: the mean of
    scores around 1e9 that differ by 1e-3 cannot be held in one double.
    """

    origin: float
    loglik: float
    """Mean log density per training score, in nats."""
    location: float
    scale: float

    family: ClassVar[str]

    @property
    @abstractmethod
    def params(self) -> dict[str, float]:
        """The textbook parameters, by name."""

    def logpdf(self, scores: Array) -> Floats:
        """Natural log of the density at each score, in the shape of ``scores``."""
        scores = np.asarray(scores)
        centred = scores.ravel().astype(np.float64, copy=False) - self.origin
        return self.logpdf_from(self.origin, centred).reshape(scores.shape)

    def logpdf_from(self, origin: float, distance: Floats) -> Floats:
        """Log density at ``origin + distance``, without rounding the sum."""
        limit = FURTHEST * self.scale
        return self._logpdf(np.clip(distance + (origin - self.origin), -limit, limit))

    @abstractmethod
    def _logpdf(self, centred: Floats) -> Floats:
        """Log density of scores from which the origin has been subtracted."""

    @classmethod
    @abstractmethod
    def from_coordinates(cls, theta: Array, *, origin: float, unit: float) -> Self:
        """The density at free coordinates ``theta`` of the scores (x - origin) / unit.

        ``loglik`` is NaN, for the scores are not known here.
        """

    @staticmethod
    @abstractmethod
    def bounds(tie_share: float) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the coordinates, if this share of the scores is one value."""

    @staticmethod
    @abstractmethod
    def starts(values: Floats, weights: Floats) -> list[Floats]:
        """Points from which a search finds the maximum-likelihood fit of weighted scores."""

    @staticmethod
    @abstractmethod
    def mean_loglik(theta: Array, values: Floats, weights: Floats) -> Evaluated:
        """Weighted sum of log densities, with gradient and Hessian in the free coordinates."""

    ranges: ClassVar[Mapping[str, tuple[float, float]]]
    """The ranges in which fields must lie to describe a density."""
    least_distinct: ClassVar[int] = 2
    """Fewer distinct scores than this leave the likelihood without a maximum."""
    most_tied: ClassVar[float] = 1.0
    """A larger share of scores in one place leaves the likelihood without a maximum."""
    most_tied_at_end: ClassVar[float] = 1.0
    """Likewise, if no score lies beyond that place."""

    @classmethod
    def limits(cls, theta: Array, tie_share: float) -> tuple[Note, ...]:
        """A note on each bound or limit of the family that a fit has reached."""
        return ()


def moments(values: Floats, weights: Floats) -> tuple[float, float, float, float]:
    """Mean, standard deviation, skewness and excess kurtosis of weighted values."""
    share = weights / weights.sum()
    mean = weighted_sum(values, share)
    deviations = values - mean
    squares = deviations * deviations
    variance = weighted_sum(squares, share)
    skewness = weighted_sum(squares * deviations, share) / variance**1.5
    kurtosis = weighted_sum(squares * squares, share) / variance**2 - 3
    return mean, variance**0.5, skewness, kurtosis


def quantiles(values: Floats, weights: Floats, levels: Sequence[float]) -> list[float]:
    """Weighted quantiles; each of them is one of the values."""
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(weights[order])
    at = np.searchsorted(cumulative, np.asarray(levels) * cumulative[-1])
    return [float(value) for value in values[order][np.minimum(at, len(values) - 1)]]
