"""Few draws that stand for many: those that a model keeps.

Draws are chosen evenly from all of them, in the order of how heavy their tails are: half of them by
their weights, and half by what they weigh in the predictive density at scores over the range. Their
weights are then adjusted, by as little as possible, until the predictive density at those scores is
that of all draws (as survey weights are raked: Deville and Särndal 1992). Between the scores it
hardly differs, since all of the densities are smooth.
"""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats
from llrcal.fitting.posterior import Draws

KEPT = 256
_SCORES = 32  # at which the predictive density is kept
_STEPS = 30
_RIDGE = 1e-5


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
