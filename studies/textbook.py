"""Student-T and NIG likelihoods in their textbook parameters, as an optimizer would be given them.

The parameters are (mu, sigma, nu) for the T and (mu, delta, gamma, beta) for the NIG, where
``gamma^2 = alpha^2 - beta^2`` turns the cone ``|beta| < alpha`` into one more positive number.
Positive parameters become free ones as a square or as an exponential, as in the paper (section
5.3).

Gradients and Hessians are analytic, and written without the subtraction of large like numbers:
where an optimizer fails on these functions, rounding is not its excuse. The Hessian is worked out
only when it is asked for, so that methods that do without it do not pay for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.densities.bessel import scaled_log_k1_derivatives
from llrcal.densities.density import HALF_LOG_TWO_PI
from llrcal.densities.student_t import StudentT


class Cost(ABC):
    """Minus the mean log density of scores at one point of the textbook parameters."""

    names: ClassVar[tuple[str, ...]]
    positive: ClassVar[tuple[int, ...]]
    """Which of the parameters are positive."""

    value: float
    gradient: Floats

    @abstractmethod
    def __init__(self, params: Array, scores: Floats) -> None: ...

    @cached_property
    @abstractmethod
    def hessian(self) -> Floats:
        """Second derivatives by the textbook parameters."""


class StudentTCost(Cost):
    """The T: log f = C(nu) - log sigma - (nu + 1)/2 L,  L = log(1 + y^2 / nu)."""

    names = ("mu", "sigma", "nu")
    positive = (1, 2)

    def __init__(self, params: Array, scores: Floats) -> None:
        mu, self.sigma, nu = (float(p) for p in params)
        self.lam = 1 / nu
        self.half = 0.5 * (nu + 1)
        self.y = (scores - mu) / self.sigma
        self.w = self.y * self.y * self.lam
        self.d = 1 / (1 + self.w)
        self.l_y = 2 * self.lam * self.y * self.d
        self.l_nu = -self.lam * self.w * self.d
        log = np.log1p(self.w)
        self.f_y = -self.half * self.l_y
        f_nu = -0.5 * log - self.half * self.l_nu
        constant, c_nu, self.c_nunu = _t_constant(self.lam)
        self.value = float(self.half * log.mean() + np.log(self.sigma)) - constant
        self.gradient = -np.array(
            [
                -self.f_y.mean() / self.sigma,
                -((self.y * self.f_y).mean() + 1) / self.sigma,
                f_nu.mean() + c_nu,
            ]
        )

    @cached_property
    def hessian(self) -> Floats:
        y, d, lam, sigma = self.y, self.d, self.lam, self.sigma
        f_yy = -self.half * 2 * lam * d * d * (1 - self.w)
        f_ynu = -0.5 * self.l_y + self.half * 2 * y * (lam * d) ** 2
        f_nunu = -self.l_nu - self.half * lam**2 * self.w * d * (1 + d)
        h_ms = (y * f_yy + self.f_y).mean() / sigma**2
        h_ss = ((y * f_yy + 2 * self.f_y) * y).mean() + 1
        h_mn, h_sn = -f_ynu.mean() / sigma, -(y * f_ynu).mean() / sigma
        return -np.array(
            [
                [f_yy.mean() / sigma**2, h_ms, h_mn],
                [h_ms, h_ss / sigma**2, h_sn],
                [h_mn, h_sn, f_nunu.mean() + self.c_nunu],
            ]
        )


def _t_constant(lam: float) -> tuple[float, float, float]:
    """C and its first two derivatives by nu, with ``lam = 1 / nu``."""
    # At its own centre, the T's log density is C alone. Differences of log-gammas would lose the
    # digits that line searches need when nu is large.
    centre = StudentT.mean_loglik(np.array([0.0, 0.0, lam]), np.zeros(1), np.ones(1))
    slope, bend = float(centre.gradient[2]), float(centre.hessian[2, 2])
    return centre.value, -(lam**2) * slope, lam**4 * bend + 2 * lam**3 * slope


class NIGCost(Cost):
    """The NIG, with r = x - mu, alpha = hypot(beta, gamma), q = hypot(r, delta), t = 1/(alpha q).

    log f = log delta + log(alpha)/2 - (3/2) log q + F(t) - T - log(2 pi)/2

    F is the Bessel part of :mod:`llrcal.densities.bessel`. The exponent
    ``T = alpha q - beta r - gamma delta`` and its slopes are differences of large numbers; with
    ``h = beta delta - gamma r`` each has an equal form that is a quotient.
    """

    names = ("mu", "delta", "gamma", "beta")
    positive = (1, 2)

    def __init__(self, params: Array, scores: Floats) -> None:
        mu, delta, gamma, beta = (float(p) for p in params)
        self.delta, self.gamma, self.beta = delta, gamma, beta
        self.r = r = scores - mu
        self.alpha = alpha = float(np.hypot(beta, gamma))
        self.q = q = np.hypot(r, delta)
        self.t = 1 / (alpha * q)
        bessel, self.f1, self.f2 = scaled_log_k1_derivatives(self.t)
        h, g = beta * delta - gamma * r, beta * delta + gamma * r
        exponent = _minus(alpha * q, beta * r + gamma * delta, h * h)
        value = bessel - 1.5 * np.log(q) - exponent
        self.value = HALF_LOG_TWO_PI - float(value.mean() + np.log(delta) + 0.5 * np.log(alpha))
        # P(a, b) = a/2 - 3b/2 + F(exp(-a - b)) with a = log alpha, b = log q.
        self.p_a = 0.5 - self.t * self.f1
        self.p_b = -1.5 - self.t * self.f1
        t_r = _minus(alpha * r, beta * q, -h * g) / q
        t_delta = _minus(alpha * delta, gamma * q, h * g) / q
        t_gamma = _minus(gamma * q, alpha * delta, -h * g) / alpha
        t_beta = _minus(beta * q, alpha * r, h * g) / alpha
        self.gradient = -np.array(
            [
                -(self.p_b * r / q**2 - t_r).mean(),
                (self.p_b * delta / q**2 - t_delta).mean() + 1 / delta,
                (self.p_a * gamma / alpha**2 - t_gamma).mean(),
                (self.p_a * beta / alpha**2 - t_beta).mean(),
            ]
        )

    @cached_property
    def hessian(self) -> Floats:
        r, q, alpha, delta = self.r, self.q, self.alpha, self.delta
        gamma, beta = self.gamma, self.beta
        both = self.t * (self.f1 + self.t * self.f2)  # P_aa = P_ab = P_bb
        a_g, a_b = gamma / alpha**2, beta / alpha**2
        b_r, b_d = r / q**2, delta / q**2
        a_gg, a_gb = a_b**2 - a_g**2, -2 * a_g * a_b  # and a_bb = -a_gg
        b_rr, b_rd = b_d**2 - b_r**2, -2 * b_r * b_d  # and b_dd = -b_rr
        q3, alpha3 = alpha / q**3, q / alpha**3
        upper = {
            (0, 0): both * b_r**2 + self.p_b * b_rr - delta**2 * q3,
            (0, 1): both * b_r * b_d + self.p_b * b_rd + r * delta * q3,
            (0, 2): both * a_g * b_r - gamma * r * self.t,
            (0, 3): both * a_b * b_r - beta * r * self.t + 1,
            (1, 1): both * b_d**2 - self.p_b * b_rr - r**2 * q3 - 1 / delta**2,
            (1, 2): both * a_g * b_d - gamma * delta * self.t + 1,
            (1, 3): both * a_b * b_d - beta * delta * self.t,
            (2, 2): both * a_g**2 + self.p_a * a_gg - beta**2 * alpha3,
            (2, 3): both * a_g * a_b + self.p_a * a_gb + beta * gamma * alpha3,
            (3, 3): both * a_b**2 - self.p_a * a_gg - gamma**2 * alpha3,
        }
        out = np.empty((4, 4))
        for (i, j), terms in upper.items():
            # The first coordinate is mu, and r falls with it.
            out[i, j] = out[j, i] = terms.mean() if (i == 0) != (j == 0) else -terms.mean()
        return out


def _minus(a: Floats | float, b: Floats | float, product: Floats) -> Floats:
    """The difference a - b, where ``product = (a - b)(a + b)`` is known without cancellation."""
    like = np.sign(a) == np.sign(b)
    return np.where(like, product / np.where(like, a + b, 1.0), a - b)


@dataclass(frozen=True)
class Positive:
    """A way to write a positive number as a function of a free one."""

    name: str
    derivatives: Callable[[Floats], tuple[Floats, Floats, Floats]]
    """The positive number and its first two derivatives."""
    inverse: Callable[[Floats], Floats]


def _square(t: Floats) -> tuple[Floats, Floats, Floats]:
    return t * t, 2 * t, np.full_like(t, 2)


def _exponential(t: Floats) -> tuple[Floats, Floats, Floats]:
    p = np.exp(t)
    return p, p, p


SQUARED = Positive("squared", _square, np.sqrt)
EXPONENTIATED = Positive("exponentiated", _exponential, np.log)


class Free:
    """A textbook cost as a function of free coordinates."""

    def __init__(self, cost: type[Cost], scores: Floats, transform: Positive) -> None:
        self.cost, self.scores, self.transform = cost, scores, transform
        self.at = list(cost.positive)
        self.calls = 0
        self.last: tuple[Floats, FreeCost] | None = None

    def __call__(self, theta: Floats) -> FreeCost:
        # Some optimizers ask for value, gradient and Hessian one after the other.
        if self.last is None or not np.array_equal(theta, self.last[0]):
            self.calls += 1
            self.last = theta.copy(), self._evaluated(theta)
        return self.last[1]

    def _evaluated(self, theta: Floats) -> FreeCost:
        params, slope, bend = theta.copy(), np.ones_like(theta), np.zeros_like(theta)
        with np.errstate(all="ignore"):
            params[self.at], slope[self.at], bend[self.at] = self.transform.derivatives(
                theta[self.at]
            )
            if not (np.isfinite(params).all() and (params[self.at] > 0).all()):
                return FreeCost(None, slope, bend)
            return FreeCost(self.cost(params, self.scores), slope, bend)

    def coordinates(self, params: Floats) -> Floats:
        """Free coordinates of textbook parameters."""
        theta = params.copy()
        theta[self.at] = self.transform.inverse(params[self.at])
        return theta

    def params(self, theta: Floats) -> Floats:
        """Textbook parameters of free coordinates."""
        params = theta.copy()
        params[self.at] = self.transform.derivatives(theta[self.at])[0]
        return params


class FreeCost:
    """A textbook cost at one point of the free coordinates; infinite outside the domain."""

    def __init__(self, cost: Cost | None, slope: Floats, bend: Floats) -> None:
        self.cost, self.slope, self.bend = cost, slope, bend
        good = cost is not None and bool(np.isfinite(cost.value))
        self.value = cost.value if cost is not None and good else np.inf
        self.gradient = cost.gradient * slope if cost is not None else np.zeros_like(slope)

    @cached_property
    def hessian(self) -> Floats:
        """Chain rule: each free coordinate moves one parameter."""
        if self.cost is None:
            return np.zeros((self.slope.size, self.slope.size))
        with np.errstate(all="ignore"):
            curved = self.cost.hessian * np.outer(self.slope, self.slope)
            return np.asarray(curved + np.diag(self.cost.gradient * self.bend))
