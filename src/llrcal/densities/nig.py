"""The normal-inverse-Gaussian density (paper, section 5.4).

In the textbook (Barndorff-Nielsen, *Scandinavian Journal of Statistics* 24, 1997) its parameters
are mu, delta > 0 and alpha > |beta|, and with gamma = sqrt(alpha^2 - beta^2) and
q = sqrt(delta^2 + (x - mu)^2) it is

    f(x) = alpha delta / (pi q) K1(alpha q) exp(delta gamma + beta (x - mu)),

where K1 is the modified Bessel function of the second kind. ``params`` gives these four numbers.
But near the Gaussian and near |beta| = alpha they run off to infinity together, and the formula
subtracts large numbers. The mean m, the standard deviation s, eta = skewness / 3 and
kappa = excess kurtosis / 3 - 5 eta^2 >= 0 do neither:

    log f = -log s - log(2 pi)/2 + K(1 + eta y, y, kappa),    y = (x - m) / s
    K(u, y, c) = -(3/2) log Q + F(c / Q) - T,    Q = sqrt(u^2 + c y^2),   T = (Q - u) / c

with F the scaled Bessel function of :mod:`llrcal.densities.bessel`. Nothing special happens at
c = 0, where T = y^2 / (2 u) and F = 0, as long as u is positive there. The Gaussian is the ordinary
point eta = kappa = 0; kappa = 0 alone is the inverse Gaussian, whose support ends where
1 + eta y = 0.

For Cauchy-like scores, mean and deviation run off as well. A density therefore keeps

    (l, w, v, k):   m = l + w tanh v,       s = w e^(k/2) cosh v,
                    eta = e^(k/2) sinh v,   kappa = e^k - 1.

Where one tail is far heavier than the other (one score a million deviations away will do), these
run off, too, with w ~ e^(2v) and k ~ e^(-2v). A fit searches free coordinates that stay finite,

    (l, log omega, v, log(1 + c)):    omega = w / cosh^2 v,    c = kappa cosh^2 v >= 0,

in which the density is, with z = (x - l) / omega and A = c + cosh^2 v,

    log f = -log omega - log(2 pi)/2 + log(cosh^2 v / A)/2 + K(u, y, c)
    u = 1 + z tanh v,   y = (z / cosh v - sinh v) / sqrt(A).

Nothing in it becomes large: for v -> oo and c = 0 it is Levy's density, for c -> oo it is Cauchy's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.declaration import schema
from llrcal.densities.bessel import (
    SERIES,
    SERIES_END,
    put_beyond_series,
    scaled_log_k1,
    scaled_log_k1_derivatives,
)
from llrcal.densities.density import HALF_LOG_TWO_PI, Numbers, Shaped, moments, quantiles
from llrcal.kernels import kernels_for
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
# Of the priors of the coordinates of a row, which are Gaussian around zero.
_PRECISIONS = np.array([0.0, 0.0, 0.25**-2, 1 / 0.2])


@dataclass(frozen=True)
class NIG(Shaped):
    """A normal-inverse-Gaussian density with the parameters (l, w, v, k) above.

    A row is (l, log w, v, root of k). With k Gamma with shape 1/2, its root is half of a Gaussian.
    """

    # At an asymmetry of 276, cosh^2 times the furthest score would overflow.
    asymmetry: Annotated[
        float, schema(minimum=-250, maximum=250), "Which way it leans; zero is symmetric."
    ]
    tail: Annotated[
        float,
        schema(minimum=_LEAST_KAPPA / 2, maximum=_MOST_TAIL),
        "How heavy its tails are, from Gaussian to Cauchy.",
    ]

    family = "nig"
    least_distinct = 5
    # With k of n scores in one place, the likelihood grows like delta^(n - 2k) as the density
    # shrinks onto them. With all others on one side, its inverse-Gaussian edge can do so too, and
    # the likelihood grows like the distance of that edge to the power of (n - 3k) / 2.
    most_tied = float(np.nextafter(1 / 2, 0))
    most_tied_at_end = float(np.nextafter(1 / 3, 0))

    names = ("location", "log_scale", "asymmetry", "root_tail")
    prior = (
        "flat in location and log scale; asymmetry v Gaussian with deviation 0.25; tail k Gamma "
        "with shape 1/2 and mean 0.2"
    )
    tails = (2.0**-25, 6.7)  # from the Gaussian, to the last bit
    tail_of, tail_coordinate = np.square, np.sqrt
    folded = True
    likely = ((-0.8, math.sqrt(0.02)), (0.8, math.sqrt(2.0)))

    @property
    def params(self) -> dict[str, float]:
        """The textbook parameters mu, delta, alpha and beta, with ``|beta| < alpha``."""
        v, w = self.asymmetry, self.scale
        tail = max(self.tail, float(np.log1p(_DISTINCT * np.sinh(v) ** 2)))
        root, kappa = np.exp(tail / 2), np.expm1(tail)
        eta, sd = root * np.sinh(v), w * root * np.cosh(v)
        tau = kappa + eta * eta
        return {
            "mu": self.origin + (self.location - float(w * np.tanh(v) / tau)),
            "delta": float(sd * np.sqrt(kappa) / tau),
            "alpha": float(np.sqrt(tau) / kappa / sd),
            "beta": float(eta / kappa / sd),
        }

    def _logpdf(self, centred: Floats) -> Floats:
        v, square = self.asymmetry, np.cosh(self.asymmetry) ** 2
        # Take the location off first: the difference of neighbours is exact.
        z = (centred - self.location) / (self.scale / square)
        return _logpdfs(z, v, np.expm1(self.tail) * square, np.log(self.scale) - np.log(square))

    @classmethod
    def kept(cls, *theta: Any) -> tuple[Any, ...]:
        location, log_omega, v, log1p_c = theta
        square = np.cosh(v) ** 2
        tail = np.maximum(np.log1p(np.expm1(log1p_c) / square), least_tail(v))
        return location, log_omega + np.log(square), v, tail

    @classmethod
    def free(cls, *kept: Any) -> Floats:
        location, log_scale, v, tail = kept
        square = np.cosh(v) ** 2
        return np.array(
            [location, log_scale - np.log(square), v, np.log1p(np.expm1(tail) * square)]
        )

    @classmethod
    def limits(cls, theta: Array, tie_share: float) -> tuple[Note, ...]:
        _, _, v, log1p_c = theta
        texts = []
        if abs(v) >= _MOST_ASYMMETRY:
            texts.append("one tail is so heavy that |beta| is alpha to working precision")
        if log1p_c >= _MOST_TAIL:
            texts.append("tails as heavy as Cauchy's: alpha is zero to working precision")
        elif cls.kept(*theta)[-1] == least_tail(v):
            texts.append(
                "the optimum is at the edge kappa = 0 (an inverse Gaussian, or the Gaussian "
                "itself); kappa is set to the least value that keeps the density positive "
                "everywhere"
            )
        return tuple(Note.of("edge", text) for text in texts)

    @staticmethod
    def bounds(tie_share: float) -> tuple[Floats, Floats]:
        free, most = np.inf, _MOST_ASYMMETRY
        return np.array([-free, -free, -most, 0.0]), np.array([free, free, most, _MOST_TAIL])

    @classmethod
    def starts(cls, values: Floats, weights: Floats) -> list[Floats]:
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
        return [cls.free(*start) for start in starts]

    @classmethod
    def shape(cls, *free: float) -> tuple[Numbers, Numbers, Numbers]:
        v, log1p_c = free
        c = np.expm1(log1p_c)
        return (v, c), (1.0, 1 + c), (0.0, 1 + c)

    @classmethod
    def terms(cls, z: Floats, *shape: float) -> Sequence[Floats]:
        """K(u, y, c) with its derivatives by z, v and c."""
        c, sinh, cosh, tanh, square, a, a_squared, root, bent, curl = _numbers(*shape)
        u, y = 1 + tanh * z, (z / cosh - sinh) / root

        # The derivatives of u and y. Terms that would cancel in y_v have been cancelled by hand.
        u_z, u_v = tanh, z / square
        y_z = 1 / (cosh * root)
        y_v = -(z * bent + cosh * (1 + c)) / (a * root)
        y_c = -0.5 * y / a
        y_zv = -bent / (a * root)
        y_zc, y_cc = -0.5 * y_z / a, 0.75 * y / a_squared
        y_vv = -(z * curl + sinh * (1 + c)) / (a * root)
        y_vv = y_vv - 3 * sinh * cosh / a * y_v
        y_vc = -(z * tanh / cosh + cosh) / (a * root) - 1.5 * y_v / a

        # The chain rule.
        k, k_u, k_y, k_c, k_uu, k_uy, k_uc, k_yy, k_yc, k_cc = _kernel_derivatives(u, y, c)
        uz, yz = k_uu * u_z + k_uy * y_z, k_uy * u_z + k_yy * y_z
        uv, yv = k_uu * u_v + k_uy * y_v, k_uy * u_v + k_yy * y_v
        return (
            k,
            k_u * u_z + k_y * y_z,
            k_u * u_v + k_y * y_v,
            k_y * y_c + k_c,
            uz * u_z + yz * y_z,
            uz * u_v + yz * y_v + k_u / square + k_y * y_zv,
            yz * y_c + k_uc * u_z + k_yc * y_z + k_y * y_zc,
            uv * u_v + yv * y_v - 2 * tanh * k_u * u_v + k_y * y_vv,
            yv * y_c + k_uc * u_v + k_yc * y_v + k_y * y_vc,
            (k_yy * y_c + 2 * k_yc) * y_c + k_cc + k_y * y_cc,
        )

    @classmethod
    def constants(cls, *shape: float) -> tuple[float, Numbers, Numbers]:
        """log(cosh^2 v / A)/2 - log(2 pi)/2, with its derivatives by v and c."""
        c, sinh, cosh, tanh, square, a, *_ = _numbers(*shape)
        first = (tanh * c / a, -0.5 / a)
        second = (c / a * (1 / square - 2 * sinh**2 / a), sinh * cosh / a**2, 0.5 / a**2)
        return -0.5 * np.log1p(c / square) - HALF_LOG_TWO_PI, first, second

    @classmethod
    def _sums(cls, z: Floats, shape: Numbers, weights: Floats) -> Floats:
        kernels = kernels_for(z)
        if kernels is None:
            return super()._sums(z, shape, weights)
        numbers, made_of, sums = _numbers(*shape), np.empty((6, len(z))), np.empty(15)
        # NumPy adds logarithms, SciPy Bessel functions beyond the series.
        most = kernels.nig_ingredients(z, numbers, *SERIES, made_of)
        np.log(made_of[0], out=made_of[2])
        if most > SERIES_END:
            put_beyond_series(numbers[0] * (1 / made_of[0]), *made_of[3:])
        kernels.nig_sums(z, made_of, numbers, weights, sums)
        return sums

    @classmethod
    def logpdfs(cls, rows: Floats, scores: Floats) -> Floats:
        location, log_omega, v, log1p_c = cls.free_rows(rows).T[:, :, None]
        z = (scores - location) * np.exp(-log_omega)
        return _logpdfs(z, v, np.expm1(log1p_c), log_omega, series=17)

    @classmethod
    def derivatives(cls, row: Floats) -> tuple[Floats, Floats]:
        _, _, v, root = row
        k, square = root * root, np.cosh(v) ** 2
        kappa, up = np.expm1(k), 2 * root * np.exp(k)
        whole = 1 + kappa * square  # log(1 + c) is the log of this
        by = np.array([kappa * np.sinh(2 * v), up * square]) / whole
        mixed = up * np.sinh(2 * v)
        twice = np.array(
            [[2 * kappa * np.cosh(2 * v), mixed], [mixed, (2 + 4 * k) * np.exp(k) * square]]
        )
        first, second = np.eye(4), np.zeros((4, 4, 4))
        first[1, 2], second[1, 2, 2] = -2 * np.tanh(v), -2 / square
        first[3, 2:], second[3, 2:, 2:] = by, twice / whole - np.outer(by, by)
        return first, second

    @classmethod
    def log_priors(cls, rows: Floats) -> tuple[Floats, Floats, Floats]:
        slope = -_PRECISIONS * rows
        return 0.5 * slope * rows, slope, -_PRECISIONS


def least_tail(asymmetry: Any) -> Any:
    """The k to which a fit at the edge kappa = 0 is lifted."""
    least = _LIFT * np.minimum(np.sinh(asymmetry) ** 2, np.cosh(asymmetry) ** -2.0)
    return np.log1p(np.maximum(_LEAST_KAPPA, least))


def _from_moments(
    mean: float, sd: float, eta: float, kappa: float
) -> tuple[float, float, float, float]:
    """(l, log w, v, k) of the NIG with these moments."""
    tail = np.log1p(kappa)
    asymmetry = np.arcsinh(eta * np.exp(-tail / 2))
    scale = sd / (np.exp(tail / 2) * np.cosh(asymmetry))
    return mean - scale * np.tanh(asymmetry), np.log(scale), asymmetry, tail


def _logpdfs(z: Floats, v: Any, c: Any, log_omega: Any, series: int = 27) -> Floats:
    """Log densities at z in units of omega, of arrays that are broadcast.

    With 17 terms of the series of F, they are good to 1e-13.
    """
    cosh = np.cosh(v)
    square = cosh * cosh
    a = c + square
    u, y = 1 + np.tanh(v) * z, (z - cosh * np.sinh(v)) / (cosh * np.sqrt(a))
    q = np.hypot(u, np.sqrt(c) * y)
    out = scaled_log_k1(c / q, series) - 1.5 * np.log(q) - _exponent(u, y, c, q)
    out += 0.5 * np.log(square / a) - log_omega - HALF_LOG_TWO_PI
    return np.asarray(out)


@lru_cache(maxsize=4)
def _numbers(v: float, c: float) -> Floats:
    """What depends on the shape alone: c, sinh, cosh, tanh, cosh^2, A, A^2, its root, and two more.

    The last two are the terms in z of the first and the second derivative of y by v.
    """
    # In NumPy's numbers, which overflow to infinity: a search may step too far, and turns back.
    sinh, cosh, tanh = np.sinh(v), np.cosh(v), np.tanh(v)
    square = cosh * cosh
    a = c + square
    bent = 2 * sinh + c * tanh / cosh
    curl = 2 * cosh + c * (1 - sinh**2) / cosh**3
    return np.array([c, sinh, cosh, tanh, square, a, a**2, np.sqrt(a), bent, curl])


def _kernel_derivatives(u: Floats, y: Floats, c: float) -> Sequence[Floats]:
    """K, its derivatives by u, y and c, and by uu, uy, uc, yy, yc and cc.

    Scores are not so far out here that squares overflow, as they may be where a density is used.
    """
    q = np.sqrt(u * u + c * (y * y))
    exponent, iq = _exponent(u, y, c, q), 1 / q
    t = c * iq
    bessel, bessel1, bessel2 = scaled_log_k1_derivatives(t)

    # L(Q, c) = -(3/2) log Q + F(c / Q)
    iq2 = iq * iq
    iq3 = iq2 * iq
    mixed = bessel1 + t * bessel2
    l_q, l_c = -(1.5 + t * bessel1) * iq, bessel1 * iq
    l_qq, l_qc, l_cc = (1.5 + t * (bessel1 + mixed)) * iq2, -mixed * iq2, bessel2 * iq2

    u2, y2, tq = u * u, y * y, exponent * q
    q_u, q_y, q_c = u * iq, c * y * iq, 0.5 * y2 * iq
    return (
        bessel - 1.5 * np.log(q) - exponent,
        l_q * q_u + exponent * iq,
        l_q * q_y - y * iq,
        l_q * q_c + l_c + 0.5 * exponent * exponent * iq,
        l_qq * q_u * q_u + (l_q * c - 1) * y2 * iq3,
        l_qq * q_u * q_y - (l_q * c - 1) * u * y * iq3,
        (l_qq * q_c + l_qc) * q_u - 0.5 * (l_q * u * y2 + exponent * (tq + y2)) * iq3,
        l_qq * q_y * q_y + (l_q * c - 1) * u2 * iq3,
        (l_qq * q_c + l_qc) * q_y + 0.5 * (l_q * (q * q + u2) + y2) * y * iq3,
        (l_qq * q_c + 2 * l_qc) * q_c
        + l_cc
        - 0.25 * (l_q * y2 * y2 + exponent * exponent * (2 * tq + y2)) * iq3,
    )


def _exponent(u: Floats, y: Floats, c: float | Floats, q: Floats) -> Floats:
    """T, worked out without subtracting numbers that are nearly equal."""
    exponent = np.asarray(y * y / (np.abs(u) + q))
    below = u < 0
    if below.any():
        exponent[below] = (q[below] - u[below]) / np.broadcast_to(c, q.shape)[below]
    return exponent
