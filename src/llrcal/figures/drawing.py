"""Drawing with matplotlib: axes, curves with bands, and legends where they cannot hide data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

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
from llrcal.figures.curves import Curve, Named, Range
from llrcal.figures.looks import Look
from llrcal.figures.style import WORDS, dashes_of

Entry: TypeAlias = tuple[str, Artist]
"""A name, and the line or area that it stands for. Two entries may have the same name."""

Evaluations: TypeAlias = Evaluation | Named
"""One evaluation, or several by label."""

Style: TypeAlias = dict[str, Any]
"""What matplotlib is told of a line or an area."""

Units: TypeAlias = Literal["nats", "log10", "bits"]
"""Natural, common or binary logarithms."""

_UNITS = {
    "nats": (1.0, "prior log-odds", "log-likelihood-ratio"),
    "log10": (math.log(10), "log₁₀ prior odds", "log₁₀ likelihood-ratio"),
    "bits": (math.log(2), "log₂ prior odds", "log₂ likelihood-ratio"),
}

_Drawable = TypeVar("_Drawable", Evaluation, Calibration)

_NEEDED = {
    Evaluation: "an Evaluation, which llrcal.evaluate(tar, non) gives",
    Calibration: "a calibration, which llrcal.fit(tar, non) gives",
}
_LONGEST = 40  # letters of a name: what fits into one column of a journal
_MARKERS = 7  # per curve
_BAND: Style = {"alpha": 0.2, "linewidth": 0}  # curves and others are seen through it
_FURTHEST = float(np.finfo(np.float32).max)


def by_label(given: _Drawable | Mapping[str, _Drawable], kind: Any) -> dict[str, _Drawable]:
    """What to draw, of one kind; a calibration alone is called after its method."""
    named = {getattr(given, "method", "LLRs"): given} if isinstance(given, kind) else given
    shown: object = type(given).__name__
    if isinstance(named, Mapping):
        shown = {label: type(value).__name__ for label, value in named.items()}
        if named and all(isinstance(x, str) and isinstance(y, kind) for x, y in named.items()):
            return dict(named)
    raise OptionError(
        f"{shown!s:.200} cannot be drawn here; give {_NEEDED[kind]}, or a dict of them by label"
    )


def logarithm(units: str) -> tuple[float, str, str]:
    """How many nats a unit of logarithms is, and what prior odds and likelihood-ratios are called.

    Raises
    ------
    OptionError
        If there is no such unit.
    """
    if units not in _UNITS:
        raise OptionError(f"units are {units!r}; choose one of {', '.join(_UNITS)}")
    return _UNITS[units]


def common_colour(looks: Iterable[Look]) -> str:
    """The colour of an entry that stands for all: that of the only one, or else black."""
    first, *others = looks
    return "black" if others else first.light


class Canvas:
    """Axes with their ranges and names, and the entries of a legend; without axes, new ones."""

    def __init__(
        self,
        ax: Axes | None,
        x: Range,
        y: Range | None,
        names: tuple[str, str],
        *,
        square: bool = False,
    ) -> None:
        self.ax = _axes_or_new(ax, square=square)
        self.entries: list[Entry] = []
        self.ax.set(xlim=x, xlabel=names[0], ylabel=names[1])
        if y is not None:
            self.ax.set_ylim(*y)
        if square:
            self.ax.set_aspect("equal")

    def line(self, x: Any, y: Any, label: str, *, named: bool = True, **style: Any) -> Line2D:
        """Draw a line, which is named in the legend unless told otherwise."""
        (line,) = self.ax.plot(x, y, label=label, **style)
        if named:
            self.entries.append((label, line))
        return line

    def curves(self, curves: Sequence[Curve], *, dashed: bool = False) -> None:
        """Draw lines with a few markers, over their bands; dashed as they look, or solid."""
        for place, curve in enumerate(curves):
            dashes = dashes_of(curve.look, of=len(curves) if dashed else 1)
            self.curve(curve, place=place, of=len(curves), linestyle=dashes)

    def curve(self, curve: Curve, *, place: int, of: int, **style: Any) -> None:
        """Draw one of several lines over its band, with markers where the others have none.

        Markers tell curves apart where colour does not.
        """
        self.band(curve)
        step = max(len(curve.x) // _MARKERS, 1)
        style |= {"color": curve.look.light, "marker": curve.look.marker}
        style["markevery"] = int(step * (place + 0.5) / of), step
        self.line(curve.x, curve.y, curve.label, **style)

    def band(self, curve: Curve) -> None:
        """Fill the band, if any, in the colour of its curve; where infinite, beyond the frame."""
        if curve.band is not None:
            low, high = (np.minimum(end, _FURTHEST) for end in curve.band)
            style = _BAND | {"color": curve.look.light, "label": f"band of {curve.label}"}
            self.ax.fill_between(curve.x, low, high, **style)

    def words(self, text: str, x: float, height: float, points: float, size: str | float) -> None:
        """Write words so many points above or below a height, which is a share of the frame."""
        self.ax.annotate(
            text,
            (x, height),
            xycoords=("data", "axes fraction"),
            xytext=(0, points),
            textcoords="offset points",
            ha="center",
            va="bottom" if points > 0 else "top",
            fontsize=size,
            color=WORDS,
        )

    def name_line(self, name: str, **style: Any) -> None:
        """Name a line in the legend that looks so."""
        self.entries.append((name, Line2D([], [], **style)))

    def name_band(self, name: str, colour: str) -> None:
        """Name bands in the legend."""
        self.entries.append((name, Patch(color=colour, **_BAND)))

    def name_bands(self, bands: Mapping[str, Bands], colour: str) -> None:
        """Name the bands in the legend, if there are any."""
        for name in dict.fromkeys(f"{100 * one.level:g} % by {one.by}" for one in bands.values()):
            self.name_band(name, colour)

    def done(self, *, legend: bool, gap: float = 0.01) -> Axes:
        """The axes, with a legend if that is asked for."""
        if legend:
            legend_above(self.ax, self.entries, gap=gap)
        return self.ax


def _axes_or_new(ax: Axes | None, *, square: bool) -> Axes:
    """The axes; without any, pyplot's current ones if nothing is drawn there, or else new ones."""
    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        raise OptionError(f"ax is a {type(ax).__name__}; give axes of matplotlib, or nothing")
    from matplotlib import pyplot as plt

    if plt.get_fignums() and not (plt.gcf().axes and plt.gca().has_data()):
        return plt.gca()
    width, height = plt.rcParams["figure.figsize"]
    return plt.subplots(figsize=(width, width if square else height), layout="constrained")[1]


def legend_above(ax: Axes, entries: Sequence[Entry], *, gap: float = 0.01) -> None:
    """Put the entries in rows above the axes, ``gap`` axes heights away from them.

    Names are shown as they are, a dollar sign begins no formula; only the middle of very long
    ones is left out. In a figure whose layout makes no room above, the legend goes inside the axes,
    where it hides least.
    """
    ax.apply_aspect()  # or else square axes are thought to be wider
    room = ax.get_window_extent().width
    for columns in (3, 2, 1):
        place: Style = {"bbox_to_anchor": (0, 1 + gap), "borderaxespad": 0}
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
