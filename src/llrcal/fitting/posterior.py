"""The posterior of the parameters of a density, as weighted draws that are good in the tails.

An LLR needs the predictive densities of both classes over the scores of both. Where one class has
few scores, or none, its predictive density is decided by parameters that are unlikely a
posteriori, of which ordinary draws have too few. So half of the draws are aimed at the posterior,
and a quarter each at the posterior given one more score at either end of the range. Their weights
are those of the balance heuristic (Veach and Guibas 1995). Proposals start at the modes, and are
refitted to what their draws are worth.

Some 160 points a class stand for its scores. What they get wrong up to second order around the mode
is known, and corrected. Scores on a few levels are spread first (:mod:`llrcal.fitting.levels`).

A model keeps few draws that stand for many. They are chosen evenly from all of them, in the order
of how heavy their tails are: half of them by their weights, and half by what they weigh in the
predictive density at scores over the range. Their weights are then adjusted, by as little as
possible, until the predictive density at those scores is nearly that of all draws (as survey
weights are raked: Deville and Särndal 1992).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from llrcal.arrays import Floats
from llrcal.densities.density import Evaluated, Shaped, quantiles
from llrcal.fitting.levels import spread_levels
from llrcal.fitting.likelihood import ROUGHLY, coarser, refuse_degenerate
from llrcal.fitting.optimizer import Solution, minimise
from llrcal.fitting.proposals import Proposal
from llrcal.onepass.summary import Points, Summary

DRAWS = (512, 1024, 2048)  # in each round
MORE_DRAWS = 8192  # where these are worth too little
LEAST_EFFECTIVE = 100.0  # draws: fewer leave an error of a tenth in a predictive density
KEPT = 256  # draws that a model keeps
_NEAR = (128, 512)  # draws around the best fit, in each round
_MIRRORED = (64, 256)  # draws that come with their mirror images
_SCORES = 32  # at which the predictive density is kept
# Steps of raking. What the predictive density is off by then is 1e-5 to 2e-2 of it, the more the
# fewer the trials; the ridge keeps steps finite where scores say the same.
_STEPS, _RIDGE = 30, 1e-5
_POINTS = 96  # that stand for the scores of a class, beside those at either end
_LEAST_CURVATURE = 0.05  # of a proposal: one in a flat direction is not wider than 4.5 units
_MOST_LOG = 600.0  # of a ratio: more has only a draw without weight, whose product must be zero
_AT_ONCE = 2**14  # log densities, which stay in the cache


class Target:
    """The log posterior of rows of coordinates, given points worth so many scores.

    These are standardised.
    """

    def __init__(
        self, family: type[Shaped], points: Points, count: float, *, most: int = _POINTS
    ) -> None:
        self.family, self.count = family, count
        # Not the mean and the deviation: a far score must not make all others equal.
        levels = (0.25, 0.5, 0.75)
        left, self.middle, right = quantiles(points.values, points.weights, levels)
        self.spread = right - left or math.sqrt(points.mean_and_variance()[1])
        values = (points.values - self.middle) / self.spread
        self.points = Points(values, points.weights, points.tie_share)
        self.few = coarser(self.points, most)
        self.tails = family.tails_with(points.tie_share)
        self.correction: tuple[Floats, Evaluated] | None = None

    def standard(self, values: Floats) -> Floats:
        """Values in the units of the points, in standard units."""
        return np.asarray((values - self.middle) / self.spread)

    def mode(self, starts: list[Floats]) -> Solution:
        """The mode of the posterior, from some free coordinates.

        The search starts at shapes that the prior finds likely: where a best fit is a limit of the
        family, as the Gaussian is one of the Student-T, the posterior is flat for many units of its
        last coordinate.
        """
        rows = self.family.from_free(np.array(starts))
        rows[:, 2:] = np.clip(rows[:, 2:], *self.family.likely)
        found = [self.climb(self.few, row, enough=ROUGHLY) for row in rows]
        mode = self.climb(self.points, min(found, key=lambda solution: solution.value).point)
        if self.few is not self.points:
            free = self.family.free_rows(mode.point[None])[0]
            exact, rough = (
                self.family.mean_loglik(free, p.values, p.weights) for p in (self.points, self.few)
            )
            self.correction = free, exact - rough
        return mode

    def climb(self, points: Points, start: Floats, *, enough: float = 0.0) -> Solution:
        """The least minus log posterior given some points, divided by the number of scores."""
        family = self.family

        def cost(row: Floats) -> Evaluated:
            free = family.free_rows(row[None])[0]
            value, gradient, hessian = family.mean_loglik(free, points.values, points.weights)
            first, second = family.derivatives(row)
            bent = first.T @ hessian @ first + (gradient[:, None, None] * second).sum(axis=0)
            prior, slopes, bends = family.log_priors(row)
            return -Evaluated(
                value + float(prior.sum()) / self.count,
                first.T @ gradient + slopes / self.count,
                bent + np.diag(bends) / self.count,
            )

        lower, upper = (np.append(np.full(start.size - 1, end), 0.0) for end in (-np.inf, np.inf))
        lower[-1], upper[-1] = self.tails
        return minimise(cost, start, lower=lower, upper=upper, enough=enough)

    def proposal(self, mode: Solution) -> Proposal:
        """A proposal with the curvature of the posterior at a mode: Laplace's method."""
        curvature, axes = np.linalg.eigh(mode.hessian * self.count)
        inverse = 1 / np.maximum(curvature, _LEAST_CURVATURE)
        return Proposal(mode.point, (axes * inverse) @ axes.T)

    def logs(self, rows: Floats, ends: Floats) -> tuple[Floats, Floats]:
        """Rows with tails within their bounds, and the log posterior of each.

        The latter as it is, and given one more score at each of the ends.
        """
        tails = np.abs(rows[:, -1]) if self.family.folded else rows[:, -1]
        own = np.column_stack([rows[:, :-1], np.clip(tails, *self.tails)])
        log_posterior = self.log_posterior(own)
        log_posterior[tails > self.tails[1]] = -np.inf
        more = self.family.logpdfs(own, ends).T
        return own, np.array([log_posterior, *(log_posterior + more)])

    def logpdfs(self, rows: Floats, scores: Floats) -> Floats:
        """Log densities of scores in standard units, a row of them for each row of coordinates."""
        step = max(1, _AT_ONCE // len(scores))
        starts = range(0, len(rows), step)
        return np.concatenate([self.family.logpdfs(rows[i : i + step], scores) for i in starts])

    def log_posterior(self, rows: Floats) -> Floats:
        loglik = (self.logpdfs(rows, self.few.values) * self.few.weights).sum(axis=1)
        if self.correction:
            free, (value, gradient, hessian) = self.correction
            away = self.family.free_rows(rows) - free
            bent = (away[:, :, None] * away[:, None, :] * hessian).sum(axis=(1, 2))
            loglik += value + (away * gradient).sum(axis=1) + 0.5 * bent
        return np.asarray(self.count * loglik + self.family.log_priors(rows)[0].sum(axis=1))


@dataclass(frozen=True)
class Draws:
    """Weighted draws of the parameters of one density, for scores in standard units."""

    target: Target
    ends: Floats
    """The ends of the range, in standard units."""
    rows: Floats
    aimed: Floats
    """Weights as they are, given one more score at the lower end, and given one at the upper."""
    effective: Floats
    """Effective numbers of draws: in all, at the lower end, and at the upper end."""
    mode: Solution

    @property
    def weights(self) -> Floats:
        return np.asarray(self.aimed[0])


def posterior_draws(family: type[Shaped], scores: Summary, ends: tuple[float, float]) -> Draws:
    """Draws from the posterior of a density of scores.

    Parameters
    ----------
    family
        That of the density, with its prior.
    scores
        Those of one class.
    ends
        The least and the greatest score of both classes.

    Raises
    ------
    DegenerateError
        If there are too few scores for the family, or too many equal ones.
    """
    refuse_degenerate(family, scores, scores.points())
    target = Target(family, *spread_levels(scores.points(), scores.count))
    few, limits = target.few, target.standard(_in_grid(scores, np.array(ends)))
    mode = target.mode(family.starts(few.values, few.weights))
    modes = [mode]
    for end in limits:
        values, weights = np.append(few.values, end), np.append(few.weights, 1 / target.count)
        modes.append(target.climb(Points(values, weights, few.tie_share), mode.point))
    rows, aimed = _sampled(target, limits, modes, (*DRAWS, MORE_DRAWS))
    return Draws(target, limits, rows, aimed, _effective(aimed), mode)


def near_draws(density: Shaped, scores: Summary, at: Floats) -> tuple[Floats, Floats]:
    """Log densities at some scores of a few draws around the best fit, and the draws' weights.

    Far fewer draws than :func:`posterior_draws` has: they do for intervals, and cost next to
    nothing beside the fit.

    Parameters
    ----------
    density
        The best fit.
    scores
        Those of one class.
    at
        The scores at which log densities are wanted.
    """
    grid = scores.grid
    target = Target(type(density), *spread_levels(scores.points(), scores.count))
    best = density.coordinates(grid.origin, grid.unit)
    best[0], best[1] = (best[0] - target.middle) / target.spread, best[1] - np.log(target.spread)
    rows, (weights,) = _sampled(target, np.empty(0), [target.mode([best])], _NEAR)
    logs = target.logpdfs(rows, target.standard(_in_grid(scores, at)))
    return logs - np.log(target.spread * grid.unit), weights


def mirrored_draws(target: Target, mode: Solution) -> tuple[Floats, Floats]:
    """A few rows drawn around the mode, and their weights.

    If the scores change their signs, locations and asymmetries do, and nothing else.
    """
    rows, (weights,) = _sampled(target, np.empty(0), [mode], _MIRRORED, mirrored=True)
    return rows, weights


def _in_grid(scores: Summary, values: Floats) -> Floats:
    """Scores in units of a summary's grid."""
    return np.asarray((values - scores.grid.origin) / scores.grid.unit)


def _sampled(
    target: Target,
    ends: Floats,
    modes: list[Solution],
    counts: tuple[int, ...],
    *,
    mirrored: bool = False,
) -> tuple[Floats, Floats]:
    """Rows drawn in several rounds, and their weights: as they are, and given one more score.

    Of several modes, the first has half of the draws, and each other a quarter. Proposals are
    refitted after each round, and no more are made once ordinary draws are worth enough.
    """
    proposals = [target.proposal(mode) for mode in modes]
    shares = [1] if len(modes) == 1 else [2, 4, 4]
    rows, logs = np.empty((0, len(target.family.names))), np.empty((1 + len(ends), 0))
    used: list[tuple[Proposal, int]] = []
    for count in counts:
        for proposal, share in zip(proposals, shares, strict=True):
            drawn = proposal.draws(count // share, first=len(rows), mirrored=mirrored)
            own, more = target.logs(drawn, ends)
            rows, logs = np.concatenate([rows, own]), np.concatenate([logs, more], axis=1)
            used.append((proposal, len(own)))
        aimed = _balanced(used, rows, logs, folded=target.family.folded)
        enough = len(rows) >= sum(DRAWS) and _effective(aimed).min() >= LEAST_EFFECTIVE
        if enough or len(used) == len(counts) * len(modes):
            break
        pairs = zip(proposals, aimed, strict=True)
        proposals = [proposal.refitted(rows, weights) for proposal, weights in pairs]
    return rows, aimed


def _balanced(
    used: list[tuple[Proposal, int]], rows: Floats, logs: Floats, *, folded: bool
) -> Floats:
    """Weights by the balance heuristic, as if all rows came from one mixture of proposals.

    They sum to one; a draw has none where the posterior is not finite.
    """
    sides = [rows, np.column_stack([rows[:, :-1], -rows[:, -1]])] if folded else [rows]
    mixture = [proposal.logpdf(side) + np.log(count) for proposal, count in used for side in sides]
    logs = logs - np.logaddexp.reduce(mixture, axis=0)
    logs = np.where(np.isfinite(logs), logs, -np.inf)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _effective(weights: Floats) -> Floats:
    return np.asarray(1 / (weights * weights).sum(axis=1))


def subsample(draws: Draws, kept: int = KEPT) -> tuple[Floats, Floats]:
    """Rows of coordinates, at most so many, and their weights, which sum to one."""
    low, high = np.arcsinh(draws.ends)
    scores = np.sinh(np.linspace(low, high, _SCORES))
    logs = draws.target.family.logpdfs(draws.rows, scores)
    logs -= logsumexp(logs, b=draws.weights[:, None], axis=0)
    ratios = np.exp(np.minimum(logs, _MOST_LOG))
    aimed = draws.weights * (0.5 + 0.5 * ratios.mean(axis=1))
    order = np.argsort(draws.rows[:, -1], kind="stable")
    heights = np.cumsum(aimed[order])
    places = (np.arange(kept) + 0.5) / kept * heights[-1]
    chosen, times = np.unique(order[np.searchsorted(heights, places)], return_counts=True)
    weights = draws.weights[chosen] * (times / aimed[chosen])
    return draws.rows[chosen], _raked(weights / weights.sum(), ratios[chosen])


def _raked(weights: Floats, ratios: Floats) -> Floats:
    """Weights for which every column of ratios has a weighted mean of one, and that sum to one.

    Newton's method on the dual problem, in which weights are multiplied by exponentials.
    """
    conditions = np.column_stack([np.ones(len(weights)), ratios])
    conditions = conditions[:, conditions.max(axis=0) >= 1]  # no weights meet the others
    for _ in range(_STEPS):
        weighted = conditions * weights[:, None]
        missing = 1 - weighted.sum(axis=0)
        matrix = (conditions[:, :, None] * weighted[:, None, :]).sum(axis=0)
        matrix += np.diag(_RIDGE * matrix.diagonal())
        step = (conditions * np.linalg.solve(matrix, missing)).sum(axis=1)
        weights = weights * np.exp(step / max(1.0, np.abs(step).max()))
    return np.asarray(weights / weights.sum())
