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

    def threshold(self, pfa: float | None, pmiss: float | None, level: float) -> ScoreThreshold:
        """The threshold for a rate; or the lowest of the scores with no fewer misses than alarms.

        The interval of the latter holds those of both rates.
        """
        if pfa is not None and pmiss is not None:
            raise OptionError("a threshold is for one rate: give either pfa or pmiss")
        if pfa is not None:
            ends = self._at_pfa(pfa, level)
        elif pmiss is not None:
            ends = _quantile(self.tar, "pmiss", pmiss, level)
        else:
            scores = np.sort(np.concatenate([self.tar, self.non]))
            place = bisect_left(scores, 0, key=lambda at: np.subtract(*self._rates(at)))
            value = float(scores[place]) if place < len(scores) else self._above(scores[-1])
            rate = min(max(sum(self._rates(value)) / 2, 1e-9), 1 - 1e-9)
            other = _quantile(self.tar, "pmiss", rate, level)
            ends = [value, *self._at_pfa(rate, level), *other]
        pmiss, pfa = self._rates(ends[0])
        errors = round(pfa * len(self.non)), round(pmiss * len(self.tar))
        return ScoreThreshold(ends[0], pfa, pmiss, *errors, (min(ends), max(ends)), level)

    def _at_pfa(self, rate: float, level: float) -> list[float]:
        allowed, *ends = (-end for end in _quantile(-self.non[::-1], "pfa", rate, level))
        return [self._above(allowed), *ends]

    def _above(self, score: float) -> float:
        """The lowest of the scores above one of them, or of all doubles if there is none."""
        sides = (side[np.searchsorted(side, score, "right") :] for side in (self.tar, self.non))
        first = [float(side[0]) for side in sides if len(side)]
        return min(first, default=math.nextafter(score, math.inf))

    def _rates(self, value: float) -> tuple[float, float]:
        """Miss and false-alarm rates at a threshold."""
        misses, rejected = (int(np.searchsorted(side, value)) for side in (self.tar, self.non))
        return misses / len(self.tar), (len(self.non) - rejected) / len(self.non)


def _quantile(scores: Array, name: str, rate: float, level: float) -> list[float]:
    """The highest threshold below which lies at most this share of the scores, and its interval."""
    from scipy.stats import binom  # which takes a while to import

    if not is_number(rate) or not 0 < rate < 1:
        raise OptionError(Setting(name), f" is {rate!r:.50}; give a rate strictly between 0 and 1")
    check_level(level)
    last = len(scores) - 1
    shares = (1 - level) / 2, (1 + level) / 2
    low, high = (int(binom.ppf(share, len(scores), rate)) for share in shares)
    allowed = int(rate * len(scores) * (1 + _ROUNDING))
    below = scores[low - 1] if low else -math.inf
    return [float(scores[min(allowed, last)]), float(below), float(scores[min(high, last)])]
