"""Legends above the axes, where they cannot hide data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.legend import Legend

Entry: TypeAlias = tuple[str, Artist]
"""A name, and the line or area that it stands for. Two entries may have the same name."""

_LONGEST = 40  # letters of a name: what fits into one column of a journal


def legend_above(ax: Axes, entries: Sequence[Entry], *, gap: float = 0.01) -> None:
    """Put the entries in rows above the axes, ``gap`` axes heights away from them.

    Names are shown as they are, a dollar sign begins no formula; only the middle of very long
    ones is left out.
    """
    room = ax.get_window_extent().width
    for columns in (3, 2, 1):
        legend = _legend(ax, entries, columns, gap)
        if legend.get_window_extent().width <= room:
            break


def _legend(ax: Axes, entries: Sequence[Entry], columns: int, gap: float) -> Legend:
    legend = ax.legend(
        [artist for _, artist in entries],
        # matplotlib may leave out names with a leading underscore; the real ones come below.
        ["name"] * len(entries),
        loc="lower left",
        bbox_to_anchor=(0, 1 + gap),
        ncols=columns,
        borderaxespad=0,
        borderpad=0.1,
        columnspacing=1.2,
        frameon=False,
        handlelength=3.6,
        handletextpad=0.6,
        labelspacing=0.3,
    )
    for text, (name, _) in zip(legend.get_texts(), entries, strict=True):
        text.set_parse_math(False)
        text.set_text(_shortened(name))
    return legend


def _shortened(name: str) -> str:
    if len(name) <= _LONGEST:
        return name
    half = (_LONGEST - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
