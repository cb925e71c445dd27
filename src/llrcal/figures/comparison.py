"""All figures of a comparison: the paper's six, and those that others expect."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

from llrcal.calibrations.generative import Generative
from llrcal.comparison import Comparison
from llrcal.comparison.findings import score_range
from llrcal.evaluation import Evaluation
from llrcal.figures.bayes_error import bayes_error
from llrcal.figures.densities import densities
from llrcal.figures.det import det
from llrcal.figures.drawing import Drawing, draw_into
from llrcal.figures.ece import ece
from llrcal.figures.histogram import visible_range
from llrcal.figures.reliability import reliability
from llrcal.figures.tippett import tippett
from llrcal.figures.transforms import transforms

# The paper shows calibrations of one kind together (its figures 1 to 4).
_TOGETHER = {
    "linear-gaussian": ("linear-gaussian",),
    "logistic": ("logistic",),
    "pav": ("pav",),
    "generative": ("gaussian", "student-t", "nig"),
}


def draw_all(comparison: Comparison, folder: Path) -> None:
    """Draw every figure of a comparison and save each as PNG, PDF and SVG."""
    draw_into(folder, _drawings(comparison))


def _drawings(comparison: Comparison) -> Iterator[tuple[str, Drawing]]:
    """Names of the figures, and what draws each."""
    for name, methods in _TOGETHER.items():
        if chosen := _of_methods(comparison, methods):
            yield f"bayes-error-{name}", partial(bayes_error, evaluations=chosen)
    yield "bayes-error-all", partial(bayes_error, evaluations=_of_methods(comparison, None))
    yield "transforms", partial(_transforms, comparison=comparison)
    for label, candidate in comparison.candidates.items():
        if isinstance(candidate.calibration, Generative):
            draw = partial(_densities, comparison=comparison, label=label)
            yield f"densities-{label}", partial(draw, log=False)
            yield f"densities-{label}-log", partial(draw, log=True)
    best = comparison.recommended
    evaluation = comparison.candidates[best].evaluation
    # The operating point nearest to the middle of the range, which lies well inside the frame.
    middle = sum(comparison.range) / 2
    point = min(comparison.points, key=lambda point: abs(point.prior_log_odds - middle))
    at_point = partial(det, p_target=point.p_target, c_miss=point.c_miss, c_fa=point.c_fa)
    yield "det", partial(at_point, evaluations={best: evaluation})
    yield "reliability", partial(reliability, evaluation=evaluation, label=best)
    yield "tippett", partial(tippett, evaluations={best: evaluation})
    yield "ece", partial(ece, evaluations={best: evaluation})


def _of_methods(comparison: Comparison, methods: tuple[str, ...] | None) -> dict[str, Evaluation]:
    return {
        label: candidate.evaluation
        for label, candidate in comparison.candidates.items()
        if methods is None or candidate.calibration.method in methods
    }


def _transforms(ax: Axes, comparison: Comparison) -> None:
    classes = [side for t in (comparison.train, comparison.test) for side in (t.tar, t.non)]
    low, high = visible_range(classes, margin=1.0)
    calibrations = {label: c.calibration for label, c in comparison.candidates.items()}
    transforms(ax, calibrations, low=low, high=high, training=score_range(comparison.train))


def _densities(ax: Axes, comparison: Comparison, label: str, *, log: bool) -> None:
    train = comparison.train
    calibration = comparison.candidates[label].calibration
    densities(ax, calibration, tar=train.tar, non=train.non, log=log)
