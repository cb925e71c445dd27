"""Many densities of a family at once, in coordinates that suit a posterior, with their priors.

A row of coordinates is a density of scores in standard units. Location and log scale come first,
and have a flat prior: only so does an affine map of the scores change nothing. What is left is the
shape, whose priors are weakly informative:

* Student-T: 1 / dof is Gamma with shape 1/2 and mean 0.25; its log is the coordinate. A prior that
  were exponential would find the Gaussian too unlikely: intervals would rarely hold it;
* NIG: v is Gaussian around 0 with deviation 0.25; k is Gamma with shape 1/2 and mean 0.2 (see
  :mod:`llrcal.densities.nig` for both). Its root is the coordinate, which is half of a Gaussian.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.density import FURTHEST, HALF_LOG_TWO_PI, Density, Evaluated
from llrcal.densities.nig import NIG
from llrcal.densities.nig_kernel import log_kernel
from llrcal.densities.student_t import StudentT, normalisers

_LEAST_LOG_TAIL, _LEAST_ROOT_TAIL = -40.0, 2.0**-25  # the Gaussian, to the last bit
# Of location, log scale and asymmetry: whatever is within them, log densities are finite.
_LIMITS = [(-FURTHEST, FURTHEST), (-160.0, 160.0), (-40.0, 40.0)]


class Shapes(ABC):
    """What is needed to know the posterior of one family."""

    family: ClassVar[type[Density]]
    names: ClassVar[tuple[str, ...]]
    """Of the coordinates; the last says how heavy the tails are."""
    tails: ClassVar[tuple[float, float]]
    """Bounds of the last coordinate."""
    folded: ClassVar[bool]
    """Whether a last coordinate of the other sign means the same density."""
    prior: ClassVar[str]

    @classmethod
    @abstractmethod
    def logpdfs(cls, rows: Floats, scores: Floats) -> Floats:
        """Log densities, one row of them for each row of coordinates."""

    @classmethod
    @abstractmethod
    def free(cls, rows: Floats) -> Floats:
        """The free coordinates of the family, of rows of coordinates."""

    @classmethod
    @abstractmethod
    def from_free(cls, free: Floats) -> Floats:
        """Rows of coordinates, of rows of free coordinates; shapes are kept in their limits."""

    @classmethod
    @abstractmethod
    def derivatives(cls, row: Floats) -> tuple[Floats, Floats]:
        """Those of the free coordinates by the coordinates: first [free, by] and second."""

    @classmethod
    @abstractmethod
    def start(cls, free: Floats) -> Floats:
        """Coordinates near some free coordinates, with a shape that the prior finds likely."""

    @classmethod
    @abstractmethod
    def log_prior(cls, row: Floats) -> Evaluated:
        """Log prior of one row of coordinates, but for a constant, and its derivatives."""

    @classmethod
    @abstractmethod
    def log_priors(cls, rows: Floats) -> Floats:
        """The same for many rows, without derivatives."""

    @classmethod
    def limits(cls) -> list[tuple[float, float]]:
        """The ranges in which coordinates must lie to describe a density."""
        return [*_LIMITS[: len(cls.names) - 1], cls.tails]

    @classmethod
    def bounds(cls, tie_share: float) -> tuple[Floats, Floats]:
        """Of the coordinates, if this share of the scores is one value."""
        lower = np.full(len(cls.names), -np.inf)
        upper = -lower
        lower[-1], upper[-1] = cls.tails
        return lower, upper


class StudentTShapes(Shapes):
    """Student-T densities as (location, log scale, log of 1 / dof)."""

    family = StudentT
    names = ("location", "log_scale", "log_inverse_dof")
    prior = "flat in location and log scale; 1 / dof Gamma with shape 1/2 and mean 0.25"
    tails = (_LEAST_LOG_TAIL, float(np.log(10.0)))
    folded = False
    shape: ClassVar[float] = 0.5
    """That of the prior of 1 / dof."""
    mean_inverse_dof: ClassVar[float] = 0.25

    @classmethod
    def logpdfs(cls, rows: Floats, scores: Floats) -> Floats:
        location, log_scale, log_tail = (rows[:, i, None] for i in range(3))
        tail = np.exp(log_tail)
        y = (scores - location) * np.exp(-log_scale)
        w = tail * y * y
        out = -0.5 * (1 + tail) * np.log1p(w) / tail
        out += normalisers(tail) - log_scale
        return np.asarray(out)

    @classmethod
    def free(cls, rows: Floats) -> Floats:
        return np.column_stack([rows[:, :2], np.exp(rows[:, 2])])

    @classmethod
    def from_free(cls, free: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            tails = np.clip(np.log(np.maximum(free[:, 2], 0)), *cls.tails)
        return np.column_stack([free[:, :2], tails])

    @classmethod
    def derivatives(cls, row: Floats) -> tuple[Floats, Floats]:
        tail = np.exp(row[2])
        second = np.zeros((3, 3, 3))
        second[2, 2, 2] = tail
        return np.diag([1.0, 1.0, tail]), second

    @classmethod
    def start(cls, free: Floats) -> Floats:
        return np.array([free[0], free[1], np.log(np.clip(free[2], 0.02, 1.0))])

    @classmethod
    def bounds(cls, tie_share: float) -> tuple[Floats, Floats]:
        """As in a search for the maximum: the posterior has no integral with fewer dof either."""
        lower, upper = super().bounds(tie_share)
        upper[-1] = min(upper[-1], np.log(cls.family.bounds(tie_share)[1][-1]))
        return lower, upper

    @classmethod
    def log_prior(cls, row: Floats) -> Evaluated:
        pull = np.exp(row[2]) / cls.mean_inverse_dof
        return Evaluated(
            cls.shape * float(row[2] - pull),
            cls.shape * np.array([0.0, 0.0, 1 - pull]),
            cls.shape * np.diag([0.0, 0.0, -pull]),
        )

    @classmethod
    def log_priors(cls, rows: Floats) -> Floats:
        return np.asarray(cls.shape * (rows[:, 2] - np.exp(rows[:, 2]) / cls.mean_inverse_dof))


class NIGShapes(Shapes):
    """Normal-inverse-Gaussian densities as (l, log w, v, root of k)."""

    family = NIG
    names = ("location", "log_scale", "asymmetry", "root_tail")
    prior = (
        "flat in location and log scale; asymmetry v Gaussian with deviation 0.25; tail k Gamma "
        "with shape 1/2 and mean 0.2"
    )
    tails = (_LEAST_ROOT_TAIL, 6.7)
    folded = True
    precisions: ClassVar[Floats] = np.array([0.0, 0.0, 0.25**-2, 1 / 0.2])
    """Of the priors, which are Gaussian around zero."""

    @classmethod
    def logpdfs(cls, rows: Floats, scores: Floats) -> Floats:
        """By the formula of :mod:`llrcal.densities.nig_likelihood`."""
        location, log_omega, v, log1p_c = (cls.free(rows)[:, i, None] for i in range(4))
        cosh, c = np.cosh(v), np.expm1(log1p_c)
        square = cosh * cosh
        a = c + square
        z = (scores - location) * np.exp(-log_omega)
        u = 1 + np.tanh(v) * z
        y = (z - cosh * np.sinh(v)) / (cosh * np.sqrt(a))
        out = log_kernel(u, y, c, terms=17)
        out += 0.5 * np.log(square / a) - log_omega - HALF_LOG_TWO_PI
        return out

    @classmethod
    def free(cls, rows: Floats) -> Floats:
        location, log_scale, v, root = rows.T
        square = np.cosh(v) ** 2
        log1p_c = np.log1p(np.expm1(root * root) * square)
        return np.column_stack([location, log_scale - np.log(square), v, log1p_c])

    @classmethod
    def from_free(cls, free: Floats) -> Floats:
        location, log_omega, v, log1p_c = free.T
        square = np.cosh(v) ** 2
        tails = np.log1p(np.expm1(np.maximum(log1p_c, 0)) / square)
        roots = np.clip(np.sqrt(tails), *cls.tails)
        return np.column_stack([location, log_omega + np.log(square), v, roots])

    @classmethod
    def derivatives(cls, row: Floats) -> tuple[Floats, Floats]:
        _, _, v, root = row
        k, square = root * root, np.cosh(v) ** 2
        kappa, up = np.expm1(k), 2 * root * np.exp(k)
        whole = 1 + kappa * square  # log(1 + c) is the log of this
        by = np.array([kappa * np.sinh(2 * v), up * square]) / whole
        mixed = up * np.sinh(2 * v)
        twice = np.array(
            [[2 * kappa * np.cosh(2 * v), mixed], [mixed, (2 + 4 * k) * np.exp(k) * square]]
        )
        first, second = np.eye(4), np.zeros((4, 4, 4))
        first[1, 2], second[1, 2, 2] = -2 * np.tanh(v), -2 / square
        first[3, 2:], second[3, 2:, 2:] = by, twice / whole - np.outer(by, by)
        return first, second

    @classmethod
    def start(cls, free: Floats) -> Floats:
        location, log_omega, v, log1p_c = free
        square = np.cosh(v) ** 2
        tail = np.log1p(np.expm1(log1p_c) / square)
        return np.array(
            [
                location,
                log_omega + np.log(square),
                np.clip(v, -0.8, 0.8),
                np.sqrt(np.clip(tail, 0.02, 2.0)),
            ]
        )

    @classmethod
    def log_prior(cls, row: Floats) -> Evaluated:
        pull = cls.precisions * row
        return Evaluated(-0.5 * float((pull * row).sum()), -pull, -np.diag(cls.precisions))

    @classmethod
    def log_priors(cls, rows: Floats) -> Floats:
        return np.asarray(-0.5 * (cls.precisions * rows * rows).sum(axis=1))
