"""PAV plots: the LLRs as they are against what they should have been."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from llrcal.arrays import Floats
from llrcal.comparison.looks import looks
from llrcal.evaluation import Evaluation
from llrcal.figures.curves import with_margin
from llrcal.figures.drawing import (
    Entry,
    common_colour,
    evaluations_by_label,
    framed,
    with_legend,
)
from llrcal.figures.style import REFERENCE, thin

_Blocks: TypeAlias = tuple[Floats, Floats, Floats]

_MARGIN = 0.06
_DOTS = (0.0, (1.0, 1.0))


def reliability(
    evaluations: Evaluation | Mapping[str, Evaluation],
    *,
    ax: Axes | None = None,
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
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn.
    """
    chosen = evaluations_by_label(evaluations)
    blocks = {label: _blocks(ev) for label, ev in chosen.items()}
    low, high = _frame(blocks.values(), chosen.values())
    names = ("log-likelihood-ratio", "PAV-optimal log-likelihood-ratio")
    ax = framed(ax, (low, high), (low, high), names, square=True)
    styles = looks(chosen)
    entries: list[Entry] = []
    for label, look in styles.items():
        starts, ends, llrs = blocks[label]
        finite = np.isfinite(llrs)
        (line,) = ax.plot(
            np.column_stack([starts, ends])[finite].ravel().clip(low, high),
            np.repeat(llrs[finite], 2),
            color=look.light,
            label=label,
        )
        entries.append((label, line))
        _draw_infinite(ax, blocks[label], look.light)
    if any(np.isinf(llrs).any() for _, _, llrs in blocks.values()):
        shown = Line2D([], [], color=common_colour(styles.values()), linestyle=_DOTS, marker="^")
        entries.append(("infinite", shown))  # one entry for both infinities
    (line,) = ax.plot([low, high], [low, high], color=REFERENCE, linewidth=thin(), label="perfect")
    entries.append(("perfect", line))
    return with_legend(ax, entries, legend=legend, gap=0.03)


def _draw_infinite(ax: Axes, blocks: _Blocks, colour: str) -> None:
    """Blocks of one class alone, along the edge of the frame."""
    starts, ends, llrs = blocks
    low, high = ax.get_ylim()
    for infinity, edge, marker in ((-np.inf, low, "v"), (np.inf, high, "^")):
        for i in np.flatnonzero(llrs == infinity):
            ax.plot(
                np.clip([starts[i], ends[i]], low, high),
                [edge, edge],
                color=colour,
                linestyle=_DOTS,
                marker=marker,
                clip_on=False,
                label=f"{infinity}",
            )


def _blocks(evaluation: Evaluation) -> _Blocks:
    """Where each block of PAV begins and ends among the LLRs, and its optimal LLR."""
    starts = evaluation.groups.edges[evaluation.hull.first_group]
    greatest = np.nanmax([evaluation.tar_range[1], evaluation.non_range[1], starts[-1]])
    return starts, np.append(starts[1:], greatest), evaluation.hull.llrs


def _frame(blocks: Iterable[_Blocks], evaluations: Iterable[Evaluation]) -> tuple[float, float]:
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
