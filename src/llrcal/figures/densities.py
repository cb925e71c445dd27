"""Densities over histograms: those of a calibration, and what an adaptation made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from llrcal.adaptation.adapt import portrait_of
from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations import METHODS, Calibration
from llrcal.calibrations.methods.densities import Generative
from llrcal.comparison.axes import evenly
from llrcal.comparison.comparison import Comparison
from llrcal.errors import OptionError
from llrcal.figures.curves import (
    fitted_densities,
    histogram,
    portrait_densities,
    visible_range,
)
from llrcal.figures.drawing import Canvas, Style
from llrcal.figures.style import MINIMUM, NON_TARGET, REFERENCE, TARGET
from llrcal.figures.table import Drawing, figure
from llrcal.inputs.scores import as_scores
from llrcal.onepass.summary import Summary

_POINTS = 1001  # of a curve: closer than the dots of a printer in one column
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Bars = Mapping[str, tuple[str, tuple[Floats, Floats]]]
"""Colours of histograms, heights and edges of their bins."""
Lines = Mapping[str, tuple[Any, Style]]
"""Heights of lines, and their style."""


def _compared(comparison: Comparison) -> Iterator[tuple[str, Drawing]]:
    for label, candidate in comparison.candidates.items():
        if isinstance(candidate.calibration, Generative):
            seen = comparison.test if candidate.adapted else comparison.train
            draw = partial(densities, candidate.calibration, tar=seen.tar, non=seen.non)
            yield f"densities-{label}", draw
            yield f"densities-{label}-log", partial(draw, log=True)


@figure(
    "Densities",
    "Histograms of both classes, and the densities that a generative calibration fitted.",
    of="other",
    interactive=True,
    compared=_compared,
)
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
        A ``gaussian``, ``student-t`` or ``nig`` calibration. If it was adapted, its densities are
        those that were found in the field.
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
    grid = evenly(low, high, _POINTS)
    fits = fitted_densities(calibration, grid)
    kinds = (("target", TARGET, "solid"), ("non-target", NON_TARGET, (0, (4, 1))))
    bars = {
        f"{name} scores": (colour, histogram(values, low, high))
        for (name, colour, _), values in zip(kinds, classes, strict=True)
    }
    lines = {
        f"{name} {calibration.method}": (fit, {"color": colour, "linestyle": dashes})
        for (name, colour, dashes), fit in zip(kinds, fits, strict=True)
    }
    return over_histograms(ax, grid, bars, lines, room=2.0 if log else None).done(legend=legend)


@figure(
    "Adaptation",
    "Both classes as they were and as they are in the field, over the scores from there.",
    of="other",
)
def adaptation(
    before: Calibration,
    after: Calibration,
    *,
    scores: ArrayLike | Summary,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draw both classes as they were and as they are in the field, over the scores from there.

    The mixture of the training classes, at the share of targets that was found, would fit the
    scores if nothing had moved.

    Parameters
    ----------
    before, after
        A calibration by any method, and what :func:`llrcal.adapt` made of it.
    scores
        The unlabelled scores, or a summary of them, as for :func:`llrcal.adapt`.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If a calibration has no portrait of its classes.
    """
    values, counts, spread = _seen(scores, before)
    low, high = visible_range([spread], margin=0.3)
    bars: Bars = {"unlabelled scores": (REFERENCE, histogram(values, low, high, counts))}
    grid = evenly(low, high, _POINTS)
    share = after.adapted.share.value if after.adapted else 0.5
    old, new = (_weighted(one, grid, share) for one in (before, after))
    lines: Lines = {
        "mixture before": (sum(old), {"color": "black", "linestyle": MINIMUM, "linewidth": 0.9}),
        "mixture after": (sum(new), {"color": "black", "linewidth": 1.1}),
        "targets after": (new[0], {"color": TARGET, "linewidth": 0.9}),
        "non-targets after": (new[1], {"color": NON_TARGET, "linewidth": 0.9}),
    }
    return over_histograms(ax, grid, bars, lines, room=3.0).done(legend=legend)


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
    tar, non = portrait_densities(calibration, portrait_of(calibration), grid)
    return share * tar, (1 - share) * non


def over_histograms(
    ax: Axes | None, grid: Floats, bars: Bars, lines: Lines, *, room: float | None
) -> Canvas:
    """Histograms as areas, and lines over a grid; with room above, on a logarithmic axis."""
    bins = [heights for _, (heights, _) in bars.values()]
    peak = max(float(heights.max()) for heights in bins) or 1.0  # or else all lie outside
    least = min(float(heights[heights > 0].min(initial=peak)) for heights in bins) / 3
    canvas = Canvas(ax, (grid[0], grid[-1]), None, ("score", "density"))
    axes = canvas.ax
    if room is not None:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(_power_of_ten))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_ylim(least, room * peak)
    style: Style = {"fill": True, "alpha": 0.35, "linewidth": 0}
    style["baseline"] = 0 if room is None else least
    for name, (colour, steps) in bars.items():
        canvas.entries.append((name, axes.stairs(*steps, color=colour, label=name, **style)))
    for name, (heights, look) in lines.items():
        canvas.line(grid, heights, name, **look)
    if room is None:
        axes.set_ylim(0, None)
    return canvas


def _power_of_ten(value: float, _: int | None = None) -> str:
    """Such as 10⁻³: formulas are off, so the exponent is made of raised digits."""
    return "10" + f"{np.log10(value):.0f}".translate(_SUPERSCRIPTS)
