"""Empirical cross-entropy plots, as forensic scientists draw them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import ArrayLike
from llrcal.comparison.looks import looks
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bootstrap import REPLICATES
from llrcal.evaluation.costs import prior_entropy
from llrcal.figures.arguments import axes_or_new, evaluations_by_label
from llrcal.figures.bands import band_entries, bands_of, draw_band, tops
from llrcal.figures.cost_curves import checked_priors, draw_actual, draw_minima, top_of
from llrcal.figures.legend import Entry, legend_above
from llrcal.figures.style import REFERENCE

POINTS = 301
_DECADES = 3.0


def ece(
    evaluations: Evaluation | Mapping[str, Evaluation],
    *,
    ax: Axes | None = None,
    x: ArrayLike | None = None,
    level: float | None = None,
    replicates: int = REPLICATES,
    legend: bool = True,
) -> Axes:
    """Draw the empirical cross-entropy against log10 of the prior odds.

    Actual values are solid, those after PAV dashed, and the dotted grey line is the entropy of
    the prior, which LLRs of zero would leave. At prior odds of one, the height is Cllr.

    Parameters
    ----------
    evaluations
        One evaluation, or several by label; the label decides the colour.
    x
        Rising log10 prior odds. By default, 301 from -3 to 3.
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
    odds = np.linspace(-_DECADES, _DECADES, POINTS) if x is None else checked_priors(x)
    priors = odds * math.log(10)
    actual = {label: ev.cross_entropy(priors) for label, ev in chosen.items()}
    minima = {label: ev.min_cross_entropy(priors) for label, ev in chosen.items()}
    drawn = bands_of(chosen, level, replicates)
    bands = {label: one.cross_entropy(priors) for label, one in drawn.items()}
    top = top_of(actual, minima, tops(bands))

    ax = axes_or_new(ax)
    ax.set_xlim(odds[0], odds[-1])
    ax.set_ylim(0, top)
    (neutral,) = ax.plot(
        odds, prior_entropy(priors), color=REFERENCE, linestyle=(0, (1, 1.5)), label="LR = 1"
    )
    for label, look in looks(bands).items():
        draw_band(ax, odds, bands[label], label=label, look=look)
    entries: list[Entry] = [*draw_actual(ax, odds, actual)]
    entries.append(("after PAV", draw_minima(ax, odds, minima, top=top)))
    entries += [("LR = 1", neutral), *band_entries(drawn, looks(chosen))]
    ax.set_xlabel("log₁₀ prior odds")
    ax.set_ylabel("empirical cross-entropy [bit]")
    if legend:
        legend_above(ax, entries)
    return ax
