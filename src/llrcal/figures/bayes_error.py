"""Normalised Bayes-error plots (paper, section 3 and figures 1 to 4)."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import ArrayLike, Floats
from llrcal.comparison.looks import looks
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bootstrap import REPLICATES
from llrcal.figures.arguments import axes_or_new, evaluations_by_label
from llrcal.figures.bands import band_entries, bands_of, draw_band, tops
from llrcal.figures.cost_curves import checked_priors, draw_actual, draw_minima, top_of
from llrcal.figures.legend import Entry, legend_above
from llrcal.figures.style import REFERENCE, thin

POINTS = 1001
_WITHOUT_A_RULE = (-7.0, 7.0)
_MARGIN = 0.08  # of the range, shown beyond either limit


def bayes_error(
    evaluations: Evaluation | Mapping[str, Evaluation],
    *,
    ax: Axes | None = None,
    x: ArrayLike | None = None,
    level: float | None = None,
    replicates: int = REPLICATES,
    legend: bool = True,
) -> Axes:
    """Draw actual and minimum error-rates against the prior log-odds.

    Actual rates are solid, the minimum is dashed, and a thin grey line at one is the default
    that decides by the prior alone. Thin vertical lines mark where the rule of 30 ends: beyond
    them some curve rests on fewer than 30 misses or false alarms.

    Parameters
    ----------
    evaluations
        One evaluation, or several by label; the label decides the colour.
    x
        Rising prior log-odds. By default, 1,001 over the range that the rule of 30 allows, and
        slightly beyond.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    level
        Share of drawn test sets that a band around each curve covers, such as 0.95: see
        :meth:`llrcal.Evaluation.bands`. By default, there are no bands.
    replicates
        How many test sets to draw for the bands.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn, ``x`` does not rise, or bands are asked of LLRs that
        are not in memory.
    """
    chosen = evaluations_by_label(evaluations)
    limits = _rule_of_30(chosen)
    priors = _default_priors(limits) if x is None else checked_priors(x)
    actual = {label: ev.bayes_error(priors) for label, ev in chosen.items()}
    minima = {label: ev.min_bayes_error(priors) for label, ev in chosen.items()}
    drawn = bands_of(chosen, level, replicates)
    bands = {label: one.bayes_error(priors) for label, one in drawn.items()}
    top = top_of(actual, minima, tops(bands))

    ax = axes_or_new(ax)
    ax.set_xlim(priors[0], priors[-1])
    ax.set_ylim(0, top)
    default = ax.axhline(1, color=REFERENCE, linewidth=thin(), label="default")
    for label, look in looks(bands).items():
        draw_band(ax, priors, bands[label], label=label, look=look)
    entries: list[Entry] = [*draw_actual(ax, priors, actual)]
    entries.append(("minimum", draw_minima(ax, priors, minima, top=top)))
    if top > 1:
        entries.append(("default", default))
    entries += band_entries(drawn, looks(chosen))
    _mark(ax, limits)
    ax.set_xlabel("prior log-odds")
    ax.set_ylabel("normalised Bayes error-rate")
    if legend:
        legend_above(ax, entries, gap=0.07)
    return ax


def _rule_of_30(evaluations: Mapping[str, Evaluation]) -> tuple[float, float] | None:
    """The prior log-odds at which the rule holds for all that have a range at all."""
    ranges = np.array([ev.rule_of_30 for ev in evaluations.values()])
    known = ranges[np.isfinite(ranges).all(axis=1)]
    if not len(known):
        return None
    low, high = float(known[:, 0].max()), float(known[:, 1].min())
    return (low, high) if low < high else None


def _default_priors(limits: tuple[float, float] | None) -> Floats:
    if limits is None:
        return np.linspace(*_WITHOUT_A_RULE, POINTS)
    low, high = limits
    margin = _MARGIN * (high - low)
    return np.linspace(low - margin, high + margin, POINTS)


def _mark(ax: Axes, limits: tuple[float, float] | None) -> None:
    """Thin lines at the limits of the rule, named above the frame, where no curve passes."""
    if limits is None:
        return
    left, right = ax.get_xlim()
    # With rare targets the threshold is high, and false alarms run out first.
    for limit, name in zip(limits, ("30 false alarms", "30 misses"), strict=True):
        if not left <= limit <= right:
            continue
        ax.axvline(limit, color=REFERENCE, linewidth=thin(), linestyle=(0, (1, 2)), label=name)
        ax.annotate(
            name,
            (limit, 1),
            xycoords=ax.get_xaxis_transform(),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=mpl.rcParams["legend.fontsize"],
            color="#555555",
        )
