"""Score-to-LLR transforms of several calibrations in one plot (paper, figure 5)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import Floats
from llrcal.calibrations import Calibration
from llrcal.comparison.axes import drawable, evenly
from llrcal.comparison.checks import score_range
from llrcal.comparison.comparison import Comparison
from llrcal.errors import OptionError
from llrcal.figures.curves import Curve, Range, curves, visible_range
from llrcal.figures.drawing import Canvas, Entry, by_label
from llrcal.figures.style import REFERENCE, thin
from llrcal.figures.table import Drawing, figure

_POINTS = 1001  # of a curve: closer than the dots of a printer in one column
_UNSEEN = "unseen scores"
_SHADE = "#ebebeb"
_MARGIN = 0.1  # of the range of the training scores
_SLIVER, _ROOM = 0.005, 0.2  # shares of the axis: too narrow to be seen, and wide enough for a word


def _compared(comparison: Comparison) -> Iterator[tuple[str, Drawing]]:
    every = comparison.candidates.items()
    calibrations = {label: one.of_score for label, one in every if one.of_score is not None}
    low, high = visible_range([*comparison.train, *comparison.test], margin=1.0)
    training = score_range(comparison.train)
    if calibrations:
        yield (
            "transforms",
            partial(transforms, calibrations, low=low, high=high, training=training),
        )


@figure(
    "Transforms",
    "The LLR that each calibration gives to each score.",
    of="other",
    interactive=True,
    compared=_compared,
)
def transforms(
    calibrations: Calibration | Mapping[str, Calibration],
    *,
    ax: Axes | None = None,
    low: float | None = None,
    high: float | None = None,
    training: Range | None = None,
    limit: float | None = None,
    level: float | None = None,
    legend: bool = True,
) -> Axes:
    """Draw the LLR that each calibration gives to each score.

    Parameters
    ----------
    calibrations
        One calibration, or several by label; the label decides colour and dashes.
    low, high
        The range of scores to draw. By default, that of the training scores and a little more.
    training
        Least and greatest training score: what lies beyond is shaded. By default, those of the
        calibrations, where they agree.
    limit
        The LLR axis goes from -limit to limit. By default, half of the calibrations stay well
        within it; one that runs away leaves the frame and does not squash the others.
    level
        Draw intervals of this level, such as 0.95, as bands behind the curves of the calibrations
        that give them.
    ax
        Axes to draw on. By default, pyplot's current ones if they are empty, or new ones.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn, or if intervals are asked for and none of the
        calibrations gives them.
    """
    chosen = by_label(calibrations, Calibration)
    ranges = {calibration.training_range for calibration in chosen.values()}
    low, high = _score_range(ranges, low, high)
    scores = evenly(low, high, _POINTS)
    llrs = {label: calibration.without_warnings(scores) for label, calibration in chosen.items()}
    drawn = curves(scores, llrs, {} if level is None else _intervals(chosen, scores, level))
    edge = _limit(drawn) if limit is None else limit
    canvas = Canvas(ax, (low, high), (-edge, edge), ("score", "log-likelihood-ratio"))
    canvas.curves(drawn, dashed=True)
    for one in [one for one in drawn if one.band is not None][:1]:
        canvas.name_band(f"{100 * (level or 0):g} % interval", one.look.light)
    canvas.ax.axhline(0, color=REFERENCE, linewidth=thin())
    # The range of the training scores that all calibrations share; all scores, if none.
    shared = ranges.pop() if len(ranges) == 1 else (-math.inf, math.inf)
    least, greatest = training or shared
    falling = any(calibration.lower_is_better for calibration in chosen.values())
    shaded: list[Entry] = []
    for start, end in ((low, min(least, high)), (max(greatest, low), high)):
        if end - start <= _SLIVER * (high - low):  # it cannot be seen
            continue
        shade = canvas.ax.axvspan(start, end, color=_SHADE, linewidth=0, zorder=0, label=_UNSEEN)
        shaded.append((_UNSEEN, shade))
        held = {calibration.bounds.policy != "none" for calibration in chosen.values()}
        if end - start >= _ROOM * (high - low) and len(held) == 1:  # the same for all
            # Rising curves leave room above on the left, and below on the right.
            above = (start == low) != falling
            word = "held" if held.pop() else "extrapolated"
            canvas.words(word, start / 2 + end / 2, float(above), -4 if above else 4, "small")
    canvas.entries += shaded[:1]
    return canvas.done(legend=legend)


def _score_range(ranges: Collection[Range], low: float | None, high: float | None) -> Range:
    """What was asked for; or else all training scores, and a margin."""
    least, greatest = min(ranges)[0], max(end for _, end in ranges)
    room = _MARGIN * (greatest - least) or 1.0
    low = least - room if low is None else low
    high = greatest + room if high is None else high
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise OptionError(f"scores cannot be drawn from {low} to {high}; give other low and high")
    return drawable(low, high)


def _limit(drawn: Collection[Curve]) -> float:
    """A little above the median of the largest LLRs of the curves."""
    largest = [float(np.abs(one.y[np.isfinite(one.y)]).max(initial=0)) for one in drawn]
    return min(1.3 * float(np.median(largest)), 1.05 * max(largest)) or 1.0


def _intervals(
    calibrations: Mapping[str, Calibration], scores: Floats, level: float
) -> dict[str, tuple[Floats, Floats]]:
    """Lower and upper ends of intervals, of the calibrations that give them."""
    found = {
        label: calibration.interval(scores, level=level)
        for label, calibration in calibrations.items()
        if calibration.margins is not None
    }
    if not found:
        raise OptionError("none of these calibrations gives intervals; leave level out")
    return found
