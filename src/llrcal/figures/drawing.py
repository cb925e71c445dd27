"""Drawing with matplotlib: axes, curves with bands, and legends where they cannot hide data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from llrcal.calibrations import Calibration
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bands import Bands
from llrcal.figures.curves import Curve
from llrcal.figures.style import Dashes, dashes_of
from llrcal.method_table import Look

Entry: TypeAlias = tuple[str, Artist]
"""A name, and the line or area that it stands for. Two entries may have the same name."""

_Drawable = TypeVar("_Drawable", Evaluation, Calibration)

_LONGEST = 40  # letters of a name: what fits into one column of a journal
_MARKERS = 7  # per curve
_PALE = 0.2  # opacity: curves and other bands are seen through it
_FURTHEST = float(np.finfo(np.float32).max)


# ------------------------------------------------------------ what every figure is given


def evaluations_by_label(given: Evaluation | Mapping[str, Evaluation]) -> dict[str, Evaluation]:
    """The evaluations to draw; one alone needs no label."""
    needed = "an Evaluation, which llrcal.evaluate(tar, non) gives"
    return _checked({"LLRs": given} if isinstance(given, Evaluation) else given, Evaluation, needed)


def calibrations_by_label(given: Calibration | Mapping[str, Calibration]) -> dict[str, Calibration]:
    """The calibrations to draw; one alone is called after its method."""
    needed = "a calibration, which llrcal.fit(tar, non) gives"
    named = {given.method: given} if isinstance(given, Calibration) else given
    return _checked(named, Calibration, needed)


def _checked(given: Mapping[str, _Drawable], kind: type[Any], needed: str) -> dict[str, _Drawable]:
    """A dict of a kind of values by label; anything else is refused."""
    problem = ""
    if not isinstance(given, Mapping):
        problem = f"a value of type {type(given).__name__} cannot be drawn here"
    elif not given:
        problem = "there is nothing to draw"
    else:
        for label, value in given.items():
            if not isinstance(label, str):
                problem = f"the label {label!r} is not a string"
            elif not isinstance(value, kind):
                name = type(value).__name__
                problem = f"{label!r} is of type {name}, which cannot be drawn here"
    if problem:
        raise OptionError(f"{problem}; give {needed}, or a dict of them by label")
    return dict(given)


def framed(
    ax: Axes | None,
    x: tuple[float, float],
    y: tuple[float, float] | None,
    names: tuple[str, str],
    *,
    square: bool = False,
) -> Axes:
    """The axes, or new ones, with their ranges and names."""
    ax = axes_or_new(ax, square=square)
    ax.set_xlim(*x)
    if y is not None:
        ax.set_ylim(*y)
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    if square:
        ax.set_aspect("equal")
    return ax


def axes_or_new(ax: Axes | None, *, square: bool = False) -> Axes:
    """The axes; without any, pyplot's current ones if nothing is drawn there, or else new ones."""
    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        raise OptionError(f"ax is a {type(ax).__name__}; give axes of matplotlib, or nothing")
    from matplotlib import pyplot as plt

    if plt.get_fignums() and not (plt.gcf().axes and plt.gca().has_data()):
        return plt.gca()
    width, height = plt.rcParams["figure.figsize"]
    size = (width, width) if square else (width, height)
    return plt.subplots(figsize=size, layout="constrained")[1]


# -------------------------------------------------------------------------------- curves


def draw_curves(ax: Axes, curves: Sequence[Curve], *, dashed: bool = False) -> list[Entry]:
    """Lines with a few markers, over their bands; dashed as they look, or solid."""
    entries: list[Entry] = []
    for i, curve in enumerate(curves):
        dashes = dashes_of(curve.look, of=len(curves) if dashed else 1)
        line = draw_line(ax, curve, place=i, of=len(curves), linestyle=dashes)
        entries.append((curve.label, line))
    return entries


def draw_line(ax: Axes, curve: Curve, *, place: int, of: int, linestyle: Dashes) -> Line2D:
    """One of several lines over its band, with markers where the others have none.

    Markers tell curves apart where colour does not.
    """
    draw_band(ax, curve)
    step = max(len(curve.x) // _MARKERS, 1)
    (line,) = ax.plot(
        curve.x,
        curve.y,
        color=curve.look.light,
        marker=curve.look.marker,
        markevery=(int(step * (place + 0.5) / of), step),
        linestyle=linestyle,
        label=curve.label,
    )
    return line


def draw_band(ax: Axes, curve: Curve) -> None:
    """Fill the band, if any, in the colour of its curve; where it is infinite, beyond the frame."""
    if curve.band is not None:
        low, high = (np.minimum(end, _FURTHEST) for end in curve.band)
        style: dict[str, Any] = {"color": curve.look.light, "alpha": _PALE, "linewidth": 0}
        ax.fill_between(curve.x, low, high, label=f"band of {curve.label}", **style)


def band_entries(bands: Mapping[str, Bands], colour: str) -> list[Entry]:
    """What stands for the bands in the legend, if there are any."""
    names = dict.fromkeys(f"{100 * one.level:g} % by {one.by}" for one in bands.values())
    return [(name, band_patch(colour)) for name in names]


def band_patch(colour: str) -> Patch:
    """What a band looks like."""
    return Patch(color=colour, alpha=_PALE, linewidth=0)


def common_colour(looks: Iterable[Look]) -> str:
    """The colour of an entry that stands for all: that of the only one, or else black."""
    first, *others = looks
    return "black" if others else first.light


# ------------------------------------------------------------------------------- legends


def with_legend(ax: Axes, entries: Sequence[Entry], *, legend: bool, gap: float = 0.01) -> Axes:
    """The axes, with a legend if that is asked for."""
    if legend:
        legend_above(ax, entries, gap=gap)
    return ax


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
