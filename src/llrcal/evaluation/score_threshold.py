"""Thresholds of scores for an error-rate, as reports on biometric systems state them.

A threshold for a false-alarm rate (FMR) is the lowest score at which no more than that share of the
non-targets is accepted; one for a miss rate (FNMR), the highest at which no more than that share of
the targets is rejected (ISO/IEC 19795-1 has the definitions of the rates).

The interval of a threshold holds the one that all trials of this kind would have, however the
scores are distributed: the number of trials beyond that is binomial. So are the errors at a
threshold, whose rate has the interval of Clopper and Pearson. Where speakers are known, trials
count for fewer: see :mod:`llrcal.evaluation.effective_count`.

The miss rate at a false-alarm rate has both errors, that of the threshold and that of the rate at
it. The distances to the ends of its interval are the roots of the sums of their squares (Zou and
Donner, Statistics in Medicine 27, 2008), where the first distance is to the miss rates at the ends
of the interval of the threshold. False-alarm rates at a miss rate are the same the other way round.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from llrcal.arrays import ArrayLike, is_number
from llrcal.errors import OptionError
from llrcal.evaluation.effective_count import Errors
from llrcal.evaluation.jackknife import GROUPS, jackknife
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.evaluation.measures import LOG_ODDS, PLAIN, Interval, Scale
from llrcal.messages import Setting
from llrcal.onepass.ranks import Distinct

RATES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
"""False-alarm rates at which reports state the miss rate."""
_ANY = (-math.inf, math.inf)
_ROUNDING = 1e-12  # 0.29 x 100 is 28.999...


@dataclass(frozen=True)
class ScoreThreshold:
    """A threshold, with the errors that decisions by it make."""

    value: float
    """Scores at or above it are accepted."""
    pfa: float
    pmiss: float
    false_alarms: int
    misses: int
    interval: Interval
    """Of the threshold; infinite at an end where there are too few trials to tell."""
    pfa_interval: Interval
    """Of the false-alarm rate at the given miss rate; or, if that rate itself is given, of what
    it may be at the value."""
    pmiss_interval: Interval
    """Of the miss rate at the given false-alarm rate; or of what it may be at the value."""
    level: float
    by: str
    """What the intervals take to be independent: "trial", "speaker" or "group of speakers"."""

    def to_dict(self) -> dict[str, Any]:
        """The threshold and its errors as plain values."""
        found = vars(self)
        return {name: list(one) if isinstance(one, tuple) else one for name, one in found.items()}


@dataclass(frozen=True)
class SortedScores:
    """Thresholds of scores in rising order."""

    scores: WholeLLRs

    @cached_property
    def tar(self) -> Distinct:
        return self.scores.runs[0].distinct

    @cached_property
    def non(self) -> Distinct:
        return self.scores.runs[1].distinct

    @cached_property
    def misses(self) -> Errors:
        """Misses, which begin with the lowest target."""
        speakers = self.scores.speakers
        return Errors(self.tar.count, None if speakers is None else speakers[0])

    @cached_property
    def false_alarms(self) -> Errors:
        """False alarms, which begin with the highest non-target."""
        speakers = self.scores.speakers
        return Errors(self.non.count, None if speakers is None else speakers[1][::-1])

    def at_pfa(self, rate: float, level: float) -> ScoreThreshold:
        """The lowest threshold with no more false alarms than this share of the non-targets."""
        value, interval = self._for_pfa(rate, level)
        at = self._at(value, interval, level)
        across = self.rates(interval[0])[0], self.rates(interval[1])[0]
        return replace(at, pmiss_interval=_with_both(at.pmiss, at.pmiss_interval, across))

    def at_pmiss(self, rate: float, level: float) -> ScoreThreshold:
        """The highest threshold with no more misses than this share of the targets."""
        value, interval = self._for_pmiss(rate, level)
        at = self._at(value, interval, level)
        across = self.rates(interval[1])[1], self.rates(interval[0])[1]
        return replace(at, pfa_interval=_with_both(at.pfa, at.pfa_interval, across))

    def at_eer(self, level: float) -> ScoreThreshold:
        """The lowest of the scores with no fewer misses than false alarms.

        Its interval holds those for both rates; that of either rate, both.
        """
        scores = np.union1d(self.tar.values, self.non.values)
        place = bisect_left(scores, 0, key=lambda at: np.subtract(*self.rates(at)))
        value = float(scores[place]) if place < len(scores) else self._above(scores[-1])
        rate = min(max(sum(self.rates(value)) / 2, 1e-9), 1 - 1e-9)
        by_pfa, by_pmiss = self._for_pfa(rate, level), self._for_pmiss(rate, level)
        ends = value, by_pfa[0], *by_pfa[1], by_pmiss[0], *by_pmiss[1]
        at = self._at(value, (min(ends), max(ends)), level)
        both = at.pmiss_interval + at.pfa_interval
        widest = min(both), max(both)
        return replace(at, pmiss_interval=widest, pfa_interval=widest)

    def _at(self, value: float, interval: Interval, level: float) -> ScoreThreshold:
        """A threshold with its errors, and the intervals of their rates at it."""
        pmiss, pfa = self.rates(value)
        misses, alarms = round(pmiss * self.tar.count), round(pfa * self.non.count)
        of_misses = self.misses.interval(misses, level)
        of_alarms = self.false_alarms.interval(alarms, level)
        by = self.misses.by
        return ScoreThreshold(
            value, pfa, pmiss, alarms, misses, interval, of_alarms, of_misses, level, by
        )

    def _for_pfa(self, rate: float, level: float) -> tuple[float, Interval]:
        """A threshold, and its interval."""
        negated = Distinct(-self.non.values[::-1], self.non.counts[::-1])
        allowed, *others = (
            -end for end in _quantile(negated, self.false_alarms, "pfa", rate, level)
        )
        ends = self._above(allowed), *others
        return ends[0], (min(ends), max(ends))

    def _for_pmiss(self, rate: float, level: float) -> tuple[float, Interval]:
        """The same."""
        ends = _quantile(self.tar, self.misses, "pmiss", rate, level)
        return ends[0], (min(ends), max(ends))

    def _above(self, score: float) -> float:
        """The lowest of the scores above one of them, or of all doubles if there is none."""
        sides = (side.values for side in (self.tar, self.non))
        above = (side[np.searchsorted(side, score, "right") :] for side in sides)
        first = [float(side[0]) for side in above if len(side)]
        return min(first, default=math.nextafter(score, math.inf))

    def rates(self, value: float) -> tuple[float, float]:
        """Miss and false-alarm rates at a threshold."""
        at = np.array([value])
        misses, rejected = (int(side.among(at).below[0]) for side in (self.tar, self.non))
        return misses / self.tar.count, (self.non.count - rejected) / self.non.count


def by_groups(
    at: ScoreThreshold,
    groups: Sequence[WholeLLRs],
    find: Callable[[SortedScores], ScoreThreshold],
    *,
    given: Literal["pfa", "pmiss"] | None,
) -> ScoreThreshold:
    """The same with intervals by a jackknife, given the scores without each group of speakers.

    A rate that is given varies at the threshold; the other one with the thresholds that ``find``
    gives without each group. No interval is narrower than that of independent trials.
    """
    sets = [SortedScores(group.in_order) for group in groups]
    own = [find(scores) for scores in sets]
    misses, alarms = np.transpose([scores.rates(at.value) for scores in sets])

    def widened(
        interval: Interval, without: ArrayLike, number: float, scale: Scale, limits: Interval
    ) -> Interval:
        column = np.reshape(without, (-1, 1))
        low, high = jackknife(column, np.array([number]), at.level, limits, scale)
        return min(float(low[0]), interval[0]), max(float(high[0]), interval[1])

    misses = misses if given == "pmiss" else [other.pmiss for other in own]
    alarms = alarms if given == "pfa" else [other.pfa for other in own]
    return replace(
        at,
        interval=widened(at.interval, [other.value for other in own], at.value, PLAIN, _ANY),
        pmiss_interval=widened(at.pmiss_interval, misses, at.pmiss, LOG_ODDS, (0.0, 1.0)),
        pfa_interval=widened(at.pfa_interval, alarms, at.pfa, LOG_ODDS, (0.0, 1.0)),
        by=GROUPS,
    )


def _quantile(
    scores: Distinct, errors: Errors, name: str, rate: float, level: float
) -> list[float]:
    """The highest threshold below which lies at most this share of the scores, and its interval."""
    if not is_number(rate) or not 0 < rate < 1:
        raise OptionError(Setting(name), f" is {rate!r:.50}; give a rate strictly between 0 and 1")
    last = scores.count - 1
    allowed = int(rate * scores.count * (1 + _ROUNDING))
    low, high = errors.numbers(allowed, rate, level)
    below = scores.at(low - 1) if low else -math.inf
    return [scores.at(min(allowed, last)), below, scores.at(min(high, last))]


def _with_both(rate: float, at: Interval, across: Interval) -> Interval:
    """An interval of a rate, given that at a threshold, and the rates across the threshold's."""
    low, high = (
        math.hypot(end - rate, other - rate) for end, other in zip(at, across, strict=True)
    )
    return max(rate - low, 0.0), min(rate + high, 1.0)
