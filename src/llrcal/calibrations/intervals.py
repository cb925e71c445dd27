"""Intervals of LLRs: how far each may be from what more trials would give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from llrcal.arrays import ArrayLike, Floats
from llrcal.declaration import ALWAYS, NotNegative, Rising, schema
from llrcal.errors import OptionError
from llrcal.inputs.level import check_level
from llrcal.inputs.scores import as_floats, check_finite

if TYPE_CHECKING:
    from llrcal.calibrations.calibration import Calibration

By = Literal["trial", "speaker"]
Effects = Callable[[], tuple[Floats, Floats]]
"""What one more trial of a class at each of some scores (column) does to each of some estimates
(row), for targets and for non-targets."""


@dataclass(frozen=True)
class Margins:
    """Standard deviations of the LLR at some scores, downwards and upwards.

    They are those of LLRs before these are bounded, and are straight lines between the scores.
    Those of a skewed distribution give intervals of 95 % its quantiles as their ends.
    """

    scores: Annotated[
        Rising,
        "Where deviations are given, in strictly rising order, negated if lower scores are better; "
        "they are straight lines in between, and constant beyond.",
    ]
    below: Annotated[
        tuple[NotNegative, ...],
        schema(as_many_as="scores"),
        "Standard deviation downwards at each of the scores.",
    ]
    above: Annotated[
        tuple[NotNegative, ...],
        schema(as_many_as="scores"),
        "Standard deviation upwards at each of the scores.",
    ]
    by: Annotated[By, ALWAYS, "What was taken to be independent: each trial, or each speaker."] = (
        "trial"
    )

    @classmethod
    def even(cls, scores: Floats, deviations: Floats) -> Margins:
        """The same in both directions."""
        same = tuple(deviations.tolist())
        return cls(tuple(scores.tolist()), same, same)

    def at(self, scores: Floats) -> tuple[Floats, Floats]:
        """Deviations downwards and upwards."""
        # Halves, whose differences never overflow.
        where, known = scores / 2, np.array(self.scores) / 2
        below, above = (np.interp(where, known, side) for side in (self.below, self.above))
        return np.asarray(below), np.asarray(above)


def interval(calibration: Calibration, scores: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Lower and upper ends of the intervals of the LLRs of scores."""
    check_level(level)
    array = as_floats(scores, "the")
    check_finite(array, "the", allow_infinite=True)
    if calibration.margins is None:
        raise OptionError(no_interval(calibration))
    raw = array.astype(np.float64)
    raw = -raw if calibration.lower_is_better else raw
    margins = calibration.margins
    below, above = margins.at(np.clip(raw, *calibration.bounds.reach))
    # From the lower tail, whose probability does not round to one.
    times = -NormalDist().inv_cdf((1 - float(level)) / 2)
    llrs = calibration.formula(raw.ravel()).reshape(raw.shape)
    known = np.array(margins.scores)
    at_known = calibration.formula(known)

    def ends(side: Floats, known_side: Floats) -> Floats:
        found = llrs + times * side
        if calibration.bounds.meeting is not None:
            found = _between_neighbours(found, raw, known, at_known + times * known_side)
        return calibration.bounds.supported(found, *calibration.supported_llrs)

    return ends(-below, -np.array(margins.below)), ends(above, np.array(margins.above))


def _between_neighbours(ends: Floats, scores: Floats, known: Floats, at_known: Floats) -> Floats:
    """Ends of intervals, each between those at the neighbouring ones of some scores.

    Where LLRs rise steeply, those in between are far smaller than margins on a straight line.
    """
    right = np.searchsorted(known, scores, side="right")
    neighbours = at_known[[right - 1, right % len(known)]]
    inside = (right > 0) & (right < len(known))
    return np.where(inside, np.clip(ends, neighbours.min(axis=0), neighbours.max(axis=0)), ends)


def no_interval(calibration: Calibration) -> str:
    """What to say if there is none."""
    if calibration.adapted is not None:
        return "an adapted calibration has no intervals; those of its findings are in .adapted"
    return (
        f"this {calibration.method} calibration has no intervals: its model file was written "
        "before there were any, or its method has none; train it again"
    )
