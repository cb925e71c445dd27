"""A mixture of both classes over the unlabelled scores of another place, before and after."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from llrcal.adaptation.move import densities_of
from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations import Calibration
from llrcal.comparison.looks import evenly
from llrcal.figures.arguments import axes_or_new
from llrcal.figures.densities import log_axis
from llrcal.figures.drawing import draw_into
from llrcal.figures.histogram import histogram, visible_range
from llrcal.figures.legend import Entry, legend_above
from llrcal.figures.style import NON_TARGET, REFERENCE, TARGET
from llrcal.figures.transforms import transforms
from llrcal.inputs.scores import as_scores
from llrcal.onepass.summary import Summary

POINTS = 1001
_BEFORE = (0.0, (4.0, 2.0))


def adaptation(
    before: Calibration,
    after: Calibration,
    *,
    scores: ArrayLike | Summary,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the densities of a calibration, as it was and adapted, over the scores of a new place.

    Parameters
    ----------
    before, after
        A generative calibration, and what :func:`llrcal.adapt` made of it.
    scores
        The unlabelled scores, or a summary of them, as for :func:`llrcal.adapt`.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    legend
        Whether to put a legend above the axes.
    """
    values, counts, spread = _seen(scores, before)
    low, high = visible_range([spread], margin=0.3)
    heights, edges = histogram(values, low, high, counts)
    grid = evenly(low, high, POINTS)
    share = after.adapted.share.value if after.adapted else 0.5
    old, new = (_weighted(one, grid, share) for one in (before, after))
    peak = float(heights.max()) or 1.0
    least = float(heights[heights > 0].min(initial=peak)) / 3

    ax = axes_or_new(ax)
    ax.set_xlim(low, high)
    log_axis(ax, least, 3 * peak)
    area = ax.stairs(
        heights, edges, baseline=least, fill=True, color=REFERENCE, alpha=0.35, linewidth=0
    )
    (first,) = ax.plot(grid, sum(old), color="black", linestyle=_BEFORE, linewidth=0.9)
    (second,) = ax.plot(grid, sum(new), color="black", linewidth=1.1)
    entries: list[Entry] = [
        ("unlabelled scores", area),
        ("mixture before", first),
        ("mixture after", second),
    ]
    for name, curve, colour in (
        ("targets after", new[0], TARGET),
        ("non-targets after", new[1], NON_TARGET),
    ):
        (line,) = ax.plot(grid, curve, color=colour, linewidth=0.9)
        entries.append((name, line))
    ax.set_xlabel("score")
    ax.set_ylabel("density")
    if legend:
        legend_above(ax, entries)
    return ax


def _seen(scores: ArrayLike | Summary, before: Calibration) -> tuple[Array, Floats | None, Array]:
    """Scores, how many each stands for if they are points, and scores spread like all of them."""
    if not isinstance(scores, Summary):
        values = as_scores(scores, "unlabelled")
        return values, None, values
    points, counts = scores.in_order()
    middle = (np.cumsum(counts) - 0.5 * counts) / scores.count
    spread = np.interp(evenly(0.0, 1.0, POINTS), middle, points)
    sign = -1 if before.lower_is_better else 1
    return sign * points, counts, sign * spread


def _weighted(calibration: Calibration, grid: Floats, share: float) -> tuple[Floats, Floats]:
    """Densities of targets and non-targets, each times its share."""
    scores: Array = -grid if calibration.lower_is_better else grid
    tar, non = densities_of(calibration)
    return share * np.exp(tar.logpdf(scores)), (1 - share) * np.exp(non.logpdf(scores))


def draw_adaptation(
    before: Calibration, after: Calibration, folder: Path, scores: ArrayLike | Summary | None
) -> None:
    """Draw what an adaptation changed, and save each figure as PNG, PDF and SVG."""
    drawings = {"transforms": partial(transforms, {"before": before, "after": after})}
    if scores is not None:
        drawings["mixture"] = partial(adaptation, before, after, scores=scores)
    draw_into(folder, drawings.items())
