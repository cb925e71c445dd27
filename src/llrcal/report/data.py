"""Everything that the page draws, as JSON.

Error-rates go in to the last bit, so that a number read off the page is the one that ``evaluate``
gives. What is only drawn is rounded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.methods.densities import Generative
from llrcal.calibrations.methods.pav import PAV
from llrcal.comparison import Comparison
from llrcal.comparison.checks import score_range
from llrcal.comparison.comparison import FURTHEST, PER_UNIT
from llrcal.comparison.learning_curve import METRICS, banded, error_view
from llrcal.comparison.looks import evenly, looks
from llrcal.comparison.tables import shown
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.costs import prior_entropy
from llrcal.evaluation.intervals import Band
from llrcal.figures.curves import (
    DECADES,
    cost_curves,
    densities_at,
    learning_curves,
    llr_view,
    shares,
    visible_range,
    with_margin,
)
from llrcal.method_table import Look
from llrcal.trials import Trials

Numbers: TypeAlias = list[float | None]
"""Numbers in JSON; null where it has none."""

SYMBOLS = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "v": "triangle-down",
    "<": "triangle-left",
    ">": "triangle-right",
    "D": "diamond",
    "d": "diamond-tall",
    "P": "cross",
    "X": "x",
    "*": "star",
    "p": "pentagon",
    "h": "hexagon2",
    "8": "octagon",
}
"""Plotly's names of matplotlib's markers."""

LEARNING_NAMES = {
    "mean_error": "mean Bayes error",
    "cllr": "Cllr, bits",
    "calibration_loss": "calibration loss, bits",
}
"""What the metrics of a learning curve are called on the page."""

_MARGIN = 2.0  # nats of prior log-odds beyond the range of a comparison
_EVIDENCE = 301  # LLRs, and priors, at which Tippett and ECE curves are drawn
_SCORES, _FAR_SCORES = 601, 201  # at which transforms are drawn: in the view, and out to all scores
_DENSITIES = 481  # scores at which fitted densities are drawn
_BINS = 120
_TAIL = 0.01  # of a class may lie beyond the first view, which the reader can widen
_MOST_STEPS = 2000  # of PAV; more are drawn as a line
_LARGEST_LLR = 20.0  # nats, in the first view: more than any set of trials can support
# What would end the script element or begin markup in it; JSON may spell it otherwise.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def as_json(data: dict[str, Any]) -> str:
    r"""Data as JSON that can stand inside a script element.

    Examples
    --------
    >>> from llrcal.report.data import as_json
    >>> as_json({"name": "</script>\u2028"})
    '{"name":"\\u003c/script\\u003e\\u2028"}'
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def numbers(values: Iterable[float], *, digits: int | None = None) -> Numbers:
    """Plain numbers, null where JSON has none; to the last bit, or to some digits.

    Examples
    --------
    >>> from llrcal.report.data import numbers
    >>> numbers([1 / 3, float("inf")]), numbers([1 / 3], digits=3)
    ([0.3333333333333333, None], [0.333])
    """
    plain = (float(value) for value in values)
    if digits is not None:
        plain = (float(f"{value:.{digits}g}") for value in plain)
    return [value if math.isfinite(value) else None for value in plain]


@dataclass(frozen=True)
class Positions:
    """The prior log-odds that the reader can choose: a grid, and the operating points.

    The points follow the grid, at their exact places: what is read off the page is what
    ``evaluate`` says, not something in between.
    """

    first: int
    count: int
    points: tuple[float, ...]

    @classmethod
    def of(cls, comparison: Comparison) -> Positions:
        """The grid over the range of a comparison and a little more."""
        points = tuple(point.prior_log_odds for point in comparison.points)
        low, high = comparison.range
        near = [x for x in points if abs(x) <= FURTHEST]  # points beyond are read off, not drawn
        first = math.floor(min(low - _MARGIN, *near, 0.0) * PER_UNIT)
        last = math.ceil(max(high + _MARGIN, *near, 0.0) * PER_UNIT)
        return cls(first, last - first + 1, points)

    @property
    def grid(self) -> Floats:
        return np.arange(self.first, self.first + self.count) / PER_UNIT

    @property
    def all(self) -> Floats:
        """The grid, then the points."""
        return np.concatenate([self.grid, self.points])


def page_data(comparison: Comparison) -> dict[str, Any]:
    """The curves of a comparison, and where to draw them."""
    places = Positions.of(comparison)
    low, high = comparison.raw.rule_of_30
    evaluations = {label: one.evaluation for label, one in comparison.candidates.items()}
    options = comparison.band_options
    bands = evaluations[comparison.recommended].bands(**options) if options else None
    styles = looks(evaluations)
    train, test = comparison.train, comparison.test
    view = visible_range([train.tar, train.non, test.tar, test.non], margin=1.0, tail=_TAIL)
    return {
        "positions": {"first": places.first, "count": places.count, "perUnit": PER_UNIT},
        "points": [
            {
                "name": shown(point.name),
                "x": point.prior_log_odds,
                "pTarget": point.p_target,
                "cMiss": point.c_miss,
                "cFa": point.c_fa,
            }
            for point in comparison.points
        ],
        "ruleOf30": [low, high] if low < high else None,
        "minimum": numbers(comparison.raw.min_bayes_error(places.all)),
        "band": bands and _band(bands.bayes_error(places.grid)),
        "methods": [
            {"label": shown(label), "style": _style(styles[label]), **_rates(ev, places.all)}
            for label, ev in evaluations.items()
        ],
        "recommended": list(evaluations).index(comparison.recommended),
        "transforms": _transforms(comparison, view),
        "tippett": _tippett(evaluations, bands),
        "ece": _ece(evaluations, comparison.raw, bands),
        "histograms": _histograms(comparison, view),
        "learning": _learning(comparison),
    }


def _style(look: Look) -> dict[str, Any]:
    """A line: its colour on light and on dark pages, its dashes in line widths, and its markers."""
    symbol = SYMBOLS[look.marker]
    return {"light": look.light, "dark": look.dark, "dashes": [*look.dashes], "symbol": symbol}


def _rates(evaluation: Evaluation, x: Floats) -> dict[str, Numbers]:
    return {
        "actual": numbers(evaluation.bayes_error(x)),
        "minimum": numbers(evaluation.min_bayes_error(x)),
        "pmiss": numbers(evaluation.pmiss(-x)),
        "pfa": numbers(evaluation.pfa(-x)),
    }


def _band(band: Band) -> list[Numbers]:
    """The lower and the upper end of a band."""
    return [numbers(end, digits=6) for end in band]


def _tippett(evaluations: Mapping[str, Evaluation], bands: Bands | None) -> dict[str, Any]:
    """The share of each class at or above LLRs, for every calibration."""
    llrs = np.linspace(*llr_view(evaluations.values()), _EVIDENCE)
    tar, non = zip(*map(shares, evaluations.values()), strict=True)
    around = None
    if bands is not None:
        (few, many), false_alarms = bands.rates(llrs)
        around = {"tar": _band((1 - many, 1 - few)), "non": _band(false_alarms)}
    return {
        "bands": around,
        "llrs": numbers(llrs, digits=10),
        "tar": [numbers(one.at(llrs), digits=6) for one in tar],
        "non": [numbers(one.at(llrs), digits=6) for one in non],
    }


def _ece(
    evaluations: Mapping[str, Evaluation], raw: Evaluation, bands: Bands | None
) -> dict[str, Any]:
    """Empirical cross-entropies in bits, that after PAV, and the entropy of the prior."""
    x: Floats = np.linspace(-DECADES, DECADES, _EVIDENCE) * math.log(10)
    actual = cost_curves("cross_entropy", evaluations, x)
    return {
        "band": bands and _band(bands.cross_entropy(x)),
        "priorLogOdds": numbers(x, digits=10),
        "actual": [numbers(curve.y, digits=6) for curve in actual],
        "minimum": numbers(raw.min_cross_entropy(x), digits=6),
        "neutral": numbers(prior_entropy(x), digits=6),
    }


def _transforms(comparison: Comparison, view: tuple[float, float]) -> dict[str, Any]:
    """Scores and LLRs of each calibration: dense over the view, and out to the last score."""
    everything = score_range(comparison.train, comparison.test)
    grid = np.union1d(evenly(*view, _SCORES), evenly(*everything, _FAR_SCORES))
    lines = [_transform(one.of_score, grid) for one in comparison.candidates.values()]
    llrs = [
        llr
        for scores, values, _ in lines
        for llr in values[(view[0] <= scores) & (scores <= view[1]) & np.isfinite(values)]
    ]
    low = max(min(llrs, default=-1.0), -_LARGEST_LLR)
    high = min(max(llrs, default=1.0), _LARGEST_LLR)
    return {
        "lines": [
            {
                "scores": numbers(scores, digits=7),
                "llrs": numbers(values, digits=7),
                "steps": steps,  # whether the LLR stays until the next score
            }
            for scores, values, steps in lines
        ],
        "training": score_range(comparison.train),
        "scoreView": view,
        "llrView": with_margin(low, high, 0.05),
    }


def _transform(calibration: Calibration | None, grid: Floats) -> tuple[Floats, Floats, bool]:
    """What a calibration makes of the scores of a grid; nothing, if it has other scores."""
    if calibration is None:
        return np.empty(0), np.empty(0), False
    steps = isinstance(calibration, PAV) and len(calibration.scores) <= _MOST_STEPS
    if isinstance(calibration, PAV) and steps:
        inside = [knot for knot in calibration.scores if grid[0] < knot < grid[-1]]
        grid = np.array([grid[0], *inside, grid[-1]])
    return grid, calibration.without_warnings(grid), steps


def _histograms(comparison: Comparison, view: tuple[float, float]) -> dict[str, Any]:
    """Histograms of both classes, and the densities that generative calibrations fitted."""
    grid = evenly(*view, _DENSITIES)
    fitted = []
    for one in comparison.candidates.values():
        calibration, found = one.of_score, None
        if isinstance(calibration, Generative):
            tar, non = densities_at((calibration.tar, calibration.non), grid)
            found = {"tar": numbers(tar, digits=6), "non": numbers(non, digits=6)}
        fitted.append(found)
    return {
        "view": view,
        "bins": _BINS,
        "train": _histogram(comparison.train, view),
        "test": _histogram(comparison.test, view),
        "grid": numbers(grid, digits=10),
        "densities": fitted,
    }


def _histogram(trials: Trials, view: tuple[float, float]) -> dict[str, Any]:
    """Share of each class in equal bins, per unit of score; and how many lie beyond them."""
    width = (view[1] - view[0]) / _BINS
    sides = {"tar": trials.tar, "non": trials.non}
    held = {name: np.histogram(side, _BINS, view)[0] for name, side in sides.items()}
    return {
        **{name: numbers(held[name] / (len(sides[name]) * width), digits=6) for name in sides},
        "outside": sum(len(sides[name]) - int(held[name].sum()) for name in sides),
    }


def _learning(comparison: Comparison) -> dict[str, Any] | None:
    """Lines and bands, in the order of the calibrations; null for one that has none."""
    curve = comparison.learning_curve
    if curve is None:
        return None
    metrics = {}
    for metric in METRICS:
        lines = {
            one.label: {"low": low, "median": numbers(one.y), "high": high}
            for one in learning_curves(curve, metric)
            for low, high in [map(numbers, one.band or ())]
        }
        metrics[metric] = {
            "name": LEARNING_NAMES[metric],
            "minimum": curve.minimum[metric],
            "view": numbers(error_view(curve, metric)),
            "lines": [lines.get(label) for label in comparison.candidates],
        }
    return {
        "targets": [size.targets for size in curve.sizes],
        "banded": [label in banded(curve) for label in comparison.candidates],
        "metrics": metrics,
    }
