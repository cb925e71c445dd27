"""Where calibrations are judged: over the prior log-odds at which the rule of 30 holds."""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats
from llrcal.evaluation import Evaluation

CURVE = 501
"""Points over which the mean Bayes error is taken."""
_DEFAULT_RANGE = (-5.0, 5.0)  # prior log-odds, where no threshold leaves 30 errors of each kind


def range_of(raw: Evaluation) -> tuple[float, float]:
    """Prior log-odds over which calibrations of some scores are judged."""
    low, high = raw.rule_of_30
    return (low, high) if low < high else _DEFAULT_RANGE


def judged_at(raw: Evaluation) -> Floats:
    """The prior log-odds at which errors are averaged."""
    return np.linspace(*range_of(raw), CURVE)
