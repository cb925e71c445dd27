"""Doddington's rule of 30: where error-rates are based on at least 30 errors of each kind."""

from __future__ import annotations

import math

import numpy as np

from llrcal.onepass.hull import Hull

LEAST_ERRORS = 30


def rule_of_30(hull: Hull) -> tuple[float, float]:
    """Lowest and highest prior log-odds with 30 misses and 30 false alarms at the best threshold.

    Both are NaN if there are none.
    """
    enough = (hull.misses >= LEAST_ERRORS) & (hull.false_alarms >= LEAST_ERRORS)
    if not enough.any():
        return math.nan, math.nan
    first, last = np.flatnonzero(enough)[[0, -1]]
    # Vertex i is best for thresholds between the LLRs of the blocks below and above it.
    return -float(hull.llrs[last]), -float(hull.llrs[first - 1])
