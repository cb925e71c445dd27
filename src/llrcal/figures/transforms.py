"""Score-to-LLR transforms of several calibrations in one plot (paper, figure 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import Floats
from llrcal.calibrations import Calibration
from llrcal.errors import OptionError
from llrcal.figures.legend import Entry, legend_above
from llrcal.figures.looks import looks
from llrcal.figures.style import LINE, REFERENCE, THIN

POINTS = 1001


def transforms(
    ax: Axes,
    calibrations: Mapping[str, Calibration],
    *,
    low: float,
    high: float,
    training: tuple[float, float] | None = None,
    limit: float | None = None,
    legend: bool = True,
) -> None:
    """Draw the LLR that each calibration gives to each score.

    Parameters
    ----------
    ax
        Axes to draw on.
    calibrations
        Calibrations by label; the label decides colour and dashes.
    low, high
        The range of scores to draw.
    training
        Least and greatest training score; the range between is shaded.
    limit
        The LLR axis goes from -limit to limit. By default, half of the calibrations stay well
        within it; one that runs away leaves the frame and does not squash the others.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing to draw.
    """
    if not calibrations:
        raise OptionError("there is no calibration to draw")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise OptionError(f"scores cannot be drawn from {low} to {high}")
    scores = np.linspace(low, high, POINTS)
    curves = {label: calibration(scores) for label, calibration in calibrations.items()}
    edge = _limit(curves) if limit is None else limit

    ax.set_xlim(low, high)
    ax.set_ylim(-edge, edge)
    entries: list[Entry] = []
    for label, look in looks(curves).items():
        (line,) = ax.plot(
            scores,
            curves[label],
            color=look.colour,
            linestyle=look.line,
            linewidth=LINE,
            label=label,
        )
        entries.append((label, line))
    ax.axhline(0, color=REFERENCE, linewidth=THIN)
    if training is not None:
        shade = ax.axvspan(
            *training, color="#eeeeee", linewidth=0, zorder=0, label="training scores"
        )
        entries.append(("training scores", shade))
    ax.set_xlabel("score")
    ax.set_ylabel("log-likelihood-ratio")
    if legend:
        legend_above(ax, entries)


def _limit(curves: Mapping[str, Floats]) -> float:
    """A little above the median of the largest LLRs of the curves."""
    largest = [float(np.abs(llrs[np.isfinite(llrs)]).max(initial=0)) for llrs in curves.values()]
    return min(1.3 * float(np.median(largest)), 1.05 * max(largest)) or 1.0
