"""A class of scores as a normalised histogram over a range worth looking at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.comparison.looks import drawable, finite_part, is_narrow

_SAMPLE = 2**16
_TAIL = 0.001


def visible_range(classes: Sequence[Array], *, margin: float) -> tuple[float, float]:
    """The middle 99.8 % of each class, with a margin in units of that, within the extremes.

    One far outlier must not squash the rest. Infinite scores have no say.
    """
    classes = [finite for scores in classes if len(finite := finite_part(scores))] or [np.zeros(1)]
    ends = np.array([_quantiles(scores) for scores in classes])
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    room = margin * (high - low)
    least = min(float(scores.min()) for scores in classes)
    greatest = max(float(scores.max()) for scores in classes)
    return drawable(max(low - room, least), min(high + room, greatest))


def _quantiles(scores: Array) -> Floats:
    """The quantiles of an evenly spread sample; of halves, whose differences are all doubles."""
    sample = scores[:: max(len(scores) // _SAMPLE, 1)].astype(np.float64)
    return 2 * np.quantile(sample / 2, [_TAIL, 1 - _TAIL])


def histogram(
    scores: Array, low: float, high: float, counts: Floats | None = None
) -> tuple[Floats, Floats]:
    """Density and edges of bins between two scores; those outside count for the total.

    Few scores get few bins (the Rice rule), so that each holds enough of them. Counts say how many
    scores each stands for.
    """
    total = len(scores) if counts is None else float(counts.sum())
    bins = int(np.clip(2 * np.cbrt(total), 10, 90))
    start, end = max(low, float(scores.min())), min(high, float(scores.max()))
    if is_narrow(start, end):
        start, end = low, high
    held, edges = np.histogram(scores, bins, (start, end), weights=counts)
    return held / (total * np.diff(edges)), edges
