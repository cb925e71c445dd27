"""Figures by name, drawn one after the other into a folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from llrcal.arrays import ArrayLike
from llrcal.calibrations import Calibration
from llrcal.comparison.axes import FIGURE_FORMATS
from llrcal.evaluation import Evaluation, OperatingPoint
from llrcal.evaluation.bootstrap import REPLICATES
from llrcal.figures import adaptation, transforms
from llrcal.figures.drawing import Evaluations, by_label
from llrcal.figures.style import column_figure, column_style, save
from llrcal.figures.table import TABLE, Drawing, of_evaluations
from llrcal.onepass.summary import Summary

_SQUARE_HEIGHT = 92.0  # millimetres: square axes and a legend at column width


def draw_into(
    folder: Path,
    drawings: Iterable[tuple[str, Drawing]],
    *,
    formats: Sequence[str] = FIGURE_FORMATS,
) -> None:
    """Draw each figure and save it under its name, as PNG, PDF and SVG unless told otherwise."""
    with column_style():
        for name, draw in drawings:
            save(drawn(name, draw), folder, name, formats=formats)


def drawn(name: str, draw: Drawing) -> Figure:
    """A figure at column width, as high as one of that name is."""
    is_square = name in TABLE and TABLE[name].square
    figure, ax = column_figure(height=_SQUARE_HEIGHT) if is_square else column_figure()
    draw(ax=ax)
    return figure


def draw_evaluation(
    evaluation: Evaluations,
    folder: Path,
    points: Sequence[OperatingPoint],
    *,
    level: float | None = None,
    replicates: int = REPLICATES,
    units: str | None = None,
) -> None:
    """Draw every figure of an evaluation, or of several, and save each as PNG, PDF and SVG.

    Logarithms are all in the same units, if these are given, or else those that are usual for each
    figure. With a ``level``, curves that have bands are drawn with them, from so many drawn test
    sets. The zoo is that of the first, if it knows its speakers.
    """
    options: dict[str, Any] = {"level": level, "replicates": replicates, **vars(points[0])}
    options |= {"units": units} if units else {}
    draw_into(folder, of_evaluations(by_label(evaluation, Evaluation), **options).items())


def draw_adaptation(
    before: Calibration, after: Calibration, folder: Path, scores: ArrayLike | Summary | None
) -> None:
    """Draw what an adaptation changed, and save each figure as PNG, PDF and SVG."""
    sign = -1.0 if before.lower_is_better else 1.0
    portraits = [one.portrait for one in (before, after) if one.portrait is not None]
    seen = [sign * score for one in portraits for score in (*one.tar.scores, *one.non.scores)]
    both = {"before": before, "after": after}
    drawings: dict[str, Drawing] = {
        "transforms": partial(transforms, both, low=min(seen), high=max(seen))
    }
    if scores is not None:
        drawings["mixture"] = partial(adaptation, before, after, scores=scores)
    draw_into(folder, drawings.items())
