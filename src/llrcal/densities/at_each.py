"""Log densities of scores one by one, with gradient and Hessian: for mixtures of densities.

A fit of one class needs only sums of these, which each family works out by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.densities import nig_likelihood, student_t
from llrcal.densities.density import HALF_LOG_TWO_PI, Density
from llrcal.densities.gaussian import Gaussian
from llrcal.densities.nig import NIG
from llrcal.densities.student_t import StudentT


class AtEach(NamedTuple):
    """Of n scores, in the k free coordinates of a family."""

    log_densities: Floats
    """n of them."""
    slopes: Floats
    """Gradients, k by n."""
    curvatures: Floats
    """Hessians, k by k by n."""


def at_each(family: type[Density], theta: Array, values: Floats) -> AtEach:
    """The log density of each score at free coordinates ``theta``, and its derivatives."""
    return _FAMILIES[family](theta, values)


def _gaussian(theta: Array, values: Floats) -> AtEach:
    location, log_scale = theta
    sigma = np.exp(log_scale)
    y = (values - location) / sigma
    mixed = -2 * y / sigma
    return AtEach(
        -0.5 * y * y - log_scale - HALF_LOG_TWO_PI,
        np.array([y / sigma, y * y - 1]),
        np.array([[np.full_like(y, -1 / sigma**2), mixed], [mixed, -2 * y * y]]),
    )


def _student_t(theta: Array, values: Floats) -> AtEach:
    location, log_scale, lam = theta
    sigma = np.exp(log_scale)
    y = (values - location) / sigma
    f, (f_y, f_l), (f_yy, f_yl, f_ll) = student_t.shape_terms(y, lam)
    c0, c1, c2 = student_t.normaliser(lam)
    ms, ml, sl = (f_y + y * f_yy) / sigma, -f_yl / sigma, -y * f_yl
    return AtEach(
        f + c0 - log_scale,
        np.array([-f_y / sigma, -y * f_y - 1, f_l + c1]),
        np.array(
            [[f_yy / sigma**2, ms, ml], [ms, y * f_y + y * y * f_yy, sl], [ml, sl, f_ll + c2]]
        ),
    )


def _nig(theta: Array, values: Floats) -> AtEach:
    location, log_omega, v, log1p_c = theta
    omega, c = np.exp(log_omega), np.expm1(log1p_c)
    z = (values - location) / omega
    terms = nig_likelihood.shape_terms(z, v, c)
    f, (f_z, f_v, f_c), (f_zz, f_zv, f_zc, f_vv, f_vc, f_cc) = terms
    g, (g_v, g_c), (g_vv, g_vc, g_cc) = nig_likelihood.factor_terms(v, c)
    e = 1 + c  # the first and the second derivative of c by log(1 + c)
    lw, lv, lc = (f_z + z * f_zz) / omega, -f_zv / omega, -e * f_zc / omega
    wv, wc, vc = -z * f_zv, -e * z * f_zc, e * (f_vc + g_vc)
    curvatures = [
        [f_zz / omega**2, lw, lv, lc],
        [lw, z * f_z + z * z * f_zz, wv, wc],
        [lv, wv, f_vv + g_vv, vc],
        [lc, wc, vc, e * (f_c + g_c) + e * e * (f_cc + g_cc)],
    ]
    return AtEach(
        f + g - log_omega - HALF_LOG_TWO_PI,
        np.array([-f_z / omega, -z * f_z - 1, f_v + g_v, e * (f_c + g_c)]),
        np.array(curvatures),
    )


_FAMILIES: dict[type[Density], Callable[[Array, Floats], AtEach]] = {
    Gaussian: _gaussian,
    StudentT: _student_t,
    NIG: _nig,
}
