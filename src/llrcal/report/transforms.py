"""Scores and LLRs of each calibration, to be drawn as a line or as steps."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.methods.pav import PAV
from llrcal.comparison.checks import score_range
from llrcal.comparison.looks import drawable, evenly
from llrcal.report.numbers import Numbers, numbers
from llrcal.trials import Trials

_POINTS = 601
_FEW_POINTS = 201
_MOST_STEPS = 2000
_SAMPLE = 100_000
_TAIL = 0.01
_LARGEST_LLR = 20.0  # nats, in the first view: more than any set of trials can support
_DIGITS = 7


class Transform(TypedDict):
    """Points of a line; ``steps`` says that the LLR stays until the next score."""

    scores: Numbers
    llrs: Numbers
    steps: bool


def score_view(train: Trials, test: Trials) -> tuple[float, float]:
    """Scores worth looking at: all of them, unless a few lie far out."""
    low, high = score_range(train, test)
    sides = [_sample(side) for trials in (train, test) for side in (trials.tar, trials.non)]
    inner = [_ends(side) for side in sides if len(side)] or [(low, high)]
    left, right = min(q[0] for q in inner), max(q[1] for q in inner)
    room = right - left
    return drawable(max(low, left - room), min(high, right + room))


def score_grid(train: Trials, test: Trials) -> Floats:
    """Scores to draw at: dense over the view, and out to the last score."""
    view, everything = score_view(train, test), score_range(train, test)
    return np.union1d(evenly(*view, _POINTS), evenly(*everything, _FEW_POINTS))


def transform(calibration: Calibration | None, grid: Floats) -> Transform:
    """What a calibration makes of the scores of a grid; nothing, if it has other scores."""
    if calibration is None:
        return Transform(scores=[], llrs=[], steps=False)
    scores, steps = grid, False
    if isinstance(calibration, PAV) and len(calibration.scores) <= _MOST_STEPS:
        scores, steps = _with_knots(calibration.scores, grid), True
    llrs = calibration.quietly(scores)
    return Transform(
        scores=numbers(scores, digits=_DIGITS), llrs=numbers(llrs, digits=_DIGITS), steps=steps
    )


def llr_view(transforms: list[Transform], view: tuple[float, float]) -> tuple[float, float]:
    """LLRs that the scores of a view get from any calibration, up to what trials can support."""
    llrs = [
        llr
        for line in transforms
        for score, llr in zip(line["scores"], line["llrs"], strict=True)
        if score is not None and llr is not None and view[0] <= score <= view[1]
    ]
    low = max(min(llrs, default=-1.0), -_LARGEST_LLR)
    high = min(max(llrs, default=1.0), _LARGEST_LLR)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def _with_knots(knots: tuple[float, ...], grid: Floats) -> Floats:
    """Ends of the grid, and the knots between them."""
    inside = [knot for knot in knots if grid[0] < knot < grid[-1]]
    return np.array([grid[0], *inside, grid[-1]])


def _sample(scores: Array) -> Floats:
    count = min(len(scores), _SAMPLE)
    sample = scores[np.arange(count) * len(scores) // count].astype(np.float64)
    return sample[np.isfinite(sample)]


def _ends(sample: Floats) -> tuple[float, float]:
    """All but the tails. Of halves, for the difference of two doubles may be none."""
    low, high = (2 * np.quantile(sample / 2, [_TAIL, 1 - _TAIL])).tolist()
    return low, high
