"""Tippett and ECE curves of the page, as forensic scientists draw them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from llrcal.arrays import Floats
from llrcal.comparison import Comparison
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bands import Bands
from llrcal.evaluation.costs import prior_entropy
from llrcal.evaluation.intervals import Band
from llrcal.report.numbers import Numbers, numbers

POINTS = 301
_FURTHEST = 30.0  # LLRs beyond are not drawn
_DECADES = 3.0  # of prior odds on either side


def tippett_data(comparison: Comparison) -> dict[str, Any]:
    """The share of each class at or above LLRs, for every calibration."""
    evaluations = [candidate.evaluation for candidate in comparison.candidates.values()]
    llrs = np.linspace(*_llr_view(evaluations), POINTS)
    bands = recommended_bands(comparison)
    if bands is not None:
        (few, many), non = bands.rates(llrs)
        drawn = {"tar": band_data((1 - many, 1 - few)), "non": band_data(non)}
    return {
        "bands": None if bands is None else drawn,
        "llrs": numbers(llrs, digits=10),
        "tar": [numbers(1 - ev.pmiss(llrs), digits=6) for ev in evaluations],
        "non": [numbers(ev.pfa(llrs), digits=6) for ev in evaluations],
    }


def ece_data(comparison: Comparison) -> dict[str, Any]:
    """Empirical cross-entropies in bits, that after PAV, and the entropy of the prior."""
    x: Floats = np.linspace(-_DECADES, _DECADES, POINTS) * math.log(10)
    actual = [c.evaluation.cross_entropy(x) for c in comparison.candidates.values()]
    bands = recommended_bands(comparison)
    return {
        "band": None if bands is None else band_data(bands.cross_entropy(x)),
        "priorLogOdds": numbers(x, digits=10),
        "actual": [numbers(curve, digits=6) for curve in actual],
        "minimum": numbers(comparison.raw.min_cross_entropy(x), digits=6),
        "neutral": numbers(prior_entropy(x), digits=6),
    }


def recommended_bands(comparison: Comparison) -> Bands | None:
    """What draws test sets for the recommended calibration, if there are intervals."""
    options = comparison.band_options
    evaluation = comparison.candidates[comparison.recommended].evaluation
    return evaluation.bands(**options) if options else None


def band_data(band: Band) -> list[Numbers]:
    """The lower and the upper end of a band."""
    return [numbers(end, digits=6) for end in band]


def _llr_view(evaluations: list[Evaluation]) -> tuple[float, float]:
    """From the least to the greatest finite LLR, but not too far, and never empty."""
    ends = [end for ev in evaluations for end in (*ev.tar_range, *ev.non_range)]
    finite = [min(max(end, -_FURTHEST), _FURTHEST) for end in ends if not math.isnan(end)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    margin = 0.03 * (high - low) or 1.0
    return low - margin, high + margin
