"""A class of scores as a normalised histogram over a range worth looking at."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Array, Floats

_SAMPLE = 2**16
_TAIL = 0.001


def visible_range(classes: tuple[Array, Array], *, margin: float) -> tuple[float, float]:
    """The middle 99.8 % of each class, with a margin in units of that, within the extremes.

    One far outlier must not squash the rest.
    """
    ends = np.array([_quantiles(scores) for scores in classes])
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    room = margin * (high - low)
    least = min(float(scores.min()) for scores in classes)
    greatest = max(float(scores.max()) for scores in classes)
    low, high = max(low - room, least), min(high + room, greatest)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _quantiles(scores: Array) -> Floats:
    """The quantiles of an evenly spread sample."""
    sample = scores[:: max(len(scores) // _SAMPLE, 1)].astype(np.float64)
    return np.quantile(sample, [_TAIL, 1 - _TAIL])


def histogram(scores: Array, low: float, high: float) -> tuple[Floats, Floats]:
    """Density and edges of bins between two scores; those outside count for the total.

    Few scores get few bins (the Rice rule), so that each holds enough of them.
    """
    bins = int(np.clip(2 * np.cbrt(len(scores)), 10, 90))
    start, end = max(low, float(scores.min())), min(high, float(scores.max()))
    if not start < end:
        start, end = low, high
    counts, edges = np.histogram(scores, bins, (start, end))
    return counts / (len(scores) * np.diff(edges)), edges
