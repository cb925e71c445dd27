"""The normal-inverse-Gaussian density (paper, section 5.4).

The textbook parameters (mu, delta, alpha, beta) run off to infinity together near the Gaussian
and near ``|beta| = alpha``, and their formula subtracts large numbers. The mean ``m``, the standard
deviation ``s``, ``eta = skewness / 3`` and ``kappa = excess kurtosis / 3 - 5 eta^2 >= 0`` do
neither:

    log f = -log s - log(2 pi)/2 + K(1 + eta y, y, kappa),    y = (x - m) / s

with K of :mod:`llrcal.densities.nig_kernel`. The Gaussian is the ordinary point
``eta = kappa = 0``; ``kappa = 0`` alone is the inverse Gaussian, whose support ends where
``1 + eta y = 0``.

For Cauchy-like scores, mean and deviation run off as well. A density therefore keeps

    (l, w, v, k):   m = l + w tanh v,       s = w e^(k/2) cosh v,
                    eta = e^(k/2) sinh v,   kappa = e^k - 1

and a fit searches the coordinates of :mod:`llrcal.densities.nig_likelihood`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.densities import nig_likelihood
from llrcal.densities.density import (
    HALF_LOG_TWO_PI,
    POSITIVE,
    Density,
    Evaluated,
    moments,
    quantiles,
)
from llrcal.densities.nig_kernel import log_kernel
from llrcal.notes import Note

# At the edge kappa = 0 the density is zero outside its support. A kappa as small as this makes it
# positive everywhere, and costs no likelihood to speak of.
_LEAST_KAPPA = 2.0**-50
_LIFT = 2.0**-34  # in c of the free coordinates, or in kappa / eta^2 where that is less
# From here on (c = 1e20) the density is the Cauchy density to the last bit.
_MOST_TAIL = 46.0
# From here on gamma is zero next to alpha, for any scores that are not refused.
_MOST_ASYMMETRY = 40.0
# With kappa = eta^2 times this, alpha and |beta| differ by two units in the last place.
_DISTINCT = 2.0**-50


@dataclass(frozen=True)
class NIG(Density):
    """A normal-inverse-Gaussian density with the parameters (l, w, v, k) above."""

    asymmetry: float
    tail: float

    family: ClassVar[str] = "nig"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "scale": POSITIVE,
        "asymmetry": (-300.0, 300.0),
        "tail": (_LEAST_KAPPA / 2, _MOST_TAIL),
    }
    least_distinct: ClassVar[int] = 5
    # With k of n scores in one place, the likelihood grows like delta^(n - 2k) as the density
    # shrinks onto them. With all others on one side, its inverse-Gaussian edge can do so too, and
    # the likelihood grows like the distance of that edge to the power of (n - 3k) / 2.
    most_tied: ClassVar[float] = float(np.nextafter(1 / 2, 0))
    most_tied_at_end: ClassVar[float] = float(np.nextafter(1 / 3, 0))

    @property
    def params(self) -> dict[str, float]:
        """The textbook parameters mu, delta, alpha and beta, with ``|beta| < alpha``."""
        tail = max(self.tail, float(np.log1p(_DISTINCT * np.sinh(self.asymmetry) ** 2)))
        shape = _Shape(self.scale, self.asymmetry, tail)
        return {
            "mu": self.origin + (self.location + shape.mu),
            "delta": float(shape.sd * np.sqrt(shape.kappa) / shape.tau),
            "alpha": float(np.sqrt(shape.tau) / shape.kappa / shape.sd),
            "beta": float(shape.eta / shape.kappa / shape.sd),
        }

    def _logpdf(self, centred: Floats) -> Floats:
        shape = _Shape(self.scale, self.asymmetry, self.tail)
        u, y = shape.standardised(centred, self.location)
        out = log_kernel(u, y, shape.kappa)
        out -= HALF_LOG_TWO_PI + np.log(shape.sd)
        return out

    @classmethod
    def from_coordinates(cls, theta: Array, *, origin: float, unit: float) -> NIG:
        location, log_omega, v, log1p_c = (float(value) for value in theta)
        scale = float(np.exp(log_omega + np.log(np.cosh(v) ** 2))) * unit
        tail = max(_tail(v, log1p_c), least_tail(v))
        return cls(origin, math.nan, location * unit, scale, v, tail)

    @classmethod
    def limits(cls, theta: Array, tie_share: float) -> tuple[Note, ...]:
        _, _, v, log1p_c = theta
        found = []
        if abs(v) >= _MOST_ASYMMETRY:
            found.append("one tail is so heavy that |beta| is alpha to working precision")
        if log1p_c >= _MOST_TAIL:
            found.append("tails as heavy as Cauchy's: alpha is zero to working precision")
        elif _tail(v, log1p_c) < least_tail(v):
            found.append(
                "the optimum is at the edge kappa = 0 (an inverse Gaussian, or the Gaussian "
                "itself); kappa is set to the least value that keeps the density positive "
                "everywhere"
            )
        return tuple(Note.of("edge", text) for text in found)

    @staticmethod
    def bounds(tie_share: float) -> tuple[Floats, Floats]:
        free, most = np.inf, _MOST_ASYMMETRY
        return np.array([-free, -free, -most, 0.0]), np.array([free, free, most, _MOST_TAIL])

    @staticmethod
    def starts(values: Floats, weights: Floats) -> list[Floats]:
        mean, sd, skewness, kurtosis = moments(values, weights)
        low, left, median, right, high = quantiles(values, weights, (0.1, 0.25, 0.5, 0.75, 0.9))
        spread = max(right - left, 0.1 * sd)
        eta = float(np.clip(skewness / 3, -2, 2))
        log_spread, narrow = np.log(spread / 2), np.log(spread / 8)
        starts = [
            # Moments where they describe an NIG at all, and the nearest NIG where they do not.
            _from_moments(mean, sd, eta, max(kurtosis / 3 - 5 * eta * eta, 0.02)),
            _from_moments(mean, sd, eta / 2, 0.1),
            # Robust ones: a peaked symmetric density, and one leaning to either side.
            (median, log_spread, 0.0, 1.5),
            (left, log_spread, 0.8, 0.5),
            (right, log_spread, -0.8, 0.5),
            # A narrow peak on either flank, for scores in two heaps.
            (low, narrow, 0.5, 3.0),
            (high, narrow, -0.5, 3.0),
        ]
        return [free_coordinates(*start) for start in starts]

    @staticmethod
    def mean_loglik(theta: Array, values: Floats, weights: Floats) -> Evaluated:
        return nig_likelihood.mean_loglik(theta, values, weights)


def free_coordinates(location: float, log_scale: float, asymmetry: float, tail: float) -> Floats:
    """The free coordinates (l, log omega, v, log(1 + c)) of (l, log w, v, k)."""
    square = np.cosh(asymmetry) ** 2
    log1p_c = np.log1p(np.expm1(tail) * square)
    return np.array([location, log_scale - np.log(square), asymmetry, log1p_c])


def least_tail(asymmetry: float) -> float:
    """The k to which a fit at the edge kappa = 0 is lifted."""
    least = _LIFT * min(np.sinh(asymmetry) ** 2, np.cosh(asymmetry) ** -2.0)
    return float(np.log1p(max(_LEAST_KAPPA, least)))


def _tail(v: float, log1p_c: float) -> float:
    """The k of free coordinates."""
    return float(np.log1p(np.expm1(log1p_c) / np.cosh(v) ** 2))


def _from_moments(
    mean: float, sd: float, eta: float, kappa: float
) -> tuple[float, float, float, float]:
    """(l, log w, v, k) of the NIG with these moments."""
    tail = np.log1p(kappa)
    asymmetry = np.arcsinh(eta * np.exp(-tail / 2))
    scale = sd / (np.exp(tail / 2) * np.cosh(asymmetry))
    return mean - scale * np.tanh(asymmetry), np.log(scale), asymmetry, tail


class _Shape:
    """Standard deviation, eta, kappa and tau = kappa + eta^2 of (w, v, k)."""

    def __init__(self, scale: float, asymmetry: float, tail: float) -> None:
        root = np.exp(tail / 2)
        self.kappa = np.expm1(tail)
        self.eta = root * np.sinh(asymmetry)
        self.tau = self.kappa + self.eta * self.eta
        self.sd = scale * root * np.cosh(asymmetry)
        self.mean = scale * np.tanh(asymmetry)  # seen from the location

    @property
    def mu(self) -> float:
        """The textbook mu, seen from the location."""
        return float(-self.mean / self.tau)

    def standardised(self, values: Floats, location: float) -> tuple[Floats, Floats]:
        """``u = 1 + eta y`` and y, from whichever of mean and mu lies near the scores."""
        # Take the location off first: the difference of neighbours is exact.
        from_location = values - location
        if self.tau <= 1:
            y = (from_location - self.mean) / self.sd
            return 1 + self.eta * y, y
        r = (from_location - self.mu) / self.sd
        return self.kappa / self.tau + self.eta * r, r - self.eta / self.tau
