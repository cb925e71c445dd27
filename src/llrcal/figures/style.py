"""The look of all figures: sized for one column of a journal, small type, thin lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from llrcal.method_table import Look

COLUMN_WIDTH = 85.0
"""Width of a journal column, in millimetres."""

TARGET, NON_TARGET = "#d9730d", "#1b3a6b"
"""One colour per hypothesis: far apart in hue and in luminance."""

REFERENCE = "#777777"
"""Grey of diagonals, zero lines, limits and default systems."""

FURTHEST = 1000.0
"""Largest LLR, in nats, to which an axis is stretched: no honest trial weighs that much."""

Dashes: TypeAlias = Literal["solid"] | tuple[float, tuple[float, ...]]
"""A line style in the words of matplotlib."""

MINIMUM: Dashes = (0.0, (4.0, 2.0))
"""Dashes of what the best calibration would reach."""

_MARKERS = 7  # per curve
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
    "lines.linewidth": 1.1,
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


def dashes_of(looks: Mapping[str, Look]) -> dict[str, Dashes]:
    """Line styles of curves that may cover each other; one alone is solid."""
    return {
        label: (0.0, look.dashes) if look.dashes and len(looks) > 1 else "solid"
        for label, look in looks.items()
    }


def marker_places(points: int, *, curve: int, curves: int) -> tuple[int, int]:
    """Where to put a few markers on one of several curves: the first, and steps from there.

    Markers tell curves apart where colour does not; those of different curves do not meet.
    """
    step = max(points // _MARKERS, 1)
    return int(step * (curve + 0.5) / curves), step


def thin() -> float:
    """Width of reference lines, in points: that of the frame."""
    return float(mpl.rcParams["axes.linewidth"])


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
