"""The normal-inverse-Gaussian likelihood in the coordinates in which its maximum is searched for.

Where one tail is far heavier than the other (one score a million deviations away will do), the
coordinates (l, log w, v, k) of :mod:`llrcal.densities.nig` run off together, k ~ e^(-2v) and
w ~ e^(2v), and mean and deviation cost their derivatives all digits. The coordinates

    (l, log w', v, k'):   w' = w / cosh^2 v,   c = e^k' - 1 = kappa cosh^2 v

stay where they are. With ``A = c + cosh^2 v`` and z = (x - l) / w', the density is

    U = 1 + z tanh v,   Y = (z / cosh v - sinh v) / sqrt(A),   Q = hypot(U, sqrt(c) Y)
    log f = -log w' - log(2 pi A / cosh^2 v)/2 - (3/2) log Q + F(c / Q) - T,   T = (Q - U) / c

which has the form of the one in :mod:`llrcal.densities.nig`, and nothing in it becomes large: for
v -> oo and c = 0 it is Levy's density, for c -> oo Cauchy's.
"""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.densities.bessel import scaled_log_k1_derivatives
from llrcal.densities.density import HALF_LOG_TWO_PI, Evaluated


def to_search(theta: Floats) -> Floats:
    """(l, log w', v, k') of (l, log w, v, k)."""
    location, log_scale, v, k = theta
    square = np.cosh(v) ** 2
    return np.array([location, log_scale - np.log(square), v, np.log1p(np.expm1(k) * square)])


def from_search(at: Floats) -> Floats:
    """(l, log w, v, k) of (l, log w', v, k')."""
    location, log_scale, v, k = at
    square = np.cosh(v) ** 2
    return np.array([location, log_scale + np.log(square), v, np.log1p(np.expm1(k) / square)])


def search_loglik(at: Floats, values: Floats, weights: Floats) -> Evaluated:
    """Weighted sum of log densities, with gradient and Hessian in (l, log w', v, k')."""
    location, log_scale, v, k = at
    w, c = np.exp(log_scale), np.expm1(k)
    sinh, cosh, tanh = np.sinh(v), np.cosh(v), np.tanh(v)
    square = cosh * cosh
    a = c + square
    root = np.sqrt(a)
    z = (values - location) / w
    u = 1 + tanh * z
    if c == 0 and u.min() <= 0:
        return Evaluated.impossible(4)
    y = (z / cosh - sinh) / root
    f, (f_u, f_y, f_c), (f_uu, f_uy, f_uc, f_yy, f_yc, f_cc) = _core(u, y, c)

    # U and Y by z, v and c. The slope of Y by v is written without its cancelling parts.
    y_z, u_v = 1 / (cosh * root), z / square
    bent = 2 * sinh + c * tanh / cosh
    y_v = -(z * bent + cosh * (1 + c)) / (a * root)
    y_c = -0.5 * y / a
    y_zv = -bent / (a * root)
    y_zc, y_cc = -0.5 * y_z / a, 0.75 * y / a**2
    y_vv = -(z * (2 * cosh + c * (1 - sinh**2) / cosh**3) + sinh * (1 + c)) / (a * root)
    y_vv = y_vv - 3 * sinh * cosh / a * y_v
    y_vc = -(z * tanh / cosh + cosh) / (a * root) - 1.5 * y_v / a

    def mean(term: Floats) -> float:
        return weighted_sum(term, weights)

    f_z = f_u * tanh + f_y * y_z
    f_v = f_u * u_v + f_y * y_v
    f_s = f_y * y_c + f_c
    zz_u, zz_y = f_uu * tanh + f_uy * y_z, f_uy * tanh + f_yy * y_z
    vv_u, vv_y = f_uu * u_v + f_uy * y_v, f_uy * u_v + f_yy * y_v
    f_zz = zz_u * tanh + zz_y * y_z
    f_zv = zz_u * u_v + zz_y * y_v + f_u / square + f_y * y_zv
    f_zc = zz_y * y_c + f_uc * tanh + f_yc * y_z + f_y * y_zc
    f_vv = vv_u * u_v + vv_y * y_v - 2 * tanh * f_u * u_v + f_y * y_vv
    f_vc = vv_y * y_c + f_uc * u_v + f_yc * y_v + f_y * y_vc
    f_ss = (f_yy * y_c + 2 * f_yc) * y_c + f_cc + f_y * y_cc

    total = float(weights.sum())
    # The factor sqrt(cosh^2 v / A), and its logarithm's derivatives.
    g_v, g_c = tanh * c / a, -0.5 / a
    g_vv = c / a * (1 / square - 2 * sinh**2 / a)
    g_vc, g_cc = sinh * cosh / a**2, 0.5 / a**2
    e = 1 + c  # c and all its derivatives by k'
    slope_c = mean(f_s) + total * g_c
    gradient = np.array(
        [-mean(f_z) / w, -mean(z * f_z) - total, mean(f_v) + total * g_v, e * slope_c]
    )
    h_lw = mean(f_z + z * f_zz) / w
    h_lv, h_wv = -mean(f_zv) / w, -mean(z * f_zv)
    h_lk, h_wk = -e * mean(f_zc) / w, -e * mean(z * f_zc)
    h_vk = e * (mean(f_vc) + total * g_vc)
    hessian = np.array(
        [
            [mean(f_zz) / w**2, h_lw, h_lv, h_lk],
            [h_lw, mean(z * f_z + z * z * f_zz), h_wv, h_wk],
            [h_lv, h_wv, mean(f_vv) + total * g_vv, h_vk],
            [h_lk, h_wk, h_vk, e * slope_c + e * e * (mean(f_ss) + total * g_cc)],
        ]
    )
    factor = -log_scale - HALF_LOG_TWO_PI - 0.5 * np.log1p(c / square)
    return Evaluated(mean(f) + total * factor, gradient, hessian)


Core = tuple[Floats, tuple[Floats, ...], tuple[Floats, ...]]


def _core(u: Floats, y: Floats, c: float) -> Core:
    """-(3/2) log Q + F(c / Q) - T with its derivatives by U, Y and c."""
    q = np.hypot(u, np.sqrt(c) * y)
    iq = 1 / q
    y2 = y * y
    exponent = y2 / (np.abs(u) + q)
    below = u < 0
    if below.any():
        exponent[below] = (q[below] - u[below]) / c
    t = c * iq
    bessel, bessel1, bessel2 = scaled_log_k1_derivatives(t)

    # L(Q, c) = -(3/2) log Q + F(c / Q)
    iq2 = iq * iq
    iq3 = iq2 * iq
    mixed = bessel1 + t * bessel2
    l_q, l_c = -(1.5 + t * bessel1) * iq, bessel1 * iq
    l_qq, l_qc, l_cc = (1.5 + t * (bessel1 + mixed)) * iq2, -mixed * iq2, bessel2 * iq2

    q_u, q_y, q_c = u * iq, c * y * iq, 0.5 * y2 * iq
    u2, tq = u * u, exponent * q
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
    return bessel - 1.5 * np.log(q) - exponent, first, second
