"""How sure LLRs are: margins around them, whatever the method, and intervals from these.

A method tells two things about its LLRs at some scores (:class:`Uncertainty`): the ends of their
95 % intervals if all trials were independent, and how much one more trial at a score would move
each of them. The second tells what dependent trials are worth: the sums of what the trials of each
speaker do vary more than those of independent trials would, and intervals are wider by the root of
that ratio (:mod:`llrcal.calibrations.dependence`). What is kept are :class:`Margins`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Literal

import numpy as np

from llrcal.arrays import Floats
from llrcal.declaration import ALWAYS, WIDEST, Deviation, Rising, schema
from llrcal.notes import Note
from llrcal.onepass.rank_scale import Ordered

By = Literal["trial", "speaker"]
Influence = Callable[[], tuple[Floats, Floats]]
"""What one more trial of a class at each of some scores (column) does to each of some estimates
(row), for targets and for non-targets."""
LEVEL = 0.95
TIMES = -NormalDist().inv_cdf((1 - LEVEL) / 2)
_INNER = 31  # scores where the classes overlap
# Of the trials on either side of these, the shares at which there are further scores.
_OUTER = np.array([0, 0.002, 0.01, 0.04, 0.12, 0.3, 0.5, 0.75])
_PAIRS = 1024  # of draws of both classes
_NOTHING = 1e-9
_FINELY = 32  # steps from one score at which margins are known to the next


@dataclass(frozen=True)
class Uncertainty:
    """What is uncertain about the LLRs at some scores."""

    scores: Floats
    low: Floats
    """Lower ends of 95 % intervals, if trials are independent."""
    high: Floats
    influence: Influence
    """Asked for only if trials are not independent."""


@dataclass(frozen=True)
class Margins:
    """Standard deviations of the LLR at some scores, downwards and upwards.

    They are those of LLRs before these are bounded, and are straight lines between the scores.
    Those of a skewed distribution give intervals of 95 % its quantiles as their ends.
    """

    scores: Annotated[
        Rising,
        "Where deviations are given, in strictly rising order, negated if lower scores are better; "
        "they are straight lines in between, and constant beyond.",
    ]
    below: Annotated[
        tuple[Deviation, ...],
        schema(as_many_as="scores"),
        "Standard deviation downwards at each of the scores.",
    ]
    above: Annotated[
        tuple[Deviation, ...],
        schema(as_many_as="scores"),
        "Standard deviation upwards at each of the scores.",
    ]
    by: Annotated[By, ALWAYS, "What was taken to be independent: each trial, or each speaker."] = (
        "trial"
    )

    @classmethod
    def of(cls, uncertain: Uncertainty, llrs: Floats, factor: Floats | float, by: By) -> Margins:
        """Margins around the LLRs of a calibration, wider by the design factor of its trials."""
        ends = llrs - uncertain.low, uncertain.high - llrs
        away = [np.clip(side / TIMES, -WIDEST, WIDEST) for side in ends]
        # Around the middle of the interval, from which the LLR itself may be far: a best fit is
        # often at an edge of what draws find possible.
        more = (factor - 1) * (away[0] + away[1]) / 2
        below, above = (tuple(np.clip(side + more, 0, WIDEST).tolist()) for side in away)
        return cls(tuple(uncertain.scores.tolist()), below, above, by)

    def ends(
        self, scores: Floats, curve: Callable[[Floats], Floats], *, level: float, rising: bool
    ) -> tuple[Floats, Floats]:
        """Ends of intervals of some level around the LLRs of scores, in the direction of training.

        If LLRs rise, so do the ends.
        """
        # Halves of scores, whose differences never overflow.
        at, known, llrs = scores / 2, np.array(self.scores) / 2, curve(scores)
        # From the lower tail, whose probability does not round to one.
        times = -NormalDist().inv_cdf((1 - float(level)) / 2)
        below, above = times * np.array([self.below, self.above])
        if not rising:
            return llrs - np.interp(at, known, below), llrs + np.interp(at, known, above)
        which = np.arange(len(known))
        steps = np.arange(which[-1] * _FINELY + 1) / _FINELY
        fine, below, above = (np.interp(steps, which, row) for row in (known, below, above))
        at_fine = curve(2 * fine)
        low = _rising_ends(at, llrs, fine, at_fine - below, below)
        high = -_rising_ends(-at, -llrs, -fine[::-1], -(at_fine + above)[::-1], above[::-1])
        return low, high


class Independent:
    """Trials that are taken to be independent, since nothing else is known."""

    @property
    def counts(self) -> tuple[int, int] | None:
        """Where known, how many different speakers the trials of either class have."""
        return None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Why trials are taken to be independent, although something is known of speakers."""
        return ()

    def factor(self, scores: Floats, influence: Influence) -> tuple[Floats | float, By]:
        """How many times wider intervals are than those of independent trials, and why."""
        return 1.0, "trial"


INDEPENDENT = Independent()


def interval_scores(ordered: Ordered) -> Floats:
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
    eer_score: float | None,
) -> Uncertainty:
    """The uncertainty found from draws of both classes: log densities (rows) and weights."""
    curves = _chosen(*tar) - _chosen(*non)[np.random.default_rng(0).permutation(_PAIRS)]
    low, high = ends(scores, curves, eer_score)
    return Uncertainty(scores, low, high, lambda: (_covariance(*tar), -_covariance(*non)))


def ends(scores: Floats, curves: Floats, eer_score: float | None) -> tuple[Floats, Floats]:
    """Ends of 95 % intervals, given curves (rows); these rise from it outwards."""
    if eer_score is not None:
        columns, right = curves.T, int(np.searchsorted(scores, eer_score))
        below = np.minimum.accumulate(columns[:right][::-1])[::-1]
        curves = np.concatenate([below, np.maximum.accumulate(columns[right:])]).T
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


def _rising_ends(at: Floats, llrs: Floats, fine: Floats, ends: Floats, margins: Floats) -> Floats:
    """Lower ends of intervals that do not fall from one score to the next, however close.

    They are the greatest so far of LLR minus margin at a fine set of scores, and between those at
    two neighbouring ones in between. Margins are known at some of the scores only: where LLRs rise
    steeply, margins in between are far smaller than those on a straight line, so ends there do not
    exceed those where margins are known.
    """
    known, right = ends[::_FINELY], np.searchsorted(fine, at, side="right")
    most = np.append(np.maximum(known[:-1], known[1:]).repeat(_FINELY), known[-1])
    ends = np.maximum.accumulate(np.minimum(ends, most))
    moved = llrs - margins[np.maximum(right - 1, 0)]
    return np.clip(moved, np.append(-np.inf, ends)[right], np.append(ends, np.inf)[right])
