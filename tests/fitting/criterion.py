"""The criterion of ``smooth`` as docs/smooth.md states it, written down once more for the tests.

Slow and plain: every score for itself, and parameters that are the value at the first knot and the
logarithms of the slopes. Nothing of it comes from the package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from scipy.optimize import minimize

from llrcal.arrays import Floats

LOG_STIFFNESS = (6, 3, 2, 1, 0)
PRIOR = [0.25, *(0.75 * np.exp(-0.5 * ((np.array([3, 2, 1, 0]) - 1.5) / 0.7) ** 2))]
PRIOR[1:] /= sum(PRIOR[1:]) / 0.75


def rises(score: float, knots: Floats) -> list[float]:
    """How much each knot's slope adds to the rise from the first knot to a score."""
    out = [0.0] * len(knots)
    reach = 2 * (knots[-1] - knots[0])
    if score < knots[0]:
        out[0] = -reach * np.log1p((knots[0] - score) / reach)
    for k in range(len(knots) - 1):
        width = knots[k + 1] - knots[k]
        part = min(max((score - knots[k]) / width, 0), 1)
        out[k] += width * (part - part**2 / 2)
        out[k + 1] += width * part**2 / 2
    if score > knots[-1]:
        out[-1] += reach * np.log1p((score - knots[-1]) / reach)
    return out


@dataclass(frozen=True)
class Criterion:
    """What is minimised at one stiffness, for some scores and some knots."""

    tar: Floats
    non: Floats
    knots: Floats
    ranks: Floats
    stiffness: float
    expected: Floats | None = None
    """Targets and non-targets that are expected at the scores, beside those that are there."""

    @property
    def trials(self) -> list[tuple[float, float, float]]:
        """Scores, each with how many targets and how many non-targets it counts as."""
        counts = len(self.tar), len(self.non)
        return [
            *((score, 1.0, 0.5 / counts[0]) for score in self.tar),
            *((score, 0.5 / counts[1], 1.0) for score in self.non),
        ]

    def __call__(self, point: Any, log: Callable[[Any], Any], exp: Callable[[Any], Any]) -> Any:
        """The criterion, in any arithmetic."""
        first, *logs = point
        total = 0 * first
        offset = log(len(self.tar) / type(first)(len(self.non)))
        for score, targets, others in self.trials:
            steps = zip(rises(score, self.knots), logs, strict=True)
            x = first + offset + sum(step * exp(g) for step, g in steps)
            total += targets * log(1 + exp(-x)) + others * log(1 + exp(x))
        for k in range(len(logs) - 1):
            step = self.ranks[k + 1] - self.ranks[k]
            total += self.stiffness / 2 * (logs[k + 1] - logs[k]) ** 2 / step
        level = np.log((self.ranks[-1] - self.ranks[0]) / (self.knots[-1] - self.knots[0]))
        return total + (sum(logs) / len(logs) - level) ** 2 / (2 * 3.0**2)

    def exactly(self, point: Floats) -> tuple[Floats, Floats]:
        """Gradient and Hessian in thirty digits."""
        size = len(point)
        with mpmath.workdps(30):

            def value(*x: Any) -> Any:
                return self(x, mpmath.log, mpmath.exp)

            def derivative(*orders: int) -> float:
                return float(mpmath.diff(value, tuple(map(mpmath.mpf, point)), orders))

            one = np.eye(size, dtype=int)
            gradient = np.array([derivative(*one[i]) for i in range(size)])
            hessian = np.empty((size, size))
            for i in range(size):
                for j in range(i + 1):
                    hessian[i, j] = hessian[j, i] = derivative(*(one[i] + one[j]))
        return gradient, hessian

    # ------------------------------------------------------------------------------- many points

    def values(self, points: Floats, spread: float = 0.5) -> Floats:
        """The criterion at many points, in doubles, with so much of a trial spread."""
        steps = np.array([rises(score, self.knots) for score, _, _ in self.trials])
        targets, others = (np.array([trial[k] for trial in self.trials]) for k in (1, 2))
        targets[len(self.tar) :] *= 2 * spread
        others[: len(self.tar)] *= 2 * spread
        if self.expected is not None:
            targets, others = np.array([targets, others]) + self.expected
        offset = np.log(len(self.tar) / len(self.non))
        logs = points[:, 1:]
        x = points[:, :1] + offset + np.exp(logs) @ steps.T
        total = np.logaddexp(0, -x) @ targets + np.logaddexp(0, x) @ others
        bends = np.diff(logs, axis=1) ** 2 / np.diff(self.ranks)
        level = np.log(np.ptp(self.ranks) / np.ptp(self.knots))
        prior = (logs.mean(axis=1) - level) ** 2 / (2 * 3.0**2)
        return np.asarray(total + self.stiffness / 2 * bends.sum(axis=1) + prior)

    def minimum(self, start: Floats) -> Floats:
        """The best point that scipy finds without any derivative of ours."""

        def value(x: Any) -> Any:
            return self.values(x[None])[0]

        found: Any = start
        slopes: Any = self.slopes
        for _ in range(3):  # BFGS stops a little early, and begins anew
            found = minimize(value, found, method="BFGS", jac=slopes, tol=1e-9).x
        return np.asarray(found)

    def slopes(self, point: Floats, spread: float = 0.5) -> Floats:
        """Gradient by differences of fourth order, all points at once."""
        step = 1e-3
        moves = np.eye(len(point)) * step
        away = [self.values(point + k * moves, spread) for k in (-2, -1, 1, 2)]
        return np.asarray((away[0] - 8 * away[1] + 8 * away[2] - away[3]) / (12 * step))
