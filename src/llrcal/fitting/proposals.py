"""Draws from Student-T densities of several variables, evenly spread rather than random.

They are the same every time: Halton's sequence (1960), mapped through the quantiles of Gaussian and
chi-squared variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import gammainccinv, gammaln, ndtri

from llrcal.arrays import Floats

_DOF = 5.0  # tails that are heavier than those of posteriors, so that no weight is too large
_WIDER = 1.1  # variances, than the draws that a proposal is refitted to
_PRIMES = (2, 3, 5, 7, 11)  # one for each coordinate, and one for the length
_MIRROR = np.array([-1.0, 1.0, -1.0, 1.0])
_FEW = 10.0  # effective draws beside which the old proposal still counts


@dataclass(frozen=True)
class Proposal:
    """A Student-T density with 5 degrees of freedom: its mean and its scale matrix."""

    mean: Floats
    scale: Floats

    @cached_property
    def root(self) -> Floats:
        """Of the scale matrix, lower triangular."""
        return np.asarray(np.linalg.cholesky(self.scale), np.float64)

    def draws(self, count: int, first: int, *, mirrored: bool = False) -> Floats:
        """So many rows, from a certain one of the sequence onwards.

        If mirrored, as many follow in which every other coordinate has the other sign: location
        and asymmetry of a density. The root is triangular, so that those of the mirror image of a
        proposal are the mirror images of these.
        """
        standard = _standard(count, self.mean.size, first)
        if mirrored:
            standard = np.concatenate([standard, standard * _MIRROR[: self.mean.size]])
        return self.mean + _products(standard, self.root)

    def logpdf(self, rows: Floats) -> Floats:
        size = self.mean.size
        standard = _products(rows - self.mean, np.asarray(np.linalg.inv(self.root), np.float64))
        constant = (
            gammaln((_DOF + size) / 2) - gammaln(_DOF / 2) - 0.5 * size * np.log(_DOF * np.pi)
        )
        constant -= np.log(np.diag(self.root)).sum()
        squares = (standard * standard).sum(axis=1)
        return np.asarray(constant - 0.5 * (_DOF + size) * np.log1p(squares / _DOF))

    def refitted(self, rows: Floats, weights: Floats) -> Proposal:
        """The one with the mean and the covariance of weighted rows, and slightly wider.

        With few effective draws, its covariance is partly that of the old one.
        """
        share = 1 / (1 + _FEW * float((weights * weights).sum()))
        mean = (rows * weights[:, None]).sum(axis=0)
        away = (rows - mean) * np.sqrt(weights)[:, None]
        own = (away[:, :, None] * away[:, None, :]).sum(axis=0) * (_WIDER * (_DOF - 2) / _DOF)
        return Proposal(mean, share * own + (1 - share) * self.scale)


@lru_cache(maxsize=16)  # every class has the same
def _standard(count: int, size: int, first: int) -> Floats:
    """Draws from the Student-T density around zero, whose scale matrix is one."""
    uniform = evenly_spread(count, size + 1, first)
    stretch = np.sqrt(_DOF / (2 * gammainccinv(_DOF / 2, uniform[:, -1])))
    return np.asarray(ndtri(uniform[:, :-1]) * stretch[:, None])


@lru_cache(maxsize=16)
def evenly_spread(count: int, size: int, first: int) -> Floats:
    """Rows of numbers between 0 and 1 that fill a cube evenly, from a certain one onwards."""
    columns = []
    for base in _PRIMES[:size]:
        left, column, digit = np.arange(first, first + count) + 1, np.zeros(count), 1.0
        while left.any():
            digit /= base
            column += digit * (left % base)
            left //= base
        columns.append(column)
    return np.column_stack(columns)


def _products(rows: Floats, matrix: Floats) -> Floats:
    """Each row times the transposed matrix, in an order that no BLAS decides."""
    return np.asarray((rows[:, None, :] * matrix).sum(axis=2))
