"""The scaled Bessel function and its derivatives."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from llrcal.densities.bessel import scaled_log_k1, scaled_log_k1_derivatives
from tests.densities import jets


def exact(t: float) -> jets.Jet:
    (at,) = jets.Jet.variables([t])
    z = (at / at) / at
    return jets.log_k1(z) + z + jets.log(z * 2) * mpmath.mpf("0.5") - mpmath.log(mpmath.pi) / 2


@pytest.mark.parametrize(
    "t", [1e-15, 1e-8, 1e-3, 0.1, 0.3, 0.4999, 0.5, 0.5001, 0.7, 2, 50, 1e6, 1e12]
)
def test_against_mpmath(t: float) -> None:
    value, first, second = (float(v[0]) for v in scaled_log_k1_derivatives(np.array([t])))
    jet = exact(t)
    assert value == pytest.approx(float(jet.value), rel=1e-14, abs=2e-16)
    assert first == pytest.approx(float(jet.gradient[0]), rel=1e-13, abs=1e-15)
    assert second == pytest.approx(float(jet.hessian[0, 0]), rel=1e-11, abs=1e-13)
    assert float(scaled_log_k1(np.array([t]))[0]) == value


def test_gaussian_limit() -> None:
    value, first, second = (float(v[0]) for v in scaled_log_k1_derivatives(np.zeros(1)))
    assert value == pytest.approx(0, abs=1e-16)
    assert first == pytest.approx(3 / 8, rel=1e-15)
    assert second == pytest.approx(-3 / 8, rel=1e-13)
