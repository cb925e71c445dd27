"""PAV plots: the LLRs as they are against what they should have been."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import Floats
from llrcal.evaluation import Evaluation
from llrcal.figures.curves import Range, with_margin
from llrcal.figures.drawing import Canvas, Evaluations, Units, by_label, common_colour, logarithm
from llrcal.figures.looks import looks
from llrcal.figures.style import REFERENCE, thin
from llrcal.figures.table import figure

_Blocks: TypeAlias = tuple[Floats, Floats, Floats]

_MARGIN = 0.06
_DOTS = (0.0, (1.0, 1.0))


@figure(
    "PAV plot",
    "What LRs should have been, by PAV, against what they are. Calibrated LRs follow the diagonal.",
    square=True,
)
def reliability(
    evaluations: Evaluations,
    *,
    ax: Axes | None = None,
    units: Units = "nats",
    legend: bool = True,
) -> Axes:
    """Draw the PAV-optimal LLR of each LLR; perfect calibration follows the diagonal.

    Above the diagonal LLRs are too small, below it too large. Where only one class is left, PAV
    answers with an infinite LLR: such stretches run along the frame, between two markers.

    Parameters
    ----------
    evaluations
        One evaluation, or several by label; the label decides the colour.
    ax
        Axes to draw on; they become square. By default, pyplot's current ones if they are empty,
        or else new ones.
    units
        Those of the LLRs on the axes: natural, common or binary logarithms.
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn, or the units are unknown.
    """
    chosen = by_label(evaluations, Evaluation)
    unit, _, name = logarithm(units)
    blocks = {label: _blocks(ev) for label, ev in chosen.items()}
    frame = _frame(blocks.values(), chosen.values())
    low, high = frame = frame[0] / unit, frame[1] / unit
    names = (name, f"PAV-optimal {name}")
    canvas = Canvas(ax, frame, frame, names, square=True)
    styles = looks(chosen)
    for label, look in styles.items():
        starts, ends, llrs = (part / unit for part in blocks[label])
        sides, finite = np.column_stack([starts, ends]).clip(low, high), np.isfinite(llrs)
        steps = np.repeat(llrs[finite], 2)
        canvas.line(sides[finite].ravel(), steps, label, color=look.light)
        # Blocks of one class alone are along the edge of the frame.
        for infinity, edge, marker in ((-np.inf, low, "v"), (np.inf, high, "^")):
            for side in sides[llrs == infinity]:
                style = {"color": look.light, "linestyle": _DOTS, "marker": marker}
                canvas.line(side, [edge] * 2, f"{infinity}", named=False, clip_on=False, **style)
    if any(np.isinf(llrs).any() for _, _, llrs in blocks.values()):  # one entry for both
        colour = common_colour(styles.values())
        canvas.name_line("infinite", color=colour, linestyle=_DOTS, marker="^")
    canvas.line(frame, frame, "perfect", color=REFERENCE, linewidth=thin())
    return canvas.done(legend=legend, gap=0.03)


def _blocks(evaluation: Evaluation) -> _Blocks:
    """Where each block of PAV begins and ends among the LLRs, and its optimal LLR."""
    starts = evaluation.groups.edges[evaluation.hull.first_group]
    greatest = np.nanmax([evaluation.tar_range[1], evaluation.non_range[1], starts[-1]])
    return starts, np.append(starts[1:], greatest), evaluation.hull.llrs


def _frame(blocks: Iterable[_Blocks], evaluations: Iterable[Evaluation]) -> Range:
    """A square that holds all that is finite on both axes; far ends that are not are cut."""
    seen = _finite([values[np.isfinite(block[2])] for block in blocks for values in block])
    if not len(seen):
        seen = _finite([np.array([*ev.tar_range, *ev.non_range]) for ev in evaluations])
    if not len(seen):
        seen = np.zeros(1)
    return with_margin(float(seen.min()), float(seen.max()), _MARGIN)


def _finite(parts: list[Floats]) -> Floats:
    values = np.concatenate(parts)
    return values[np.isfinite(values)]
