"""The look of all figures: sized for one column of a journal, small type, thin lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLUMN_WIDTH = 85.0
"""Width of a journal column, in millimetres."""

TARGET, NON_TARGET = "#d9730d", "#1b3a6b"
"""One colour per hypothesis: far apart in hue and in luminance."""

REFERENCE = "#777777"
"""Grey of diagonals, zero lines, limits and default systems."""

LINE, THIN = 1.1, 0.6
"""Widths of curves and of reference lines, in points."""

FURTHEST = 1000.0
"""Largest LLR, in nats, to which an axis is stretched: no honest trial weighs that much."""

MINIMUM = (0.0, (4.0, 2.0))
"""Dashes of what the best calibration would reach."""

_TYPE = 7.0  # points: what journals print in figures
_SMALL = 6.0
_MILLIMETRES = 25.4  # per inch

_STYLE: dict[str, Any] = {
    "axes.grid": False,
    "axes.labelsize": _TYPE,
    "axes.linewidth": 0.6,
    "axes.titlesize": _TYPE,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "figure.dpi": 150,
    # Comes with matplotlib, so that figures are the same everywhere.
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": _TYPE,
    "legend.fontsize": _SMALL,
    "lines.linewidth": LINE,
    "lines.markersize": 3.5,
    # Names of files and systems may hold dollar signs, which are no formulas.
    "text.parse_math": False,
    "xtick.labelsize": _SMALL,
    "xtick.major.size": 2.5,
    "xtick.major.width": 0.6,
    "xtick.minor.size": 1.5,
    "ytick.labelsize": _SMALL,
    "ytick.major.size": 2.5,
    "ytick.major.width": 0.6,
    "ytick.minor.size": 1.5,
}


@contextmanager
def column_style() -> Iterator[None]:
    """Settings under which a figure of ours is made, drawn upon and saved."""
    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]
        yield


def column_figure(*, width: float = COLUMN_WIDTH, height: float = 68.0) -> tuple[Figure, Axes]:
    """A new figure of the given size in millimetres, and its axes.

    The figure belongs to nobody but the caller: pyplot, and its windows, are not involved.
    """
    figure = Figure(figsize=(width / _MILLIMETRES, height / _MILLIMETRES), layout="constrained")
    return figure, figure.add_subplot()
