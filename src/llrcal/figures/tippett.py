"""Tippett plots: which share of the LLRs of each class reaches a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from llrcal.arrays import Floats
from llrcal.comparison.looks import looks
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.bootstrap import REPLICATES
from llrcal.evaluation.intervals import Band
from llrcal.figures.arguments import axes_or_new, evaluations_by_label
from llrcal.figures.bands import band_entries, bands_of, draw_band
from llrcal.figures.legend import Entry, common_colour, legend_above
from llrcal.figures.style import FURTHEST, REFERENCE, Dashes, marker_places, thin

POINTS = 1001
_TAIL = 0.001  # of a class may lie beyond either end of the frame
_DASHES: dict[str, Dashes] = {
    "targets": "solid",
    "non-targets": (0.0, (3.0, 1.5)),
}


@dataclass(frozen=True)
class _Class:
    """One class of trials: the share of LLRs at or above values, and the extreme LLRs."""

    name: str
    share: Callable[[Floats], Floats]
    least: float
    greatest: float

    def value_at(self, level: float) -> float:
        """The LLR at which the share comes down to a level, by bisection."""
        low, high = self.least, self.greatest
        for _ in range(60):
            middle = low / 2 + high / 2
            if self.share(np.array([middle]))[0] > level:
                low = middle
            else:
                high = middle
        return high

    def band(self, x: Floats, bands: Bands) -> Band:
        """A band of the shares at values."""
        misses, false_alarms = bands.rates(x)
        return (1 - misses[1], 1 - misses[0]) if self.name == "targets" else false_alarms

    def curve(self, frame: tuple[float, float]) -> tuple[Floats, Floats]:
        """Values within the frame, and shares; the last step falls at the greatest LLR."""
        start, end = np.clip(frame, self.least, self.greatest).tolist()
        x = np.linspace(start, end, POINTS)
        beyond = np.nextafter(end, np.inf) if end == self.greatest else end
        return np.append(x, end), self.share(np.append(x, beyond))


def tippett(
    evaluations: Evaluation | Mapping[str, Evaluation],
    *,
    ax: Axes | None = None,
    level: float | None = None,
    replicates: int = REPLICATES,
    legend: bool = True,
) -> Axes:
    """Draw the share of target and of non-target LLRs at or above each value.

    The values are log10 likelihood-ratios. Each curve begins at the least LLR of its class and
    ends at the greatest, or where it leaves the frame: nothing is known beyond. Infinite LLRs are
    counted, and lie outside.

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
    legend
        Whether to put a legend above the axes.

    Raises
    ------
    OptionError
        If there is nothing that can be drawn, or bands are asked of LLRs that are not in memory.
    """
    chosen = evaluations_by_label(evaluations)
    classes = {label: _classes(ev) for label, ev in chosen.items()}
    frame = _frame([one for both in classes.values() for one in both])
    ax = axes_or_new(ax)
    ax.set_xlim(frame[0] / math.log(10), frame[1] / math.log(10))
    ax.set_ylim(-0.02, 1.02)
    ax.axvline(0, color=REFERENCE, linewidth=thin())
    entries: list[Entry] = []
    styles, drawn = looks(chosen), bands_of(chosen, level, replicates)
    for i, (label, look) in enumerate(styles.items()):
        for one in classes[label]:
            x, shares = one.curve(frame)
            if label in drawn:
                band, name = one.band(x, drawn[label]), f"{one.name} of {label}"
                draw_band(ax, x / math.log(10), band, label=name, look=look)
            ax.plot(
                x / math.log(10),
                shares,
                color=look.light,
                linestyle=_DASHES[one.name],
                marker=look.marker,
                markevery=marker_places(POINTS, curve=i, curves=len(styles)),
                label=f"{one.name} of {label}",
            )
        line = Line2D([], [], color=look.light, marker=look.marker)
        entries.append((label, line))
    for name, dashes in _DASHES.items():
        line = Line2D([], [], color=common_colour(styles), linestyle=dashes)
        entries.append((name, line))
    entries += band_entries(drawn, styles)
    ax.set_xlabel("log₁₀ likelihood-ratio")
    ax.set_ylabel("share of trials at or above")
    if legend:
        legend_above(ax, entries)
    return ax


def _classes(ev: Evaluation) -> list[_Class]:
    """Both classes, as far as they have a finite LLR."""
    both = (
        _Class("targets", lambda x: 1 - ev.pmiss(x), *ev.tar_range),
        _Class("non-targets", ev.pfa, *ev.non_range),
    )
    return [one for one in both if math.isfinite(one.least)]


def _frame(classes: Sequence[_Class]) -> tuple[float, float]:
    """All but the far tails of every class: one far outlier must not squash the rest."""
    if not classes:
        return -1.0, 1.0
    low = min(one.value_at(1 - _TAIL) for one in classes)
    high = max(one.value_at(_TAIL) for one in classes)
    low, high = np.clip([low, high], -FURTHEST, FURTHEST).tolist()
    room = 0.03 * (high - low) or 1.0
    return low - room, high + room
