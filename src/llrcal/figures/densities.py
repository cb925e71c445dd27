"""Densities over histograms: those of a calibration, and those of one that was adapted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import StepPatch
from matplotlib.ticker import FuncFormatter, NullFormatter

from llrcal.adaptation.move import densities_of
from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations import METHODS, Calibration
from llrcal.calibrations.methods.densities import Generative
from llrcal.comparison.looks import evenly
from llrcal.errors import OptionError
from llrcal.figures.curves import densities_at, histogram, visible_range
from llrcal.figures.drawing import Entry, framed, with_legend
from llrcal.figures.style import MINIMUM, NON_TARGET, REFERENCE, TARGET
from llrcal.inputs.scores import as_scores
from llrcal.onepass.summary import Summary

_POINTS = 1001  # of a curve: closer than the dots of a printer in one column
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_Histogram = tuple[Floats, Floats]
"""Heights and edges of bins."""


def densities(
    calibration: Calibration,
    *,
    ax: Axes | None = None,
    tar: ArrayLike,
    non: ArrayLike,
    log: bool = False,
    legend: bool = True,
) -> Axes:
    """Draw the densities of a generative calibration over histograms of scores.

    Parameters
    ----------
    calibration
        A ``gaussian``, ``student-t`` or ``nig`` calibration.
    tar, non
        Target and non-target scores. Histograms are normalised by class.
    log
        Whether the density axis is logarithmic, which shows how well the tails fit.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If the calibration has no densities.
    ScoreError
        If the scores cannot be used.
    """
    if not isinstance(calibration, Generative):
        known = [name for name, kind in METHODS.items() if issubclass(kind, Generative)]
        given = getattr(calibration, "method", type(calibration).__name__)
        raise OptionError(f"{given} has no densities; give a calibration by {', '.join(known)}")
    classes = as_scores(tar, "target"), as_scores(non, "non-target")
    low, high = visible_range(classes, margin=0.5 if log else 0.1)
    scores = evenly(low, high, _POINTS)
    fits = densities_at((calibration.tar, calibration.non), scores)
    bars = [histogram(values, low, high) for values in classes]
    least, peak = _heights(bars)
    ax = framed(ax, (low, high), None, ("score", "density"))
    if log:
        _log_axis(ax, least, 2 * peak)
    entries: list[Entry] = []
    names = (("target", TARGET, "solid"), ("non-target", NON_TARGET, (0, (4, 1))))
    for (name, colour, _), one in zip(names, bars, strict=True):
        area = _draw_bars(ax, one, least if log else 0, colour, f"{name} scores")
        entries.append((f"{name} scores", area))
    for (name, colour, dashes), fit in zip(names, fits, strict=True):
        label = f"{name} {calibration.method}"
        (line,) = ax.plot(scores, fit, color=colour, linestyle=dashes, label=label)
        entries.append((label, line))
    if not log:
        ax.set_ylim(0, None)
    return with_legend(ax, entries, legend=legend)


def adaptation(
    before: Calibration,
    after: Calibration,
    *,
    scores: ArrayLike | Summary,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the densities of a calibration, as it was and adapted, over the scores of a new place.

    Parameters
    ----------
    before, after
        A generative calibration, and what :func:`llrcal.adapt` made of it.
    scores
        The unlabelled scores, or a summary of them, as for :func:`llrcal.adapt`.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    legend
        Whether to put a legend above the axes.
    """
    values, counts, spread = _seen(scores, before)
    low, high = visible_range([spread], margin=0.3)
    bars = histogram(values, low, high, counts)
    grid = evenly(low, high, _POINTS)
    share = after.adapted.share.value if after.adapted else 0.5
    old, new = (_weighted(one, grid, share) for one in (before, after))
    least, peak = _heights([bars])
    ax = framed(ax, (low, high), None, ("score", "density"))
    _log_axis(ax, least, 3 * peak)
    area = _draw_bars(ax, bars, least, REFERENCE, "unlabelled scores")
    entries: list[Entry] = [("unlabelled scores", area)]
    for name, heights, colour, style in (
        ("mixture before", sum(old), "black", {"linestyle": MINIMUM, "linewidth": 0.9}),
        ("mixture after", sum(new), "black", {"linewidth": 1.1}),
        ("targets after", new[0], TARGET, {"linewidth": 0.9}),
        ("non-targets after", new[1], NON_TARGET, {"linewidth": 0.9}),
    ):
        (line,) = ax.plot(grid, heights, color=colour, label=name, **style)
        entries.append((name, line))
    return with_legend(ax, entries, legend=legend)


def _seen(scores: ArrayLike | Summary, before: Calibration) -> tuple[Array, Floats | None, Array]:
    """Scores, how many each stands for if they are points, and scores spread like all of them."""
    if not isinstance(scores, Summary):
        values = as_scores(scores, "unlabelled")
        return values, None, values
    points, counts = scores.in_order()
    middle = (np.cumsum(counts) - 0.5 * counts) / scores.count
    spread = np.interp(evenly(0.0, 1.0, _POINTS), middle, points)
    sign = -1 if before.lower_is_better else 1
    return sign * points, counts, sign * spread


def _weighted(calibration: Calibration, grid: Floats, share: float) -> tuple[Floats, Floats]:
    """Densities of targets and non-targets, each times its share."""
    scores: Array = -grid if calibration.lower_is_better else grid
    tar, non = densities_at(densities_of(calibration), scores)
    return share * tar, (1 - share) * non


def _heights(bars: Sequence[_Histogram]) -> tuple[float, float]:
    """Below the lowest bar, for a logarithmic axis; and the highest bar."""
    peak = max(float(heights.max()) for heights, _ in bars) or 1.0  # or else all lie outside
    return min(float(one[one > 0].min(initial=peak)) for one, _ in bars) / 3, peak


def _draw_bars(ax: Axes, bars: _Histogram, baseline: float, colour: str, label: str) -> StepPatch:
    """A histogram as an area."""
    style: dict[str, Any] = {"color": colour, "alpha": 0.35, "linewidth": 0}
    return ax.stairs(*bars, baseline=baseline, fill=True, label=label, **style)


def _log_axis(ax: Axes, low: float, high: float) -> None:
    """A logarithmic axis of densities."""
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(_power_of_ten))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_ylim(low, high)


def _power_of_ten(value: float, _: int | None = None) -> str:
    """Such as 10⁻³: formulas are off, so the exponent is made of raised digits."""
    return "10" + f"{np.log10(value):.0f}".translate(_SUPERSCRIPTS)
