"""What resampled intervals do not show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from llrcal.evaluation.llrs import WholeLLRs
from llrcal.evaluation.operating_curves import OperatingCurves
from llrcal.evaluation.operating_point import OperatingPoint
from llrcal.evaluation.rule_of_30 import LEAST_ERRORS
from llrcal.notes import Note

BY_TRIAL, FEW_DRAWN, FEW_ERRORS = "by trial", "few drawn", "few errors"
"""Codes of the notes."""

FEW = 50
"""With fewer speakers, or trials of a class, intervals hold too rarely: docs/evaluating.md."""


def interval_notes(
    curves: OperatingCurves, llrs: WholeLLRs, points: Sequence[OperatingPoint]
) -> Iterator[Note]:
    """Notes on intervals of an evaluation, the most general first."""
    if llrs.speakers is None:
        yield Note.of(
            BY_TRIAL,
            "speakers are not known, so trials were resampled as if they were independent: where "
            "speakers have several trials, the intervals are too narrow. Columns enrol_speaker and "
            "test_speaker would name them",
        )
        counts = {"targets": curves.tar_count, "non-targets": curves.non_count}
    else:
        tar, non = (np.unique(side) for side in llrs.speakers)
        counts = {"speakers": len(np.union1d(tar, non)), "target speakers": len(tar)}
    for name, count in counts.items():
        if count < FEW:
            yield Note.warning(
                FEW_DRAWN,
                f"there are only {count} {name}; resampling so few gives intervals that are too "
                "narrow",
            )
    yield from _few_errors(curves, points)


def _few_errors(curves: OperatingCurves, points: Sequence[OperatingPoint]) -> Iterator[Note]:
    """Which intervals rest on few errors."""
    few = []
    for point in points:
        threshold = -point.prior_log_odds
        misses = round(curves.pmiss(threshold) * curves.tar_count)
        alarms = round(curves.pfa(threshold) * curves.non_count)
        if min(misses, alarms) < LEAST_ERRORS:
            few.append(f"{point.name} ({misses:,} and {alarms:,})")
    if few:
        yield Note.of(
            FEW_ERRORS,
            f"there are fewer than {LEAST_ERRORS} misses or false alarms at {', '.join(few)}: the "
            "intervals of these DCFs are rough",
        )
