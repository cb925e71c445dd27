"""The look of all figures, sized for one column of a journal, and how they become files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from llrcal.comparison.axes import FIGURE_FORMATS
from llrcal.figures.looks import Look
from llrcal.files.atomic import write_atomically
from llrcal.files.marks import FIGURE
from llrcal.files.names import given_name

COLUMN_WIDTH = 85.0
"""Width of a journal column, in millimetres."""

TARGET, NON_TARGET = "#d9730d", "#1b3a6b"
"""One colour per hypothesis: far apart in hue and in luminance."""

REFERENCE = "#777777"
"""Grey of diagonals, zero lines, limits and default systems."""

WORDS = "#555555"
"""Grey of words that stand in a figure."""

Dashes: TypeAlias = Literal["solid"] | tuple[float, tuple[float, ...]]
"""A line style in the words of matplotlib."""

MINIMUM: Dashes = (0.0, (4.0, 2.0))
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

_SETTINGS: dict[str, Any] = {
    "pdf.fonttype": 42,  # TrueType: searchable, and editable in drawing programs
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "llrcal",  # or else the ids in the file are random
}
# Dates and versions of programs would make files of the same data differ.
_METADATA: dict[str, dict[str, str | None]] = {
    "png": {"Software": "llrcal"},
    "pdf": {"Creator": "llrcal", "Producer": None, "CreationDate": None},
    "svg": {"Creator": "llrcal", "Date": None},
}
_DOTS_PER_INCH = 300


def dashes_of(look: Look, *, of: int) -> Dashes:
    """The line style of one of several curves that may cover each other; one alone is solid."""
    return (0.0, look.dashes) if look.dashes and of > 1 else "solid"


def thin() -> float:
    """Width of reference lines, in points: that of the frame."""
    return float(mpl.rcParams["axes.linewidth"])


@contextmanager
def column_style() -> Iterator[None]:
    """Settings under which a figure of ours is made, drawn upon and saved.

    What is not ours is matplotlib's default: no ``matplotlibrc`` or style has a say.
    """
    with mpl.rc_context():
        mpl.rcdefaults()
        with mpl.rc_context(_STYLE):  # type: ignore[arg-type]
            yield


def column_figure(*, width: float = COLUMN_WIDTH, height: float = 68.0) -> tuple[Figure, Axes]:
    """A new figure of the given size in millimetres, and its axes.

    The figure belongs to nobody but the caller: pyplot, and its windows, are not involved.
    """
    figure = Figure(figsize=(width / _MILLIMETRES, height / _MILLIMETRES), layout="constrained")
    return figure, figure.add_subplot()


def save(
    figure: Figure,
    folder: str | PathLike[str],
    name: str,
    *,
    formats: Iterable[str] = FIGURE_FORMATS,
) -> None:
    """Write ``name.png``, ``name.pdf`` and ``name.svg`` into a folder, which is made if need be.

    The same data give the same bytes. Nothing is written unless all can be drawn.
    """
    files = in_formats(figure, formats)
    home = Path(given_name(folder))
    home.mkdir(parents=True, exist_ok=True)
    for suffix, content in files.items():
        write_atomically(home / f"{name}.{suffix}", content, FIGURE)


def in_formats(figure: Figure, formats: Iterable[str]) -> dict[str, bytes]:
    """The content of a file of a figure in each format."""
    with mpl.rc_context(_SETTINGS):  # type: ignore[arg-type]
        _lay_out(figure)
        return {suffix: _drawn(figure, suffix) for suffix in formats}


def _lay_out(figure: Figure) -> None:
    """Settle the layout once, so that it takes less time, and is the same in every format."""
    before, figure.dpi = figure.dpi, _DOTS_PER_INCH
    figure.draw_without_rendering()
    figure.dpi = before
    figure.set_layout_engine("none")


def _drawn(figure: Figure, suffix: str) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=suffix, dpi=_DOTS_PER_INCH, metadata=_METADATA[suffix])
    return buffer.getvalue()
