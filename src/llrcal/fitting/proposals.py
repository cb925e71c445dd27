"""Draws from Student-T densities of several variables, evenly spread rather than random.

They are the same every time: Halton's sequence (1960), mapped through the quantiles of Gaussian and
chi-squared variables.

And a Markov chain, for posteriors of which such draws are worth too little. Many walkers move at
once, by the stretch moves of Goodman and Weare (2010): each of one half of them along the line
through one of the other half, so that no affine map of the coordinates changes anything. Its random
numbers are the same every time, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import gammainccinv, gammaln, ndtri

from llrcal.arrays import Floats

WALKERS = 64
STEPS = 1200  # of which the first third is not kept
EVERY = 12  # steps a row is kept: those between hardly differ
_ROUNDS, _SETTLED = 1000, 1e-9  # of pooled integrals at most, and their last relative change
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


def walked(log_density: Callable[[Floats], Floats], starts: Floats) -> Floats:
    """The way of every walker after the first steps, as [step, walker, coordinate]."""
    rng = np.random.default_rng(0)
    here, logs, size = starts.copy(), log_density(starts), starts.shape[1]
    halves = np.array_split(np.arange(len(here)), 2)
    way = np.empty((STEPS, *here.shape))
    for step in range(STEPS):
        for movers, others in (halves, halves[::-1]):
            stretch = 0.5 * (1 + rng.random(len(movers))) ** 2
            through = here[rng.choice(others, len(movers))]
            proposed = through + stretch[:, None] * (here[movers] - through)
            new = log_density(proposed)
            gain = (size - 1) * np.log(stretch) + new - logs[movers]
            moved = np.log(rng.random(len(movers))) < gain
            here[movers[moved]], logs[movers[moved]] = proposed[moved], new[moved]
        way[step] = here
    return way[STEPS // 3 :]


def effective_steps(way: Floats) -> float:
    """Effective number of independent draws, by how much the means of walkers differ."""
    differ = way.mean(axis=0).var(axis=0, ddof=1)
    whole = way.var(axis=(0, 1))
    return float((way.shape[1] * whole / np.maximum(differ, np.finfo(float).tiny)).min())


def pooled_weights(tilts: Floats, counts: Floats) -> Floats:
    """Weights of the draws of several chains for each of their densities.

    The densities differ by factors whose logs are known at all draws [density, draw]. Their unknown
    integrals are those that all draws agree on (Geyer 1994; Shirts and Chodera 2008).
    """
    # Of each row, the greatest is one, so that nothing overflows, and only what is zero is lost.
    factors = np.exp(tilts - tilts.max(axis=1, keepdims=True))
    integrals = factors.mean(axis=1)
    for _ in range(_ROUNDS):
        weights = factors / (counts / integrals * factors.T).sum(axis=1)
        before, integrals = integrals, weights.sum(axis=1)
        if np.abs(integrals / before - 1).max() < _SETTLED:
            break
    return np.asarray(weights / integrals[:, None])
