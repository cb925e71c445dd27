"""What every density has in common, and what a fitter needs to know about one.

A family of densities has free coordinates, in which a search for the best fit is made: location,
log scale, and those of the shape. It states their bounds, start points, and the log density in
standard units with its derivatives (``terms``). What follows for scores one by one (``at_each``),
and for the mean over weighted scores (``mean_loglik``), is the same for all families. It knows
nothing about fitting.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np

from llrcal.arrays import Array, Floats, weighted_sum, weighted_sums
from llrcal.declaration import Positive
from llrcal.notes import Note

HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)

# A score further out than this many units is treated as if it were this far out: squares and
# fourth powers stay finite, and so does every log density.
FURTHEST = 1e70

# Of location, log scale and asymmetry in standard units: within them, log densities are finite.
_LIMITS = [(-FURTHEST, FURTHEST), (-160.0, 160.0), (-40.0, 40.0)]


class Derivatives(NamedTuple):
    """A function with its derivatives by z and by the shape parameters s, as far as it has them."""

    value: Any
    first: tuple[Any, ...]
    """By z, and by each s."""
    second: tuple[Any, ...]
    """By zz, by z and each s, and by each pair of s."""


class ShapeParameters(NamedTuple):
    """The parameters of a shape, and how they follow from the free coordinates."""

    values: tuple[float, ...]
    slopes: tuple[float, ...] = ()
    """The derivative of each by its coordinate."""
    bends: tuple[float, ...] = ()
    """The second derivative."""


class AtEach(NamedTuple):
    """Log densities of n scores, with derivatives by the k free coordinates of a family."""

    log_densities: Floats
    """n of them."""
    slopes: Floats
    """Gradients, k by n."""
    curvatures: Floats
    """Hessians, k by k by n."""


class Evaluated(NamedTuple):
    """A smooth function at one point: value, gradient, Hessian."""

    value: float
    gradient: Floats
    hessian: Floats

    @classmethod
    def impossible(cls, size: int) -> Evaluated:
        """Likelihood zero: some score lies outside the support."""
        return cls(-np.inf, np.zeros(size), np.zeros((size, size)))

    def __neg__(self) -> Evaluated:
        return Evaluated(-self.value, -self.gradient, -self.hessian)


@dataclass(frozen=True)
class Density(ABC):
    """A fitted density of scores.

    Locations are kept relative to ``origin``, a round number among the scores: the mean of
    scores around 1e9 that differ by 1e-3 cannot be held in one double.
    """

    origin: Annotated[float, "A score amid those of the class, from which scores are measured."]
    loglik: Annotated[
        float, "Mean log density per training score, in nats. It takes no part in LLRs."
    ]
    location: Annotated[float, "Where the density lies, from the origin."]
    scale: Annotated[Positive, "How wide it is, in units of the scores."]

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

    @classmethod
    @abstractmethod
    def terms(cls, z: Floats, *shape: float) -> Derivatives:
        """The log density in standard units at each z, but for what the shape alone adds."""

    @classmethod
    def constants(cls, *shape: float) -> Derivatives:
        """What the shape alone adds to it, with derivatives by each s, and by each pair of s."""
        return Derivatives(-HALF_LOG_TWO_PI, (), ())

    @classmethod
    def shape(cls, *free: float) -> ShapeParameters:
        """The shape parameters at free coordinates."""
        return ShapeParameters(free, (1.0,) * len(free), (0.0,) * len(free))

    @classmethod
    def at_each(cls, theta: Array, values: Floats) -> AtEach:
        """Log densities of scores one by one, with gradients and Hessians."""
        z, log_scale, shape = cls._standardised(theta, values)
        rows = _rows(z, cls.terms(z, *shape.values))
        return AtEach(*map(np.array, cls._by_coordinates(rows, 1.0, log_scale, shape)))

    @classmethod
    def mean_loglik(cls, theta: Array, values: Floats, weights: Floats) -> Evaluated:
        """Weighted sum of log densities, with gradient and Hessian in the free coordinates.

        That is the weighted sum of :meth:`at_each`. The likelihood is zero where a score lies
        outside the support, or doubles overflow.
        """
        with np.errstate(all="ignore"):
            z, log_scale, shape = cls._standardised(theta, values)
            sums = cls._sums(z, shape.values, weights)
            value, gradient, hessian = cls._by_coordinates(
                sums, float(weights.sum()), log_scale, shape
            )
            is_finite = math.isfinite(value + sum(gradient) + sum(map(sum, hessian)))
        if not is_finite:
            return Evaluated.impossible(len(theta))
        return Evaluated(value, np.array(gradient), np.array(hessian))

    @classmethod
    def _standardised(cls, theta: Array, values: Floats) -> tuple[Floats, float, ShapeParameters]:
        """Scores in standard units, the log of the scale, and the shape."""
        location, log_scale, *free = theta.tolist()
        return (values - location) / np.exp(log_scale), log_scale, cls.shape(*free)

    @classmethod
    def _sums(cls, z: Floats, shape: tuple[float, ...], weights: Floats) -> list[float]:
        """Weighted sums of the rows; a kernel may add them up in less time."""
        return weighted_sums(_rows(z, cls.terms(z, *shape)), weights)

    @classmethod
    def _by_coordinates(
        cls, rows: Sequence[Any], total: float, log_scale: float, shape: ShapeParameters
    ) -> tuple[Any, list[Any], list[list[Any]]]:
        """Value, gradient and Hessian from rows, or from sums of them with weights of a total."""
        constant, first, second = cls.constants(*shape.values)
        others = [0.0] * (3 + 2 * len(first))
        constants = [constant - log_scale, 0.0, 1.0, *first, *others, *second]
        whole = [row + total * more for row, more in zip(rows, constants, strict=True)]
        # By location and log scale, z falls by 1 / scale and by z; the rows have the factor of z.
        slopes = (-float(np.exp(-log_scale)), -1.0, *shape.slopes)
        gradient = [slope * whole[i] for i, slope in enumerate(slopes, 1)]
        hessian = [
            [one * other * whole[i] for i, other in zip(places, slopes, strict=True)]
            for places, one in zip(_places(len(first)), slopes, strict=True)
        ]
        for i, (bend, slope) in enumerate(zip(shape.bends, shape.slopes, strict=True), 2):
            if bend:
                hessian[i][i] = hessian[i][i] + bend / slope * gradient[i]
        return whole[0], gradient, hessian

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


class Shapes(ABC):
    """Many densities of a family at once, in coordinates that suit a posterior, with their prior.

    A row of coordinates is a density of scores in standard units. Location and log scale come
    first, and have a flat prior: only so does an affine map of the scores change nothing. What is
    left is the shape, whose prior is weakly informative.
    """

    family: ClassVar[type[Density]]
    names: ClassVar[tuple[str, ...]]
    """Of the coordinates; the last says how heavy the tails are."""
    tails: ClassVar[tuple[float, float]]
    """Bounds of the last coordinate."""
    folded: ClassVar[bool]
    """Whether a last coordinate of the other sign means the same density."""
    prior: ClassVar[str]
    likely: ClassVar[tuple[tuple[float, ...], tuple[float, ...]]]
    """Ends of what the prior finds likely of the shape: a search starts between them."""

    @classmethod
    @abstractmethod
    def logpdfs(cls, rows: Floats, scores: Floats) -> Floats:
        """Log densities, one row of them for each row of coordinates."""

    @classmethod
    @abstractmethod
    def free(cls, rows: Floats) -> Floats:
        """The free coordinates of the family, of rows of coordinates."""

    @classmethod
    @abstractmethod
    def from_free(cls, free: Floats) -> Floats:
        """Rows of coordinates, of rows of free coordinates; tails are kept in their bounds."""

    @classmethod
    @abstractmethod
    def derivatives(cls, row: Floats) -> tuple[Floats, Floats]:
        """Those of the free coordinates by the coordinates: first [free, by] and second."""

    @classmethod
    @abstractmethod
    def log_priors(cls, rows: Floats) -> Floats:
        """Log priors of rows of coordinates, but for a constant."""

    @classmethod
    @abstractmethod
    def prior_derivatives(cls, row: Floats) -> tuple[Floats, Floats]:
        """Gradient of the log prior of one row, and its second derivatives by each coordinate."""

    @classmethod
    def start(cls, free: Floats) -> Floats:
        """Coordinates near some free coordinates, with a shape that the prior finds likely."""
        row: Floats = cls.from_free(free[None])[0]
        row[2:] = np.clip(row[2:], *cls.likely)
        return row

    @classmethod
    def limits(cls) -> list[tuple[float, float]]:
        """The ranges in which coordinates must lie to describe a density."""
        return [*_LIMITS[: len(cls.names) - 1], cls.tails]

    @classmethod
    def bounds(cls, tie_share: float) -> tuple[Floats, Floats]:
        """Of the coordinates, if this share of the scores is one value."""
        lower = np.full(len(cls.names), -np.inf)
        upper = -lower
        lower[-1], upper[-1] = cls.tails
        return lower, upper


def _rows(z: Floats, terms: Derivatives) -> list[Floats]:
    """What derivatives by all coordinates are made of, in the order of the kernels."""
    f, (f_z, *first), (f_zz, *second) = terms
    rows = [f, f_z, z * f_z, *first, f_zz, f_z + z * f_zz, z * f_z + z * z * f_zz]
    for mixed in second[: len(first)]:
        rows += [mixed, z * mixed]
    return [*rows, *second[len(first) :]]


@lru_cache(maxsize=4)
def _places(size: int) -> list[list[int]]:
    """Which rows are in the Hessian, for so many shape parameters."""
    hessian, at = np.zeros((size + 2, size + 2), np.int64), size + 3
    pairs = [(0, 0), (0, 1), (1, 1)]
    pairs += [(end, i) for i in range(2, size + 2) for end in (0, 1)]
    pairs += [(i, j) for i in range(2, size + 2) for j in range(i, size + 2)]
    for place, (i, j) in enumerate(pairs, at):
        hessian[i, j] = hessian[j, i] = place
    places: list[list[int]] = hessian.tolist()
    return places


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
