"""What every density has in common, and what a fitter needs to know about one.

A family of densities has free coordinates, in which a search for the best fit is made: location,
log scale, and those of the shape. It states their bounds, start points, and the log density in
standard units with its derivatives (``terms``). What follows for the mean over weighted scores
(``mean_loglik``) is the same for all families. It knows
nothing about fitting.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np

from llrcal.arrays import Array, Floats, weighted_sum
from llrcal.declaration import Spread, field_error
from llrcal.notes import Note

HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)

# A score further out than this many units is treated as if it were this far out: squares and
# fourth powers stay finite, and so does every log density.
FURTHEST = 1e70

# Which of the rows of second derivatives are in the Hessian, by the number of coordinates.
_PLACES = {
    2: [[0, 1], [1, 2]],
    3: [[0, 1, 3], [1, 2, 4], [3, 4, 5]],
    4: [[0, 1, 3, 5], [1, 2, 4, 6], [3, 4, 7, 8], [5, 6, 8, 9]],
}

Numbers = tuple[float, ...]


class Evaluated(NamedTuple):
    """A smooth function at one point: value, gradient, Hessian."""

    value: float
    gradient: Floats
    hessian: Floats

    def __neg__(self) -> Evaluated:
        return Evaluated(-self.value, -self.gradient, -self.hessian)

    def __sub__(self, other: Evaluated) -> Evaluated:
        value, gradient, hessian = other
        return Evaluated(self.value - value, self.gradient - gradient, self.hessian - hessian)


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
    scale: Annotated[Spread, "How wide it is, in units of the scores."]

    family: ClassVar[str]

    def check(self, where: str) -> None:
        """Refuse a density of a model file that lies further away than scores count as."""
        if abs(self.location) > FURTHEST * self.scale:
            raise field_error(where, "location", f"is over {FURTHEST:g} times the scale")

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
    def from_coordinates(cls, theta: Array, *, origin: float, unit: float) -> Self:
        """The density at free coordinates ``theta`` of the scores (x - origin) / unit.

        ``loglik`` is NaN, for the scores are not known here.
        """
        location, log_scale, *shape = map(float, cls.kept(*theta))
        return cls(origin, math.nan, location * unit, float(np.exp(log_scale)) * unit, *shape)

    def coordinates(self, origin: float, unit: float) -> Floats:
        """The free coordinates of which :meth:`from_coordinates` makes this density."""
        own, _, location, scale, *shape = astuple(self)
        return self.free((location + (own - origin)) / unit, np.log(scale / unit), *shape)

    @classmethod
    def kept(cls, *theta: Any) -> tuple[Any, ...]:
        """Location, log scale and the fields of the shape, from free coordinates or arrays."""
        return theta

    @classmethod
    def free(cls, *kept: Any) -> Floats:
        """Free coordinates, from what is kept or from arrays of these."""
        return np.array(kept)

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
    def terms(cls, z: Floats, *shape: float) -> Sequence[Floats]:
        """The log density in standard units at each z, but for what the shape alone adds.

        It is followed by its derivatives by z and by each parameter s of the shape; by zz, by z
        and each s; and by each pair of s.
        """

    @classmethod
    def shape(cls, *free: float) -> tuple[Numbers, Numbers, Numbers]:
        """The parameters of the shape, and two derivatives of each by its free coordinate."""
        return free, (1.0,) * len(free), (0.0,) * len(free)

    @classmethod
    def constants(cls, *shape: float) -> tuple[float, Numbers, Numbers]:
        """What the shape alone adds to it, with derivatives by each s, and by each pair of s."""
        return -HALF_LOG_TWO_PI, (), ()

    @classmethod
    def mean_loglik(cls, theta: Array, values: Floats, weights: Floats) -> Evaluated:
        """Weighted sum of log densities, with gradient and Hessian in the free coordinates.

        It is not finite where a score lies outside the support, or doubles overflow.
        """
        z, shape, constants, by, bends = cls._standardised(theta, values)
        sums = cls._sums(z, shape, weights) + float(weights.sum()) * constants
        gradient, bent = sums[1 : by.size + 1], sums[by.size + 1 :]
        hessian = np.outer(by, by) * bent[_PLACES[by.size]]
        return Evaluated(float(sums[0]), by * gradient, hessian + np.diag(bends * gradient))

    @classmethod
    def _standardised(
        cls, theta: Array, values: Floats
    ) -> tuple[Floats, Numbers, Floats, Floats, Floats]:
        """Scores in standard units, and the shape; what it and the scale add to the rows.

        By location and log scale, z falls by 1 / scale and by z; the rows have the factor of z. So
        to the rows belong one derivative by each coordinate, and then a second.
        """
        location, log_scale, *free = theta.tolist()
        scale = np.exp(log_scale)
        shape, slopes, bends = cls.shape(*free)
        constant, first, second = cls.constants(*shape)
        others = (0.0,) * (2 * len(free) + 3)
        return (
            (values - location) / scale,
            shape,
            np.array([constant - log_scale, 0.0, 1.0, *first, *others, *second]),
            np.array([-1 / scale, -1.0, *slopes]),
            np.array([0.0, 0.0, *bends]),
        )

    @classmethod
    def _sums(cls, z: Floats, shape: Numbers, weights: Floats) -> Floats:
        """Weighted sums of the rows; a kernel may add them up in less time."""
        return np.asarray((np.array(_rows(z, cls.terms(z, *shape))) * weights).sum(axis=1))

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


class Shaped(Density):
    """A density whose shape has a prior, and many of them at once.

    They are rows of coordinates that suit a posterior, each a density of scores in standard units.
    Location and log scale come first, and have a flat prior: only so does an affine map of the
    scores change nothing. What is left is the shape, whose prior is weakly informative.
    """

    names: ClassVar[tuple[str, ...]]
    """Of the coordinates; the last says how heavy the tails are."""
    tails: ClassVar[tuple[float, float]]
    """Bounds of the last coordinate."""
    tail_of: ClassVar[np.ufunc]
    """What a density keeps of its tails, as a function of the last coordinate."""
    tail_coordinate: ClassVar[np.ufunc]
    """Its inverse."""
    folded: ClassVar[bool]
    """Whether a last coordinate of the other sign means the same density."""
    prior: ClassVar[str]
    likely: ClassVar[tuple[Numbers, Numbers]]
    """Ends of what the prior finds likely of the shape: a search starts between them."""

    @classmethod
    @abstractmethod
    def logpdfs(cls, rows: Floats, scores: Floats) -> Floats:
        """Log densities, one row of them for each row of coordinates."""

    @classmethod
    def free_rows(cls, rows: Floats) -> Floats:
        """The free coordinates of each row."""
        return np.ascontiguousarray(cls.free(*rows.T[:-1], cls.tail_of(rows[:, -1])).T)

    @classmethod
    def from_free(cls, free: Floats) -> Floats:
        """Rows of coordinates, of rows of free coordinates; tails are kept in their bounds."""
        *others, tails = cls.kept(*free.T)
        with np.errstate(divide="ignore"):
            return np.column_stack([*others, np.clip(cls.tail_coordinate(tails), *cls.tails)])

    @classmethod
    @abstractmethod
    def derivatives(cls, row: Floats) -> tuple[Floats, Floats]:
        """Those of the free coordinates by the coordinates: first [free, by] and second."""

    @classmethod
    @abstractmethod
    def log_priors(cls, rows: Floats) -> tuple[Floats, Floats, Floats]:
        """What each coordinate adds to the log prior, but for a constant, and two derivatives."""

    @classmethod
    def tails_with(cls, tie_share: float) -> tuple[float, float]:
        """Bounds of the last coordinate, if this share of the scores is one value."""
        return cls.tails


def _rows(z: Floats, terms: Sequence[Floats]) -> list[Floats]:
    """What derivatives by all coordinates are made of, in the order of the kernels."""
    size = 1 + len(terms) // 4  # of z and the shape: 3, 6 or 10 terms
    f, f_z, *first = terms[: size + 1]
    f_zz, *mixed = terms[size + 1 : 2 * size + 1]
    rows = [f, f_z, z * f_z, *first, f_zz, f_z + z * f_zz, z * f_z + z * z * f_zz]
    for term in mixed:
        rows += [term, z * term]
    return [*rows, *terms[2 * size + 1 :]]


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


def narrowest(values: Floats, weights: Floats, share: float) -> tuple[float, float]:
    """The ends of the narrowest interval of two values, at least, that has a share of them all."""
    order = np.argsort(values, kind="stable")
    ordered, cumulative = values[order], np.cumsum(weights[order])
    before = cumulative - weights[order]
    last = np.searchsorted(cumulative, before + share * cumulative[-1])[:-1]
    first = np.arange(int((last < len(values)).sum()))
    last = np.maximum(last[first], first + 1)
    least = int(np.argmin(ordered[last] - ordered[first]))
    return float(ordered[least]), float(ordered[last[least]])
