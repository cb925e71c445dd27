"""What plots of costs against the prior have in common: actual, minimum, and where to cut."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from llrcal.arrays import ArrayLike, Floats
from llrcal.comparison.looks import looks
from llrcal.errors import OptionError
from llrcal.evaluation.operating_points import as_prior_log_odds
from llrcal.figures.style import MINIMUM, marker_places, thin

HIGHEST = 1.5  # of the frame: a curve above that leaves it, and does not squash the others

_SAME = 0.01  # of the frame's height: about the width of a line


def checked_priors(x: ArrayLike) -> Floats:
    """Prior log-odds as a rising array that a curve can be drawn over."""
    priors = as_prior_log_odds(x)
    if priors.ndim != 1 or len(priors) < 2 or not (np.diff(priors) > 0).all():
        raise OptionError("x must be a list of two or more numbers in rising order")
    return priors


def draw_actual(ax: Axes, x: Floats, curves: Mapping[str, Floats]) -> list[tuple[str, Line2D]]:
    """Solid lines, with a few markers."""
    entries = []
    for i, (label, look) in enumerate(looks(curves).items()):
        (line,) = ax.plot(
            x,
            curves[label],
            color=look.light,
            marker=look.marker,
            markevery=marker_places(len(x), curve=i, curves=len(curves)),
            label=label,
        )
        entries.append((label, line))
    return entries


def draw_minima(ax: Axes, x: Floats, curves: Mapping[str, Floats], *, top: float) -> Line2D:
    """One dashed black line for the first minimum and all that cannot be told from it.

    Those that differ visibly get thin ones in their own colours: pooling scores, or reversing
    their order, costs discrimination as well. The common line stands for all in the legend.
    """
    first = next(iter(curves.values()))
    (common,) = ax.plot(x, first, color="black", linestyle=MINIMUM, label="minimum", zorder=3)
    for label, look in looks(curves).items():
        if np.abs(curves[label] - first).max() > _SAME * top:
            ax.plot(
                x,
                curves[label],
                color=look.light,
                linestyle=MINIMUM,
                linewidth=thin(),
                label=f"minimum of {label}",
            )
    return common


def top_of(*groups: Mapping[str, Floats]) -> float:
    """Where to end the axis: above all curves, and above the reference at one if that is near.

    Curves that stay far below the reference would be flat lines beside it.
    """
    peaks = [float(curve.max()) for curves in groups for curve in curves.values()]
    highest = min(max(peaks), HIGHEST / 1.05)
    return 1.05 * (highest if 0 < highest < 1 / 3 else max(highest, 1.0))
