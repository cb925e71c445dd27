"""Everything that the page draws, as JSON.

Error-rates go in to the last bit, so that a number read off the page is the one that ``evaluate``
gives. What is only drawn is rounded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

from llrcal.arrays import Floats
from llrcal.calibrations import Calibration
from llrcal.calibrations.methods.densities import Generative
from llrcal.calibrations.methods.pav import PAV
from llrcal.comparison import Comparison
from llrcal.comparison.axes import evenly
from llrcal.comparison.checks import score_range
from llrcal.comparison.comparison import FURTHEST, PER_UNIT
from llrcal.comparison.learning_curve import METRICS, banded, error_view
from llrcal.comparison.tables import shown
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.costs import prior_entropy
from llrcal.figures.curves import (
    DECADES,
    Named,
    Range,
    fitted_densities,
    learning_curves,
    llr_places,
    llr_view,
    shares,
    visible_range,
    with_margin,
    zoo_speakers,
)
from llrcal.figures.det import decisions, frame, ticks
from llrcal.figures.looks import Look, looks
from llrcal.method_table import DEFAULT
from llrcal.trials import Trials

Json: TypeAlias = dict[str, Any]
"""An object of JSON, but for arrays."""

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
_PROBITS = 401  # at which the axes of a DET plot are known, and places along them
_TICK = 0.08  # of an axis, the room for the name of a rate
_FEW = 4  # calibrations that can be told apart at first sight
_BINS = 120
_TAIL = 0.01  # of a class may lie beyond the first view, which the reader can widen
_MOST_STEPS = 2000  # of PAV; more are drawn as a line
_LARGEST_LLR = 20.0  # nats, in the first view: more than any set of trials can support
_DIGITS = 8  # of what is only drawn
# What would end the script element or begin markup in it; JSON may spell it otherwise.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def as_json(data: Json) -> str:
    r"""Data as JSON that can stand inside a script element; the numbers of arrays are rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from llrcal.report.data import as_json
    >>> as_json({"name": "</script>\u2028", "drawn": np.array([1 / 3, np.inf])})
    '{"name":"\\u003c/script\\u003e\\u2028","drawn":[0.33333333,null]}'
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), default=_rounded)
    return text.translate(_ESCAPES)


def _rounded(values: Floats) -> list[float | None]:
    return exact(float(f"{value:.{_DIGITS}g}") for value in values.tolist())


def exact(values: Iterable[float]) -> list[float | None]:
    """Plain numbers to the last bit, null where JSON has none."""
    return [value if math.isfinite(value) else None for value in map(float, values)]


def priors(comparison: Comparison) -> tuple[Floats, Floats]:
    """The prior log-odds that the reader can choose: a grid; and after it, the operating points.

    The points are at their exact places: what is read off the page is what ``evaluate`` says, not
    something in between.
    """
    points = [point.prior_log_odds for point in comparison.points]
    low, high = comparison.range
    near = [x for x in points if abs(x) <= FURTHEST]  # points beyond are read off, not drawn
    first = math.floor(min(low - _MARGIN, *near, 0.0) * PER_UNIT)
    last = math.ceil(max(high + _MARGIN, *near, 0.0) * PER_UNIT)
    grid = np.arange(first, last + 1) / PER_UNIT
    return grid, np.append(grid, points)


def page_data(comparison: Comparison) -> Json:
    """The curves of a comparison, and where to draw them."""
    grid, places = priors(comparison)
    low, high = comparison.raw.rule_of_30
    evaluations = {label: one.evaluation for label, one in comparison.candidates.items()}
    options = comparison.band_options
    bands = evaluations[comparison.recommended].bands(**options) if options else None
    train, test = comparison.train, comparison.test
    view = visible_range([train.tar, train.non, test.tar, test.non], margin=1.0, tail=_TAIL)
    return {
        "positions": {
            "first": round(grid[0] * PER_UNIT),
            "count": len(grid),
            "perUnit": PER_UNIT,
        },
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
        "minimum": exact(comparison.least(lambda ev: ev.min_bayes_error(places))),
        "band": bands and bands.bayes_error(grid),
        "methods": [
            {
                "label": shown(label),
                "style": _style(look),
                "actual": exact(evaluations[label].bayes_error(places)),
                "minimum": exact(evaluations[label].min_bayes_error(places)),
                "pmiss": exact(evaluations[label].pmiss(-places)),
                "pfa": exact(evaluations[label].pfa(-places)),
            }
            for label, look in looks(evaluations).items()
        ],
        "recommended": list(evaluations).index(comparison.recommended),
        "main": _main(comparison),
        "det": _det(comparison),
        "transforms": _transforms(comparison, view),
        "tippett": _tippett(evaluations, bands),
        "ece": _ece(comparison, bands),
        "histograms": _histograms(comparison, view),
        "learning": _learning(comparison),
        "zoo": _zoo(comparison),
    }


def _main(comparison: Comparison) -> list[int]:
    """Which calibrations are drawn first: the recommended one and the default, or all of a few."""
    every = list(comparison.candidates.values())
    main = [
        i
        for i, one in enumerate(every)
        if len(every) <= _FEW or (one.method == DEFAULT and not one.adapted)
    ]
    recommended = list(comparison.candidates).index(comparison.recommended)
    return [recommended, *(i for i in main if i != recommended)]


def _det(comparison: Comparison) -> Json:
    """Miss and false-alarm rates of each system, or of the scores that all calibrations share."""
    every = [one.evaluation for one in comparison.candidates.values()]
    chosen = dict(enumerate(every)) if comparison.of_systems else {None: comparison.raw}
    points = [point.prior_log_odds for point in comparison.points]
    view = frame(list(chosen.values()), [decisions(ev, x) for ev in every for x in points])
    low, high = ndtri(view)
    # Beyond the frame as well, where lines leave it.
    probits = np.linspace(low - 1, high + 1, _PROBITS)
    curves = []
    for method, ev in chosen.items():
        pfa, pmiss = (np.clip(rates, *ndtr(probits[[0, -1]])) for rates in ev.roc())
        # One corner for each place that can be told from its neighbours.
        cells = np.round(ndtri([pfa, pmiss]) * _PROBITS / (high - low))
        kept = np.flatnonzero(np.diff(cells, prepend=np.nan).any(axis=0))
        curves.append({"method": method, "pfa": pfa[kept], "pmiss": pmiss[kept]})
    return {
        "curves": curves,
        "probits": probits,
        "rates": ndtr(probits),
        "view": [low, high],
        "ticks": ticks(*view, _TICK),
    }


def _style(look: Look) -> Json:
    """A line: its colour on light and on dark pages, and its markers."""
    symbol = SYMBOLS[look.marker]
    return {"light": look.light, "dark": look.dark, "symbol": symbol}


def _tippett(evaluations: Named, bands: Bands | None) -> Json:
    """The share of each class at or above LLRs, for every calibration."""
    llrs = llr_places(llr_view(evaluations.values()), _EVIDENCE)
    tar, non = zip(*map(shares, evaluations.values()), strict=True)
    return {
        "bands": bands and {"tar": tar[0].band(llrs, bands), "non": non[0].band(llrs, bands)},
        "llrs": llrs,
        "tar": [one.at(llrs) for one in tar],
        "non": [one.at(llrs) for one in non],
    }


def _ece(comparison: Comparison, bands: Bands | None) -> Json:
    """Empirical cross-entropies in bits, that after PAV, and the entropy of the prior."""
    x: Floats = np.linspace(-DECADES, DECADES, _EVIDENCE) * math.log(10)
    return {
        "band": bands and bands.cross_entropy(x),
        "priorLogOdds": x,
        "actual": [one.evaluation.cross_entropy(x) for one in comparison.candidates.values()],
        "minimum": comparison.least(lambda ev: ev.min_cross_entropy(x)),
        "neutral": prior_entropy(x),
    }


def _transforms(comparison: Comparison, view: Range) -> Json:
    """Scores and LLRs of each calibration: dense over the view, and out to the last score."""
    everything = score_range(comparison.train, comparison.test)
    grid = np.union1d(evenly(*view, _SCORES), evenly(*everything, _FAR_SCORES))
    lines, seen = [], []
    for one in comparison.candidates.values():
        scores, llrs, steps = _transform(one.of_score, grid)
        lines.append({"scores": scores, "llrs": llrs, "steps": steps})
        seen.append(llrs[(view[0] <= scores) & (scores <= view[1]) & np.isfinite(llrs)])
    inside = np.concatenate(seen).clip(-_LARGEST_LLR, _LARGEST_LLR)
    ends = (float(inside.min()), float(inside.max())) if len(inside) else (-1.0, 1.0)
    return {
        "lines": lines,
        "training": score_range(comparison.train),
        "scoreView": view,
        "llrView": with_margin(*ends, 0.05),
    }


def _transform(calibration: Calibration | None, grid: Floats) -> tuple[Floats, Floats, bool]:
    """What a calibration makes of a grid, and whether LLRs stay until the next score.

    Nothing, if it has other scores.
    """
    if calibration is None:
        return np.empty(0), np.empty(0), False
    steps = isinstance(calibration, PAV) and len(calibration.scores) <= _MOST_STEPS
    if isinstance(calibration, PAV) and steps:
        knots = np.array(calibration.scores)
        grid = np.hstack([grid[0], knots[(grid[0] < knots) & (knots < grid[-1])], grid[-1]])
    return grid, calibration.without_warnings(grid), steps


def _histograms(comparison: Comparison, view: Range) -> Json:
    """Histograms of both classes, and the densities that generative calibrations fitted."""
    grid = evenly(*view, _DENSITIES)
    fitted = []
    for one in comparison.candidates.values():
        found, calibration = None, one.of_score
        if isinstance(calibration, Generative):
            tar, non = fitted_densities(calibration, grid)
            found = {"tar": tar, "non": non}
        fitted.append(found)
    return {
        "view": view,
        "bins": _BINS,
        "train": _histogram(comparison.train, view),
        "test": _histogram(comparison.test, view),
        "grid": grid,
        "densities": fitted,
    }


def _histogram(trials: Trials, view: Range) -> Json:
    """Share of each class in equal bins, per unit of score; and how many lie beyond them."""
    found: Json = {"outside": 0}
    for name, side in (("tar", trials.tar), ("non", trials.non)):
        held, edges = np.histogram(side, _BINS, view)
        found[name] = held / (len(side) * np.diff(edges))
        found["outside"] += len(side) - int(held.sum())
    return found


def _learning(comparison: Comparison) -> Json | None:
    """Lines and bands, in the order of the calibrations; null for one that has none."""
    curve = comparison.learning_curve
    if curve is None:
        return None
    metrics = {}
    for metric in METRICS:
        lines = {
            one.label: {"low": low, "median": exact(one.y), "high": high}
            for one in learning_curves(curve, metric)
            for low, high in [map(exact, one.band or ())]
        }
        metrics[metric] = {
            "name": LEARNING_NAMES[metric],
            "minimum": curve.minimum[metric],
            "view": exact(error_view(curve, metric)),
            "lines": [lines.get(label) for label in comparison.candidates],
        }
    return {
        "targets": [size.targets for size in curve.sizes],
        "banded": [label in banded(curve) for label in comparison.candidates],
        "metrics": metrics,
    }


def _zoo(comparison: Comparison) -> Json | None:
    """The points of the plot."""
    evaluation = comparison.candidates[comparison.recommended].evaluation
    if not evaluation.knows_speakers:
        return None
    speakers = zoo_speakers(evaluation)
    return {
        "names": [shown(str(name)) for name in speakers["speaker"]],
        "tar": speakers["llr_tar"].to_numpy(),
        "non": speakers["llr_non"].to_numpy(),
        "shares": speakers["share"].to_numpy(),
    }
