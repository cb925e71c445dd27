"""Errors against the number of training targets."""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from llrcal.comparison.learning_curve import METRICS, LearningCurve, banded, error_view
from llrcal.comparison.looks import looks
from llrcal.errors import OptionError
from llrcal.figures.arguments import axes_or_new
from llrcal.figures.legend import Entry, legend_above
from llrcal.figures.style import MINIMUM

Metric = Literal["mean_error", "cllr", "calibration_loss"]

_NAMES = {
    "mean_error": "mean normalised Bayes error-rate",
    "cllr": "Cllr, bits",
    "calibration_loss": "calibration loss, bits",
}
_SHADE = 0.18  # opacity of a band
_MARGIN = 1.15  # of the range of targets, beyond either end


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
    targets = np.array([size.targets for size in curve.sizes], np.float64)
    chosen = curve.bands[metric]
    medians = {label: np.array([band.median for band in bands]) for label, bands in chosen.items()}
    ax = axes_or_new(ax)
    entries: list[Entry] = []
    with_band = banded(curve)
    for label, look in looks(chosen).items():
        (line,) = ax.plot(
            targets, medians[label], color=look.light, marker=look.marker, label=label
        )
        entries.append((label, line))
        if label in with_band:
            low, high = ([getattr(band, end) for band in chosen[label]] for end in ("low", "high"))
            ax.fill_between(targets, low, high, color=look.light, alpha=_SHADE, linewidth=0)
    if metric != "calibration_loss":
        least = curve.minimum[metric]
        line = ax.axhline(least, color="black", linestyle=MINIMUM, label="minimum", zorder=3)
        entries.append(("minimum", line))
    ax.set_ylim(*error_view(curve, metric))
    counts_axis(ax, targets[0] / _MARGIN, targets[-1] * _MARGIN)
    ax.set_xlabel("training targets")
    ax.set_ylabel(_NAMES[metric])
    if legend:
        legend_above(ax, entries)
    return ax


def counts_axis(ax: Axes, low: float, high: float) -> None:
    """A logarithmic axis of counts, with plain numbers."""
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=20))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
