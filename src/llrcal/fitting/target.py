"""The log posterior of the parameters of a density, its modes, and proposals around them.

Some 160 points a class stand for its scores. What they get wrong up to second order around the mode
is known, and corrected.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.density import Evaluated, Shapes, quantiles
from llrcal.fitting.likelihood import ROUGHLY, coarser
from llrcal.fitting.optimizer import Function, Solution, minimise
from llrcal.fitting.proposals import Proposal
from llrcal.onepass.summary import Points, Summary

_POINTS = 96  # that stand for the scores of a class, beside those at either end
_LEAST_CURVATURE = 0.05
_AT_ONCE = 2**14  # log densities, which stay in the cache


class Target:
    """The log posterior of rows of coordinates, given scores, which are standardised."""

    def __init__(self, shapes: type[Shapes], scores: Summary) -> None:
        self.shapes, self.count, self._grid = shapes, scores.count, scores.grid
        points = scores.points()
        self.middle, self.spread = _middle_and_spread(points)
        values = (points.values - self.middle) / self.spread
        self.points = Points(values, points.weights, points.tie_share)
        self.few = coarser(self.points, _POINTS)
        self.bounds = shapes.bounds(points.tie_share)
        self.correction: tuple[Floats, Evaluated] | None = None

    @property
    def unit(self) -> float:
        """One standard unit, in that of the scores."""
        return self.spread * self._grid.unit

    def standard(self, scores: Floats) -> Floats:
        """Scores in standard units."""
        in_grid = (scores - self._grid.origin) / self._grid.unit
        return np.asarray((in_grid - self.middle) / self.spread)

    def mode(self, more: float | None = None, near: Solution | None = None) -> Solution:
        """The mode of the posterior, given one more score perhaps."""
        lower, upper = self.bounds
        function = self._cost(self.few, more)
        if near is not None:
            return minimise(function, near.point, lower=lower, upper=upper)
        frees = self.shapes.family.starts(self.few.values, self.few.weights)
        starts = [self.shapes.start(free) for free in frees]
        found = [
            minimise(function, start, lower=lower, upper=upper, enough=ROUGHLY) for start in starts
        ]
        best = min(found, key=lambda solution: solution.value)
        return self._mode_near(best.point)

    def _mode_near(self, start: Floats) -> Solution:
        """The mode given all points, near one that is known, and the correction that follows."""
        lower, upper = self.bounds
        mode = minimise(self._cost(self.points, None), start, lower=lower, upper=upper)
        if self.few is not self.points:
            self._correct(mode.point)
        return mode

    def around(self, row: Floats) -> Proposal:
        """A proposal at the mode of the posterior, which is not far from the best fit.

        The row has the coordinates of that, in the unit of the scores and seen from their origin.

        Not at the best fit itself: where that is a limit of the family, as the Gaussian is one of
        the Student-T, the posterior is flat for many units of its last coordinate.
        """
        lower, upper = self.bounds
        best = row.copy()
        best[:2] = row[0] / self.unit - self.middle / self.spread, row[1] - np.log(self.unit)
        start = self.shapes.start(self.shapes.free(best[None])[0])
        if self.few is not self.points:
            cost = self._cost(self.few, None)
            start = minimise(cost, start, lower=lower, upper=upper, enough=ROUGHLY).point
        return self.laplace(self._mode_near(start))

    def _correct(self, row: Floats) -> None:
        """What few points get wrong up to second order around a row is known."""
        free = self.shapes.free(row[None])[0]
        exact, rough = (
            self.shapes.family.mean_loglik(free, p.values, p.weights)
            for p in (self.points, self.few)
        )
        self.correction = (
            free,
            Evaluated(
                exact.value - rough.value,
                exact.gradient - rough.gradient,
                exact.hessian - rough.hessian,
            ),
        )

    def laplace(self, mode: Solution) -> Proposal:
        """A proposal with the curvature of the posterior at a mode."""
        curvature, axes = np.linalg.eigh(mode.hessian * self.count)
        inverse = 1 / np.maximum(curvature, _LEAST_CURVATURE)
        return Proposal.around(mode.point, (axes * inverse) @ axes.T)

    def within(self, rows: Floats) -> Floats:
        """Rows with the tails that stand for theirs: of the right sign, and within the bounds."""
        tails = np.clip(self._tails(rows), self.bounds[0][-1], self.bounds[1][-1])
        return np.column_stack([rows[:, :-1], tails])

    def logs(self, rows: Floats, ends: Floats) -> Floats:
        """The log posterior of rows, as it is and given one more score at either end."""
        own = self.within(rows)
        log_posterior = self.log_posterior(own)
        log_posterior[self._tails(rows) > self.bounds[1][-1]] = -np.inf
        return np.array([log_posterior, *(log_posterior + self.shapes.logpdfs(own, ends).T)])

    def _tails(self, rows: Floats) -> Floats:
        return np.abs(rows[:, -1]) if self.shapes.folded else rows[:, -1]

    def logpdfs(self, rows: Floats, scores: Floats) -> Floats:
        """Log densities of scores in standard units, a row of them for each row of coordinates."""
        return np.concatenate([*self._logpdfs(rows, scores)])

    def _logpdfs(self, rows: Floats, scores: Floats) -> Iterator[Floats]:
        step = max(1, _AT_ONCE // len(scores))
        for at in range(0, len(rows), step):
            yield self.shapes.logpdfs(rows[at : at + step], scores)

    def log_posterior(self, rows: Floats) -> Floats:
        values, weights = self.few.values, self.few.weights
        loglik = np.concatenate(
            [(part * weights).sum(axis=1) for part in self._logpdfs(rows, values)]
        )
        if self.correction:
            free, (value, gradient, hessian) = self.correction
            away = self.shapes.free(rows) - free
            bent = (away[:, :, None] * away[:, None, :] * hessian).sum(axis=(1, 2))
            loglik += value + (away * gradient).sum(axis=1) + 0.5 * bent
        return np.asarray(self.count * loglik + self.shapes.log_priors(rows))

    def _cost(self, points: Points, more: float | None) -> Function:
        """Minus the log posterior, divided by the number of scores."""
        values, weights = points.values, points.weights
        if more is not None:
            values, weights = np.append(values, more), np.append(weights, 1 / self.count)

        def cost(row: Floats) -> Evaluated:
            with np.errstate(all="ignore"):
                free = self.shapes.free(row[None])[0]
                value, gradient, hessian = self.shapes.family.mean_loglik(free, values, weights)
                first, second = self.shapes.derivatives(row)
                bent = first.T @ hessian @ first + (gradient[:, None, None] * second).sum(axis=0)
                slopes, bends = self.shapes.prior_derivatives(row)
                return -Evaluated(
                    value + float(self.shapes.log_priors(row[None])[0]) / self.count,
                    first.T @ gradient + slopes / self.count,
                    bent + np.diag(bends) / self.count,
                )

        return cost


def _middle_and_spread(points: Points) -> tuple[float, float]:
    """The median, and the distance of the quartiles: a far score must not make all others equal."""
    left, middle, right = quantiles(points.values, points.weights, (0.25, 0.5, 0.75))
    if left < right:
        return middle, right - left
    return middle, points.mean_and_variance()[1] ** 0.5
