"""The posterior of the parameters of a density, as weighted draws that are good in the tails.

An LLR needs the predictive densities of both classes over the scores of both. Where one class has
few scores, or none, its predictive density is decided by parameters that are unlikely a
posteriori, of which ordinary draws have too few. So half of the draws are aimed at the posterior,
and a quarter each at the posterior given one more score at either end of the range. Their weights
are those of the balance heuristic (Veach and Guibas 1995). Proposals start at the modes, and are
refitted to what their draws are worth. Where even many draws are worth too little, Markov chains
start at the best of them (:mod:`llrcal.fitting.proposals`).

Some 160 points a class stand for its scores. What they get wrong up to second order around the mode
is known, and corrected.

A model keeps few draws that stand for many. They are chosen evenly from all of them, in the order
of how heavy their tails are: half of them by their weights, and half by what they weigh in the
predictive density at scores over the range. Their weights are then adjusted, by as little as
possible, until the predictive density at those scores is nearly that of all draws (as survey
weights are raked: Deville and Särndal 1992).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.density import Evaluated, Shapes, quantiles
from llrcal.fitting.likelihood import ROUGHLY, check_spread, coarser
from llrcal.fitting.optimizer import Function, Solution, minimise
from llrcal.fitting.proposals import (
    WALKERS,
    Proposal,
    effective_steps,
    pooled_weights,
    rows_of,
    walked,
)
from llrcal.onepass.summary import Points, Summary

DRAWS = (512, 1024, 2048)  # in each round
MORE_DRAWS = 8192  # where these are worth too little
LEAST_EFFECTIVE = 100.0  # draws: fewer leave an error of a tenth in a predictive density
KEPT = 256  # draws that a model keeps
_NEAR = (128, 512)  # draws around the best fit, in each round
_SCORES = 32  # at which the predictive density is kept
# Steps of raking. What the predictive density is off by then is 1e-5 to 2e-2 of it, the more the
# fewer the trials; the ridge keeps steps finite where scores say the same.
_STEPS, _RIDGE = 30, 1e-5
_POINTS = 96  # that stand for the scores of a class, beside those at either end
_LEAST_CURVATURE = 0.05  # of a proposal: one in a flat direction is not wider than 4.5 units
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

    def mode(self) -> Solution:
        """The mode of the posterior."""
        frees = self.shapes.family.starts(self.few.values, self.few.weights)
        starts = [self.shapes.start(free) for free in frees]
        found = [self._minimum(self.few, start, enough=ROUGHLY) for start in starts]
        return self._mode_near(min(found, key=lambda solution: solution.value).point)

    def mode_with(self, more: float, near: Solution) -> Solution:
        """The mode given one more score, near that without it."""
        values = np.append(self.few.values, more)
        weights = np.append(self.few.weights, 1 / self.count)
        return self._minimum(Points(values, weights, self.few.tie_share), near.point)

    def around(self, row: Floats) -> Proposal:
        """A proposal at the mode of the posterior, which is not far from the best fit.

        The row has the coordinates of that, in the unit of the scores and seen from their origin.

        Not at the best fit itself: where that is a limit of the family, as the Gaussian is one of
        the Student-T, the posterior is flat for many units of its last coordinate.
        """
        best = row.copy()
        best[:2] = row[0] / self.unit - self.middle / self.spread, row[1] - np.log(self.unit)
        start = self.shapes.start(self.shapes.free(best[None])[0])
        if self.few is not self.points:
            start = self._minimum(self.few, start, enough=ROUGHLY).point
        return self.laplace(self._mode_near(start))

    def _mode_near(self, start: Floats) -> Solution:
        """The mode given all points, near one that is known, and the correction that follows."""
        mode = self._minimum(self.points, start)
        if self.few is not self.points:
            self._correct(mode.point)
        return mode

    def _minimum(self, points: Points, start: Floats, *, enough: float = 0.0) -> Solution:
        lower, upper = self.bounds
        return minimise(self._cost(points), start, lower=lower, upper=upper, enough=enough)

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
        step = max(1, _AT_ONCE // len(scores))
        starts = range(0, len(rows), step)
        return np.concatenate([self.shapes.logpdfs(rows[i : i + step], scores) for i in starts])

    def log_posterior(self, rows: Floats) -> Floats:
        loglik = (self.logpdfs(rows, self.few.values) * self.few.weights).sum(axis=1)
        if self.correction:
            free, (value, gradient, hessian) = self.correction
            away = self.shapes.free(rows) - free
            bent = (away[:, :, None] * away[:, None, :] * hessian).sum(axis=(1, 2))
            loglik += value + (away * gradient).sum(axis=1) + 0.5 * bent
        return np.asarray(self.count * loglik + self.shapes.log_priors(rows))

    def _cost(self, points: Points) -> Function:
        """Minus the log posterior, divided by the number of scores."""

        def cost(row: Floats) -> Evaluated:
            with np.errstate(all="ignore"):
                free = self.shapes.free(row[None])[0]
                value, gradient, hessian = self.shapes.family.mean_loglik(
                    free, points.values, points.weights
                )
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


def posterior_draws(shapes: type[Shapes], scores: Summary, ends: tuple[float, float]) -> Draws:
    """Draws from the posterior of a density of scores.

    Parameters
    ----------
    shapes
        The family, with its prior.
    scores
        Those of one class.
    ends
        The least and the greatest score of both classes.

    Raises
    ------
    DegenerateError
        If there are too few scores for the family, or too many equal ones.
    """
    check_spread(shapes.family, scores, scores.points())
    target = Target(shapes, scores)
    limits = target.standard(np.array(ends))
    mode = target.mode()
    proposals = [
        target.laplace(mode),
        *(target.laplace(target.mode_with(end, mode)) for end in limits),
    ]

    sample = _Sample(target, limits)
    for count in (*DRAWS, MORE_DRAWS):
        sample.draw(proposals, count)
        aimed = sample.weights()
        if len(sample.rows) >= sum(DRAWS) and _effective(aimed).min() >= LEAST_EFFECTIVE:
            break
        proposals = [
            one.refitted(sample.rows, own) for one, own in zip(proposals, aimed, strict=True)
        ]
    worth = _effective(aimed)
    draws = Draws(shapes, target.middle, target.spread, limits, sample.rows, aimed, worth, mode)
    return draws if draws.enough else _chained(target, draws)


def _chained(target: Target, draws: Draws) -> Draws:
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


def _way(target: Target, draws: Draws, aim: int) -> Floats:
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
    target = Target(shapes, scores)
    sample = _Sample(target, np.empty(0))
    proposal, (first, rest) = target.around(row), _NEAR
    sample.draw([proposal], first)
    sample.draw([proposal.refitted(sample.rows, *sample.weights())], rest)
    (weights,) = sample.weights()
    return target.logpdfs(sample.rows, target.standard(at)) - np.log(target.unit), weights


class _Sample:
    """Draws of several rounds, weighted as if all of them came from one mixture of proposals."""

    def __init__(self, target: Target, ends: Floats) -> None:
        self._target, self._ends = target, ends
        self._proposals: list[Proposal] = []
        self._counts: list[int] = []
        self.rows = np.empty((0, len(target.shapes.names)))
        self._logs = np.empty((1 + len(ends), 0))

    def draw(self, proposals: Sequence[Proposal], count: int) -> None:
        """Add draws: of one proposal, or half of them of the first, and a quarter of each other."""
        for i, proposal in enumerate(proposals):
            share = 1 if len(proposals) == 1 else 4 if i else 2
            rows = proposal.draws(count // share, first=len(self.rows))
            logs = self._target.logs(rows, self._ends)
            self.rows = np.concatenate([self.rows, self._target.within(rows)])
            self._logs = np.concatenate([self._logs, logs], axis=1)
            self._proposals.append(proposal)
            self._counts.append(len(rows))

    def weights(self) -> Floats:
        """By the balance heuristic: as they are, and given one more score at each of the ends."""
        sides = [self.rows]
        if self._target.shapes.folded:
            sides.append(np.column_stack([self.rows[:, :-1], -self.rows[:, -1]]))
        logs = [
            one.logpdf(side) + np.log(count)
            for one, count in zip(self._proposals, self._counts, strict=True)
            for side in sides
        ]
        return _weights(self._logs - np.logaddexp.reduce(logs, axis=0))


def _weights(logs: Floats) -> Floats:
    """Rows of weights that sum to one, of their logs; none where the posterior is not finite."""
    logs = np.where(np.isfinite(logs), logs, -np.inf)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _effective(weights: Floats) -> Floats:
    return np.asarray(1 / (weights * weights).sum(axis=1))


def thinned(draws: Draws, kept: int = KEPT) -> tuple[Floats, Floats]:
    """Rows of coordinates, at most so many, and their weights, which sum to one."""
    scores = np.sinh(np.linspace(np.arcsinh(draws.ends[0]), np.arcsinh(draws.ends[1]), _SCORES))
    logs = draws.shapes.logpdfs(draws.rows, scores)
    ratios = np.exp(logs - _predictive(logs, draws.weights))
    aimed = draws.weights * (0.5 + 0.5 * ratios.mean(axis=1))
    order = np.argsort(draws.rows[:, -1], kind="stable")
    heights = np.cumsum(aimed[order])
    places = (np.arange(kept) + 0.5) / kept * heights[-1]
    chosen, times = np.unique(order[np.searchsorted(heights, places)], return_counts=True)
    weights = draws.weights[chosen] * (times / aimed[chosen])
    return draws.rows[chosen], _raked(weights / weights.sum(), ratios[chosen])


def _predictive(logs: Floats, weights: Floats) -> Floats:
    """Logs of weighted means over the rows."""
    largest = logs.max(axis=0)
    return np.asarray(largest + np.log((np.exp(logs - largest) * weights[:, None]).sum(axis=0)))


def _raked(weights: Floats, ratios: Floats) -> Floats:
    """Weights for which every column of ratios has a weighted mean of one, and that sum to one.

    Newton's method on the dual problem, in which weights are multiplied by exponentials.
    """
    conditions = np.column_stack([np.ones(len(weights)), ratios])
    for _ in range(_STEPS):
        weighted = conditions * weights[:, None]
        missing = 1 - weighted.sum(axis=0)
        matrix = (conditions[:, :, None] * weighted[:, None, :]).sum(axis=0)
        matrix += np.diag(_RIDGE * matrix.diagonal())
        step = (conditions * np.linalg.solve(matrix, missing)).sum(axis=1)
        weights = weights * np.exp(step / max(1.0, np.abs(step).max()))
    return np.asarray(weights / weights.sum())
