"""Fitting and evaluating, whoever goes through the pieces."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from llrcal.arrays import ArrayLike
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.methods import METHODS, Method, check_settings, parted, train_on
from llrcal.calibrations.pav import PAV
from llrcal.errors import LlrcalWarning
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bayes_error import as_prior_log_odds
from llrcal.scale.engines.threads import Engine
from llrcal.scale.passes import Passes
from llrcal.scale.pieces.piece import Mapped, Piece
from llrcal.scale.streamed_llrs import StreamedLLRs
from llrcal.scale.streamed_training import StreamedTraining


def train_on_pieces(
    pieces: Sequence[Piece],
    engine: Engine,
    methods: Sequence[Method],
    bounds: str,
    *,
    lower_is_better: bool,
) -> dict[str, Calibration]:
    """Calibrations by label.

    Two passes: one for the summaries of both classes, which keeps the scores of the rarer one, and
    one that counts the others among these, for PAV alone.
    """
    check_settings(methods, bounds, lower_is_better=lower_is_better)
    chosen = [METHODS.get(parted(entry)[0]) for entry in methods]
    negated = -1.0 if lower_is_better else 1.0
    passes = Passes(
        [Mapped.of(piece, factor=negated) for piece in pieces],
        engine,
        summarised=any(method is not PAV for method in chosen),
        ranked=PAV in chosen,
    )
    data = StreamedTraining(passes)
    _warn_of(passes.survey.left_out)
    return train_on(data, methods, bounds, lower_is_better=lower_is_better)


def evaluation_of_pieces(
    pieces: Sequence[Piece],
    engine: Engine,
    *,
    calibration: Calibration | None = None,
    factor: float = 1.0,
    prior_log_odds: ArrayLike = (),
) -> Evaluation:
    """The evaluation of LLRs, or of scores that a calibration is applied to first.

    Two passes: one for the costs, which keeps the LLRs of the rarer class, and one that counts the
    others among these and at the thresholds of the operating points.
    """
    passes = Passes(
        [Mapped.of(piece, factor=factor, calibration=calibration) for piece in pieces],
        engine,
        ranked=True,
        costed=True,
    )
    thresholds = -as_prior_log_odds(prior_log_odds).ravel() + 0.0
    evaluation = Evaluation(StreamedLLRs(passes, np.asarray(thresholds)))
    _warn_of(passes.survey.left_out)
    return evaluation


def _warn_of(left_out: int) -> None:
    if left_out:
        warnings.warn(
            f"{left_out:,} trials were left out, as requested", LlrcalWarning, stacklevel=4
        )
