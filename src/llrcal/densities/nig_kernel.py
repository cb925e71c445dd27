"""The function of a score that every form of the normal-inverse-Gaussian density contains.

    K(u, y, c) = -(3/2) log Q + F(c / Q) - T,    Q = sqrt(u^2 + c y^2),   T = (Q - u) / c

with F the scaled Bessel function of :mod:`llrcal.densities.bessel`. Nothing special happens at
``c = 0``, where ``T = y^2 / (2 u)`` and F = 0, as long as u is positive there.
"""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.bessel import scaled_log_k1, scaled_log_k1_derivatives

Derivatives = tuple[Floats, ...]
Ingredients = tuple[Floats, Floats, Floats, Floats, Floats, Floats]


def log_kernel(u: Floats, y: Floats, c: float | Floats, terms: int = 27) -> Floats:
    """K at each pair of u and y; c may be an array that is broadcast to them.

    With 17 terms of the series of F, it is good to 1e-13.
    """
    q = np.hypot(u, np.sqrt(c) * y)
    exponent = _exponent(u, y, c, q)
    return np.asarray(scaled_log_k1(c / q, terms) - 1.5 * np.log(q) - exponent)


def ingredients(u: Floats, y: Floats, c: float) -> Ingredients:
    """Q, T, log Q, and F with its first two derivatives.

    Scores are not so far out here that squares overflow, as they may be where a density is used.
    """
    q = np.sqrt(u * u + c * (y * y))
    return q, _exponent(u, y, c, q), np.log(q), *scaled_log_k1_derivatives(c * (1 / q))


def log_kernel_derivatives(
    u: Floats, y: Floats, c: float, made_of: Ingredients
) -> tuple[Floats, Derivatives, Derivatives]:
    """K from its ingredients, its derivatives by u, y and c, and by uu, uy, uc, yy, yc and cc."""
    q, exponent, log_q, bessel, bessel1, bessel2 = made_of
    iq = 1 / q
    t = c * iq

    # L(Q, c) = -(3/2) log Q + F(c / Q)
    iq2 = iq * iq
    iq3 = iq2 * iq
    mixed = bessel1 + t * bessel2
    l_q, l_c = -(1.5 + t * bessel1) * iq, bessel1 * iq
    l_qq, l_qc, l_cc = (1.5 + t * (bessel1 + mixed)) * iq2, -mixed * iq2, bessel2 * iq2

    u2, y2, tq = u * u, y * y, exponent * q
    q_u, q_y, q_c = u * iq, c * y * iq, 0.5 * y2 * iq
    first = (
        l_q * q_u + exponent * iq,
        l_q * q_y - y * iq,
        l_q * q_c + l_c + 0.5 * exponent * exponent * iq,
    )
    second = (
        l_qq * q_u * q_u + (l_q * c - 1) * y2 * iq3,
        l_qq * q_u * q_y - (l_q * c - 1) * u * y * iq3,
        (l_qq * q_c + l_qc) * q_u - 0.5 * (l_q * u * y2 + exponent * (tq + y2)) * iq3,
        l_qq * q_y * q_y + (l_q * c - 1) * u2 * iq3,
        (l_qq * q_c + l_qc) * q_y + 0.5 * (l_q * (q * q + u2) + y2) * y * iq3,
        (l_qq * q_c + 2 * l_qc) * q_c
        + l_cc
        - 0.25 * (l_q * y2 * y2 + exponent * exponent * (2 * tq + y2)) * iq3,
    )
    return bessel - 1.5 * log_q - exponent, first, second


def _exponent(u: Floats, y: Floats, c: float | Floats, q: Floats) -> Floats:
    """T, worked out without subtracting numbers that are nearly equal."""
    exponent = np.asarray(y * y / (np.abs(u) + q))
    below = u < 0
    if below.any():
        exponent[below] = (q[below] - u[below]) / np.broadcast_to(c, q.shape)[below]
    return exponent
