"""Intervals of LLRs as they are given: an evaluation would sort them first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from llrcal.arrays import ArrayLike
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.cells import Cells
from llrcal.evaluation.intervals import Intervals
from llrcal.evaluation.resampling import Resampling


def bootstrap_intervals(
    tar: ArrayLike,
    non: ArrayLike,
    *,
    prior_log_odds: Sequence[float],
    curve: Sequence[float] = (),
    tar_speakers: ArrayLike | None = None,
    non_speakers: ArrayLike | None = None,
    replicates: int = 200,
    seed: int = 0,
    level: float = 0.95,
) -> Intervals:
    """Intervals from so many draws: by speaker, if speakers are given, and by trial otherwise."""
    speakers = None
    if tar_speakers is not None and non_speakers is not None:
        speakers = np.asarray(tar_speakers), np.asarray(non_speakers)
    draws = Resampling.of(speakers, replicates=replicates, seed=seed)
    points, over = np.array(prior_log_odds, float), np.array(curve, float)
    cells = Cells.of(np.asarray(tar), np.asarray(non), prior_log_odds=points, curve=over)
    return Replicates.of(cells, draws.numbers(cells), by=draws.by).intervals(level)
