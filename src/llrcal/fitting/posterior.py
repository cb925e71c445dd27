"""The posterior of the parameters of a density, as weighted draws that are good in the tails.

An LLR needs the predictive densities of both classes over the scores of both. Where one class has
few scores, or none, its predictive density is decided by parameters that are unlikely a
posteriori, of which ordinary draws have too few. So half of the draws are aimed at the posterior,
and a quarter each at the posterior given one more score at either end of the range. Their weights
are those of the balance heuristic (Veach and Guibas 1995). Proposals start at the modes, and are
refitted to what their draws are worth. Where even many draws are worth too little, Markov chains
start at the best of them (:mod:`llrcal.fitting.chain`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.density import Evaluated, quantiles
from llrcal.densities.shapes import Shapes
from llrcal.fitting.chain import WALKERS, effective_steps, pooled_weights, rows_of, walked
from llrcal.fitting.likelihood import check_spread, coarser
from llrcal.fitting.optimizer import Function, Solution, minimise
from llrcal.fitting.proposals import Proposal
from llrcal.onepass.summary import Points, Summary

DRAWS = (512, 1024, 2048)  # in each round
MORE_DRAWS = 8192  # where these are worth too little
LEAST_EFFECTIVE = 100.0
_POINTS = 96  # that stand for the scores of a class, beside those at either end
_LEAST_CURVATURE = 0.05
_AT_ONCE = 2**16  # log densities
_NEAR = (128, 512)  # draws around the best fit, in each round


@dataclass(frozen=True)
class Draws:
    """Weighted draws of the parameters of one density, for scores in standard units."""

    shapes: type[Shapes]
    middle: float
    """Where standard units are zero, in units of the grid of the scores."""
    spread: float
    """One standard unit, in units of the grid."""
    ends: Floats
    """The ends of the range, in standard units."""
    rows: Floats
    aimed: Floats
    """Weights as they are, given one more score at the lower end, and given one at the upper."""
    effective: Floats
    """Effective numbers of draws: in all, at the lower end, and at the upper end."""
    mode: Solution
    replaced: Floats | None = None
    """What draws from proposals were worth, if Markov chains took their place."""

    @property
    def weights(self) -> Floats:
        return np.asarray(self.aimed[0])

    @property
    def enough(self) -> bool:
        return bool(self.effective.min() >= LEAST_EFFECTIVE)


def posterior_draws(
    shapes: type[Shapes], scores: Summary, ends: tuple[float, float], *, more: int = 1
) -> Draws:
    """Draws from the posterior of a density of scores.

    Parameters
    ----------
    shapes
        The family, with its prior.
    scores
        Those of one class.
    ends
        The least and the greatest score of both classes.
    more
        How many times as many draws as usual to take, to see how exact they are.

    Raises
    ------
    DegenerateError
        If there are too few scores for the family, or too many equal ones.
    """
    points, grid = scores.points(), scores.grid
    check_spread(shapes.family, scores, points)
    middle, spread = _middle_and_spread(points)
    values = (points.values - middle) / spread
    target = _Target(shapes, Points(values, points.weights, points.tie_share), scores.count)
    limits = ((np.array(ends) - grid.origin) / grid.unit - middle) / spread
    mode = target.mode()
    proposals = [target.laplace(mode), *(target.laplace(target.mode(end, mode)) for end in limits)]

    sample = _Sample(target, limits)
    for count in (*DRAWS, MORE_DRAWS):
        sample.draw(proposals, count * more)
        aimed = sample.weights()
        if len(sample.rows) >= sum(DRAWS) * more and _effective(aimed).min() >= LEAST_EFFECTIVE:
            break
        proposals = [
            one.refitted(sample.rows, own) for one, own in zip(proposals, aimed, strict=True)
        ]
    draws = Draws(shapes, middle, spread, limits, sample.rows, aimed, _effective(aimed), mode)
    return draws if draws.enough else _chained(target, draws)


def _chained(target: _Target, draws: Draws) -> Draws:
    """Draws of Markov chains, aimed as the given ones, if they are worth more than these."""
    ways = [_way(target, draws, aim) for aim in range(len(draws.aimed))]
    kept = [rows_of(way) for way in ways]
    rows = target.within(np.concatenate(kept))
    ends = draws.shapes.logpdfs(rows, draws.ends).T
    aimed = pooled_weights(
        np.array([np.zeros(len(rows)), *ends]), np.array([float(len(part)) for part in kept])
    )
    effective = np.minimum(_effective(aimed), [effective_steps(way) for way in ways])
    if effective.min() <= draws.effective.min():
        return draws
    return replace(draws, rows=rows, aimed=aimed, effective=effective, replaced=draws.effective)


def _way(target: _Target, draws: Draws, aim: int) -> Floats:
    """That of walkers who start at the best draws for an aim."""
    best = draws.rows[np.argsort(-draws.aimed[aim], kind="stable")[:WALKERS]]
    return walked(lambda rows: np.asarray(target.logs(rows, draws.ends)[aim]), best)


def near_draws(
    shapes: type[Shapes], scores: Summary, row: Floats, at: Floats
) -> tuple[Floats, Floats]:
    """Log densities at some scores of a few draws around the best fit, and the draws' weights.

    Far fewer draws than :func:`posterior_draws` has: they do for intervals, and cost next to
    nothing beside the fit.

    Parameters
    ----------
    shapes
        The family, with its prior.
    scores
        Those of one class.
    row
        The coordinates of the best fit, in the unit of the scores and seen from their origin.
    at
        The scores at which log densities are wanted.
    """
    points, grid = scores.points(), scores.grid
    middle, spread = _middle_and_spread(points)
    values = (points.values - middle) / spread
    target = _Target(shapes, Points(values, points.weights, points.tie_share), scores.count)
    unit = spread * grid.unit
    best = row.copy()
    best[:2] = (row[0] / unit - middle / spread), row[1] - np.log(unit)
    proposal = target.around(best)
    for count in _NEAR:
        rows = proposal.draws(count, first=0)
        tail = np.abs(rows[:, -1]) if shapes.folded else rows[:, -1]
        rows[:, -1] = np.clip(tail, *(bound[-1] for bound in target.bounds))
        logs = target.log_posterior(rows) - proposal.logpdf(rows)
        weights = _weights(logs[None])
        proposal = proposal.refitted(rows, weights[0])
    standard = ((at - grid.origin) / grid.unit - middle) / spread
    return shapes.logpdfs(rows, standard) - np.log(unit), weights[0]


class _Sample:
    """Draws of several rounds, weighted as if all of them came from one mixture of proposals."""

    def __init__(self, target: _Target, ends: Floats) -> None:
        self._target, self._ends = target, ends
        self._proposals: list[Proposal] = []
        self._counts: list[int] = []
        self.rows = np.empty((0, len(target.shapes.names)))
        self._logs = np.empty((3, 0))

    def draw(self, proposals: Sequence[Proposal], count: int) -> None:
        """Add draws: half of them of the first proposal, and a quarter of each other one."""
        for proposal, share in zip(proposals, (2, 4, 4), strict=True):
            rows = proposal.draws(count // share, first=len(self.rows))
            logs = self._target.logs(rows, self._ends)
            self.rows = np.concatenate([self.rows, self._target.within(rows)])
            self._logs = np.concatenate([self._logs, logs], axis=1)
            self._proposals.append(proposal)
            self._counts.append(len(rows))

    def weights(self) -> Floats:
        """By the balance heuristic: as they are, and given one more score at either end."""
        sides = [self.rows]
        if self._target.shapes.folded:
            sides.append(np.column_stack([self.rows[:, :-1], -self.rows[:, -1]]))
        logs = [
            one.logpdf(side) + np.log(count)
            for one, count in zip(self._proposals, self._counts, strict=True)
            for side in sides
        ]
        return _weights(self._logs - np.logaddexp.reduce(logs, axis=0))


class _Target:
    """The log posterior of rows of coordinates, given standardised scores."""

    def __init__(self, shapes: type[Shapes], points: Points, count: int) -> None:
        self.shapes, self.points, self.count = shapes, points, count
        self.few = coarser(points, _POINTS)
        self.bounds = shapes.bounds(points.tie_share)
        self.correction: tuple[Floats, Evaluated] | None = None

    def mode(self, more: float | None = None, near: Solution | None = None) -> Solution:
        """The mode of the posterior, given one more score perhaps."""
        lower, upper = self.bounds
        function = self._cost(self.few, more)
        if near is not None:
            return minimise(function, near.point, lower=lower, upper=upper)
        frees = self.shapes.family.starts(self.few.values, self.few.weights)
        starts = [self.shapes.start(free) for free in frees]
        found = [minimise(function, start, lower=lower, upper=upper) for start in starts]
        best = min(found, key=lambda solution: solution.value)
        if self.few is self.points:
            return best
        best = minimise(self._cost(self.points, None), best.point, lower=lower, upper=upper)
        self._correct(best.point)
        return best

    def around(self, row: Floats) -> Proposal:
        """A proposal near the best fit, which is near enough to the mode if scores are many."""
        lower, upper = self.bounds
        if self.few is self.points:
            start = self.shapes.start(self.shapes.free(row[None])[0])
            cost = self._cost(self.points, None)
            return self.laplace(minimise(cost, start, lower=lower, upper=upper))
        row = np.clip(row, lower, upper)
        self._correct(row)
        return self._laplace(row, self._cost(self.points, None)(row).hessian)

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
        return self._laplace(mode.point, mode.hessian)

    def _laplace(self, point: Floats, hessian: Floats) -> Proposal:
        curvature, axes = np.linalg.eigh(hessian * self.count)
        inverse = 1 / np.maximum(curvature, _LEAST_CURVATURE)
        return Proposal.around(point, (axes * inverse) @ axes.T)

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

    def log_posterior(self, rows: Floats) -> Floats:
        values, weights = self.few.values, self.few.weights
        step = max(1, _AT_ONCE // len(values))
        parts = (rows[at : at + step] for at in range(0, len(rows), step))
        means = [(self.shapes.logpdfs(part, values) * weights).sum(axis=1) for part in parts]
        loglik = np.concatenate(means)
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
                bent = first.T @ hessian @ first + np.tensordot(gradient, second, 1)
                prior = self.shapes.log_prior(row)
                here = Evaluated(
                    value + prior.value / self.count,
                    first.T @ gradient + prior.gradient / self.count,
                    bent + prior.hessian / self.count,
                )
            sound = all(np.isfinite(part).all() for part in here)
            return -(here if sound else Evaluated.impossible(row.size))

        return cost


def _middle_and_spread(points: Points) -> tuple[float, float]:
    """The median, and the distance of the quartiles: a far score must not make all others equal."""
    left, middle, right = quantiles(points.values, points.weights, (0.25, 0.5, 0.75))
    if left < right:
        return middle, right - left
    return middle, points.mean_and_variance()[1] ** 0.5


def _weights(logs: Floats) -> Floats:
    """Rows of weights that sum to one, of their logs; none where the posterior is not finite."""
    logs = np.where(np.isfinite(logs), logs, -np.inf)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _effective(weights: Floats) -> Floats:
    return np.asarray(1 / (weights * weights).sum(axis=1))
