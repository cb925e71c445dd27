"""The Bessel part of the normal-inverse-Gaussian density, free of cancellation.

Written with ``t = 1/z``, the function

    F(t) = log( e^z K1(z) sqrt(2 z / pi) ),    z = 1/t,

is smooth and bounded on ``0 <= t <= 1/2`` with ``F(0) = 0``, so that the Gaussian limit
(``t = 0``) is an ordinary point. There it is a Chebyshev series; its derivatives are the
derivatives of that series. For ``z < 2`` the ratio ``K0/K1`` gives the derivatives exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebval
from scipy.special import k0e, k1e

from llrcal.arrays import Floats
from llrcal.kernels import kernels_for

# Chebyshev coefficients of F on 0 <= t <= 1/2, from 64 nodes evaluated to 40 digits.
_F = np.array(
    [
        0.08045698954827519591,
        0.07658998183395304521,
        -0.003575981874135522411,
        0.0002624910367396046134,
        -0.00002512899075209212000,
        0.000002930490953620585192,
        -4.000177370078123075613e-7,
        6.207064003273011319529e-8,
        -1.069999480401979922142e-8,
        2.012383397866149426727e-9,
        -4.071303475343815497734e-10,
        8.763600132543944432448e-11,
        -1.989904161462603464396e-11,
        4.734122312286839127723e-12,
        -1.173672043581703277776e-12,
        3.018812096314909739317e-13,
        -8.026458890195046541097e-14,
        2.199303178337589141948e-14,
        -6.194357143089819085739e-15,
        1.789348662785706970110e-15,
        -5.291130550445473271438e-16,
        1.598931218625643849763e-16,
        -4.930595416811821954669e-17,
        1.549496972996635801954e-17,
        -4.956771776717779880776e-18,
        1.612394544367817145646e-18,
        -5.328440787478939051565e-19,
        1.787377622087053713892e-19,
        -6.081131192664429938456e-20,
        2.096998994956839165680e-20,
        -7.324493175633961018421e-21,
        2.589792339282997349546e-21,
    ]
)
SERIES_END = 0.5  # t at which the series ends and K0/K1 takes over
SERIES: tuple[Floats, Floats, Floats] = (
    _F[:27],
    chebder(_F, 1, scl=2 / SERIES_END)[:29],
    chebder(_F, 2, scl=2 / SERIES_END),
)
"""Those of F and of its derivatives."""


def _series(at: Floats, terms: Floats) -> Floats:
    flat = at.ravel()
    if kernels := kernels_for(flat):
        out = np.empty(len(flat))
        kernels.chebyshev(flat, terms, out)
        return out.reshape(at.shape)
    return np.asarray(chebval(at, terms))


def scaled_log_k1(t: Floats, terms: int = 27) -> Floats:
    """F(t) for ``t >= 0``; with 17 terms instead of 27, to 1e-13."""
    out = _series(np.minimum(t, SERIES_END) * (2 / SERIES_END) - 1, _F[:terms])
    far = t > SERIES_END
    if far.any():
        z = 1 / t[far]
        out[far] = np.log(k1e(z)) + 0.5 * np.log(z * (2 / np.pi))
    return np.asarray(out)


def scaled_log_k1_derivatives(t: Floats) -> tuple[Floats, Floats, Floats]:
    """F, F' and F'' at ``t >= 0``."""
    argument = np.minimum(t, SERIES_END) * (2 / SERIES_END) - 1
    value, first, second = (_series(argument, terms) for terms in SERIES)
    put_beyond_series(t, value, first, second)
    return value, first, second


def put_beyond_series(t: Floats, value: Floats, first: Floats, second: Floats) -> None:
    """Replace F, F' and F'' by way of K0/K1 where the series has ended."""
    far = t > SERIES_END
    if far.any():
        z = 1 / t[far]
        k1 = k1e(z)
        value[far] = np.log(k1) + 0.5 * np.log(z * (2 / np.pi))
        # U = z (1 - K0/K1), and z U' from the Bessel recurrences.
        u = z * (1 - k0e(z) / k1)
        z_du = -z + 2 * z * u + 2 * u - u * u
        slope = -z * (u - 0.5)
        first[far] = slope
        second[far] = z * (z * z_du - slope)
