"""Errors that nobody made, and how frequent they may be all the same.

What is not in a test set is in no set drawn from it, so that resampling takes a rate of zero for
certain. But if errors had a rate above r = 1 - (a / 2)^(1 / n), n independent trials without one
would be rarer than a / 2; for a = 5 %, r is about 3.7 / n, as in the rule of three. So intervals of
level 1 - a reach at least as far as r.
"""

from __future__ import annotations

import math

import numpy as np

from llrcal.arrays import Floats
from llrcal.evaluation.bayes_error import normalised


def possible_rate(count: int, level: float) -> float:
    """The highest rate of something that did not happen in so many trials."""
    return -math.expm1(math.log((1 - level) / 2) / count)


def possible_error(
    pmiss: Floats, pfa: Floats, x: Floats, *, counts: tuple[int, int], level: float
) -> Floats:
    """The normalised error-rate with the highest rate of unseen misses, or of false alarms."""
    misses, alarms = (possible_rate(count, level) for count in counts)
    more_misses = normalised(np.maximum(pmiss, misses), pfa, x)
    return np.maximum(more_misses, normalised(pmiss, np.maximum(pfa, alarms), x))
