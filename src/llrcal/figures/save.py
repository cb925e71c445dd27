"""Figures as files: for the screen, for print and for editing."""

from __future__ import annotations

import io
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from llrcal.comparison.looks import FIGURE_FORMATS
from llrcal.files.atomic import write_atomically

_SETTINGS: dict[str, Any] = {
    "pdf.fonttype": 42,  # TrueType: searchable, and editable in drawing programs
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "llrcal",  # or else the ids in the file are random
}
# Dates and versions of programs would make files of the same data differ.
_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    "svg": {"Creator": None, "Date": None},
}
_DOTS_PER_INCH = 300


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
    with mpl.rc_context(_SETTINGS):  # type: ignore[arg-type]
        _lay_out(figure)
        files = {suffix: _drawn(figure, suffix) for suffix in formats}
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    for suffix, content in files.items():
        write_atomically(home / f"{name}.{suffix}", content)


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
