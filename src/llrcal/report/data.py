"""Everything that the page draws, as JSON.

Error-rates go in to the last bit, so that a number read off the page is the one that
``evaluate`` gives. What is only drawn is rounded.
"""

from __future__ import annotations

import json
from typing import Any

from llrcal.comparison import Candidate, Comparison
from llrcal.comparison.checks import score_range
from llrcal.comparison.comparison import PER_UNIT
from llrcal.comparison.looks import evenly
from llrcal.comparison.tables import shown
from llrcal.evaluation import Evaluation
from llrcal.report.evidence import band_data, ece_data, recommended_bands, tippett_data
from llrcal.report.histograms import BINS, densities, histogram
from llrcal.report.learning import learning_data
from llrcal.report.numbers import numbers
from llrcal.report.positions import Positions, positions
from llrcal.report.styles import styles
from llrcal.report.transforms import llr_view, score_grid, score_view, transform

_DENSITIES = 481  # scores at which fitted densities are drawn
# What would end the script element or begin markup in it; JSON may spell it otherwise.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def page_data(comparison: Comparison) -> dict[str, Any]:
    """The curves of a comparison, and where to draw them."""
    places = positions(comparison)
    low, high = comparison.raw.rule_of_30
    candidates = list(comparison.candidates.values())
    bands = recommended_bands(comparison)
    return {
        "positions": {"first": places.first, "count": places.count, "perUnit": PER_UNIT},
        "points": _points(comparison),
        "ruleOf30": [low, high] if low < high else None,
        "minimum": numbers(comparison.raw.min_bayes_error(places.all)),
        "band": None if bands is None else band_data(bands.bayes_error(places.grid)),
        "methods": _methods(candidates, places),
        "recommended": list(comparison.candidates).index(comparison.recommended),
        "transforms": _transforms(comparison),
        "tippett": tippett_data(comparison),
        "ece": ece_data(comparison),
        "histograms": _histograms(comparison),
        "learning": learning_data(comparison),
    }


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


def _points(comparison: Comparison) -> list[dict[str, Any]]:
    return [
        {
            "name": shown(point.name),
            "x": point.prior_log_odds,
            "pTarget": point.p_target,
            "cMiss": point.c_miss,
            "cFa": point.c_fa,
        }
        for point in comparison.points
    ]


def _methods(candidates: list[Candidate], places: Positions) -> list[dict[str, Any]]:
    found = styles(candidate.label for candidate in candidates)
    return [
        {"label": shown(candidate.label), "style": style, **_rates(candidate.evaluation, places)}
        for candidate, style in zip(candidates, found, strict=True)
    ]


def _rates(evaluation: Evaluation, places: Positions) -> dict[str, Any]:
    x = places.all
    return {
        "actual": numbers(evaluation.bayes_error(x)),
        "minimum": numbers(evaluation.min_bayes_error(x)),
        "pmiss": numbers(evaluation.pmiss(-x)),
        "pfa": numbers(evaluation.pfa(-x)),
    }


def _transforms(comparison: Comparison) -> dict[str, Any]:
    train, test = comparison.train, comparison.test
    grid, view = score_grid(train, test), score_view(train, test)
    lines = [transform(c.of_score, grid) for c in comparison.candidates.values()]
    return {
        "lines": lines,
        "training": score_range(train),
        "scoreView": view,
        "llrView": llr_view(lines, view),
    }


def _histograms(comparison: Comparison) -> dict[str, Any]:
    view = score_view(comparison.train, comparison.test)
    grid = evenly(*view, _DENSITIES)
    fitted = [densities(c.of_score, grid) for c in comparison.candidates.values()]
    return {
        "view": view,
        "bins": BINS,
        "train": histogram(comparison.train, view),
        "test": histogram(comparison.test, view),
        "grid": numbers(grid, digits=10),
        "densities": fitted,
    }
