"""Scores on a scale of a few levels, such as the judgements of listeners, as a density sees them.

A level stands for all that is rounded to it: its scores are spread as far as halfway to the
neighbouring levels. The outermost ones stand for everything beyond, too: their scores are spread
along the tail of a Gaussian whose scale is the slope of the normal plot, the line through the ends
of the levels against the quantiles of the shares below them.

Rounding changes a log density by about the square of the step, so that d levels cannot tell shapes
apart that differ by less than 1 / d^2 in the mean: they are worth no more than d^2 scores.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from llrcal.onepass.summary import Points

_FEWEST, _MOST = 3, 60  # levels
_PARTS = 5  # points of a level
_PLACES = (np.arange(_PARTS) + 0.5) / _PARTS


def on_levels(points: Points, count: float) -> bool:
    """Whether distinct values are few, and fewer than half as many as scores."""
    return _FEWEST <= len(np.unique(points.values)) < min(_MOST, count / 2)


def spread_levels(points: Points, count: float) -> tuple[Points, float]:
    """Points without ties, and how many scores they are worth; the same unless on levels."""
    if not on_levels(points, count):
        return points, count
    values, place = np.unique(points.values, return_inverse=True)
    shares = np.bincount(place, points.weights) / points.weights.sum()
    ends = 0.5 * values[:-1] + 0.5 * values[1:]
    below, above = np.cumsum(shares)[:-1], np.cumsum(shares[::-1])[-2::-1]
    plot = 0.5 * (ndtri(below) - ndtri(above))
    plot -= plot.mean()
    slope = (plot * (ends - ends.mean())).sum() / (plot * plot).sum()
    low, high = np.append(values[0], ends), np.append(ends, values[-1])
    spread = low[:, None] + _PLACES * (high - low)[:, None]
    spread[0] = ends[0] + slope * (ndtri(below[0] * _PLACES) - ndtri(below[0]))
    spread[-1] = ends[-1] - slope * (ndtri(above[-1] * _PLACES) - ndtri(above[-1]))[::-1]
    weights = np.repeat(shares / _PARTS, _PARTS)
    worth = min(count, float(len(values) ** 2))
    return Points(spread.ravel(), weights, float(weights.max())), worth
