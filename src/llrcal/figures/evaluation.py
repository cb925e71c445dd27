"""The figures of one evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from llrcal.evaluation import Evaluation, OperatingPoint
from llrcal.evaluation.bootstrap import REPLICATES
from llrcal.figures.arguments import evaluations_by_label
from llrcal.figures.bayes_error import bayes_error
from llrcal.figures.det import det
from llrcal.figures.drawing import draw_into
from llrcal.figures.ece import ece
from llrcal.figures.reliability import reliability
from llrcal.figures.tippett import tippett


def draw_evaluation(
    evaluation: Evaluation | Mapping[str, Evaluation],
    folder: Path,
    points: Sequence[OperatingPoint],
    *,
    level: float | None = None,
    replicates: int = REPLICATES,
) -> None:
    """Draw every figure of an evaluation, or of several, and save each as PNG, PDF and SVG.

    With a ``level``, curves that have bands are drawn with them, from so many drawn test sets.
    """
    one = evaluations_by_label(evaluation)
    bands: dict[str, Any] = {"level": level, "replicates": replicates}
    point = points[0]
    at_point = partial(det, p_target=point.p_target, c_miss=point.c_miss, c_fa=point.c_fa)
    draw_into(
        folder,
        {
            "bayes-error": partial(bayes_error, one, **bands),
            "det": partial(at_point, one),
            "reliability": partial(reliability, one),
            "tippett": partial(tippett, one, **bands),
            "ece": partial(ece, one, **bands),
        }.items(),
    )
