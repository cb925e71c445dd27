"""Detection error trade-off: misses against false alarms, on axes that straighten Gaussians."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy.special import ndtr, ndtri

from llrcal.arrays import Array, Floats
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bayes_error import effective_prior_log_odds
from llrcal.figures.cost_curves import checked
from llrcal.figures.legend import Entry, legend_above
from llrcal.figures.looks import Look, looks
from llrcal.figures.style import LINE, REFERENCE, THIN
from llrcal.figures.thinning import visible_corners

TICKS = (0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40, 60, 80, 90, 95, 98)
"""Labelled rates, in percent, as far as they are in the frame."""

# Hollow and larger, so that the minimum shows around an actual point that hits it.
_POINTS: dict[str, dict[str, Any]] = {
    "actual": {"linestyle": "none", "markersize": 3.5},
    "minimum": {"linestyle": "none", "markersize": 7, "fillstyle": "none", "markeredgewidth": 0.7},
}
_WIDEST = 2.6  # points
_LEAST, _GREATEST = 1e-12, 1 - 1e-12  # rates of zero and one lie infinitely far out


def det(
    ax: Axes,
    evaluations: Mapping[str, Evaluation],
    *,
    p_target: float | None = None,
    c_miss: float = 1,
    c_fa: float = 1,
    legend: bool = True,
) -> None:
    """Draw DET curves: every operating point, on probit axes in percent.

    A rising calibration does not move the curve, only the point on it at which Bayes decisions
    are made: earlier curves are wider, and show beside later ones that cover them. The thin
    diagonal is where both error-rates are equal.

    Parameters
    ----------
    ax
        Axes to draw on; they become square.
    evaluations
        Evaluations by label; the label decides colour and dashes.
    p_target, c_miss, c_fa
        Where a prior is given, the points of actual (full) and minimum (hollow) detection cost.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing to draw, or the operating point is none.
    """
    low, high = _frame(checked(evaluations))
    _probit_axes(ax, low, high)
    ax.plot([low, high], [low, high], color=REFERENCE, linewidth=THIN, label="equal error-rates")
    entries: list[Entry] = []
    widths = np.linspace(_WIDEST, LINE, len(evaluations)) if len(evaluations) > 1 else [LINE]
    for width, (label, look) in zip(widths, looks(evaluations).items(), strict=True):
        pfa, pmiss = evaluations[label].roc()
        keep = visible_corners(_probit(pfa), _probit(pmiss), frame=(ndtri(low), ndtri(high)))
        line = Line2D([], [], color=look.colour, linestyle=look.line, linewidth=LINE)
        entries.append((label, line))
        ax.plot(
            pfa[keep],
            pmiss[keep],
            color=look.colour,
            linestyle=look.line,
            linewidth=width,
            label=label,
        )
        if p_target is not None:
            line.set_marker(look.marker)
            x = float(effective_prior_log_odds(p_target, c_miss, c_fa))
            _draw_points(ax, evaluations[label], look, x, label)
    if p_target is not None:
        for name, shape in _POINTS.items():
            entries.append((f"{name} DCF", Line2D([], [], color="black", marker="o", **shape)))
    if legend:
        legend_above(ax, entries)


def _draw_points(ax: Axes, ev: Evaluation, look: Look, x: float, label: str) -> None:
    """Actual and best operating point; rates too small for the frame go to its edge."""
    vertex = int(ev.hull.best_vertex(np.asarray(x)))
    rates = {
        "actual": (ev.pfa(-x), ev.pmiss(-x)),
        "minimum": (float(ev.hull.pfa[vertex]), float(ev.hull.pmiss[vertex])),
    }
    low, high = ax.get_xlim()
    for name, shape in _POINTS.items():
        pfa, pmiss = np.clip(rates[name], low, high).tolist()
        ax.plot(
            [pfa],
            [pmiss],
            color=look.colour,
            marker=look.marker,
            clip_on=False,
            zorder=3,
            label=f"{name} DCF of {label}",
            **shape,
        )


def _frame(evaluations: Mapping[str, Evaluation]) -> tuple[float, float]:
    """The usual frame, or a larger one for very good or very poor recognizers."""
    eers = [ev.eer for ev in evaluations.values()]
    usual = [eer for eer in eers if eer > 0]
    low = 8e-5 if not usual or min(usual) > 2e-3 else 8e-6
    return low, 0.985 if max(eers) > 0.2 else 0.55


def _probit_axes(ax: Axes, low: float, high: float) -> None:
    ticks = [percent / 100 for percent in TICKS if low <= percent / 100 <= high]
    names = [f"{percent:g}" for percent in TICKS if low <= percent / 100 <= high]
    ax.set_xscale("function", functions=(_probit, ndtr))
    ax.set_yscale("function", functions=(_probit, ndtr))
    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    ax.set_xticks(ticks, names)
    ax.set_yticks(ticks, names)
    ax.set_aspect("equal")
    ax.set_xlabel("false-alarm rate [%]")
    ax.set_ylabel("miss rate [%]")


def _probit(rates: Array) -> Floats:
    return np.asarray(ndtri(np.clip(rates, _LEAST, _GREATEST)))
