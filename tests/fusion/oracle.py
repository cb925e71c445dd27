"""The criterion of a fusion, written down once more, and its minimum by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import comb

import numpy as np

from llrcal.arrays import Bools, Floats

Counted = Sequence[Floats]
"""How often each trial of a class counts."""


def derivatives(
    rows: Sequence[Floats], alpha: float, weights: Floats, counted: Counted | None = None
) -> tuple[list[Floats], Floats]:
    """What each trial adds to the gradient, and the Hessian; rows are trials x terms."""
    times = counted or [np.ones(len(side)) for side in rows]
    worth = 2 / (alpha / len(rows[0]) + (1 - alpha) / len(rows[1]))
    pulls, hessian = [], np.zeros((len(weights), len(weights)))
    for side, count, sign, part in zip(rows, times, (-1, 1), (alpha, 1 - alpha), strict=True):
        p = 1 / (1 + np.exp(-sign * (side @ weights + math.log(alpha / (1 - alpha)))))
        share = worth * part * count / count.sum()
        pulls.append((sign * share * p)[:, None] * side)
        hessian += (side.T * (share * p * (1 - p))) @ side
    return pulls, hessian


def minimum(
    rows: Sequence[Floats],
    alpha: float,
    centre: Floats,
    precision: Floats,
    counted: Counted | None = None,
) -> tuple[Floats, Floats]:
    """Weights with a Gaussian prior, and the curvature there."""
    weights = centre
    for _ in range(12):
        pulls, hessian = derivatives(rows, alpha, weights, counted)
        gradient = sum(side.sum(axis=0) for side in pulls) + precision * (weights - centre)
        hessian += np.diag(precision)
        weights = weights - np.linalg.solve(hessian, gradient)
    return weights, hessian


def by_evidence(rows: Sequence[Floats], alpha: float, centre: Floats, is_in: Bools) -> Floats:
    """The weights with prior variances that are averages over which of them move, and how far."""
    size = int(is_in.sum())
    typical = 1.0 if centre.any() else 2.0
    point, hessian = minimum(rows, alpha, centre, is_in * size / typical**2)
    places = np.flatnonzero(is_in)
    covariance = np.linalg.inv(hessian)[np.ix_(places, places)]
    bend = np.linalg.inv(covariance) - np.eye(size) * size / typical**2
    pull = np.linalg.solve(covariance, (point - centre)[places])

    def log_evidence(subset: tuple[int, ...], deviation: float) -> float:
        """Of a Gaussian likelihood: by its determinant."""
        here, some = bend[np.ix_(subset, subset)], pull[list(subset)]
        wide = np.linalg.inv(here + np.eye(len(some)) / deviation**2)
        value = np.linalg.slogdet(wide / deviation**2)[1] / 2 + some @ wide @ some / 2
        expected = typical / max(len(some), 1) ** 0.5
        prior = np.log(deviation / expected) - deviation / expected
        return float(value + prior - np.log(comb(size, len(some))))

    deviations = 2 / 3 * np.exp(0.6 * np.arange(-7, 5))
    values: dict[tuple[int, ...], Floats] = {}
    subsets: list[tuple[int, ...]] = [()]
    while subsets:
        values |= {s: np.array([log_evidence(s, d) for d in deviations]) for s in subsets}
        best = max(subsets, key=lambda subset: np.logaddexp.reduce(values[subset]))
        subsets = [(*best, other) for other in range(size) if other not in best]
    top = max(value.max() for value in values.values())
    shares = {subset: np.exp(value - top) for subset, value in values.items()}
    total = sum(share.sum() for share in shares.values())
    precision = np.zeros(len(centre))
    for weight, place in enumerate(places):
        mine = sum(share for subset, share in shares.items() if weight in subset)
        p, deviation = mine.sum() / total, (mine * deviations).sum() / mine.sum()
        precision[place] = 1 / max(deviation**2 * p**4 / (p**4 + (1 - p) ** 4), 1e-6)
    return minimum(rows, alpha, centre, precision)[0]
