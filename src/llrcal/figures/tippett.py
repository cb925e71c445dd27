"""Tippett plots: which share of the LLRs of each class reaches a value."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes

from llrcal.evaluation import Evaluation
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.bootstrap import REPLICATES
from llrcal.figures.curves import Curve, Range, Shares, bands_of, llr_places, llr_view, shares
from llrcal.figures.drawing import Canvas, Evaluations, Units, by_label, common_colour, logarithm
from llrcal.figures.looks import Look, looks
from llrcal.figures.style import REFERENCE, Dashes, thin
from llrcal.figures.table import figure

_POINTS = 1001  # of a curve: closer than the dots of a printer in one column
_DASHES: dict[str, Dashes] = {"targets": "solid", "non-targets": (0.0, (3.0, 1.5))}


@figure(
    "Tippett plot",
    "The share of comparisons with at least some LR. At log10 LR = 0, the distance of the solid "
    "line from the top and the height of the dashed one are the rates of misleading evidence.",
    interactive=True,
)
def tippett(
    evaluations: Evaluations,
    *,
    ax: Axes | None = None,
    level: float | None = None,
    replicates: int = REPLICATES,
    units: Units = "log10",
    legend: bool = True,
) -> Axes:
    """Draw the share of target and of non-target LLRs at or above each value.

    The values are log10 likelihood-ratios by default. Each curve begins at the least LLR of its
    class and ends at the greatest, or where it leaves the frame: nothing is known beyond. Infinite
    LLRs are counted, and lie outside.

    Parameters
    ----------
    evaluations
        One evaluation, or several by label; the label decides the colour.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    level
        Share of drawn test sets that a band around each curve covers, such as 0.95: see
        :meth:`llrcal.Evaluation.bands`. By default, there are no bands.
    replicates
        How many test sets to draw for the bands.
    units
        Those of the LLRs on the axis: natural, common or binary logarithms.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn, the units are unknown, or bands are asked of LLRs
        that are not in memory.
    """
    chosen = by_label(evaluations, Evaluation)
    unit, _, name = logarithm(units)
    low, high = frame = llr_view(chosen.values())
    names = (name, "share of trials at or above")
    canvas = Canvas(ax, (low / unit, high / unit), (-0.02, 1.02), names)
    canvas.ax.axvline(0, color=REFERENCE, linewidth=thin())
    styles, bands = looks(chosen), bands_of(chosen, level, replicates)
    for i, (label, look) in enumerate(styles.items()):
        for one in shares(chosen[label]):
            if math.isfinite(one.least):
                curve = _curve(one, frame, look, label, bands.get(label))
                curve = replace(curve, x=curve.x / unit)
                dashes = _DASHES[one.name]
                canvas.curve(curve, place=i, of=len(styles), linestyle=dashes, named=False)
        canvas.name_line(label, color=look.light, marker=look.marker)
    colour = common_colour(styles.values())
    for name, dashes in _DASHES.items():
        canvas.name_line(name, color=colour, linestyle=dashes)
    canvas.name_bands(bands, colour)
    return canvas.done(legend=legend)


def _curve(one: Shares, frame: Range, look: Look, label: str, bands: Bands | None) -> Curve:
    """Shares within the frame; the last step falls at the greatest LLR."""
    x = llr_places(frame, _POINTS)
    x = x[(one.least < x) & (x < one.greatest)]
    start = [one.least] if frame[0] <= one.least else []
    end = [one.greatest] if one.greatest <= frame[1] else []
    x = np.concatenate([start, x, end])
    band = None if bands is None else one.band(x, bands)
    beyond = np.append(x[: len(x) - len(end)], np.nextafter(end, np.inf))
    return Curve(f"{one.name} of {label}", x, one.at(beyond), look, band)
