"""Whether LLRs are what they should be: raw scores, and LLRs of other trials, are not.

LLRs that mean what they say cannot be bettered by a straight line: Cllr(a + b llr) is least, but
for chance, at a = 0 and b = 1. What the best line gains tells of a wrong unit, offset or scale, and
costs two parameters only, so that chance gains little, even with few trials; the minCllr, found by
PAV, is far more optimistic. Chance is left out by asking for a likelihood-ratio statistic

    2 ln 2 (Cllr - Cllr of the line) 4 T N / (T + N) > 25,

which has two degrees of freedom where trials are independent, and reaches 25 once in 270,000 sets.

Where speakers are known, trials that share one are not independent. The statistic, divided by the
mean design effect of slope and offset (Rao and Scott, Annals of Statistics 12, 1984), must then
also exceed four times the 95 % quantile of F with two degrees of freedom and those of the speakers:
twice because there are two parameters, and twice because a calibration trained on as many other
speakers is as uncertain as the line.

Few speakers support weak LLRs only: where many are held at an end, the line is held there, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, fdtri

from llrcal.arrays import Array, Floats, weighted_sum
from llrcal.evaluation.costs import WeightedLLRs
from llrcal.evaluation.effective_count import SharedSpeakers
from llrcal.notes import Note

if TYPE_CHECKING:
    from llrcal.evaluation.llrs import WholeLLRs

RAW_SCORES, CALIBRATION_LOSS = "raw scores", "calibration loss"
"""Codes of the notes."""
_BY_CHANCE = 25.0
_LEVEL = 0.95  # of the quantile where speakers are known
_MANY_HELD, _AT_END = 0.02, 1e-6  # share of both classes together; nats
_FAR = 700.0  # LLRs; infinite ones that are right cost nothing
_RAW, _LARGE = 1.0, 0.2  # what a line may gain, as a share of what it leaves
_ENOUGH = 1e-7  # gradient, whose square is the error of the Cllr
_MOST_STEPS, _SMALLEST_STEP = 100, 1e-12


def line_notes(
    llrs: tuple[WeightedLLRs, WeightedLLRs],
    counts: tuple[int, int],
    *,
    cllr: float,
    min_cllr: Callable[[], float],
    whole: WholeLLRs | None = None,
) -> tuple[Note, ...]:
    """A warning if LLRs look like raw scores, or have lost much by their calibration.

    The minCllr is asked for only if there is something to say: it may cost a pass over all LLRs.
    ``whole`` has the LLRs with their speakers, where they are in memory.
    """
    tar, non = counts
    line = best_line(*llrs) if math.isfinite(cllr) else None
    if line is None:
        return ()
    straight = _held_cllr(line, *llrs)
    gain = cllr - straight
    statistic = 2 * math.log(2) * gain * 4 * tar * non / (tar + non)
    if not statistic > _BY_CHANCE:
        return ()
    if gain <= _LARGE * straight or (least := min_cllr()) == 0:
        return ()  # classes that do not overlap look better the larger the LLRs
    if whole and whole.speakers and statistic <= _chance_by_speaker(line, whole, *whole.speakers):
        return ()
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


def held_between(tar: WeightedLLRs, non: WeightedLLRs) -> tuple[float, float]:
    """The ends at which many LLRs of either sign are held; infinite where they are not.

    Few speakers support weak LLRs only, so that many are equal there.
    """
    values, shares = np.append(tar.values, non.values), np.append(tar.shares, non.shares)
    ends = []
    for sign in (-1.0, 1.0):
        end = float((sign * values).max())
        share = float(shares[sign * values >= end - _AT_END].sum())
        ends.append(sign * (end if end > 0 and share >= _MANY_HELD else math.inf))
    return ends[0], ends[1]


def _held_cllr(line: Line, tar: WeightedLLRs, non: WeightedLLRs) -> float:
    """The Cllr that a line leaves if it claims no more than LLRs that are held, in bits."""
    ends = held_between(tar, non)
    if np.isinf(ends).all():
        return line.cllr
    costs = (
        (one.shares * np.logaddexp(0, sign * np.clip(line.slope * one.values + line.offset, *ends)))
        for sign, one in ((-1, tar), (1, non))
    )
    return float(sum(map(np.sum, costs))) / (2 * math.log(2))


class Line(NamedTuple):
    """A straight line through LLRs, and the Cllr that it leaves, in bits."""

    slope: float
    offset: float
    cllr: float


def best_line(tar: WeightedLLRs, non: WeightedLLRs) -> Line | None:
    """The line with the least Cllr; infinite LLRs are left out.

    None where it is not found: no finite LLRs, or all of them equal.
    """
    if not (len(tar.values) and len(non.values)):
        return None
    values, shares = (
        np.concatenate(both) for both in ((tar.values, non.values), (tar.shares, non.shares))
    )
    with np.errstate(over="ignore", invalid="ignore"):  # LLRs near the largest double
        middle = float((values * shares).sum() / shares.sum())
        scale = math.sqrt(float((shares * (values - middle) ** 2).sum() / shares.sum()))
    if not 0 < scale < math.inf:
        return None
    found = _least_cost((values - middle) / scale, shares, len(tar.values))
    if found is None:
        return None
    (slope, offset), cost = found
    return Line(slope / scale, offset - slope / scale * middle, cost / (2 * math.log(2)))


def _least_cost(
    x: Floats, shares: Floats, tar_count: int
) -> tuple[tuple[float, float], float] | None:
    """Slope and offset of the least cost, by Newton's method, and that cost; targets come first.

    The cost is convex: a step that does not lower it is halved. None where it is not found.
    """
    sign = np.where(np.arange(len(x)) < tar_count, -1.0, 1.0)
    columns = np.stack([x, np.ones(len(x))])

    def cost(line: Floats) -> float:
        return weighted_sum(np.logaddexp(0, sign * (line[0] * x + line[1])), shares)

    line, least = np.zeros(2), cost(np.zeros(2))
    for _ in range(_MOST_STEPS):
        p = expit(sign * (line[0] * x + line[1]))
        # Plain sums: products of matrices would leave their order to the threads of BLAS.
        gradient = (columns * (shares * p * sign)).sum(axis=1)
        if np.abs(gradient).max() <= _ENOUGH:
            return (float(line[0]), float(line[1])), least
        curvature = (columns[:, None] * columns * (shares * p * (1 - p))).sum(axis=2)
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        while not (new := cost(line - step)) < least:
            step = step / 2
            if np.abs(step).max() < _SMALLEST_STEP:
                return None
        line, least = line - step, new
    return None


def _chance_by_speaker(line: Line, whole: WholeLLRs, *speakers: Array) -> float:
    """What the statistic may come to by chance, given the speakers of the trials."""
    heights, slopes = [], []  # how far each trial moves the line
    for llrs, wrong in ((whole.tar, -1.0), (whole.non, 1.0)):
        x = np.clip(line.slope * llrs.astype(np.float64) + line.offset, -_FAR, _FAR)
        pull = expit(wrong * x) * wrong / len(x)
        heights.append(pull - pull.mean())
        slopes.append(pull * x - (pull * x).mean())
    shared = SharedSpeakers.of(np.concatenate(speakers))
    effect = sum(shared.design_effect(np.concatenate(both)) for both in (heights, slopes)) / 2
    return 4 * max(effect, 1.0) * float(fdtri(2, shared.freedom, _LEVEL))
