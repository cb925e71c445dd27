"""Costs against the prior: normalised Bayes errors and cross-entropies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import ArrayLike, Floats
from llrcal.comparison.axes import drawn_priors
from llrcal.comparison.comparison import Comparison
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.bootstrap import REPLICATES
from llrcal.evaluation.costs import prior_entropy
from llrcal.evaluation.operating_points import as_prior_log_odds
from llrcal.figures.curves import DECADES, Curve, Named, Range, bands_of, cost_curves
from llrcal.figures.drawing import (
    Canvas,
    Evaluations,
    Style,
    Units,
    by_label,
    common_colour,
    logarithm,
)
from llrcal.figures.style import MINIMUM, REFERENCE, thin
from llrcal.figures.table import Drawing, figure
from llrcal.method_table import TABLE

_FEW_POINTS = 301  # of cross-entropies, which are smooth
_NO_RULE = (math.nan, math.nan)
_HIGHEST = 1.5  # of the frame: a curve above that leaves it, and does not squash the others
_SAME = 0.01  # of the frame's height: about the width of a line


def _compared(comparison: Comparison) -> Iterator[tuple[str, Drawing]]:
    """All calibrations, those of a kind together, and the recommended one in each condition."""
    candidates = comparison.candidates
    evaluations = {label: candidate.evaluation for label, candidate in candidates.items()}
    # Errors of all systems have a frame of their own; those of one were counted for this one.
    frame: Style = {} if comparison.of_systems else {"x": drawn_priors(comparison.raw.rule_of_30)}
    # The paper shows calibrations of one kind together (its figures 1 to 4).
    for group in dict.fromkeys(entry.group for entry in TABLE.values()):
        chosen = {
            label: evaluations[label]
            for label, candidate in candidates.items()
            if candidate.of_score and TABLE[candidate.method].group == group
        }
        if chosen:
            yield f"bayes-error-{group}", partial(bayes_error, chosen, **frame)
    yield "bayes-error-all", partial(bayes_error, evaluations, **frame)
    if by := candidates[comparison.recommended].by:
        yield "bayes-error-by-condition", partial(bayes_error, by.largest)


@figure(
    "Bayes errors",
    "Errors of Bayes decisions at every prior, relative to those made by the prior alone. The "
    "closer a line is to the dashed minimum, the better the calibration.",
    in_validation=False,
    interactive=True,
    compared=_compared,
)
def bayes_error(
    evaluations: Evaluations,
    *,
    ax: Axes | None = None,
    x: ArrayLike | None = None,
    level: float | None = None,
    replicates: int = REPLICATES,
    units: Units = "nats",
    legend: bool = True,
) -> Axes:
    """Draw actual and minimum error-rates against the prior log-odds.

    Actual rates are solid, the minimum is dashed, and a thin grey line at one is the default
    that decides by the prior alone. Thin vertical lines mark where the rule of 30 ends: beyond
    them some curve rests on fewer than 30 misses or false alarms. (Paper, section 3 and figures 1
    to 4.)

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
    units
        Those of the prior log-odds on the axis, and of ``x``: natural, common or binary logarithms.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn, ``x`` does not rise, the units are unknown, or bands
        are asked of LLRs that are not in memory.
    """
    chosen = by_label(evaluations, Evaluation)
    unit, name, _ = logarithm(units)
    limits = _rule_of_30(chosen.values())
    priors = drawn_priors(limits or _NO_RULE) / unit if x is None else _rising(x)
    canvas = _draw_costs(
        ax,
        "bayes_error",
        chosen,
        priors,
        (name, "normalised Bayes error-rate"),
        bands_of(chosen, level, replicates),
        reference=("default", np.ones_like(priors), {"linewidth": thin()}),
        minimum="minimum",
        unit=unit,
    )
    left, right = canvas.ax.get_xlim()
    # With rare targets the threshold is high, and false alarms run out first.
    for end, name in zip(limits or (), ("30 false alarms", "30 misses"), strict=False):
        limit = end / unit
        if left <= limit <= right:
            style: Style = {"linewidth": thin(), "linestyle": (0, (1, 2))}
            canvas.ax.axvline(limit, color=REFERENCE, label=name, **style)
            # Above the frame, where no curve passes.
            canvas.words(name, limit, 1, 2, mpl.rcParams["legend.fontsize"])
    return canvas.done(legend=legend, gap=0.07)


@figure(
    "ECE plot",
    "Empirical cross-entropy: the uncertainty that is left, at any prior; at even odds it is Cllr. "
    "The solid line should be near the dashed one, and below the dotted one.",
    interactive=True,
)
def ece(
    evaluations: Evaluations,
    *,
    ax: Axes | None = None,
    x: ArrayLike | None = None,
    level: float | None = None,
    replicates: int = REPLICATES,
    units: Units = "log10",
    legend: bool = True,
) -> Axes:
    """Draw the empirical cross-entropy against log10 of the prior odds, unless told otherwise.

    Actual values are solid, those after PAV dashed, and the dotted grey line is the entropy of
    the prior, which LLRs of zero would leave. At prior odds of one, the height is Cllr.

    Parameters
    ----------
    evaluations
        One evaluation, or several by label; the label decides the colour.
    x
        Rising prior log-odds. By default, 301 from -3 to 3 in log10.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    level
        Share of drawn test sets that a band around each curve covers, such as 0.95: see
        :meth:`llrcal.Evaluation.bands`. By default, there are no bands.
    replicates
        How many test sets to draw for the bands.
    units
        Those of the prior log-odds on the axis, and of ``x``: natural, common or binary logarithms.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn, ``x`` does not rise, the units are unknown, or bands
        are asked of LLRs that are not in memory.
    """
    chosen = by_label(evaluations, Evaluation)
    unit, name, _ = logarithm(units)
    decades = np.linspace(-DECADES, DECADES, _FEW_POINTS)
    odds = decades * (math.log(10) / unit) if x is None else _rising(x)
    canvas = _draw_costs(
        ax,
        "cross_entropy",
        chosen,
        odds,
        (name, "empirical cross-entropy [bit]"),
        bands_of(chosen, level, replicates),
        reference=("LR = 1", prior_entropy(odds * unit), {"linestyle": (0, (1, 1.5))}),
        minimum="after PAV",
        unit=unit,
    )
    return canvas.done(legend=legend)


def _rising(x: ArrayLike) -> Floats:
    """Prior log-odds as a rising array that a curve can be drawn over."""
    priors = as_prior_log_odds(x)
    if priors.ndim != 1 or len(priors) < 2 or not (np.diff(priors) > 0).all():
        raise OptionError("x must be a list of two or more numbers in rising order")
    return priors


def _draw_costs(
    ax: Axes | None,
    quantity: str,
    evaluations: Named,
    x: Floats,
    names: tuple[str, str],
    bands: Mapping[str, Bands],
    *,
    reference: tuple[str, Floats, Style],
    minimum: str,
    unit: float = 1.0,
) -> Canvas:
    """Actual costs, minima and a reference; ``unit`` is that of x, in nats."""
    actual = cost_curves(quantity, evaluations, x, bands, unit=unit)
    least = cost_curves(f"min_{quantity}", evaluations, x, unit=unit)
    # What is worse than the default may leave the frame.
    ends = [np.minimum(one.band[1], 1.0) for one in actual if one.band is not None]
    top = _top([*(one.y for one in (*actual, *least)), *ends])
    canvas = Canvas(ax, (x[0], x[-1]), (0, top), names)
    name, heights, style = reference
    line = canvas.line(x, heights, name, named=False, color=REFERENCE, **style)
    canvas.curves(actual)
    _draw_minima(canvas, least, minimum)
    if heights.min() < top:
        canvas.entries.append((name, line))
    canvas.name_bands(bands, common_colour(one.look for one in actual))
    return canvas


def _top(heights: Sequence[Floats]) -> float:
    """Where to end the axis: above all curves, and above the reference at one if that is near.

    Curves that stay far below the reference would be flat lines beside it.
    """
    highest = min(max(float(curve.max()) for curve in heights), _HIGHEST / 1.05)
    return 1.05 * (highest if 0 < highest < 1 / 3 else max(highest, 1.0))


def _draw_minima(canvas: Canvas, minima: Sequence[Curve], name: str) -> None:
    """One dashed black line for the minimum that most of the curves share.

    Those that differ visibly get thin ones in their own colours: pooling scores, or reversing
    their order, costs discrimination as well, and other scores have another minimum. Where all
    differ, none is black. The legend has one entry for all.
    """
    top = canvas.ax.get_ylim()[1]
    alike = [[np.abs(other.y - one.y).max() <= _SAME * top for other in minima] for one in minima]
    most = max(alike, key=sum)
    shared = sum(most) > 1 or len(minima) == 1
    dashes: Style = {"linestyle": MINIMUM}
    if shared:
        first = minima[most.index(True)]
        canvas.line(first.x, first.y, "minimum", named=False, color="black", zorder=3, **dashes)
    for one, is_common in zip(minima, most, strict=True):
        if not (shared and is_common):
            style = {"color": one.look.light, "linewidth": thin(), "named": False, **dashes}
            canvas.line(one.x, one.y, f"minimum of {one.label}", **style)
    canvas.name_line(name, color="black", **dashes)


def _rule_of_30(evaluations: Iterable[Evaluation]) -> Range | None:
    """The prior log-odds at which the rule holds for all that have a range at all."""
    ranges = np.array([ev.rule_of_30 for ev in evaluations])
    known = ranges[np.isfinite(ranges).all(axis=1)]
    low, high = known[:, 0].max(initial=-np.inf), known[:, 1].min(initial=np.inf)
    return (float(low), float(high)) if -np.inf < low < high else None
