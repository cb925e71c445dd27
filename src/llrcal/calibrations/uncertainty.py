"""How LLRs vary with the training trials, whatever the method.

A method tells two things about its LLRs at some scores (:class:`Uncertainty`): the ends of their
95 % intervals if all trials were independent, and how much one more trial at a score would move
each of them. The second tells what dependent trials are worth: the sums of what the trials of each
speaker do vary more than those of independent trials would, and intervals are wider by the root of
that ratio (:mod:`llrcal.calibrations.dependence`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.intervals import Effects, Margins
from llrcal.onepass.rank_scale import Ordered

if TYPE_CHECKING:
    from llrcal.calibrations.calibration import Calibration
    from llrcal.calibrations.training import Training

LEVEL = 0.95
TIMES = -NormalDist().inv_cdf((1 - LEVEL) / 2)
_INNER = 31  # scores where the classes overlap
# Of the trials on either side of these, the shares at which there are further scores.
_OUTER = np.array([0, 0.002, 0.01, 0.04, 0.12, 0.3, 0.5, 0.75])
_PAIRS = 1024  # of draws of both classes
_NOTHING = 1e-9
_WIDEST = 1e9  # nats: instead of infinity, which no model file can keep


@dataclass(frozen=True)
class Uncertainty:
    """What is uncertain about the LLRs at some scores."""

    scores: Floats
    low: Floats
    """Lower ends of 95 % intervals, if trials are independent."""
    high: Floats
    effects: Effects
    """How much one more target, and one more non-target, at a score (column) moves the LLR at
    another (row): asked for only if trials are not independent."""

    @classmethod
    def none(cls, scores: Floats, llrs: Floats) -> Uncertainty:
        """Where scores say nothing, their LLRs are certain."""
        nothing = np.zeros((len(scores), len(scores)))
        return cls(scores, llrs, llrs, lambda: (nothing, nothing))

    @classmethod
    def total(cls, scores: Floats) -> Uncertainty:
        """Where nothing is known about the LLRs."""
        everything = np.full(len(scores), np.inf)
        return replace(cls.none(scores, everything), low=-everything)


def margins(calibration: Calibration, data: Training) -> Margins | None:
    """The margins of a trained calibration, which has its bounds; None if the method has none."""
    found = calibration.uncertainty(data)
    if found is None:
        return None
    factor, by = data.inflation(found.scores, found.effects)
    llrs = calibration.nearly(found.scores)
    ends = llrs - found.low, found.high - llrs
    away = [np.clip(side / TIMES, -_WIDEST, _WIDEST) for side in ends]
    # Around the middle of the interval, from which the LLR itself may be far: a best fit is often
    # at an edge of what draws find possible.
    more = (factor - 1) * (away[0] + away[1]) / 2
    below, above = (tuple(np.clip(side + more, 0, _WIDEST).tolist()) for side in away)
    return Margins(tuple(found.scores.tolist()), below, above, by)


def places(ordered: Ordered) -> Floats:
    """Scores at which to ask how sure LLRs are: evenly where the classes overlap, and beyond."""
    inner, _ = ordered.evenly_spaced(_INNER)
    scores, counts = ordered.scores, ordered.tar + ordered.non
    low = _outer(scores, counts, inner[0])
    high = -_outer(-scores[::-1], counts[::-1], -inner[-1])
    return np.asarray(np.unique(np.concatenate([low, inner, high])), np.float64)


def _outer(scores: Floats, counts: Floats, end: float) -> Floats:
    """The least score, and some of those up to an end."""
    up_to = np.cumsum(counts)
    # An end that is a score but for rounding counts as that score, on either side.
    nearly = end - _NOTHING * (scores[-1] / 2 - scores[0] / 2)
    count = max(int(np.searchsorted(scores, nearly)), 1)
    return np.asarray(scores[np.searchsorted(up_to, up_to[count - 1] * _OUTER)])


def from_draws(
    scores: Floats,
    tar: tuple[Floats, Floats],
    non: tuple[Floats, Floats],
    *,
    meeting: float | None,
) -> Uncertainty:
    """The uncertainty found from draws of both classes: log densities (rows) and weights."""
    curves = _chosen(*tar) - _chosen(*non)[np.random.default_rng(0).permutation(_PAIRS)]
    low, high = ends(scores, curves, meeting)
    return Uncertainty(scores, low, high, lambda: (_covariance(*tar), -_covariance(*non)))


def ends(scores: Floats, curves: Floats, meeting: float | None) -> tuple[Floats, Floats]:
    """Ends of 95 % intervals, given curves (rows); these rise from the meeting outwards."""
    if meeting is not None:
        # All curves at a score beside each other, since NumPy is slow along short rows.
        columns, right = curves.T.copy(), int(np.searchsorted(scores, meeting))
        for i in range(right - 1, 0, -1):
            np.minimum(columns[i - 1], columns[i], out=columns[i - 1])
        for i in range(right + 1, len(scores)):
            np.maximum(columns[i], columns[i - 1], out=columns[i])
        curves = columns.T
    low, high = np.quantile(curves, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low, high


def _chosen(logs: Floats, weights: Floats) -> Floats:
    """Rows in proportion to their weights, as many as there are pairs."""
    heights = np.cumsum(weights)
    ranks = (np.arange(_PAIRS) + 0.5) / _PAIRS * heights[-1]
    return np.asarray(logs[np.minimum(np.searchsorted(heights, ranks), len(logs) - 1)])


def _covariance(logs: Floats, weights: Floats) -> Floats:
    """The covariance of the columns: what one more trial at a score does at another.

    One more trial weighs each draw by its density there (Giordano and Broderick, *The Bayesian
    infinitesimal jackknife for variance*, 2023).
    """
    share = weights / weights.sum()
    away = logs - (logs * share[:, None]).sum(axis=0)
    return np.asarray(np.einsum("dk,dl->kl", away * share[:, None], away))
