"""Figures by name, drawn one after the other into a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from llrcal.comparison.looks import FIGURE_FORMATS
from llrcal.figures.save import save
from llrcal.figures.style import column_figure, column_style

Drawing = Callable[..., Axes]

_SQUARE = {"det", "reliability"}
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
            square = name in _SQUARE
            figure, ax = column_figure(height=_SQUARE_HEIGHT) if square else column_figure()
            draw(ax=ax)
            save(figure, folder, name, formats=formats)
