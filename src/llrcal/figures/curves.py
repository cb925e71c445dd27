"""What figures and the page of a report show, whichever of the two draws it.

Curves are worked out here, with what they are called, how they look and the band around them; so
are the ranges worth looking at. Nothing here knows matplotlib or plotly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from llrcal.adaptation.classes import TrainedClasses
from llrcal.arrays import Array, Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.methods.densities import Generative
from llrcal.calibrations.portrait import Portrait
from llrcal.comparison.axes import drawable, finite_part, is_narrow
from llrcal.comparison.comparison import FINE, NEAR, PER_UNIT
from llrcal.comparison.learning_curve import LearningCurve
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.measures import Band
from llrcal.figures.looks import Look, looks

if TYPE_CHECKING:
    import polars as pl

Range = tuple[float, float]
"""Least and greatest."""

Named = Mapping[str, Evaluation]
"""Evaluations by label."""

FURTHEST = 1000.0
"""Largest LLR, in nats, to which an axis is stretched: no honest trial weighs that much."""

DECADES = 3.0
"""Of prior odds on either side of even ones, as forensic scientists draw cross-entropies."""

_SAMPLE = 2**16  # scores: quantiles of so many are as good as those of all, for a frame
_TAIL = 0.001  # of a class may lie beyond either end of the frame
_MOST_BINS = 90  # of a histogram: wider than a line in one column


@dataclass(frozen=True)
class Curve:
    """One line of a figure, perhaps with a band around it."""

    label: str
    x: Floats
    y: Floats
    look: Look
    band: Band | None = None


def curves(
    x: Floats, heights: Mapping[str, Floats], bands: Mapping[str, Band] | None = None
) -> list[Curve]:
    """Curves over the same places, by label; the labels decide how they look."""
    found = bands or {}
    return [
        Curve(label, x, heights[label], look, found.get(label))
        for label, look in looks(heights).items()
    ]


def bands_of(evaluations: Named, level: float | None, replicates: int) -> dict[str, Bands]:
    """What draws test sets for each evaluation; nothing without a level."""
    if level is None:
        return {}
    return {
        label: ev.bands(level=level, replicates=replicates) for label, ev in evaluations.items()
    }


def cost_curves(
    quantity: str,
    evaluations: Named,
    x: Floats,
    bands: Mapping[str, Bands] | None = None,
    *,
    unit: float = 1.0,
) -> list[Curve]:
    """A number of evaluations at prior log-odds, such as ``bayes_error``, with its band.

    ``unit`` is that of x, in nats.
    """
    heights, around = (
        {label: getattr(one, quantity)(unit * x) for label, one in some.items()}
        for some in (evaluations, bands or {})
    )
    return curves(x, heights, around)


def learning_curves(curve: LearningCurve, metric: str) -> list[Curve]:
    """Medians against the number of training targets, with bands that hold 80 % of the draws."""
    targets = np.array([point.targets for point in curve.sizes], np.float64)
    medians, bands = {}, {}
    for label, points in curve.points.items():
        low, medians[label], high = np.array([getattr(point, metric) for point in points]).T
        bands[label] = low, high
    return curves(targets, medians, bands)


@dataclass(frozen=True)
class Shares:
    """A class of trials: which share of its LLRs reaches a value, and its extreme LLRs."""

    name: str
    at: Callable[[Floats], Floats]
    least: float
    greatest: float

    def band(self, x: Floats, bands: Bands) -> Band:
        """A band of the shares at values."""
        misses, false_alarms = bands.rates(x)
        return (1 - misses[1], 1 - misses[0]) if self.name == "targets" else false_alarms


def shares(evaluation: Evaluation) -> tuple[Shares, Shares]:
    """Both classes of an evaluation, for a Tippett plot."""
    return (
        Shares("targets", lambda x: 1 - evaluation.pmiss(x), *evaluation.tar_range),
        Shares("non-targets", evaluation.pfa, *evaluation.non_range),
    )


def llr_view(evaluations: Iterable[Evaluation]) -> Range:
    """All LLRs but the far tails of every class: one far outlier must not squash the rest."""
    ends = np.array([ev.bulk(_TAIL) for ev in evaluations])
    ends = ends[np.isfinite(ends).all(axis=1)]
    low, high = (ends[:, 0].min(), ends[:, 1].max()) if len(ends) else (0.0, 0.0)
    return with_margin(float(low), float(high), 0.03)


def llr_places(view: Range, count: int) -> Floats:
    """LLRs that cover a range, about so many, or as many as a comparison has counted there."""
    width, furthest = view[1] - view[0], max(-view[0], view[1])
    unit = FINE if width * PER_UNIT < count / 2 and furthest < NEAR else PER_UNIT
    step = max(int(width * unit / count), 1)
    first, last = math.floor(view[0] * unit / step), math.ceil(view[1] * unit / step)
    return np.arange(first, last + 1) * step / unit


def with_margin(low: float, high: float, margin: float) -> Range:
    """A range of LLRs, not too far, with a share of it as a margin on either side."""
    low, high = (min(max(end, -FURTHEST), FURTHEST) for end in (low, high))
    room = margin * (high - low) or 1.0
    return low - room, high + room


def visible_range(classes: Sequence[Array], *, margin: float, tail: float = _TAIL) -> Range:
    """All but the tails of each class, with a margin in units of that, within the extremes.

    One far outlier must not squash the rest. Infinite scores have no say.
    """
    classes = [finite for scores in classes if len(finite := finite_part(scores))] or [np.zeros(1)]
    ends = np.array([_quantiles(scores, tail) for scores in classes])
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    room = margin * (high - low)
    least = min(float(scores.min()) for scores in classes)
    greatest = max(float(scores.max()) for scores in classes)
    return drawable(max(low - room, least), min(high + room, greatest))


def _quantiles(scores: Array, tail: float) -> Floats:
    """The quantiles of an evenly spread sample; of halves, whose differences are all doubles."""
    sample = scores[:: max(len(scores) // _SAMPLE, 1)].astype(np.float64)
    return 2 * np.quantile(sample / 2, [tail, 1 - tail])


def histogram(
    scores: Array, low: float, high: float, counts: Floats | None = None
) -> tuple[Floats, Floats]:
    """Density and edges of bins between two scores; those outside count for the total.

    Few scores get few bins (the Rice rule), so that each holds enough of them. Counts say how many
    scores each stands for.
    """
    total = len(scores) if counts is None else float(counts.sum())
    bins = int(np.clip(2 * np.cbrt(total), 10, _MOST_BINS))
    start, end = max(low, float(scores.min())), min(high, float(scores.max()))
    if is_narrow(start, end):
        start, end = low, high
    held, edges = np.histogram(scores, bins, (start, end), weights=counts)
    return held / (total * np.diff(edges)), edges


def fitted_densities(calibration: Generative, scores: Floats) -> tuple[Floats, Floats]:
    """Densities of both classes at scores: those fitted in training, or found in the field."""
    if calibration.adapted and calibration.adapted.applied and calibration.portrait:
        return portrait_densities(calibration, calibration.portrait, scores)
    seen = -scores if calibration.lower_is_better else scores
    with np.errstate(over="ignore", under="ignore"):
        tar, non = (np.exp(side.logpdf(seen)) for side in (calibration.tar, calibration.non))
    return tar, non


def portrait_densities(
    calibration: Calibration, portrait: Portrait, scores: Floats
) -> tuple[Floats, Floats]:
    """Densities of both classes at scores, as smooth as an adaptation sees a portrait."""
    seen = -scores if calibration.lower_is_better else scores
    with np.errstate(over="ignore", under="ignore"):
        return TrainedClasses.of(portrait).densities(seen)


def zoo_speakers(evaluation: Evaluation) -> pl.DataFrame:
    """The speakers whose mean LLRs are known and finite, the one who costs most first."""
    table = evaluation.speakers().drop_nulls(["llr_tar", "llr_non"])
    return table.filter(table["llr_tar"].is_finite() & table["llr_non"].is_finite())
