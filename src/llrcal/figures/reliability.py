"""PAV plots: the LLRs as they are against what they should have been."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from llrcal.arrays import Floats
from llrcal.evaluation import Evaluation
from llrcal.figures.legend import Entry, legend_above
from llrcal.figures.looks import looks
from llrcal.figures.style import FURTHEST, LINE, REFERENCE, THIN

_MARGIN = 0.06


def reliability(ax: Axes, evaluation: Evaluation, *, label: str, legend: bool = True) -> None:
    """Draw the PAV-optimal LLR of each LLR; perfect calibration follows the diagonal.

    Above the diagonal LLRs are too small, below it too large. Where only one class is left, PAV
    answers with an infinite LLR: such stretches run along the frame, between two markers.

    Parameters
    ----------
    ax
        Axes to draw on; they become square.
    evaluation
        The LLRs.
    label
        What they are called; it decides the colour.
    legend
        Whether to put a legend above the axes.
    """
    starts, ends, llrs = _blocks(evaluation)
    low, high = _frame(starts, ends, llrs, evaluation)
    look = looks([label])[label]
    finite = np.isfinite(llrs)

    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    ax.set_aspect("equal")
    (line,) = ax.plot(
        np.column_stack([starts, ends])[finite].ravel().clip(low, high),
        np.repeat(llrs[finite], 2),
        color=look.colour,
        linewidth=LINE,
        label=label,
    )
    entries: list[Entry] = [(label, line)]
    for infinity, marker in ((-np.inf, "v"), (np.inf, "^")):
        for i in np.flatnonzero(llrs == infinity):
            (line,) = ax.plot(
                np.clip([starts[i], ends[i]], low, high),
                [low if infinity < 0 else high] * 2,
                color=look.colour,
                linestyle=(0, (1, 1)),
                marker=marker,
                linewidth=LINE,
                clip_on=False,
                label=f"{infinity}",
            )
            entries[1:] = [("infinite", line)]  # one entry for both infinities
    (line,) = ax.plot([low, high], [low, high], color=REFERENCE, linewidth=THIN, label="perfect")
    entries.append(("perfect", line))
    ax.set_xlabel("log-likelihood-ratio")
    ax.set_ylabel("PAV-optimal log-likelihood-ratio")
    if legend:
        legend_above(ax, entries, gap=0.03)


def _blocks(evaluation: Evaluation) -> tuple[Floats, Floats, Floats]:
    """Where each block of PAV begins and ends among the LLRs, and its optimal LLR."""
    starts = evaluation.groups.edges[evaluation.hull.first_group]
    greatest = np.nanmax([evaluation.tar_range[1], evaluation.non_range[1], starts[-1]])
    return starts, np.append(starts[1:], greatest), evaluation.hull.llrs


def _frame(
    starts: Floats, ends: Floats, llrs: Floats, evaluation: Evaluation
) -> tuple[float, float]:
    """A square that holds all that is finite on both axes; far ends that are not are cut."""
    finite = np.isfinite(llrs)
    seen = np.concatenate([starts[finite], ends[finite], llrs[finite]])
    seen = seen[np.isfinite(seen)]
    if not len(seen):
        every = np.array([*evaluation.tar_range, *evaluation.non_range])
        seen = every[np.isfinite(every)]
    if not len(seen):
        seen = np.zeros(1)
    low, high = np.clip([seen.min(), seen.max()], -FURTHEST, FURTHEST).tolist()
    room = _MARGIN * (high - low) or 1.0
    return low - room, high + room
