"""Thresholds of scores for an error-rate, as reports on biometric systems state them.

A threshold for a false-alarm rate (FMR) is the lowest score at which no more than that share of the
non-targets is accepted; one for a miss rate (FNMR), the highest at which no more than that share of
the targets is rejected. Its interval holds the threshold that all trials of this kind would have,
however the scores are distributed: the number of trials beyond that is binomial (ISO/IEC 19795-1
has the definitions of the rates). Trials are taken to be independent.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from llrcal.arrays import Array, check_level, is_number
from llrcal.errors import OptionError
from llrcal.messages import Setting

RATES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
"""False-alarm rates at which reports state the miss rate."""
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
    interval: tuple[float, float]
    """Infinite at an end where there are too few trials to tell."""
    level: float

    def to_dict(self) -> dict[str, Any]:
        """The threshold and its errors as plain values."""
        return {**vars(self), "interval": list(self.interval)}


@dataclass(frozen=True)
class SortedScores:
    """Both classes in rising order."""

    tar: Array
    non: Array

    def at_pfa(self, rate: float, level: float) -> ScoreThreshold:
        """The lowest threshold with no more false alarms than a share of the non-targets."""
        _check_rate("pfa", rate)
        low, high = _ranks(len(self.non), rate, level)
        allowed = _allowed(len(self.non), rate)
        ends = self.non[-high - 1], self.non[-low] if low else np.inf
        return self._with_errors(self._above(self.non[-allowed - 1]), ends, level)

    def at_pmiss(self, rate: float, level: float) -> ScoreThreshold:
        """The highest threshold with no more misses than a share of the targets."""
        _check_rate("pmiss", rate)
        low, high = _ranks(len(self.tar), rate, level)
        ends = self.tar[low - 1] if low else -np.inf, self.tar[high]
        return self._with_errors(float(self.tar[_allowed(len(self.tar), rate)]), ends, level)

    def at_eer(self, level: float) -> ScoreThreshold:
        """The lowest of the scores at which misses are at least as frequent as false alarms.

        Its interval holds those of both rates.
        """
        scores = np.sort(np.concatenate([self.tar, self.non]))
        errors = partial(self._with_errors, interval=(math.inf, -math.inf), level=level)
        place = bisect_left(scores, True, key=lambda at: errors(at).pmiss >= errors(at).pfa)
        found = errors(float(scores[place]) if place < len(scores) else self._above(scores[-1]))
        rate = min(max((found.pfa + found.pmiss) / 2, 1e-9), 1 - 1e-9)
        ends = [self.at_pfa(rate, level).interval, self.at_pmiss(rate, level).interval]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        return self._with_errors(found.value, (low, high), level)

    def _above(self, score: float) -> float:
        """The lowest of the scores above one of them, or of all doubles if there is none."""
        sides = (side[np.searchsorted(side, score, "right") :] for side in (self.tar, self.non))
        first = [float(side[0]) for side in sides if len(side)]
        return min(first, default=math.nextafter(score, math.inf))

    def _with_errors(
        self, value: float, interval: tuple[float, float], level: float
    ) -> ScoreThreshold:
        misses = int(np.searchsorted(self.tar, value))
        false_alarms = len(self.non) - int(np.searchsorted(self.non, value))
        low, high = map(float, interval)
        return ScoreThreshold(
            value,
            false_alarms / len(self.non),
            misses / len(self.tar),
            false_alarms,
            misses,
            (min(low, value), max(high, value)),
            level,
        )


def _check_rate(name: str, rate: float) -> None:
    if not is_number(rate) or not 0 < rate < 1:
        raise OptionError(Setting(name), f" is {rate!r:.50}; give a rate strictly between 0 and 1")


def _allowed(count: int, rate: float) -> int:
    return min(int(rate * count * (1 + _ROUNDING)), count - 1)


def _ranks(count: int, rate: float, level: float) -> tuple[int, int]:
    """How many of the trials may lie beyond the threshold that all trials would have."""
    from scipy.stats import binom  # which takes a while to import

    check_level(level)
    low, high = (int(binom.ppf(share, count, rate)) for share in ((1 - level) / 2, (1 + level) / 2))
    return low, min(high, count - 1)
