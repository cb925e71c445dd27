"""The likelihood of the normal-inverse-Gaussian density, in the coordinates that are searched.

Where one tail is far heavier than the other (one score a million deviations away will do), the
parameters (l, log w, v, k) of :mod:`llrcal.densities.nig` run off to infinity together, with
w ~ e^(2v) and k ~ e^(-2v), and derivatives by way of mean and deviation lose all their digits. The
free coordinates

    (l, log omega, v, log(1 + c)):    omega = w / cosh^2 v,    c = kappa cosh^2 v >= 0

stay finite. With ``z = (x - l) / omega`` and ``A = c + cosh^2 v`` the density is

    log f = -log omega - log(2 pi)/2 + log(cosh^2 v / A)/2 + K(u, y, c)
    u = 1 + z tanh v,   y = (z / cosh v - sinh v) / sqrt(A)

with K of :mod:`llrcal.densities.nig_kernel`. Nothing in it becomes large: for v -> oo and c = 0 it
is Levy's density, for c -> oo it is Cauchy's.
"""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Array, Floats, weighted_sums
from llrcal.densities.bessel import SERIES, SERIES_END, put_beyond_series
from llrcal.densities.density import HALF_LOG_TWO_PI, Evaluated
from llrcal.densities.nig_kernel import Derivatives, ingredients, log_kernel_derivatives
from llrcal.kernels import kernels_for
from llrcal.kernels.interface import Kernels


def mean_loglik(theta: Array, values: Floats, weights: Floats) -> Evaluated:
    """Weighted sum of log densities, with gradient and Hessian in the free coordinates."""
    location, log_omega, v, log1p_c = theta
    omega, c = np.exp(log_omega), np.expm1(log1p_c)
    z = (values - location) / omega
    if c == 0 and (1 + np.tanh(v) * z).min() <= 0:
        return Evaluated.impossible(4)
    value, m_z, m_w, m_v, m_c, m_zz, m_zw, m_ww, *others = _sums(z, v, c, weights)
    m_zv, m_wv, m_zc, m_wc, m_vv, m_vc, m_cc = others
    g, (g_v, g_c), (g_vv, g_vc, g_cc) = factor_terms(v, c)

    total = float(weights.sum())
    e = 1 + c  # the first and the second derivative of c by log(1 + c)
    slope_c = m_c + total * g_c
    gradient = np.array([-m_z / omega, -m_w - total, m_v + total * g_v, e * slope_c])
    h_lw, h_lv, h_lc = m_zw / omega, -m_zv / omega, -e * m_zc / omega
    h_wv, h_wc = -m_wv, -e * m_wc
    h_vc = e * (m_vc + total * g_vc)
    hessian = np.array(
        [
            [m_zz / omega**2, h_lw, h_lv, h_lc],
            [h_lw, m_ww, h_wv, h_wc],
            [h_lv, h_wv, m_vv + total * g_vv, h_vc],
            [h_lc, h_wc, h_vc, e * slope_c + e * e * (m_cc + total * g_cc)],
        ]
    )
    constant = -log_omega - HALF_LOG_TWO_PI + g
    return Evaluated(value + total * constant, gradient, hessian)


def _sums(z: Floats, v: float, c: float, weights: Floats) -> list[float]:
    """Weighted sums of K and its derivatives, and of some of them times z."""
    if kernels := kernels_for(z):
        numbers, sums = _numbers(v, c), np.empty(15)
        kernels.nig_sums(z, _made_of(kernels, z, numbers), numbers, weights, sums)
        plain: list[float] = sums.tolist()
        return plain
    f, (f_z, f_v, f_c), (f_zz, f_zv, f_zc, f_vv, f_vc, f_cc) = shape_terms(z, v, c)
    wanted = [f, f_z, z * f_z, f_v, f_c, f_zz, f_z + z * f_zz, z * f_z + z * z * f_zz]
    wanted += [f_zv, z * f_zv, f_zc, z * f_zc, f_vv, f_vc, f_cc]
    return weighted_sums(wanted, weights)


def _numbers(v: float, c: float) -> Floats:
    """What depends on the shape alone: c, sinh, cosh, tanh, cosh^2, A, A^2, its root, and two more.

    The last two are the terms in z of the first and the second derivative of y by v.
    """
    sinh, cosh, tanh = np.sinh(v), np.cosh(v), np.tanh(v)
    square = cosh * cosh
    a = c + square
    bent = 2 * sinh + c * tanh / cosh
    curl = 2 * cosh + c * (1 - sinh**2) / cosh**3
    return np.array([c, sinh, cosh, tanh, square, a, a**2, np.sqrt(a), bent, curl])


def _made_of(kernels: Kernels, z: Floats, numbers: Floats) -> Floats:
    """The ingredients of K. NumPy adds logarithms, SciPy Bessel functions beyond the series."""
    rows = np.empty((6, len(z)))
    most = kernels.nig_ingredients(z, numbers, *SERIES, rows)
    np.log(rows[0], out=rows[2])
    if most > SERIES_END:
        put_beyond_series(numbers[0] * (1 / rows[0]), *rows[3:])
    return rows


def shape_terms(z: Floats, v: float, c: float) -> tuple[Floats, Derivatives, Derivatives]:
    """K(u, y, c) with its derivatives by z, v and c, and by zz, zv, zc, vv, vc and cc."""
    numbers = _numbers(v, c)
    if kernels := kernels_for(z):
        rows = np.empty((10, len(z)))
        kernels.nig_shape(z, _made_of(kernels, z, numbers), numbers, rows)
        return rows[0], tuple(rows[1:4]), tuple(rows[4:])
    _, sinh, cosh, tanh, square, a, a_squared, root, bent, curl = numbers
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
    k, (k_u, k_y, k_c), second = log_kernel_derivatives(u, y, c, ingredients(u, y, c))
    k_uu, k_uy, k_uc, k_yy, k_yc, k_cc = second
    uz, yz = k_uu * u_z + k_uy * y_z, k_uy * u_z + k_yy * y_z
    uv, yv = k_uu * u_v + k_uy * y_v, k_uy * u_v + k_yy * y_v
    first = (k_u * u_z + k_y * y_z, k_u * u_v + k_y * y_v, k_y * y_c + k_c)
    second = (
        uz * u_z + yz * y_z,
        uz * u_v + yz * y_v + k_u / square + k_y * y_zv,
        yz * y_c + k_uc * u_z + k_yc * y_z + k_y * y_zc,
        uv * u_v + yv * y_v - 2 * tanh * k_u * u_v + k_y * y_vv,
        yv * y_c + k_uc * u_v + k_yc * y_v + k_y * y_vc,
        (k_yy * y_c + 2 * k_yc) * y_c + k_cc + k_y * y_cc,
    )
    return k, first, second


def factor_terms(
    v: float, c: float
) -> tuple[float, tuple[float, float], tuple[float, float, float]]:
    """log(cosh^2 v / A)/2 with its derivatives by v and c, and by vv, vc and cc."""
    sinh, cosh, tanh = np.sinh(v), np.cosh(v), np.tanh(v)
    square = cosh * cosh
    a = c + square
    first = (tanh * c / a, -0.5 / a)
    second = (c / a * (1 / square - 2 * sinh**2 / a), sinh * cosh / a**2, 0.5 / a**2)
    return -0.5 * np.log1p(c / square), first, second
