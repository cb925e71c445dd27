"""Detection error trade-off: misses against false alarms, on axes that straighten Gaussians."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from scipy.special import ndtr, ndtri

from llrcal.arrays import Array, Bools, Floats
from llrcal.comparison.looks import looks
from llrcal.evaluation import Evaluation
from llrcal.evaluation.operating_points import effective_prior_log_odds
from llrcal.figures.drawing import (
    Entry,
    axes_or_new,
    common_colour,
    evaluations_by_label,
    with_legend,
)
from llrcal.figures.style import REFERENCE, dashes_of, thin

_Decisions: TypeAlias = dict[str, tuple[float, float]]

TICKS = (0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40, 60, 80, 90, 95, 98)
"""Labelled rates, in percent, as far as they are in the frame and do not touch."""

_LABEL = 1.65  # width of a label with its gap, in its own height
_WIDEST = 2.4  # line widths
_CELLS = 4000  # across the frame: finer than a printer's dots in one column
_LEAST, _GREATEST = 1e-12, 1 - 1e-12  # rates of zero and one lie infinitely far out


def det(
    evaluations: Evaluation | Mapping[str, Evaluation],
    *,
    ax: Axes | None = None,
    p_target: float | None = None,
    c_miss: float = 1,
    c_fa: float = 1,
    legend: bool = True,
) -> Axes:
    """Draw DET curves: every operating point, on probit axes in percent.

    A rising calibration does not move the curve, only the point on it at which Bayes decisions
    are made: earlier curves are wider, so that they show beside later ones that cover them. The
    thin diagonal is where both error-rates are equal.

    Parameters
    ----------
    evaluations
        One evaluation, or several by label; the label decides the colour.
    p_target, c_miss, c_fa
        Where a prior is given, the points of actual (full) and minimum (hollow) detection cost.
    ax
        Axes to draw on; they become square. By default, pyplot's current ones if they are empty,
        or else new ones.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn, or the prior or a cost is out of range.
    """
    chosen = evaluations_by_label(evaluations)
    decisions: dict[str, _Decisions] = {}
    if p_target is not None:
        x = float(effective_prior_log_odds(p_target, c_miss, c_fa))
        decisions = {label: _decisions(ev, x) for label, ev in chosen.items()}
    low, high = _frame(chosen.values(), decisions.values())

    ax = axes_or_new(ax, square=True)
    _probit_axes(ax, low, high)
    ax.plot([low, high], [low, high], color=REFERENCE, linewidth=thin(), label="equal error-rates")
    styles = looks(chosen)
    entries: list[Entry] = []
    widths = mpl.rcParams["lines.linewidth"] * np.linspace(1, _WIDEST, len(chosen))[::-1]
    for width, (label, look) in zip(widths, styles.items(), strict=True):
        pfa, pmiss = chosen[label].roc()
        keep = visible_corners(_probit(pfa), _probit(pmiss), frame=(ndtri(low), ndtri(high)))
        curve: dict[str, Any] = {"color": look.light, "linestyle": dashes_of(look, of=len(styles))}
        ax.plot(pfa[keep], pmiss[keep], linewidth=width, label=label, **curve)
        entries.append((label, Line2D([], [], **curve)))
        if decisions:
            _draw_decisions(ax, decisions[label], look.light, label)
    if decisions:
        for name, shape in _marks().items():
            entries.append((name, Line2D([], [], color=common_colour(styles.values()), **shape)))
    return with_legend(ax, entries, legend=legend)


def _marks() -> dict[str, dict[str, Any]]:
    """Marks of decisions: their shapes say of what kind they are, their colours whose.

    The actual one has a white rim, so that it shows on the curve; the minimum is hollow and larger,
    so that it shows around an actual one that hits it.
    """
    size = mpl.rcParams["lines.markersize"]
    common = {"linestyle": "none", "marker": "o", "markeredgewidth": thin()}
    full = {"markersize": 1.4 * size, "markeredgecolor": "white"}
    hollow = {"markersize": 2.2 * size, "fillstyle": "none"}
    return {"actual DCF": {**common, **full}, "minimum DCF": {**common, **hollow}}


def _decisions(ev: Evaluation, prior_log_odds: float) -> _Decisions:
    """False-alarm and miss rate of Bayes decisions, and those of the best ones on the curve."""
    vertex = int(ev.hull.best_vertex(np.asarray(prior_log_odds)))
    return {
        "actual DCF": (ev.pfa(-prior_log_odds), ev.pmiss(-prior_log_odds)),
        "minimum DCF": (float(ev.hull.pfa[vertex]), float(ev.hull.pmiss[vertex])),
    }


def _draw_decisions(ax: Axes, decisions: _Decisions, colour: str, label: str) -> None:
    """Marks; those with rates too small for the frame go to its edge."""
    for name, shape in _marks().items():
        pfa, pmiss = np.clip(decisions[name], *ax.get_xlim()).tolist()
        where: dict[str, Any] = {"clip_on": False, "zorder": 3, "label": f"{name} of {label}"}
        ax.plot([pfa], [pmiss], color=colour, **where, **shape)


def _frame(
    evaluations: Collection[Evaluation], decisions: Collection[_Decisions]
) -> tuple[float, float]:
    """The usual frame; a larger one for very good or very poor recognizers, or one-sided costs."""
    eers = [ev.eer for ev in evaluations]
    usual = [eer for eer in eers if eer > 0]
    low = 8e-5 if not usual or min(usual) > 2e-3 else 8e-6
    rates = [rate for both in decisions for point in both.values() for rate in point]
    return low, 0.985 if max(eers) > 0.2 or max(rates, default=0) > 0.5 else 0.55


def _probit_axes(ax: Axes, low: float, high: float) -> None:
    ticks = _ticks(low, high, _room_for_labels(ax))
    names = [f"{100 * rate:g}" for rate in ticks]
    ax.set_xscale("function", functions=(_probit, ndtr))
    ax.set_yscale("function", functions=(_probit, ndtr))
    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    ax.set_xticks(ticks, names)
    ax.set_yticks(ticks, names)
    ax.set_aspect("equal")
    ax.set_xlabel("false-alarm rate [%]")
    ax.set_ylabel("miss rate [%]")


def _room_for_labels(ax: Axes) -> float:
    """The width of a label, as a share of the frame."""
    inches = ax.get_position().width * ax.figure.bbox.width / ax.figure.dpi
    return _LABEL * FontProperties(size=mpl.rcParams["xtick.labelsize"]).get_size() / (72 * inches)


def _ticks(low: float, high: float, label: float) -> list[float]:
    """Rates to label: each far enough from the one before for its name to be read."""
    apart = label * (ndtri(high) - ndtri(low))
    out: list[float] = []
    for rate in (percent / 100 for percent in TICKS):
        if low <= rate <= high and (not out or ndtri(rate) - ndtri(out[-1]) >= apart):
            out.append(rate)
    return out


def _probit(rates: Array) -> Floats:
    return np.asarray(ndtri(np.clip(rates, _LEAST, _GREATEST)))


def visible_corners(x: Floats, y: Floats, *, frame: tuple[float, float]) -> Bools:
    """Which points of a curve to keep: the first and the last of each run in one small cell.

    Coordinates are even on paper; the frame is the least and the greatest that is shown of both.
    """
    low, high = frame
    size = (high - low) / _CELLS
    cell = np.array([np.floor((np.clip(axis, low, high) - low) / size) for axis in (x, y)])
    moves = (np.diff(cell, axis=1) != 0).any(axis=0)
    keep = np.ones(len(x), bool)
    keep[1:-1] = moves[:-1] | moves[1:]
    return keep
