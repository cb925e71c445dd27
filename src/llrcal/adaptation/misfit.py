"""How badly the moved densities fit the unlabelled scores."""

from __future__ import annotations

import numpy as np

from llrcal.adaptation.prediction import Axis, Shares
from llrcal.arrays import Floats
from llrcal.onepass.summary import Summary

_CELLS = 60
_LEAST = 1e-12  # probability of a cell


def misfit(scores: Summary, axis: Axis, shares: Shares, p_target: float) -> float:
    """Kullback-Leibler divergence of scores from a mixture of both classes, in nats per score.

    It is taken over cells of much the same mass, less what is expected by chance.
    """
    values, counts = scores.in_order()
    edges = _edges(values, counts)
    cell = np.searchsorted(edges, values)
    seen = np.bincount(cell, counts, len(edges) + 1) / scores.count
    mixture = np.cumsum(p_target * shares.tar + (1 - p_target) * shares.non)
    mixture -= 0.5 * np.diff(mixture, prepend=0.0)
    below = np.interp(edges - axis.place.origin, axis.distances, mixture, left=0.0, right=1.0)
    expected = np.maximum(np.diff(below, prepend=0.0, append=1.0), _LEAST)
    used = seen > 0
    divergence = float(seen[used] @ np.log(seen[used] / expected[used]))
    return divergence - len(edges) / (2 * scores.count)


def _edges(values: Floats, counts: Floats) -> Floats:
    """Halfway between neighbouring scores, where the next cell begins."""
    if len(values) < 2:
        return np.empty(0)
    rank = np.cumsum(counts) / counts.sum()
    at = np.searchsorted(rank, np.arange(1, _CELLS) / _CELLS)
    at = np.unique(np.minimum(at, len(values) - 2))
    return np.asarray(0.5 * values[at] + 0.5 * values[at + 1])
