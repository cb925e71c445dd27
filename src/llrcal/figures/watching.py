"""Scores from the field, over the mixture of the training classes that fits them best."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from llrcal.adaptation.adapt import portrait_of
from llrcal.adaptation.classes import TrainedClasses
from llrcal.adaptation.given import Given, Unlabelled
from llrcal.adaptation.watch import Difference, Watched, watched
from llrcal.arrays import ArrayLike, Floats
from llrcal.calibrations import Calibration
from llrcal.comparison.axes import evenly
from llrcal.figures.curves import histogram, visible_range
from llrcal.figures.densities import Bars, Lines, over_histograms
from llrcal.figures.drawing import Canvas, Style
from llrcal.figures.style import MINIMUM, NON_TARGET, REFERENCE, TARGET, thin
from llrcal.figures.table import figure
from llrcal.onepass.cells import Cells

_POINTS = 1001  # of a curve: closer than the dots of a printer in one column
_SPREAD = 4001  # scores that lie like all of them
_ROOM = 4.0  # above the highest bar, as a factor
_A_FEW = 1e-3  # of the scores: classes of which there are fewer need not be in sight
_STRIP = 0.035  # of the height of the frame
# Ranges are marked in which so many times as many scores lie as expected, or as few; and if the
# difference is so many of all scores.
_FACTOR, _LEAST = 1.25, 0.02
_MORE, _FEWER = "more than expected", "fewer than expected"
_LOOKS: dict[str, Style] = {
    _MORE: {"facecolor": "#333333", "edgecolor": "#333333"},
    _FEWER: {"facecolor": "white", "edgecolor": "#333333"},
}


@figure(
    "Field",
    "Scores from the field over the mixture of the training classes that fits them best.",
    of="other",
)
def watch(
    cal: Calibration,
    scores: Unlabelled,
    *,
    p_target: float | None = None,
    speakers: ArrayLike | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draw scores from the field over the mixture of the training classes that fits them best.

    A strip along the top marks where there are far more or far fewer scores than in that mixture.
    Where nothing has moved there is no strip.

    Parameters
    ----------
    cal, scores, p_target, speakers
        As in :func:`llrcal.watch`.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If the calibration has no portrait of its classes, or an option is out of range.
    ScoreError
        If there are no scores, or they cannot be used.
    """
    seen = watched(cal, scores, p_target=p_target, speakers=speakers)
    return draw_watched(seen, cal, scores, ax=ax, legend=legend)


def draw_watched(
    seen: Watched,
    cal: Calibration,
    scores: Unlabelled,
    *,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """The same, of scores that were looked at before."""
    portrait, pool = portrait_of(cal), Given.of(cal, scores).pool
    classes = TrainedClasses.of(portrait)
    share = seen.training_share
    sign = -1.0 if cal.lower_is_better else 1.0
    sides = ((1.0, pool), (share, portrait.tar.cells), (1 - share, portrait.non.cells))
    ends = [sign * _spread(side) for part, side in sides if part > _A_FEW]
    low, high = visible_range(ends, margin=0.1)
    heights, edges = histogram(ends[0], low, high)
    grid = evenly(low, high, _POINTS)
    tar, non = classes.densities(sign * grid)
    tar, non = share * tar, (1 - share) * non
    bars: Bars = {"scores in the field": (REFERENCE, (heights, edges))}
    dashed: Style = {"linestyle": MINIMUM, "linewidth": 0.9}
    lines: Lines = {
        "training classes mixed": (tar + non, {"color": "black", "linewidth": 1.1}),
        "training targets": (tar, {"color": TARGET, **dashed}),
        "training non-targets": (non, {"color": NON_TARGET, **dashed}),
    }
    canvas = over_histograms(ax, grid, bars, lines, room=_ROOM)
    _mark(canvas, seen)
    return canvas.done(legend=legend)


def _spread(cells: Cells) -> Floats:
    """So many scores that lie like all of them."""
    ranks = (np.cumsum(cells.counts) - 0.5 * cells.counts) / cells.count
    return np.asarray(np.interp((np.arange(_SPREAD) + 0.5) / _SPREAD, ranks, cells.values))


def _mark(canvas: Canvas, seen: Watched) -> None:
    """Mark the ranges in which scores differ most from training."""
    left, right = canvas.ax.get_xlim()
    place: Style = {"transform": canvas.ax.get_xaxis_transform(), "linewidth": thin(), "zorder": 3}
    named = set()
    for kind, low, high in _marks(seen):
        start, end = max(low, left), min(high, right)
        if start < end:
            at = (start, 1 - _STRIP)
            canvas.ax.add_patch(Rectangle(at, end - start, _STRIP, **_LOOKS[kind], **place))
            named.add(kind)
    for kind, look in _LOOKS.items():
        if kind in named:
            canvas.entries.append((kind, Patch(linewidth=thin(), **look)))


def _marks(seen: Watched) -> Iterator[tuple[str, float, float]]:
    """Kinds of ranges, and their ends; neighbours of one kind are one range."""
    for kind, group in groupby(seen.differences, _kind):
        some = list(group)
        if kind:
            yield kind, some[0].low, some[-1].high


def _kind(one: Difference) -> str:
    if abs(one.seen - one.expected) < _LEAST:
        return ""
    if one.seen > _FACTOR * one.expected:
        return _MORE
    return _FEWER if one.expected > _FACTOR * one.seen else ""
