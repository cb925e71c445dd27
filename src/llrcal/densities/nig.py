"""The normal-inverse-Gaussian density (paper, section 5.4).

The textbook parameters (mu, delta, alpha, beta) run off to infinity together near the Gaussian
and near ``|beta| = alpha``, and their formula subtracts large numbers. The mean ``m``, standard
deviation ``s``, ``eta = skewness / 3`` and ``kappa = excess kurtosis / 3 - 5 eta^2 >= 0`` do
neither:

    y = (x - m) / s,   u = 1 + eta y,   Q = hypot(u, sqrt(kappa) y),   T = (Q - u) / kappa
    log f = -log s - log(2 pi)/2 - (3/2) log Q + F(kappa / Q) - T

with F the scaled Bessel function of :mod:`llrcal.densities.bessel`. The Gaussian is the ordinary
point ``eta = kappa = 0``; ``kappa = 0`` alone is the inverse Gaussian, which ends where ``u = 0``.

Mean and deviation in turn run off for Cauchy-like scores, so the free coordinates are

    (l, log w, v, k),  k >= 0:   m = l + w tanh v,       s = w e^(k/2) cosh v,
                                 eta = e^(k/2) sinh v,   kappa = e^k - 1.

The search for the maximum is made in those of :mod:`llrcal.densities.nig_search`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from llrcal.arrays import Array, Floats, weighted_sum
from llrcal.densities.bessel import scaled_log_k1, scaled_log_k1_derivatives
from llrcal.densities.density import (
    HALF_LOG_TWO_PI,
    POSITIVE,
    Density,
    Evaluated,
    moments,
    quantiles,
)
from llrcal.densities.nig_search import from_search, search_loglik, to_search

# At the kappa = 0 edge the density is kept finite by a kappa that costs no likelihood to speak of.
_LEAST_KAPPA = 2.0**-50
_LIFT = 2.0**-34  # in k', or in kappa / eta^2 where that is less
# From here on (kappa = 1e20) the density is the Cauchy density to the last bit.
_MOST_TAIL = 46.0
# From here on gamma is zero next to alpha, for any scores that are not refused.
_MOST_ASYMMETRY = 40.0
# With kappa = eta^2 times this, alpha and |beta| differ by two units in the last place.
_DISTINCT = 2.0**-50


@dataclass(frozen=True)
class NIG(Density):
    """A normal-inverse-Gaussian density in the coordinates (l, w, v, k) above."""

    asymmetry: float
    tail: float

    family: ClassVar[str] = "nig"
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "scale": POSITIVE,
        "asymmetry": (-300.0, 300.0),
        "tail": (_LEAST_KAPPA / 2, _MOST_TAIL),
    }
    coordinates: ClassVar[tuple[str, ...]] = ("location", "log scale", "asymmetry", "tail")
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
            "mu": self.origin + shape.mu(self.location),
            "delta": float(shape.sd * np.sqrt(shape.kappa) / shape.tau),
            "alpha": float(np.sqrt(shape.tau) / shape.kappa / shape.sd),
            "beta": float(shape.eta / shape.kappa / shape.sd),
        }

    def _logpdf(self, centred: Floats) -> Floats:
        shape = _Shape(self.scale, self.asymmetry, self.tail)
        y, u = shape.standardised(centred, self.location)
        q = np.hypot(u, np.sqrt(shape.kappa) * y)
        log_bessel = scaled_log_k1(shape.kappa / q)
        out: Floats = log_bessel - 1.5 * np.log(q) - _exponent(y, u, q, shape.kappa)
        out -= HALF_LOG_TWO_PI + np.log(shape.sd)
        return out

    @classmethod
    def from_coordinates(cls, theta: Array, *, origin: float, unit: float, loglik: float) -> NIG:
        location, log_scale, asymmetry, tail = (float(value) for value in theta)
        scale = float(np.exp(log_scale)) * unit
        return cls(origin, loglik, location * unit, scale, asymmetry, tail)

    @staticmethod
    def to_search(theta: Floats) -> Floats:
        return to_search(theta)

    @staticmethod
    def from_search(at: Floats) -> Floats:
        return from_search(at)

    @classmethod
    def search_loglik(cls, at: Floats, values: Floats, weights: Floats) -> Evaluated:
        return search_loglik(at, values, weights)

    @staticmethod
    def interior(theta: Array) -> Array:
        """Lift the tail off the kappa = 0 edge, by so little that the likelihood stays the same."""
        least = _LIFT * min(np.sinh(theta[2]) ** 2, np.cosh(theta[2]) ** -2.0)
        return np.array([*theta[:3], max(theta[3], np.log1p(max(_LEAST_KAPPA, least)))])

    @staticmethod
    def lifted(theta: Array, amount: float) -> Floats:
        return np.array([*theta[:3], theta[3] + amount])

    @classmethod
    def describe_bound(cls, coordinate: int, *, at_upper: bool) -> str:
        if coordinate == 2:
            return "one tail is so heavy that |beta| is alpha to working precision"
        if at_upper:
            return "tails as heavy as Cauchy's: alpha is zero to working precision"
        return (
            "the optimum is at the edge kappa = 0 (an inverse Gaussian, or the Gaussian itself); "
            "kappa is set to the least value that keeps the density positive everywhere"
        )

    @staticmethod
    def bounds(tie_share: float) -> tuple[Floats, Floats]:
        free, most = np.inf, _MOST_ASYMMETRY
        return np.array([-free, -free, -most, 0.0]), np.array([free, free, most, _MOST_TAIL])

    @staticmethod
    def starts(values: Floats, weights: Floats) -> list[Floats]:
        mean, sd, skewness, kurtosis = moments(values, weights)
        low, left, median, right, high = quantiles(values, weights, (0.1, 0.25, 0.5, 0.75, 0.9))
        spread = max(right - left, 0.1 * sd)
        # Moments where they describe an NIG at all, and the nearest NIG where they do not.
        eta = np.clip(skewness / 3, -2, 2)
        starts = [_from_moments(mean, sd, eta, max(kurtosis / 3 - 5 * eta * eta, 0.02))]
        starts += [_from_moments(mean, sd, eta / 2, 0.1)]
        # Robust ones: a peaked symmetric density, and one leaning to either side.
        log_spread = np.log(spread / 2)
        starts += [np.array([median, log_spread, 0.0, 1.5])]
        starts += [np.array([left, log_spread, 0.8, 0.5]), np.array([right, log_spread, -0.8, 0.5])]
        # A narrow peak on either flank, for scores in two heaps.
        narrow = np.log(spread / 8)
        starts += [np.array([low, narrow, 0.5, 3.0]), np.array([high, narrow, -0.5, 3.0])]
        return starts

    @staticmethod
    def mean_loglik(theta: Array, values: Floats, weights: Floats) -> Evaluated:
        location, log_scale, asymmetry, tail = theta
        shape = _Shape(np.exp(log_scale), asymmetry, tail)
        y, u = shape.standardised(values, location)
        if shape.kappa == 0 and u.min() <= 0:
            return Evaluated.impossible(4)
        by_moments = mean_loglik_by_moments(y, u, shape.sd, shape.eta, shape.kappa, weights)
        return _in_free_coordinates(by_moments, shape)


class _Shape:
    """Standard deviation, eta, kappa and tau = kappa + eta^2 of (w, v, k)."""

    def __init__(self, scale: float, asymmetry: float, tail: float) -> None:
        self.omega = scale
        self.tanh = np.tanh(asymmetry)
        self.cosh = np.cosh(asymmetry)
        self.root = np.exp(tail / 2)
        self.kappa = np.expm1(tail)
        self.eta = self.root * np.sinh(asymmetry)
        self.tau = self.kappa + self.eta * self.eta
        self.sd = scale * self.root * self.cosh

    def mu(self, location: float) -> float:
        return float(location - self.omega * self.tanh / self.tau)

    def standardised(self, values: Floats, location: float) -> tuple[Floats, Floats]:
        """Y and u, from whichever of mean and mu lies near the scores."""
        # Take the location off first: the difference of neighbours is exact.
        if self.tau <= 1:
            y = ((values - location) - self.omega * self.tanh) / self.sd
            return y, 1 + self.eta * y
        r = ((values - location) + self.omega * self.tanh / self.tau) / self.sd
        return r - self.eta / self.tau, self.kappa / self.tau + self.eta * r


def _exponent(y: Floats, u: Floats, q: Floats, kappa: float) -> Floats:
    """T = (Q - u) / kappa, without subtracting like numbers."""
    out = y * y / (np.abs(u) + q)
    below = u < 0
    if below.any():
        out[below] = (q[below] - u[below]) / kappa
    return out


def mean_loglik_by_moments(
    y: Floats, u: Floats, sd: float, eta: float, kappa: float, weights: Floats
) -> Evaluated:
    """Weighted sum of log densities with gradient and Hessian in (m, log s, eta, kappa).

    ``y`` are the standardised scores and ``u = 1 + eta y``, which may be known more precisely.
    """
    q = np.hypot(u, np.sqrt(kappa) * y)
    y2 = y * y
    exponent = _exponent(y, u, q, kappa)
    # G = T / y^2, also where y = 0.
    g = 1 / (np.abs(u) + q)
    below = u < 0
    if below.any():
        g[below] = exponent[below] / y2[below]
    t = kappa / q
    bessel, bessel1, bessel2 = scaled_log_k1_derivatives(t)
    iq = 1 / q
    iq2 = iq * iq
    iq3 = iq2 * iq
    q2 = q * q

    value = bessel - 1.5 * np.log(q) - exponent

    # L(Q, kappa) = -(3/2) log Q + F(kappa / Q), E = -T, and their derivatives.
    d1 = -0.5 - t * bessel1
    l_q = (d1 - 1) * iq
    mixed = bessel1 + t * bessel2
    l_qq = (1 - d1 + t * mixed) * iq2
    l_qk = -mixed * iq2
    l_kk = bessel2 * iq2

    q_y = (eta * u + kappa * y) * iq
    q_e = y * u * iq
    q_k = 0.5 * y2 * iq
    f_y = l_q * q_y - y * g * (1 + q) * iq
    f_e = l_q * q_e + y * exponent * iq
    f_k = l_q * q_k + bessel1 * iq + 0.5 * exponent * exponent * iq

    y3, y4 = y2 * y, y2 * y2
    exponent2 = exponent * exponent
    f_yy = l_qq * q_y * q_y + l_q * kappa * iq3 - iq3
    f_ye = l_qq * q_y * q_e + (l_q * (u**3 + eta * kappa * y3) + exponent * (q2 + q + u)) * iq3
    f_yk = (
        l_qq * q_y * q_k
        + l_qk * q_y
        + 0.5 * (l_q * y * (q2 + u) + y * g * exponent * (q2 + 2 * q + u)) * iq3
    )
    f_ee = l_qq * q_e * q_e + (l_q * kappa - 1) * y4 * iq3
    f_ek = l_qq * q_e * q_k + l_qk * q_e - 0.5 * y * (l_q * u * y2 + exponent2 * (2 * q + u)) * iq3
    f_kk = (
        l_qq * q_k * q_k
        + 2 * l_qk * q_k
        + l_kk
        - 0.25 * (l_q * y4 + exponent2 * (2 * q * exponent + y2)) * iq3
    )

    def mean(term: Floats) -> float:
        return weighted_sum(term, weights)

    total = float(weights.sum())
    gradient = np.array([-mean(f_y) / sd, -mean(y * f_y) - total, mean(f_e), mean(f_k)])
    h_mm = mean(f_yy) / sd**2
    h_ms = mean(f_y + y * f_yy) / sd
    h_ss = mean(y * f_y + y2 * f_yy)
    h_me, h_se = -mean(f_ye) / sd, -mean(y * f_ye)
    h_mk, h_sk = -mean(f_yk) / sd, -mean(y * f_yk)
    h_ek = mean(f_ek)
    hessian = np.array(
        [
            [h_mm, h_ms, h_me, h_mk],
            [h_ms, h_ss, h_se, h_sk],
            [h_me, h_se, mean(f_ee), h_ek],
            [h_mk, h_sk, h_ek, mean(f_kk)],
        ]
    )
    return Evaluated(mean(value) - total * (HALF_LOG_TWO_PI + np.log(sd)), gradient, hessian)


def _in_free_coordinates(by_moments: Evaluated, shape: _Shape) -> Evaluated:
    """Chain rule from (m, log s, eta, kappa) to (l, log w, v, k)."""
    omega, tanh, eta = shape.omega, shape.tanh, shape.eta
    bend = omega / shape.cosh**2
    eta_v = shape.root * shape.cosh
    e_k = shape.kappa + 1
    jacobian = np.array(
        [
            [1, omega * tanh, bend, 0],
            [0, 1, tanh, 0.5],
            [0, 0, eta_v, 0.5 * eta],
            [0, 0, 0, e_k],
        ]
    )
    curved = jacobian.T @ by_moments.hessian @ jacobian
    g_m, g_s, g_e, g_k = by_moments.gradient
    curved[1, 1] += g_m * omega * tanh
    curved[1, 2] += g_m * bend
    curved[2, 1] += g_m * bend
    curved[2, 2] += -2 * g_m * bend * tanh + g_s / shape.cosh**2 + g_e * eta
    curved[2, 3] += 0.5 * g_e * eta_v
    curved[3, 2] += 0.5 * g_e * eta_v
    curved[3, 3] += 0.25 * g_e * eta + g_k * e_k
    return Evaluated(by_moments.value, by_moments.gradient @ jacobian, curved)


def _from_moments(mean: float, sd: float, eta: float, kappa: float) -> Floats:
    """Free coordinates of the NIG with these moments."""
    tail = np.log1p(kappa)
    asymmetry = np.arcsinh(eta * np.exp(-tail / 2))
    omega = sd / (np.exp(tail / 2) * np.cosh(asymmetry))
    return np.array([mean - omega * np.tanh(asymmetry), np.log(omega), asymmetry, tail])
