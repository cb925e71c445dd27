"""Legends above the axes, where they cannot hide data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.legend import Legend

from llrcal.method_table import Look

Entry: TypeAlias = tuple[str, Artist]
"""A name, and the line or area that it stands for. Two entries may have the same name."""

_LONGEST = 40  # letters of a name: what fits into one column of a journal


def common_colour(looks: Mapping[str, Look]) -> str:
    """The colour of an entry that stands for all: that of the only one, or else black."""
    return "black" if len(looks) > 1 else next(iter(looks.values())).light


def legend_above(ax: Axes, entries: Sequence[Entry], *, gap: float = 0.01) -> None:
    """Put the entries in rows above the axes, ``gap`` axes heights away from them.

    Names are shown as they are, a dollar sign begins no formula; only the middle of very long
    ones is left out. In a figure whose layout makes no room above, the legend goes inside the axes,
    where it hides least.
    """
    ax.apply_aspect()  # or else square axes are thought to be wider
    room = ax.get_window_extent().width
    for columns in (3, 2, 1):
        place: dict[str, Any] = {"bbox_to_anchor": (0, 1 + gap), "borderaxespad": 0}
        legend = _legend(ax, entries, loc="lower left", ncols=columns, frameon=False, **place)
        if legend.get_window_extent().width <= room:
            break
    makes_room = ax.figure.get_layout_engine() is not None
    if not makes_room and legend.get_window_extent().y1 > ax.figure.bbox.y1:
        _legend(ax, entries, loc="best")


def _legend(ax: Axes, entries: Sequence[Entry], **place: Any) -> Legend:
    legend = ax.legend(
        [artist for _, artist in entries],
        # matplotlib may leave out names with a leading underscore; the real ones come below.
        ["name"] * len(entries),
        **place,
        borderpad=0.1,
        columnspacing=1.2,
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
