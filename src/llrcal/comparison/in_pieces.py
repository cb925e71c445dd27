"""The same comparison where trials are too many for memory.

Every number is that of all trials. The pictures of scores, and what is said of their shapes, are
those of a sample. There are no intervals: to draw trials again and again takes all of them at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations import PAPER
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.methods import Method
from llrcal.comparison.comparison import CURVE, Candidate, Comparison, range_of
from llrcal.comparison.findings import (
    calibration_findings,
    data_findings,
    point_findings,
)
from llrcal.evaluation import Evaluation
from llrcal.evaluation.operating_point import DEFAULT_POINTS, OperatingPoint
from llrcal.scale.engines.threads import Engine
from llrcal.scale.jobs import evaluation_of_pieces, train_on_pieces
from llrcal.scale.pieces.piece import Piece
from llrcal.scale.preview import specimen

# The report lets its reader choose among multiples of 1/20, of which these are more than enough.
_CHOICES = np.arange(-600, 601) / 20


@dataclass(frozen=True)
class Set:
    """Trials in pieces, and where they come from."""

    pieces: Sequence[Piece]
    source: str


def compare_in_pieces(
    train: Set,
    test: Set,
    engine: Engine,
    *,
    methods: Sequence[Method] = PAPER,
    points: Sequence[OperatingPoint] = DEFAULT_POINTS,
    progress: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Train every method on one set of trials and test it on another; see :func:`compare`."""
    progress("training")
    calibrations = train_on_pieces(train.pieces, engine, methods, "range", lower_is_better=False)
    progress("raw scores")
    raw = _evaluated(test, engine, None, np.empty(0))
    counts = next(iter(calibrations.values()))
    seen = (
        specimen(train.pieces, engine, (counts.tar_count, counts.non_count), train.source),
        specimen(test.pieces, engine, (raw.tar_count, raw.non_count), test.source),
    )
    priors = np.concatenate(
        [
            _CHOICES,
            np.linspace(*range_of(raw), CURVE),
            [point.prior_log_odds for point in points],
        ]
    )
    findings = [*data_findings(*seen), *point_findings(raw, points)]
    candidates: dict[str, Candidate] = {}
    for label, calibration in calibrations.items():
        progress(f"testing {label}")
        evaluation = _evaluated(test, engine, calibration, priors)
        candidates[label] = Candidate(label, calibration, evaluation, None)
        findings += calibration_findings(label, calibration, *seen)
    return Comparison(*seen, raw, candidates, tuple(points), tuple(findings))


def _evaluated(
    test: Set, engine: Engine, calibration: Calibration | None, priors: Floats
) -> Evaluation:
    return evaluation_of_pieces(test.pieces, engine, calibration=calibration, prior_log_odds=priors)
