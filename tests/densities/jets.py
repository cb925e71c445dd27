"""Textbook densities with gradient and Hessian, to 120 digits.

A jet carries a value with its first two derivatives in all variables through ordinary arithmetic,
so that the formulas below can be the textbook's own, in the textbook's own parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.density import Density

mpmath.mp.dps = 120


class Jet:
    """A number with gradient and Hessian."""

    def __init__(self, value: Any, gradient: Any, hessian: Any) -> None:
        self.value, self.gradient, self.hessian = value, gradient, hessian

    @staticmethod
    def variables(values: Sequence[float]) -> list[Jet]:
        size = len(values)
        zero = np.full((size, size), mpmath.mpf(0))
        unit = np.where(np.eye(size, dtype=bool), mpmath.mpf(1), mpmath.mpf(0))
        return [Jet(mpmath.mpf(float(v)), unit[i], zero) for i, v in enumerate(values)]

    def apply(self, value: Any, first: Any, second: Any) -> Jet:
        """f(self), from the value and the first two derivatives of f."""
        outer = np.outer(self.gradient, self.gradient)
        return Jet(value, first * self.gradient, first * self.hessian + second * outer)

    def __add__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value + other, self.gradient, self.hessian)
        return Jet(
            self.value + other.value, self.gradient + other.gradient, self.hessian + other.hessian
        )

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value * other, self.gradient * other, self.hessian * other)
        cross = np.outer(self.gradient, other.gradient)
        return Jet(
            self.value * other.value,
            self.value * other.gradient + other.value * self.gradient,
            self.value * other.hessian + other.value * self.hessian + cross + cross.T,
        )

    def __truediv__(self, other: Jet) -> Jet:
        v = other.value
        return self * other.apply(1 / v, -1 / v**2, 2 / v**3)

    def __neg__(self) -> Jet:
        return self * -1

    def __sub__(self, other: Any) -> Jet:
        return self + (-other)

    def __radd__(self, other: Any) -> Jet:
        return self + other

    def __rmul__(self, other: Any) -> Jet:
        return self * other


def exp(x: Jet) -> Jet:
    e = mpmath.exp(x.value)
    return x.apply(e, e, e)


def log(x: Jet) -> Jet:
    return x.apply(mpmath.log(x.value), 1 / x.value, -1 / x.value**2)


def cosh(x: Jet) -> Jet:
    c, s = mpmath.cosh(x.value), mpmath.sinh(x.value)
    return x.apply(c, s, c)


def sinh(x: Jet) -> Jet:
    c, s = mpmath.cosh(x.value), mpmath.sinh(x.value)
    return x.apply(s, c, s)


def sqrt(x: Jet) -> Jet:
    r = mpmath.sqrt(x.value)
    return x.apply(r, 1 / (2 * r), -1 / (4 * r**3))


def log_gamma(x: Jet) -> Jet:
    v = x.value
    return x.apply(mpmath.loggamma(v), mpmath.psi(0, v), mpmath.psi(1, v))


def log_k1(x: Jet) -> Jet:
    """Log of the Bessel function K1, its derivatives from the Bessel equation."""
    z = x.value
    k0, k1 = mpmath.besselk(0, z), mpmath.besselk(1, z)
    first = -k0 / k1 - 1 / z
    second = 1 + 1 / z**2 - first / z - first**2
    return x.apply(mpmath.log(k1), first, second)


def nig_textbook(x: float, mu: Jet, delta: Jet, alpha: Jet, beta: Jet, gamma: Jet) -> Jet:
    """Log density of the paper's section 5.4."""
    r = -mu + mpmath.mpf(float(x))
    q = sqrt(delta * delta + r * r)
    return (
        log(alpha * delta)
        - mpmath.log(mpmath.pi)
        + delta * gamma
        + beta * r
        - log(q)
        + log_k1(alpha * q)
    )


def nig_by_moments(x: float, m: Jet, log_s: Jet, eta: Jet, kappa: Jet) -> Jet:
    """The textbook density of given mean, log standard deviation, eta and kappa."""
    s = exp(log_s)
    tau = kappa + eta * eta
    ks = kappa * s
    root = sqrt(kappa)
    one = kappa / kappa
    return nig_textbook(
        x,
        mu=m - s * eta / tau,
        delta=s * root / tau,
        alpha=sqrt(tau) / ks,
        beta=eta / ks,
        gamma=one / (root * s),
    )


def nig_by_fields(x: float, location: Jet, w: Jet, v: Jet, kappa: Jet) -> Jet:
    """The textbook density of the parameters (l, w, v, k) that llrcal keeps, kappa = e^k - 1."""
    root = sqrt(kappa + 1)
    mean = location + w * sinh(v) / cosh(v)
    return nig_by_moments(x, mean, log(w * root * cosh(v)), root * sinh(v), kappa)


def nig(x: float, theta: Floats) -> Jet:
    """The textbook density at the free coordinates (l, log omega, v, log(1 + c))."""
    location, log_omega, v, log1p_c = Jet.variables(list(theta))
    square = cosh(v) * cosh(v)
    c = exp(log1p_c) + (-1)
    return nig_by_fields(x, location, exp(log_omega) * square, v, c / square)


def student_t(x: float, theta: Floats) -> Jet:
    """The textbook T density at (mu, log sigma, 1 / dof)."""
    mu, log_sigma, inverse_dof = Jet.variables(list(theta))
    one = inverse_dof / inverse_dof
    dof = one / inverse_dof
    half = mpmath.mpf("0.5")
    y = (-mu + mpmath.mpf(float(x))) / exp(log_sigma)
    return (
        log_gamma((dof + 1) * half)
        - log_gamma(dof * half)
        - log(dof * mpmath.pi) * half
        - log_sigma
        - (dof + 1) * half * log(y * y * inverse_dof + 1)
    )


def gaussian(x: float, theta: Floats) -> Jet:
    mu, log_sigma = Jet.variables(list(theta))
    y = (-mu + mpmath.mpf(float(x))) / exp(log_sigma)
    return -(y * y * mpmath.mpf("0.5")) - log_sigma - mpmath.log(2 * mpmath.pi) / 2


def check(family: type[Density], theta: Floats, x: float, exact: Jet, digits: int = 13) -> None:
    """A log density and its derivatives, to so many digits.

    Derivatives may have one digit less, second ones three.
    """
    got = family.mean_loglik(theta, np.array([x]), np.ones(1))
    for error, lost in zip(_errors(got, exact), (0, 1, 3), strict=True):
        assert error < 10.0 ** (lost - digits), (theta, x)


def _errors(got: Any, jet: Jet) -> tuple[float, float, float]:
    """Errors of value, gradient and Hessian relative to max(1, |value|)."""

    def error(mine: Any, exact: Any) -> float:
        mine, exact = np.atleast_1d(mine).ravel(), np.atleast_1d(exact).ravel()
        return max(
            float(abs(mpmath.mpf(float(a)) - b) / max(1, abs(b)))
            for a, b in zip(mine, exact, strict=True)
        )

    return (
        error(got.value, jet.value),
        error(got.gradient, jet.gradient),
        error(got.hessian, jet.hessian),
    )
