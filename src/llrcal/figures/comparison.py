"""All figures of a comparison: the paper's six, and those that others expect."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from llrcal.calibrations.methods.densities import Generative
from llrcal.comparison import Comparison
from llrcal.comparison.checks import score_range
from llrcal.figures.bayes_error import bayes_error
from llrcal.figures.densities import densities
from llrcal.figures.det import det
from llrcal.figures.drawing import Drawing
from llrcal.figures.ece import ece
from llrcal.figures.histogram import visible_range
from llrcal.figures.learning_curve import learning_curve
from llrcal.figures.reliability import reliability
from llrcal.figures.tippett import tippett
from llrcal.figures.transforms import transforms
from llrcal.method_table import TABLE


def drawings(comparison: Comparison) -> Iterator[tuple[str, Drawing]]:
    """Names of the figures, and what draws each."""
    candidates = comparison.candidates
    evaluations = {label: candidate.evaluation for label, candidate in candidates.items()}
    # The paper shows calibrations of one kind together (its figures 1 to 4).
    for group in dict.fromkeys(entry.group for entry in TABLE.values()):
        chosen = {
            label: evaluations[label]
            for label, candidate in candidates.items()
            if candidate.of_score and TABLE[candidate.method].group == group
        }
        if chosen:
            yield f"bayes-error-{group}", partial(bayes_error, chosen)
    yield "bayes-error-all", partial(bayes_error, evaluations)
    if any(candidate.of_score for candidate in candidates.values()):
        yield "transforms", _transforms(comparison)
    for label, candidate in candidates.items():
        if isinstance(candidate.calibration, Generative):
            seen = comparison.test if candidate.adapted else comparison.train
            draw = partial(densities, candidate.calibration, tar=seen.tar, non=seen.non)
            yield f"densities-{label}", draw
            yield f"densities-{label}-log", partial(draw, log=True)
    best = {comparison.recommended: evaluations[comparison.recommended]}
    # The operating point nearest to the middle of the range, which lies well inside the frame.
    middle = sum(comparison.range) / 2
    point = min(comparison.points, key=lambda point: abs(point.prior_log_odds - middle))
    yield "det", partial(det, best, p_target=point.p_target, c_miss=point.c_miss, c_fa=point.c_fa)
    yield "reliability", partial(reliability, best)
    bands = comparison.band_options
    yield "tippett", partial(tippett, best, **bands)
    yield "ece", partial(ece, best, **bands)
    by = candidates[comparison.recommended].by
    if by is not None:
        yield "bayes-error-by-condition", partial(bayes_error, by.largest)
    if comparison.learning_curve is not None:
        yield "learning-curve", partial(learning_curve, comparison.learning_curve)


def _transforms(comparison: Comparison) -> Drawing:
    classes = [side for t in (comparison.train, comparison.test) for side in (t.tar, t.non)]
    low, high = visible_range(classes, margin=1.0)
    every = comparison.candidates.items()
    calibrations = {label: c.of_score for label, c in every if c.of_score is not None}
    training = score_range(comparison.train)
    return partial(transforms, calibrations, low=low, high=high, training=training)
