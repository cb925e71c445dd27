"""Which of several calibrations can be told from the best, and which cannot.

Who is best is seen from the same numbers, so that comparing each with the best as if it had been
named beforehand would find differences too often: the least of ten equal numbers is always well
below their mean. All pairs are therefore looked at together. With d_ij the difference of two
calibrations, d*_ij the same in a drawn set, and s_ij the deviation of the latter, let q be the 95 %
quantile over the drawn sets of

    max over all pairs of |d*_ij - mean d*_ij| / s_ij.

A calibration is told from the best if it lies more than q s_ij above it. However many calibrations
are equal, and whichever is taken for the best, a difference is seen between any two equal ones in
at most 5 % of test sets (Tukey's simultaneous intervals, with the bootstrap for his tables).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Floats
from llrcal.evaluation.intervals import Interval

LEVEL = 0.95
LEAST_DRAWS = 19
"""With fewer drawn sets, none is more extreme than 95 % of them."""
_ROUNDING = 1e-12  # differences that are none


@dataclass(frozen=True)
class Difference:
    """How much worse one calibration is than the best."""

    value: float
    interval: Interval
    """Simultaneous 95 % interval."""

    @property
    def is_seen(self) -> bool:
        """Whether chance does not explain it."""
        return self.interval[0] > 0


def differences(
    values: Mapping[str, float], drawn: Mapping[str, Floats], *, grain: float = 0.0
) -> dict[str, Difference]:
    """How much worse each calibration is than the best, which has the least value; the least first.

    The drawn sets are the same for all calibrations. No deviation is smaller than the ``grain``,
    which is what one error more or less amounts to: an error that nobody made in the test set is in
    no drawn set.
    """
    best, *others = sorted(values, key=lambda label: values[label])
    finite = [label for label in values if math.isfinite(values[label])]
    wide = _quantile(np.array([drawn[label] for label in finite])) if len(finite) > 1 else 0.0
    out = {}
    for label in others:
        value = values[label] - values[best] if values[label] != values[best] else 0.0
        if math.isinf(value):
            out[label] = Difference(value, (value, value))
            continue
        deviation = _deviation(drawn[label] - drawn[best]) if math.isfinite(values[best]) else 0.0
        deviation = math.hypot(deviation, grain)
        value = 0.0 if value <= _ROUNDING * abs(values[best]) else value
        out[label] = Difference(value, (value - wide * deviation, value + wide * deviation))
    return out


def _quantile(drawn: Floats) -> float:
    """The quantile q over drawn sets, given a row for each calibration."""
    largest = np.zeros(drawn.shape[1])
    for i in range(len(drawn)):
        for j in range(i):
            apart = drawn[i] - drawn[j]
            deviation = _deviation(apart)
            if 0 < deviation < math.inf:
                largest = np.maximum(largest, np.abs(apart - apart.mean()) / deviation)
    rank = math.ceil(LEVEL * (len(largest) + 1))
    return float(np.sort(largest)[min(rank, len(largest)) - 1])


def _deviation(apart: Floats) -> float:
    """Standard deviation; zero where there is nothing but rounding, or an infinite number."""
    if not np.isfinite(apart).all():
        return math.inf
    deviation = float(apart.std(ddof=1))
    return deviation if deviation > _ROUNDING * float(np.abs(apart).max(initial=0.0)) else 0.0
