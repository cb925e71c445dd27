"""Whether LLRs are what they should be: raw scores, and LLRs of other trials, are not.

LLRs that mean what they say cannot be bettered by a straight line: Cllr(a + b llr) is least, but
for chance, at a = 0 and b = 1. What the best line gains tells of a wrong unit, offset or scale, and
costs two parameters only, so that chance gains little, even with few trials; the minCllr, found by
PAV, is far more optimistic. Chance is left out by asking for a likelihood-ratio statistic

    2 ln 2 (Cllr - Cllr of the line) 4 T N / (T + N) > 25,

which has two degrees of freedom where trials are independent, and reaches 25 once in 270,000 sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from llrcal.evaluation.costs import WeightedLLRs
from llrcal.fitting.logistic import LineCost
from llrcal.fitting.optimizer import minimise
from llrcal.notes import Note

RAW_SCORES, CALIBRATION_LOSS = "raw scores", "calibration loss"
"""Codes of the notes."""
_BY_CHANCE = 25.0
_RAW, _LARGE = 1.0, 0.2  # what a line may gain, as a share of what it leaves
_ENOUGH = 1e-6  # gradient, whose square is the error of the Cllr


def line_notes(
    llrs: tuple[WeightedLLRs, WeightedLLRs],
    counts: tuple[int, int],
    *,
    cllr: float,
    min_cllr: Callable[[], float],
) -> tuple[Note, ...]:
    """A warning if LLRs look like raw scores, or have lost much by their calibration.

    The minCllr is asked for only if there is something to say: it may cost a pass over all LLRs.
    """
    tar, non = counts
    straight = straightened_cllr(*llrs) if math.isfinite(cllr) else math.nan
    gain = cllr - straight
    if math.isnan(gain) or 2 * math.log(2) * gain * 4 * tar * non / (tar + non) <= _BY_CHANCE:
        return ()
    if gain <= _LARGE * straight or (least := min_cllr()) == 0:
        return ()  # classes that do not overlap look better the larger the LLRs
    numbers = (
        f"their Cllr is {cllr:.4f}, where a straight line through them would leave {straight:.4f} "
        f"(minCllr {least:.4f})"
    )
    if gain > _RAW * straight:
        return (
            Note.warning(
                RAW_SCORES,
                f"these do not look like LLRs: {numbers}. If they are raw scores, calibrate them "
                "first; only the minimum costs and the EER mean something",
            ),
        )
    return (
        Note.warning(
            CALIBRATION_LOSS,
            f"much is lost by calibration: {numbers}. Calibrate on trials like these, or, with few "
            "labels or none, adapt a calibration to their scores: see llrcal adapt",
        ),
    )


def straightened_cllr(tar: WeightedLLRs, non: WeightedLLRs) -> float:
    """The least Cllr of a + b llr, in bits; infinite LLRs are left out.

    NaN where it is not found: no finite LLRs, or all of them equal.
    """
    if not (len(tar.values) and len(non.values)):
        return math.nan
    values, shares = (
        np.concatenate(both) for both in ((tar.values, non.values), (tar.shares, non.shares))
    )
    with np.errstate(over="ignore", invalid="ignore"):  # LLRs near the largest double
        middle = float((values * shares).sum() / shares.sum())
        scale = math.sqrt(float((shares * (values - middle) ** 2).sum() / shares.sum()))
    if not 0 < scale < math.inf:
        return math.nan
    tar_points, non_points = (((side.values - middle) / scale, side.shares) for side in (tar, non))
    cost = LineCost(tar_points, non_points, 1.0, 1.0)
    best = minimise(cost, np.zeros(2), tolerance=_ENOUGH)
    return best.value / (2 * math.log(2)) if best.converged else math.nan
