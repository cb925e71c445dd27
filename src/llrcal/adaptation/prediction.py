"""Cllr, error rates and costs of LLRs in the field, predicted without any labels."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from llrcal.adaptation.field import Field, Masses
from llrcal.arrays import LARGEST, Floats
from llrcal.calibrations.adapted import Estimate

_CELLS = 40  # of scores whose divergence from a mixture is measured


class Predicted(NamedTuple):
    """What is expected of LLRs in the field: one number a draw."""

    cllr: Floats
    """In bits."""
    eer: Floats
    dcf: Floats
    """Normalised, with costs of one."""


def predicted(field: Field, llrs: Floats, p_target: float) -> Predicted:
    """The quality of LLRs at the nodes of a field, of each draw of it.

    The densities of a draw are taken for the truth, but for their errors: those of a portrait of
    so many training scores, and what a density without the corrections of the portrait misses.
    """
    classes = field.tar, field.non
    tar, non = (side / side.sum(axis=1, keepdims=True) for side in classes)
    order = np.argsort(llrs, kind="stable")
    miss, fa = np.cumsum(tar[:, order], axis=1), 1 - np.cumsum(non[:, order], axis=1)
    at = np.argmax(miss >= fa, axis=1)[:, None]  # the last one that is rejected
    rejected = np.argsort(order, kind="stable") <= at
    accepted = llrs >= math.log1p(-p_target) - math.log(p_target)
    weights = np.array([p_target, 1 - p_target]) / min(p_target, 1 - p_target)
    mean = partial(_mean_cost, field, (tar, non))
    return Predicted(
        mean(np.logaddexp(0, -llrs) / 2 / math.log(2), np.logaddexp(0, llrs) / 2 / math.log(2)),
        np.clip(mean(0.5 * rejected, 0.5 * ~rejected), 0, 1),
        np.maximum(mean(weights[0] * ~accepted, weights[1] * accepted), 0),
    )


def _mean_cost(field: Field, classes: Masses, tar_costs: Floats, non_costs: Floats) -> Floats:
    """The sum of the mean costs of both classes, of each draw, with its errors.

    Costs are given at the nodes. No portrait knows of scores that were not seen: among a hundred
    targets there may be none that scores as most non-targets do, but the next may. So one trial
    more of each class is drawn, which scores like any trial of the draw, whatever its label; its
    weight is that of one among the training scores, as the Bayesian bootstrap has it.
    """
    rng = np.random.default_rng(1)
    count = len(field.draws)
    total, variance = np.zeros(count), np.zeros(count)
    below = np.cumsum(0.5 * (classes[0] + classes[1]), axis=1)
    sides = zip(classes, (tar_costs, non_costs), (field.source.tar, field.source.non), strict=True)
    for masses, given, side in sides:
        costs = np.broadcast_to(given, masses.shape)
        mean = np.sum(masses * costs, axis=1)
        spread = np.sum(masses * costs**2, axis=1) - mean**2
        missed = 2 * max(side.misfit, 0.0) * field.uses_plain_densities
        variance += np.maximum(spread, 0) * (1 / side.count + missed)
        node = np.sum(below[:, :-1] < rng.random((count, 1)), axis=1)
        weight = np.minimum(rng.exponential(1 / side.count, count), 1.0)
        total += mean + weight * (costs[np.arange(count), node] - mean)
    return np.asarray(total + np.sqrt(variance) * rng.standard_normal(count))


def estimate(draws: Floats, field: Field) -> Estimate:
    """The mean of some draws, with the middle 95 % of them where nothing is favoured."""
    value = float(field.importance @ draws)
    low, high = np.quantile(
        draws, (0.025, 0.975), weights=field.neutral, method="inverted_cdf"
    ).tolist()
    if not all(map(math.isfinite, (value, low, high))):
        return Estimate(0.0, -LARGEST, LARGEST)
    return Estimate(value, min(low, value), max(high, value))


class Bins(NamedTuple):
    """Unlabelled scores in bins of much the same mass, and what was to be expected."""

    edges: Floats
    """Inner ones, in units of the source."""
    seen: Floats
    expected: Floats

    @classmethod
    def of(cls, field: Field, mixture: Floats, count: int = _CELLS) -> Bins:
        """The scores of a field beside a mixture at its nodes."""
        pool = field.data.pool
        levels = np.arange(1, count) / count
        edges, first = np.unique([pool.quantile(level) for level in levels], return_index=True)
        seen = np.diff(levels[first], prepend=0.0, append=1.0)
        below = (np.cumsum(mixture) - 0.5 * mixture) / mixture.sum()
        shares = np.interp(edges, field.nodes, below, left=0.0, right=1.0)
        expected = np.maximum(np.diff(shares, prepend=0.0, append=1.0), 1e-12)
        return cls(edges, seen, expected)

    def divergence(self, count: float) -> float:
        """Kullback-Leibler divergence in nats per score, less what is expected by chance."""
        excess = xlogy(self.seen, self.seen / self.expected).sum()
        return float(excess - len(self.edges) / (2 * count))
