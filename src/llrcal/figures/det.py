"""Detection error trade-off: misses against false alarms, on axes that straighten Gaussians."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from itertools import compress
from typing import TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from scipy.special import ndtr, ndtri

from llrcal.arrays import Array, Floats
from llrcal.comparison.comparison import Comparison
from llrcal.evaluation import Evaluation
from llrcal.evaluation.operating_points import effective_prior_log_odds
from llrcal.figures.curves import Range
from llrcal.figures.drawing import Canvas, Evaluations, Style, by_label, common_colour
from llrcal.figures.looks import looks
from llrcal.figures.style import REFERENCE, dashes_of, thin
from llrcal.figures.table import Drawing, figure

_Decisions: TypeAlias = dict[str, Range]

TICKS = (1e-9, 1e-7, 1e-5, 0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40, 60, 80, 90, 95, 98)
"""Labelled rates, in percent, as far as they are in the frame and do not touch."""

_LABEL = 1.65  # width of a label with its gap, in its own height
_MANY = 10**8  # non-targets for which the usual frame is too small
_LEAST, _GREATEST = 1e-12, 1 - 1e-12  # rates of zero and one lie infinitely far out


def _compared(comparison: Comparison) -> Iterator[tuple[str, Drawing]]:
    # A rising calibration does not move the curve, but systems have their own.
    shown = comparison.candidates if comparison.of_systems else [comparison.recommended]
    evaluations = {label: comparison.candidates[label].evaluation for label in shown}
    # The operating point nearest to the middle of the range, which lies well inside the frame.
    middle = sum(comparison.range) / 2
    point = min(comparison.points, key=lambda point: abs(point.prior_log_odds - middle))
    yield "det", partial(det, evaluations, **vars(point))


@figure(
    "DET plot",
    "Miss and false-alarm rates at every threshold: discrimination alone.",
    square=True,
    interactive=True,
    compared=_compared,
)
def det(
    evaluations: Evaluations,
    *,
    ax: Axes | None = None,
    p_target: float | None = None,
    c_miss: float = 1,
    c_fa: float = 1,
    legend: bool = True,
) -> Axes:
    """Draw DET curves: every operating point, on probit axes in percent.

    A rising calibration does not move the curve, only the point on it at which Bayes decisions
    are made: several curves are dashed, so that those below others show. The thin diagonal is where
    both error-rates are equal. With 10^8 non-targets or more, as pairs of embeddings have,
    false-alarm rates reach down to those of three non-targets.

    Parameters
    ----------
    evaluations
        One evaluation, or several by label; the label decides the colour.
    p_target, c_miss, c_fa
        Where a prior is given, the points of actual (full) and minimum (hollow) detection cost.
        A triangle at the edge points to one beyond the frame, such as a rate of zero.
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
    chosen = by_label(evaluations, Evaluation)
    marked: dict[str, _Decisions] = {}
    if p_target is not None:
        prior = float(effective_prior_log_odds(p_target, c_miss, c_fa))
        marked = {label: decisions(ev, prior) for label, ev in chosen.items()}
    ends = frame(chosen.values(), marked.values())
    names = ("false-alarm rate [%]", "miss rate [%]")
    low = min(ends[0], *map(_reach, chosen.values()))
    canvas = Canvas(ax, (low, ends[1]), ends, names, square=True)
    _probit_axes(canvas.ax, low, ends)
    grey: Style = {"color": REFERENCE, "linewidth": thin()}
    canvas.line(ends, ends, "equal error-rates", named=False, **grey)
    styles = looks(chosen)
    beyond = ""
    for label, look in styles.items():
        curve: Style = {"color": look.light, "linestyle": dashes_of(look, of=len(styles))}
        pfa, pmiss = chosen[label].roc()
        canvas.line(pfa, pmiss, label, **curve)
        for name, rates in marked.get(label, {}).items():
            corner = low, ends[0]
            x, y = np.clip(rates, corner, ends[1])[:, None]
            style = _marks()[name] | {"color": look.light, "clip_on": False, "zorder": 3}
            outside = [*np.less(rates, corner), *np.greater(rates, ends[1])]
            for marker in compress("<v>^", outside):
                style["marker"] = beyond = marker
            canvas.line(x, y, f"{name} of {label}", named=False, **style)
    if marked:
        for name, shape in _marks().items():
            canvas.name_line(name, color=common_colour(styles.values()), **shape)
    if beyond:
        shape = _marks()["actual DCF"] | {"marker": beyond}
        canvas.name_line("beyond the frame", color=common_colour(styles.values()), **shape)
    return canvas.done(legend=legend)


def _marks() -> dict[str, Style]:
    """Marks of decisions: their shapes say of what kind they are, their colours whose.

    The actual one has a white rim, so that it shows on the curve; the minimum is hollow and larger,
    so that it shows around an actual one that hits it.
    """
    size = mpl.rcParams["lines.markersize"]
    common = {"linestyle": "none", "marker": "o", "markeredgewidth": thin()}
    full = {"markersize": 1.4 * size, "markeredgecolor": "white"}
    hollow = {"markersize": 2.2 * size, "fillstyle": "none"}
    return {"actual DCF": {**common, **full}, "minimum DCF": {**common, **hollow}}


def decisions(ev: Evaluation, prior_log_odds: float) -> _Decisions:
    """False-alarm and miss rate of Bayes decisions, and those of the best ones on the curve."""
    vertex = int(ev.hull.best_vertex(np.asarray(prior_log_odds)))
    return {
        "actual DCF": (ev.pfa(-prior_log_odds), ev.pmiss(-prior_log_odds)),
        "minimum DCF": (float(ev.hull.pfa[vertex]), float(ev.hull.pmiss[vertex])),
    }


def frame(evaluations: Collection[Evaluation], decisions: Collection[_Decisions] = ()) -> Range:
    """The usual frame; a larger one for very good or very poor recognizers, or one-sided costs."""
    eers = [ev.eer for ev in evaluations]
    usual = [eer for eer in eers if eer > 0]
    low = 8e-5 if not usual or min(usual) > 2e-3 else 8e-6
    rates = [rate for both in decisions for point in both.values() for rate in point]
    return low, 0.985 if max(eers) > 0.2 or max(rates, default=0) > 0.5 else 0.55


def _reach(ev: Evaluation) -> float:
    """The lowest false-alarm rate to show, if there are enough non-targets to show more."""
    count = ev.non_count
    return 0.8 * 10.0 ** np.ceil(np.log10(3 / min(count, 10**11))) if count >= _MANY else 1.0


def _probit_axes(ax: Axes, low: float, ends: Range) -> None:
    label = _room_for_labels(ax)
    across, up = ticks(low, ends[1], label), ticks(*ends, label)
    ax.set_xscale("function", functions=(_probit, ndtr))
    ax.set_yscale("function", functions=(_probit, ndtr))
    ax.set_xticks(across, [_name(rate) for rate in across])
    ax.set_yticks(up, [_name(rate) for rate in up])


def _name(rate: float) -> str:
    """A rate in percent; very small ones as powers of ten."""
    return f"{100 * rate:g}" if rate > 0.5e-5 else f"$10^{{{round(np.log10(100 * rate))}}}$"


def _room_for_labels(ax: Axes) -> float:
    """The width of a label, as a share of the frame."""
    inches = ax.get_position(original=True).width * ax.figure.bbox.width / ax.figure.dpi
    return _LABEL * FontProperties(size=mpl.rcParams["xtick.labelsize"]).get_size() / (72 * inches)


def ticks(low: float, high: float, label: float) -> list[float]:
    """Rates to label: each far enough from the one before for its name to be read."""
    apart = label * (ndtri(high) - ndtri(low))
    out: list[float] = []
    for rate in (percent / 100 for percent in TICKS):
        if low <= rate <= high and (not out or ndtri(rate) - ndtri(out[-1]) >= apart):
            out.append(rate)
    return out


def _probit(rates: Array) -> Floats:
    return np.asarray(ndtri(np.clip(rates, _LEAST, _GREATEST)))
