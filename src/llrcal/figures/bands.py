"""Bands around curves: how much they could vary with the choice of the test set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from llrcal.arrays import Floats
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.intervals import Band
from llrcal.figures.legend import Entry, common_colour
from llrcal.method_table import Look

_PALE = 0.2  # opacity: curves and other bands are seen through it
_FURTHEST = float(np.finfo(np.float32).max)


def bands_of(
    evaluations: Mapping[str, Evaluation], level: float | None, replicates: int
) -> dict[str, Bands]:
    """What draws test sets for each evaluation; nothing without a level."""
    if level is None:
        return {}
    return {
        label: ev.bands(level=level, replicates=replicates) for label, ev in evaluations.items()
    }


def draw_band(ax: Axes, x: Floats, band: Band, *, label: str, look: Look) -> None:
    """Fill a band in the colour of its curve; where it is infinite, to beyond the frame."""
    low, high = (np.minimum(end, _FURTHEST) for end in band)
    ax.fill_between(
        x, low, high, color=look.light, alpha=_PALE, linewidth=0, label=f"band of {label}"
    )


def tops(bands: Mapping[str, Band]) -> dict[str, Floats]:
    """Upper ends that should be seen: what is worse than the default may leave the frame."""
    return {label: np.minimum(high, 1.0) for label, (_, high) in bands.items()}


def band_entries(bands: Mapping[str, Bands], looks: Mapping[str, Look]) -> list[Entry]:
    """What stands for the bands in the legend, if there are any."""
    colour = common_colour(looks)
    names = dict.fromkeys(f"{100 * one.level:g} % by {one.by}" for one in bands.values())
    return [(name, Patch(color=colour, alpha=_PALE, linewidth=0)) for name in names]
