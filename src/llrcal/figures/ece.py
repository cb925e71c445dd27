"""Empirical cross-entropy plots, as forensic scientists draw them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from scipy.special import entr, expit

from llrcal.arrays import ArrayLike, Floats
from llrcal.evaluation import Evaluation
from llrcal.figures.cost_curves import (
    checked,
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
    ax: Axes,
    evaluations: Evaluation | Mapping[str, Evaluation],
    *,
    x: ArrayLike | None = None,
    legend: bool = True,
) -> None:
    """Draw the empirical cross-entropy against log10 of the prior odds.

    Actual values are solid, those after PAV dashed, and the dotted grey line is the entropy of
    the prior, which LLRs of zero would leave. At prior odds of one, the height is Cllr.

    Parameters
    ----------
    ax
        Axes to draw on.
    evaluations
        One evaluation, or several by label; the label decides the colour.
    x
        Rising log10 prior odds. By default, 301 from -3 to 3.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing to draw, or ``x`` does not rise.
    """
    if isinstance(evaluations, Evaluation):
        evaluations = {"actual": evaluations}
    checked(evaluations)
    odds = np.linspace(-_DECADES, _DECADES, POINTS) if x is None else checked_priors(x)
    priors = odds * math.log(10)
    actual = {label: ev.cross_entropy(priors) for label, ev in evaluations.items()}
    minima = {label: ev.min_cross_entropy(priors) for label, ev in evaluations.items()}
    top = top_of(actual, minima)

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


def _entropy(prior_log_odds: Floats) -> Floats:
    """Entropy of the prior, in bits."""
    both = entr(expit(prior_log_odds)) + entr(expit(-prior_log_odds))
    return np.asarray(both / math.log(2))
