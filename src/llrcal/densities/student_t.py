"""Student's T density (paper, section 5.3).

With ``lam = 1 / dof``, ``y = (x - mu) / sigma`` and ``w = lam y^2``,

    log f = C(lam) - log sigma - (1 + lam)/2 * y^2 * l(w),      l(w) = log(1 + w) / w.

``lam = 0`` is the Gaussian, an ordinary point on the edge of the domain: a fit to light-tailed
scores ends there instead of wandering off with ``dof``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.special import digamma, gammaln, zeta

from llrcal.arrays import Array, Floats
from llrcal.declaration import schema
from llrcal.densities.density import HALF_LOG_TWO_PI, Numbers, Shaped, moments, narrowest, quantiles
from llrcal.kernels import kernels_for
from llrcal.notes import Note, Severity

# The likelihood is unbounded where dof < k / (n - k), with k scores equal (Fernandez and Steel,
# Biometrika 1999): the scale shrinks onto them. Stay clear of it by this factor.
_LEAST_DOF = 0.1
_TIE_MARGIN = 1.25
# Of scores that are nearly equal. With the fewest degrees of freedom, less than the first of these
# shares pulls no peak onto itself, and from half of all on, other starts find it.
_CROWDS = (0.09, 0.17, 0.3, 0.5)
_CLOSEST = 1e-40  # in deviations: at smaller scales sixth powers overflow

_SERIES_BELOW = 0.2  # w under which l and its derivatives are power series
_POWERS = np.arange(26)
_L0 = (-1.0) ** _POWERS / (_POWERS + 1)
_L1 = (_L0 * _POWERS)[1:]
_L2 = (_L1 * _POWERS[:-1])[1:]

# C(lam) + log(2 pi)/2 for small lam: odd powers only, from Stirling's series.
_NORMALISER_BELOW = 0.04
_NORMALISER_POWERS = np.array([1, 3, 5, 7, 9, 11, 13])
_NORMALISER = np.array([-1 / 4, 1 / 24, -1 / 20, 17 / 112, -31 / 36, 691 / 88, -5461 / 52])


# The prior of 1 / dof: the shape of a Gamma distribution, and its mean.
_GAMMA, _MEAN = 0.5, 0.25


@dataclass(frozen=True)
class StudentT(Shaped):
    """A Student-T density with ``inverse_dof = 1 / dof``; zero is the Gaussian.

    Its free coordinates are location, log scale and ``1 / dof``; a row has the log of the last. A
    prior of 1 / dof that were exponential would find the Gaussian too unlikely: intervals would
    rarely hold it.
    """

    inverse_dof: Annotated[
        float,
        schema(minimum=0, maximum=1 / _LEAST_DOF),
        "1 / degrees of freedom; zero is the Gaussian.",
    ]

    family = "student-t"
    least_distinct = 4
    most_tied = 0.5
    names = ("location", "log_scale", "log_inverse_dof")
    prior = "flat in location and log scale; 1 / dof Gamma with shape 1/2 and mean 0.25"
    tails = (-40.0, math.log(1 / _LEAST_DOF))  # from the Gaussian, to the last bit
    tail_of, tail_coordinate = np.exp, np.log
    folded = False
    likely = ((math.log(0.02),), (0.0,))

    @property
    def params(self) -> dict[str, float]:
        dof = 1 / self.inverse_dof if self.inverse_dof > 0 else math.inf
        return {"location": self.origin + self.location, "scale": self.scale, "dof": dof}

    def _logpdf(self, centred: Floats) -> Floats:
        y = (centred - self.location) / self.scale
        return _logpdfs(y, np.array(self.inverse_dof), np.log(self.scale))

    @classmethod
    def limits(cls, theta: Array, tie_share: float) -> tuple[Note, ...]:
        lower, upper = cls.bounds(tie_share)
        if theta[2] >= upper[2]:
            text = "dof is at its floor, for with few enough the likelihood is unbounded"
            return (Note.of("dof at floor", text, severity=Severity.WARNING),)
        if theta[2] <= lower[2]:
            return (Note.of("edge", "the optimum is the Gaussian limit: dof is infinite"),)
        return ()

    @staticmethod
    def bounds(tie_share: float) -> tuple[Floats, Floats]:
        others = max(1 - tie_share, np.finfo(float).tiny)
        least_dof = max(_LEAST_DOF, _TIE_MARGIN * tie_share / others)
        free = np.inf
        return np.array([-free, -free, 0.0]), np.array([free, free, 1 / least_dof])

    @staticmethod
    def starts(values: Floats, weights: Floats) -> list[Floats]:
        mean, sd, _, _ = moments(values, weights)
        low, left, median, right, high = quantiles(values, weights, (0.1, 0.25, 0.5, 0.75, 0.9))
        spread = max(right - left, 0.1 * sd)
        starts = [np.array([mean, np.log(sd), 0.05]), np.array([median, np.log(spread / 2), 0.5])]
        # A narrow peak on either flank, for scores in two heaps.
        narrow = np.log(spread / 6)
        starts += [np.array([at, narrow, 1.0]) for at in (low, left, right, high)]
        # And where scores crowd, however closely.
        for share in _CROWDS:
            first, last = narrowest(values, weights, share)
            width = max((last - first) / 2, _CLOSEST * sd)
            starts.append(np.array([(first + last) / 2, np.log(width), 4.0]))
        return starts

    @classmethod
    def terms(cls, z: Floats, *shape: float) -> Sequence[Floats]:
        (lam,) = shape
        y2 = z * z
        w = lam * y2
        l0, l1, l2 = _log1p_over(w)
        d = 1 / (1 + w)
        more = 1 + lam
        y4 = y2 * y2
        return (
            -0.5 * more * y2 * l0,
            -more * z * d,
            -0.5 * y2 * l0 - 0.5 * more * y4 * l1,
            -more * (1 - w) * d * d,
            -z * d + more * y2 * z * d * d,
            -y4 * l1 - 0.5 * more * y4 * y2 * l2,
        )

    @classmethod
    def constants(cls, *shape: float) -> tuple[float, Numbers, Numbers]:
        """C(lam) and its derivatives."""
        (lam,) = shape
        if lam < _NORMALISER_BELOW:
            n = _NORMALISER_POWERS
            c0 = float(_NORMALISER @ lam**n) - HALF_LOG_TWO_PI
            c1 = float((_NORMALISER * n) @ lam ** (n - 1))
            return c0, (c1,), (float((_NORMALISER * n * (n - 1))[1:] @ lam ** (n - 2)[1:]),)
        nu = 1 / lam
        above, below = (nu + 1) / 2, nu / 2
        c0 = float(gammaln(above) - gammaln(below)) - 0.5 * math.log(nu * math.pi)
        c_nu = 0.5 * float(digamma(above) - digamma(below)) - 0.5 / nu
        # Hurwitz's zeta function at 2 is the derivative of the digamma function.
        c_nunu = 0.25 * float(zeta(2, above) - zeta(2, below)) + 0.5 / nu**2
        return c0, (-(nu**2) * c_nu,), (nu**4 * c_nunu + 2 * nu**3 * c_nu,)

    @classmethod
    def _sums(cls, z: Floats, shape: Numbers, weights: Floats) -> Floats:
        if kernels := kernels_for(z):
            (lam,), sums = shape, np.empty(10)
            kernels.student_t_sums(z, np.log1p(lam * (z * z)), lam, _L0, _L1, _L2, weights, sums)
            return sums
        return super()._sums(z, shape, weights)

    @classmethod
    def logpdfs(cls, rows: Floats, scores: Floats) -> Floats:
        location, log_scale, log_tail = rows.T[:, :, None]
        return _logpdfs((scores - location) * np.exp(-log_scale), np.exp(log_tail), log_scale)

    @classmethod
    def derivatives(cls, row: Floats) -> tuple[Floats, Floats]:
        tail = np.exp(row[2])
        second = np.zeros((3, 3, 3))
        second[2, 2, 2] = tail
        return np.diag([1.0, 1.0, tail]), second

    @classmethod
    def tails_with(cls, tie_share: float) -> tuple[float, float]:
        """As in a search for the maximum: the posterior has no integral with fewer dof either."""
        return cls.tails[0], min(cls.tails[1], math.log(cls.bounds(tie_share)[1][2]))

    @classmethod
    def log_priors(cls, rows: Floats) -> tuple[Floats, Floats, Floats]:
        value, slope, bend = np.zeros((3, *rows.shape))
        pull = np.exp(rows[..., 2]) / _MEAN
        value[..., 2], slope[..., 2], bend[..., 2] = rows[..., 2] - pull, 1 - pull, -pull
        return _GAMMA * value, _GAMMA * slope, _GAMMA * bend


def _logpdfs(y: Floats, lam: Floats, log_scale: Floats) -> Floats:
    """Log densities at y in standard units, of arrays that are broadcast."""
    # Any less is the Gaussian to the last bit, and its products are too small for doubles.
    tail = np.maximum(lam, 1e-300)
    out = -0.5 * (1 + tail) * np.log1p(tail * y * y) / tail
    out += _normalisers(tail) - log_scale
    return np.asarray(out)


def _log1p_over(w: Floats) -> tuple[Floats, Floats, Floats]:
    """l(w) = log(1 + w) / w, l' and l'' for w >= 0."""
    small = w < _SERIES_BELOW
    safe = np.where(small, 1, w)
    log = np.log1p(safe)
    big = 1 + safe
    l0 = log / safe
    l1 = (safe / big - log) / (safe * safe)
    l2 = (2 * log - (2 * safe + 3 * safe * safe) / (big * big)) / (safe * safe * safe)
    if small.any():
        at = w[small]
        for out, series in ((l0, _L0), (l1, _L1), (l2, _L2)):
            out[small] = np.polynomial.polynomial.polyval(at, series)
    return l0, l1, l2


def _normalisers(lam: Floats) -> Floats:
    """C(lam) of each: a posterior multiplies its last digits by the number of scores."""
    small = lam < _NORMALISER_BELOW
    near = np.where(small, lam, 0)[..., None] ** _NORMALISER_POWERS
    nu = 1 / np.where(small, 1, lam)
    large = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
    return np.asarray(np.where(small, (near * _NORMALISER).sum(axis=-1) - HALF_LOG_TWO_PI, large))
