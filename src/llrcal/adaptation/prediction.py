"""Cllr, error rates and costs of LLRs in the field, predicted without any labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from llrcal.adaptation.field import Field
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
    tar, non = (side / side.sum(axis=1, keepdims=True) for side in (field.tar, field.non))
    bits = np.logaddexp(0, -llrs) / 2 / math.log(2), np.logaddexp(0, llrs) / 2 / math.log(2)
    cllr = tar @ bits[0] + non @ bits[1]
    spreads = [
        side @ some**2 - (side @ some) ** 2 for side, some in zip((tar, non), bits, strict=True)
    ]

    order = np.argsort(llrs, kind="stable")
    miss, fa = np.cumsum(tar[:, order], axis=1), 1 - np.cumsum(non[:, order], axis=1)
    at = np.argmax(miss >= fa, axis=1)[:, None]
    rates = [np.take_along_axis(side, at, axis=1)[:, 0] for side in (miss, fa)]
    accepted = llrs >= math.log1p(-p_target) - math.log(p_target)
    weights = np.array([p_target, 1 - p_target]) / min(p_target, 1 - p_target)
    errors = np.array([tar @ ~accepted, non @ accepted])
    eer = 0.5 * sum(rates) + _errors(field, [0.25 * _variance(rate) for rate in rates])
    dcf = weights @ errors + _errors(field, list(weights[:, None] ** 2 * _variance(errors)))
    return Predicted(
        cllr + _errors(field, spreads), np.clip(eer, 0, 1), np.asarray(np.maximum(dcf, 0))
    )


def _variance(rate: Floats) -> Floats:
    return rate * (1 - rate)


def _errors(field: Field, spreads: Sequence[Floats]) -> Floats:
    """Errors of means over both classes, whose variances are given for each draw."""
    variance = np.zeros(len(field.draws))
    for spread, side in zip(spreads, (field.source.tar, field.source.non), strict=True):
        missed = 2 * max(side.misfit, 0.0) * field.uses_plain_densities
        variance += np.maximum(spread, 0) * (1 / side.count + missed)
    return np.asarray(np.sqrt(variance) * np.random.default_rng(1).standard_normal(len(variance)))


def estimate(draws: Floats, importance: Floats) -> Estimate:
    """The weighted mean of some draws, with the middle 95 % of all of them."""
    value, (low, high) = float(importance @ draws), np.quantile(draws, (0.025, 0.975)).tolist()
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
