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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from llrcal.arrays import ArrayLike, check_level, is_number
from llrcal.errors import OptionError
from llrcal.evaluation.effective_count import Errors, Interval
from llrcal.evaluation.jackknife import GROUPS, PLAIN, RATE, Scale, jackknife
from llrcal.evaluation.llrs import WholeLLRs
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

    def threshold(self, pfa: float | None, pmiss: float | None, level: float) -> ScoreThreshold:
        """The threshold for a rate; or the lowest of the scores with no fewer misses than alarms.

        The interval of the latter holds those of both rates.
        """
        if pfa is not None and pmiss is not None:
            raise OptionError("a threshold is for one rate: give either pfa or pmiss")
        check_level(level)
        if pfa is not None:
            ends = self._at_pfa(pfa, level)
        elif pmiss is not None:
            ends = self._at_pmiss(pmiss, level)
        else:
            scores = np.union1d(self.tar.values, self.non.values)
            place = bisect_left(scores, 0, key=lambda at: np.subtract(*self.rates(at)))
            value = float(scores[place]) if place < len(scores) else self._above(scores[-1])
            rate = min(max(sum(self.rates(value)) / 2, 1e-9), 1 - 1e-9)
            ends = [value, *self._at_pfa(rate, level), *self._at_pmiss(rate, level)]
        value, interval = ends[0], (min(ends), max(ends))
        rates = self.rates(value)
        errors = round(rates[1] * self.non.count), round(rates[0] * self.tar.count)
        of_misses = self.misses.interval(errors[1], level)
        of_alarms = self.false_alarms.interval(errors[0], level)
        low, high = (self.rates(end) for end in interval)
        if pfa is not None:
            of_misses = _with_both(rates[0], of_misses, (low[0], high[0]))
        elif pmiss is not None:
            of_alarms = _with_both(rates[1], of_alarms, (high[1], low[1]))
        else:  # the equal error-rate is somewhere between the two
            both = of_misses + of_alarms
            of_misses = of_alarms = (min(both), max(both))
        intervals = interval, of_alarms, of_misses
        return ScoreThreshold(value, *rates[::-1], *errors, *intervals, level, self.misses.by)

    def _at_pfa(self, rate: float, level: float) -> list[float]:
        negated = Distinct(-self.non.values[::-1], self.non.counts[::-1])
        allowed, *others = (
            -end for end in _quantile(negated, self.false_alarms, "pfa", rate, level)
        )
        return [self._above(allowed), *others]

    def _at_pmiss(self, rate: float, level: float) -> list[float]:
        return _quantile(self.tar, self.misses, "pmiss", rate, level)

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
    found: ScoreThreshold, groups: Sequence[WholeLLRs], *, pfa: float | None, pmiss: float | None
) -> ScoreThreshold:
    """The same with intervals by a jackknife, given the scores without each group of speakers.

    No interval is narrower than that of independent trials.
    """
    sets = [SortedScores(group.in_order) for group in groups]
    own = [one.threshold(pfa, pmiss, found.level) for one in sets]
    at = np.array([one.rates(found.value) for one in sets])

    def widened(
        interval: Interval, without: ArrayLike, number: float, scale: Scale, limits: Interval
    ) -> Interval:
        column, level = np.reshape(without, (-1, 1)), found.level
        low, high = jackknife(column, np.array([number]), level, limits, scale)
        return min(float(low[0]), interval[0]), max(float(high[0]), interval[1])

    misses = at[:, 0] if pmiss is not None else [one.pmiss for one in own]
    alarms = at[:, 1] if pfa is not None else [one.pfa for one in own]
    return replace(
        found,
        interval=widened(found.interval, [one.value for one in own], found.value, PLAIN, _ANY),
        pmiss_interval=widened(found.pmiss_interval, misses, found.pmiss, RATE, (0.0, 1.0)),
        pfa_interval=widened(found.pfa_interval, alarms, found.pfa, RATE, (0.0, 1.0)),
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
