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
from llrcal.densities.density import Shapes
from llrcal.fitting.chain import WALKERS, effective_steps, pooled_weights, rows_of, walked
from llrcal.fitting.likelihood import check_spread
from llrcal.fitting.optimizer import Solution
from llrcal.fitting.proposals import Proposal
from llrcal.fitting.target import Target
from llrcal.onepass.summary import Summary

DRAWS = (512, 1024, 2048)  # in each round
MORE_DRAWS = 8192  # where these are worth too little
LEAST_EFFECTIVE = 100.0
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
    check_spread(shapes.family, scores, scores.points())
    target = Target(shapes, scores)
    limits = target.standard(np.array(ends))
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
