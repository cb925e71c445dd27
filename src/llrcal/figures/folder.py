"""Figures by name, drawn one after the other into a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from llrcal.arrays import ArrayLike
from llrcal.calibrations import Calibration
from llrcal.calibrations.methods.densities import Generative
from llrcal.comparison import Comparison
from llrcal.comparison.checks import score_range
from llrcal.comparison.looks import FIGURE_FORMATS, drawn_priors
from llrcal.evaluation import Evaluation, OperatingPoint
from llrcal.evaluation.bootstrap import REPLICATES
from llrcal.figures.costs import bayes_error, ece
from llrcal.figures.curves import Named, visible_range
from llrcal.figures.densities import adaptation, densities
from llrcal.figures.det import det
from llrcal.figures.drawing import Evaluations, Style, by_label
from llrcal.figures.learning_curve import learning_curve
from llrcal.figures.reliability import reliability
from llrcal.figures.style import column_figure, column_style, save
from llrcal.figures.tippett import tippett
from llrcal.figures.transforms import transforms
from llrcal.figures.zoo import zoo
from llrcal.method_table import TABLE
from llrcal.onepass.summary import Summary

Drawing = Callable[..., Axes]

_SQUARE = {"det", "reliability"}
_SQUARE_HEIGHT = 92.0  # millimetres: square axes and a legend at column width


def draw_into(
    folder: Path,
    drawings: Iterable[tuple[str, Drawing]],
    *,
    formats: Sequence[str] = FIGURE_FORMATS,
) -> None:
    """Draw each figure and save it under its name, as PNG, PDF and SVG unless told otherwise."""
    with column_style():
        for name, draw in drawings:
            save(drawn(name, draw), folder, name, formats=formats)


def drawn(name: str, draw: Drawing) -> Figure:
    """A figure at column width, as high as one of that name is."""
    figure, ax = column_figure(height=_SQUARE_HEIGHT) if name in _SQUARE else column_figure()
    draw(ax=ax)
    return figure


def drawings(comparison: Comparison) -> Iterator[tuple[str, Drawing]]:
    """Names of the figures of a comparison, the paper's six among them, and what draws each."""
    candidates = comparison.candidates
    evaluations = {label: candidate.evaluation for label, candidate in candidates.items()}
    # Errors of all systems have a frame of their own; those of one were counted for this one.
    frame: Style = {} if comparison.of_systems else {"x": drawn_priors(comparison.raw.rule_of_30)}
    # The paper shows calibrations of one kind together (its figures 1 to 4).
    for group in dict.fromkeys(entry.group for entry in TABLE.values()):
        chosen = {
            label: evaluations[label]
            for label, candidate in candidates.items()
            if candidate.of_score and TABLE[candidate.method].group == group
        }
        if chosen:
            yield f"bayes-error-{group}", partial(bayes_error, chosen, **frame)
    yield "bayes-error-all", partial(bayes_error, evaluations, **frame)
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
    # A rising calibration does not move the curve, but systems have their own.
    yield "det", _det(evaluations if comparison.of_systems else best, point)
    yield "reliability", partial(reliability, best)
    bands = comparison.band_options
    yield "tippett", partial(tippett, best, **bands)
    yield "ece", partial(ece, best, **bands)
    if best[comparison.recommended].knows_speakers:
        yield "zoo", partial(zoo, best[comparison.recommended])
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


def _det(evaluations: Named, point: OperatingPoint) -> partial[Axes]:
    return partial(det, evaluations, p_target=point.p_target, c_miss=point.c_miss, c_fa=point.c_fa)


def draw_evaluation(
    evaluation: Evaluations,
    folder: Path,
    points: Sequence[OperatingPoint],
    *,
    level: float | None = None,
    replicates: int = REPLICATES,
    units: str | None = None,
) -> None:
    """Draw every figure of an evaluation, or of several, and save each as PNG, PDF and SVG.

    Logarithms are all in the same units, if these are given, or else those that are usual for each
    figure. With a ``level``, curves that have bands are drawn with them, from so many drawn test
    sets. The zoo is that of the first, if it knows its speakers.
    """
    one = by_label(evaluation, Evaluation)
    first = next(iter(one.values()))
    bands: Style = {"level": level, "replicates": replicates}
    axes: Style = {"units": units} if units else {}
    drawings: dict[str, Drawing] = {
        "bayes-error": partial(bayes_error, one, **bands, **axes),
        "det": _det(one, points[0]),
        "reliability": partial(reliability, one, **axes),
        "tippett": partial(tippett, one, **bands, **axes),
        "ece": partial(ece, one, **bands, **axes),
    }
    if first.knows_speakers:
        drawings["zoo"] = partial(zoo, first, **axes)
    draw_into(folder, drawings.items())


def draw_adaptation(
    before: Calibration, after: Calibration, folder: Path, scores: ArrayLike | Summary | None
) -> None:
    """Draw what an adaptation changed, and save each figure as PNG, PDF and SVG."""
    sign = -1.0 if before.lower_is_better else 1.0
    portraits = [one.portrait for one in (before, after) if one.portrait is not None]
    seen = [sign * score for one in portraits for score in (*one.tar.scores, *one.non.scores)]
    both = {"before": before, "after": after}
    drawings = {"transforms": partial(transforms, both, low=min(seen), high=max(seen))}
    if scores is not None:
        drawings["mixture"] = partial(adaptation, before, after, scores=scores)
    draw_into(folder, drawings.items())
