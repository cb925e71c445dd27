"""Empirical cross-entropy plots, as forensic scientists draw them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from scipy.special import entr, expit

from llrcal.arrays import ArrayLike, Floats
from llrcal.evaluation import Evaluation
from llrcal.figures.arguments import axes_or_new, evaluations_by_label
from llrcal.figures.cost_curves import (
    checked_priors,
    draw_actual,
    draw_minima,
    top_of,
)
from llrcal.figures.legend import Entry, legend_above
from llrcal.figures.style import REFERENCE

POINTS = 301
_DECADES = 3.0


def ece(
    evaluations: Evaluation | Mapping[str, Evaluation],
    *,
    ax: Axes | None = None,
    x: ArrayLike | None = None,
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
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn, or ``x`` does not rise.
    """
    chosen = evaluations_by_label(evaluations)
    odds = np.linspace(-_DECADES, _DECADES, POINTS) if x is None else checked_priors(x)
    priors = odds * math.log(10)
    actual = {label: ev.cross_entropy(priors) for label, ev in chosen.items()}
    minima = {label: ev.min_cross_entropy(priors) for label, ev in chosen.items()}
    top = top_of(actual, minima)

    ax = axes_or_new(ax)
    ax.set_xlim(odds[0], odds[-1])
    ax.set_ylim(0, top)
    (neutral,) = ax.plot(
        odds, _entropy(priors), color=REFERENCE, linestyle=(0, (1, 1.5)), label="LR = 1"
    )
    entries: list[Entry] = [*draw_actual(ax, odds, actual)]
    entries.append(("after PAV", draw_minima(ax, odds, minima, top=top)))
    entries.append(("LR = 1", neutral))
    ax.set_xlabel("log₁₀ prior odds")
    ax.set_ylabel("empirical cross-entropy [bit]")
    if legend:
        legend_above(ax, entries)
    return ax


def _entropy(prior_log_odds: Floats) -> Floats:
    """Entropy of the prior, in bits."""
    both = entr(expit(prior_log_odds)) + entr(expit(-prior_log_odds))
    return np.asarray(both / math.log(2))
