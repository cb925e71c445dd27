"""Which operating points a proper scoring rule is about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import ArrayLike, is_number
from llrcal.errors import OptionError
from llrcal.figures.arguments import axes_or_new
from llrcal.figures.cost_curves import checked_priors, draw_actual
from llrcal.figures.legend import legend_above
from llrcal.scoring_rule import NAMED, RuleLike, ScoringRule

POINTS = 401
_REACH = 10.0


def scoring_rules(
    rules: Sequence[RuleLike] = tuple(NAMED),
    *,
    alpha: float = 0.5,
    ax: Axes | None = None,
    x: ArrayLike | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the weights of proper scoring rules over prior log-odds.

    The cost by a rule is the mean of normalised Bayes error-rates with these weights. The area
    under each curve is one.

    Parameters
    ----------
    rules
        Rules by name, or as pairs of exponents.
    alpha
        Weight of the targets in training; one half is that of an evaluation.
    x
        Rising prior log-odds. By default, 401 from 10 below to 10 above that of ``alpha``.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing to draw, a rule or weight is out of range, or ``x`` does not rise.
    """
    if isinstance(rules, str) or not rules:
        raise OptionError(f"rules are {rules!r}; give a list of rules")
    if not is_number(alpha) or not 0 < alpha < 1:
        raise OptionError(f"alpha is {alpha!r}; give a number strictly between 0 and 1")
    middle = np.log(alpha) - np.log1p(-alpha)
    around = middle + np.linspace(-_REACH, _REACH, POINTS)
    priors = around if x is None else checked_priors(x)
    chosen = [ScoringRule.of(rule) for rule in rules]
    curves = {rule.name: rule.weights(priors, alpha=alpha) for rule in chosen}

    ax = axes_or_new(ax)
    ax.set_xlim(priors[0], priors[-1])
    ax.set_ylim(0, 1.05 * max(curve.max() for curve in curves.values()))
    entries = draw_actual(ax, priors, curves)
    ax.set_xlabel("prior log-odds")
    ax.set_ylabel("weight of the Bayes error-rate")
    if legend:
        legend_above(ax, entries)
    return ax
