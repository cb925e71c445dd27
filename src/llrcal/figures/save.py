"""Figures as files: for the screen, for print and for editing."""

from __future__ import annotations

import io
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from llrcal.comparison.figure_formats import FIGURE_FORMATS
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
        files = {}
        for suffix in formats:
            files[suffix] = _drawn(figure, suffix)
            figure.set_layout_engine("none")  # which took a third of the time, and is the same
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    for suffix, content in files.items():
        write_atomically(home / f"{name}.{suffix}", content)


def _drawn(figure: Figure, suffix: str) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=suffix, dpi=_DOTS_PER_INCH, metadata=_METADATA[suffix])
    return buffer.getvalue()
