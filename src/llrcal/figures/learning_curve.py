"""Errors against the number of training targets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from llrcal.comparison.comparison import Comparison
from llrcal.comparison.learning_curve import METRICS, LearningCurve, banded, error_view
from llrcal.errors import OptionError
from llrcal.figures.curves import learning_curves
from llrcal.figures.drawing import Canvas, Style
from llrcal.figures.style import MINIMUM
from llrcal.figures.table import Drawing, figure

Metric = Literal["mean_error", "cllr", "calibration_loss"]

_NAMES = {
    "mean_error": "mean normalised Bayes error-rate",
    "cllr": "Cllr, bits",
    "calibration_loss": "calibration loss, bits",
}
_MARGIN = 1.15  # of the range of targets, beyond either end


def _compared(comparison: Comparison) -> Iterator[tuple[str, Drawing]]:
    if comparison.learning_curve is not None:
        yield "learning-curve", partial(learning_curve, comparison.learning_curve)


@figure(
    "Learning curve",
    "Errors of each method with so many training targets.",
    of="other",
    interactive=True,
    compared=_compared,
)
def learning_curve(
    curve: LearningCurve,
    *,
    ax: Axes | None = None,
    metric: Metric = "mean_error",
    legend: bool = True,
) -> Axes:
    """Draw what each method gives with so many training targets.

    Lines are medians over the draws of a size. Bands hold 80 % of the draws; of more than three
    methods, only the best with the fewest and the best with all targets have one. The dashed line
    is the least that any calibration of the test scores could reach.

    Parameters
    ----------
    curve
        What :func:`llrcal.learning_curve` gives.
    metric
        ``"mean_error"``, ``"cllr"`` or ``"calibration_loss"``.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If this is no learning curve, or the metric is unknown.
    """
    if not isinstance(curve, LearningCurve):
        raise OptionError(
            f"a value of type {type(curve).__name__} cannot be drawn here; give a LearningCurve, "
            "which llrcal.learning_curve(train, test) gives"
        )
    if metric not in METRICS:
        raise OptionError(f"there is no metric {metric!r}; choose one of {', '.join(METRICS)}")
    drawn, with_band = learning_curves(curve, metric), banded(curve)
    ends = drawn[0].x[0] / _MARGIN, drawn[0].x[-1] * _MARGIN
    canvas = Canvas(ax, ends, error_view(curve, metric), ("training targets", _NAMES[metric]))
    counts_axis(canvas.ax)
    for one in drawn:
        if one.label in with_band:
            canvas.band(one)
        canvas.line(one.x, one.y, one.label, color=one.look.light, marker=one.look.marker)
    if metric != "calibration_loss":
        style: Style = {"color": "black", "linestyle": MINIMUM, "zorder": 3}
        line = canvas.ax.axhline(curve.minimum[metric], label="minimum", **style)
        canvas.entries.append(("minimum", line))
    return canvas.done(legend=legend)


def counts_axis(ax: Axes) -> None:
    """A logarithmic axis of counts, with plain numbers."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=20))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
