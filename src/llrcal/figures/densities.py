"""Fitted densities over histograms of both classes (paper, figure 6)."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from llrcal.arrays import ArrayLike
from llrcal.calibrations import METHODS, Calibration
from llrcal.calibrations.methods.densities import Generative
from llrcal.comparison.looks import evenly
from llrcal.errors import OptionError
from llrcal.figures.arguments import axes_or_new
from llrcal.figures.histogram import histogram, visible_range
from llrcal.figures.legend import Entry, legend_above
from llrcal.figures.style import NON_TARGET, TARGET
from llrcal.inputs.scores import as_scores

POINTS = 1001
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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
    scores = evenly(low, high, POINTS)
    fits = (calibration.tar, calibration.non)
    drawn = [histogram(values, low, high) for values in classes]
    peak = max(float(heights.max()) for heights, _ in drawn) or 1.0  # or else all lie outside
    least = min(float(heights[heights > 0].min(initial=peak)) for heights, _ in drawn) / 3

    ax = axes_or_new(ax)
    ax.set_xlim(low, high)
    if log:
        log_axis(ax, least, 2 * peak)
    entries: list[Entry] = []
    names = (("target", TARGET, "solid"), ("non-target", NON_TARGET, (0, (4, 1))))
    for (name, colour, _), (heights, edges) in zip(names, drawn, strict=True):
        area = ax.stairs(
            heights,
            edges,
            baseline=least if log else 0,
            fill=True,
            color=colour,
            alpha=0.35,
            linewidth=0,
            label=f"{name} scores",
        )
        entries.append((f"{name} scores", area))
    for (name, colour, dashes), fit in zip(names, fits, strict=True):
        label = f"{name} {calibration.method}"
        (line,) = ax.plot(
            scores, np.exp(fit.logpdf(scores)), color=colour, linestyle=dashes, label=label
        )
        entries.append((label, line))
    if not log:
        ax.set_ylim(0, None)
    ax.set_xlabel("score")
    ax.set_ylabel("density")
    if legend:
        legend_above(ax, entries)
    return ax


def log_axis(ax: Axes, low: float, high: float) -> None:
    """A logarithmic axis of densities."""
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(_power_of_ten))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_ylim(low, high)


def _power_of_ten(value: float, _: int | None = None) -> str:
    """Such as 10⁻³: formulas are off, so the exponent is made of raised digits."""
    return "10" + f"{np.log10(value):.0f}".translate(_SUPERSCRIPTS)
