"""Training a fusion of several systems, with side information and conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.conditions import fitted_conditions
from llrcal.calibrations.model_file import Counts
from llrcal.calibrations.training import target_weight
from llrcal.errors import OptionError, ScoreError
from llrcal.fitting.logistic import log_odds
from llrcal.fitting.report import Report
from llrcal.fusion.fused import LIMITS, Fused, Limit, Line
from llrcal.fusion.inputs import Scores, as_columns, as_names, as_quality, quality_names
from llrcal.fusion.passes import InMemory, Trials
from llrcal.fusion.regression import Cost, margins, regression
from llrcal.inputs.beside_scores import Speakers, both_conditions, both_speakers, pair
from llrcal.messages import Setting
from llrcal.notes import Note, warn

_MOST_PATTERNS = 32  # of missing scores; trials of rarer ones go without some of their systems
_THE_SAME = 0.99999  # correlation of scores, within both classes
_FAR = 5  # times less than the share of a class: a weight at which there are few trials
_ENOUGH = 20_000  # trials of a class, to know correlations by
_Both = tuple[Array, Array]


def fuse(
    tar: Scores,
    non: Scores,
    *,
    names: Sequence[str] | None = None,
    alpha: float | Literal["empirical"] = 0.5,
    quality: tuple[Scores, Scores] | None = None,
    condition: tuple[Any, Any] | None = None,
    speakers: Speakers | None = None,
    missing: Literal["error", "patterns"] = "error",
    bounds: Limit = "range",
) -> Fused:
    """Fuse the scores of several systems on the same trials into log-likelihood-ratios.

    The LLR is a weighted sum of the scores, by logistic regression with a Gaussian prior on the
    weights whose variance the trials themselves decide: see docs/fusion.md. One system will do.

    Parameters
    ----------
    tar, non
        Scores of target and non-target trials as arrays of trials x systems, or as a dictionary of
        one array for each system. Lower scores may be better: a weight is then negative.
    names
        Of the systems, if there is no dictionary to name them.
    alpha
        The weight of the targets: a number between 0 and 1, or ``"empirical"`` for T / (T + N).
    quality
        Side information on each trial, such as durations, as a pair of arrays for targets and
        non-targets, trials x columns; it is added to the LLR, and multiplied with the scores. If
        there is a third axis of two values, those of both sides of a trial, their minimum and
        maximum are used. Also a pair of dictionaries.
    condition
        The condition of each trial, as a pair of lists for targets and non-targets: each condition
        gets its own slope and offset, as far as its trials can tell.
    speakers
        As for :func:`llrcal.fit`: intervals of the weights then count trials that share speakers
        for what they are worth. LLRs are the same.
    missing
        Scores that are NaN: an error, or missing. Then there is a fusion for each pattern of
        systems that are there, trained on all trials that have at least these.
    bounds
        Scores beyond those of training are taken for the nearest of these (``"range"``). With
        ``"counts"``, LLRs also keep to what the number of trials supports, as with
        :func:`llrcal.fit`.

    Returns
    -------
    Fused
        A frozen map from scores to natural-log likelihood-ratios, with ``weights`` and ``report``.

    Raises
    ------
    ScoreError
        If scores, side information or conditions cannot be used.
    OptionError
        If an option is out of range.

    Warns
    -----
    LlrcalWarning
        If the result should be checked: the notes of its ``report`` say the same.

    Examples
    --------
    >>> import llrcal, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> tar, non = rng.normal(1, 1, (200, 2)), rng.normal(-1, 1, (500, 2))
    >>> fused = llrcal.fuse(tar, non, names=["cosine", "plda"])
    >>> fused.weights["plda"].low < 2 < fused.weights["plda"].high
    True
    >>> bool(fused({"plda": [1.0], "cosine": [0.5]})[0] > 0)
    True
    """
    fused = fusion(
        tar,
        non,
        names=names,
        alpha=alpha,
        quality=quality,
        condition=condition,
        speakers=speakers,
        missing=missing,
        bounds=bounds,
    )
    warn(fused.report.all_notes)
    return fused


def fusion(
    tar: Scores,
    non: Scores,
    *,
    names: Sequence[str] | None = None,
    alpha: float | str = 0.5,
    quality: tuple[Any, Any] | None = None,
    condition: tuple[Any, Any] | None = None,
    speakers: Speakers | None = None,
    missing: str = "error",
    bounds: str = "range",
) -> Fused:
    """The same as :func:`fuse`, for callers that handle the notes themselves."""
    if missing not in ("error", "patterns"):
        raise OptionError(f"missing is {missing!r}; choose error or patterns")
    systems, holes = as_names(names, tar, "system"), missing == "patterns"
    scores = [
        as_columns(side, systems, f"{what} scores", holes=holes)
        for side, what in ((tar, "target"), (non, "non-target"))
    ]
    counts, side_names = (len(scores[0]), len(scores[1])), as_names((), None, "quality")
    if quality is not None:
        both = pair(quality, "quality")
        side_names = quality_names(both[0])
        given = zip(scores, both, ("target", "non-target"), strict=True)
        scores = [
            np.column_stack([side, as_quality(more, side_names, len(side), what)])
            for side, more, what in given
        ]
    where = None if condition is None else both_conditions(condition, *counts)
    who = None if speakers is None else both_speakers(speakers, *counts)
    trials, weight = (scores[0], scores[1]), target_weight(alpha, *counts)
    lines = [
        _line(pattern, InMemory(*some), weight, people)
        for pattern, some, people in _by_pattern(trials, systems, who, holes=holes)
    ]
    fused = _fused(lines, counts, systems, side_names, alpha, bounds, missing=holes)
    if where is not None:
        tar_llrs, non_llrs = (fused.pooled_llrs(side)[0] for side in trials)
        found = fitted_conditions(tar_llrs, non_llrs, *where, weight)
        fused = replace(fused, conditions=found)
    return _with_notes(fused, trials)


def fusion_of(
    trials: Trials,
    *,
    names: Sequence[str],
    quality_names: Sequence[str] = (),
    alpha: float | str = 0.5,
    bounds: str = "range",
) -> Fused:
    """A fusion of trials that have a score of every system, wherever they are."""
    systems = as_names(names, None, "system")
    tar, non = trials.looks()
    counts = len(tar), len(non)
    line = _line(tuple(range(len(systems))), trials, target_weight(alpha, *counts), None)
    fused = _fused([line], counts, systems, tuple(quality_names), alpha, bounds, missing=False)
    return _with_notes(fused, (tar.sample(), non.sample()))


def _fused(
    lines: list[tuple[Line, Report]],
    counts: tuple[int, int],
    systems: tuple[str, ...],
    quality: tuple[str, ...],
    alpha: float | str,
    bounds: str,
    *,
    missing: bool,
) -> Fused:
    """A fusion of lines, without conditions, and without notes on all of them."""
    if bounds not in LIMITS:
        raise OptionError(f"bounds are {bounds!r}; choose {' or '.join(LIMITS)}")
    reports = [report for _, report in lines]
    return Fused(
        systems=systems,
        quality=quality,
        training=Counts(*counts),
        alpha=alpha if isinstance(alpha, str) else target_weight(alpha, *counts),
        missing=missing,
        bounds="counts" if bounds == "counts" else "range",
        lines=tuple(line for line, _ in lines),
        report=replace(
            reports[0],
            converged=all(report.converged for report in reports),
            iterations=sum(report.iterations for report in reports),
            gradient_norm=max(report.gradient_norm for report in reports),
        ),
    )


def _line(
    systems: tuple[int, ...], trials: Trials, alpha: float, speakers: _Both | None
) -> tuple[Line, Report]:
    """The line that fits trials with all of these systems and no others, and how that went."""
    cost = Cost.of(trials, len(systems), alpha)
    found = regression(cost)
    widths, by = margins(cost, found, speakers)
    columns = cost.terms.columns
    scores, quality = columns.part(slice(len(systems))), columns.part(slice(len(systems), None))
    weights = tuple(found.weights.tolist())
    solution, size = found.solution, cost.effective_sample_size
    decrement = float(solution.gradient @ np.linalg.solve(solution.hessian, solution.gradient))
    notes: tuple[Note, ...] = ()
    if cost.is_separable(solution.point):
        text = "the fused classes do not overlap: only the prior keeps the weights finite"
        notes = (Note.warning("separable", text),)
    report = Report.of(solution, solution.value / size, notes)
    report = replace(
        report,
        gradient_norm=report.gradient_norm / size,
        reason=f"{report.reason}, Newton decrement {np.sqrt(max(decrement, 0.0)):.1e}",
    )
    return Line(systems, scores, quality, weights, widths, found.variances, by), report


def _by_pattern(
    trials: _Both, names: tuple[str, ...], speakers: _Both | None, *, holes: bool
) -> Iterator[tuple[tuple[int, ...], _Both, _Both | None]]:
    """Systems that are there together, the trials that have at least these, and their speakers.

    Most systems first: those of many trials, and each alone.
    """
    if not holes:
        yield tuple(range(len(names))), trials, speakers
        return
    has = [~np.isnan(side[:, : len(names)]) for side in trials]
    for place, name in enumerate(names):
        for side, what in zip(has, ("target", "non-target"), strict=True):
            if not side[:, place].any():
                raise ScoreError(f"{name}: there are no {what} scores; leave that system out")
    rows, counts = np.unique(np.concatenate(has), axis=0, return_counts=True)
    common = rows[np.argsort(-counts, kind="stable")][:_MOST_PATTERNS]
    patterns = {tuple(np.flatnonzero(row).tolist()) for row in common} - {()}
    patterns |= {(system,) for system in range(len(names))}
    for systems in sorted(patterns, key=lambda one: (-len(one), one)):
        tar, non = (np.flatnonzero(side[:, systems].all(axis=1)) for side in has)
        if len(tar) and len(non):
            columns = [*systems, *range(len(names), trials[0].shape[1])]
            some = trials[0][tar][:, columns], trials[1][non][:, columns]
            who = None if speakers is None else (speakers[0][tar], speakers[1][non])
            yield systems, some, who


def _with_notes(fused: Fused, trials: _Both) -> Fused:
    """The fusion with what a reader should know of it, given some of its training trials."""
    notes = (
        *_far_from_trials(fused),
        *_constant(fused),
        *_duplicates(fused, trials),
        *_against(fused, trials),
        *(() if fused.conditions is None else fused.conditions.notes),
    )
    return replace(fused, report=fused.report.with_notes(notes))


def correlations(scores: Array) -> Floats:
    """Correlations between the systems over some trials of a class; 0 where one is constant."""
    some = _sample(scores)
    some = some[~np.isnan(some).any(axis=1)]
    if len(some) < 2:
        return np.eye(scores.shape[1])
    largest = np.abs(some).max(axis=0)
    centred = some / np.where(largest > 0, largest, 1.0)
    centred -= centred.mean(axis=0)
    lengths = np.sqrt((centred * centred).sum(axis=0))
    centred /= np.where(lengths > 0, lengths, 1.0)
    return np.asarray(centred.T @ centred)


def _far_from_trials(fused: Fused) -> Iterator[Note]:
    share = fused.tar_count / (fused.tar_count + fused.non_count)
    if isinstance(fused.alpha, str):
        return
    low, high = min(share, 0.5), max(share, 0.5)
    if not low / _FAR <= fused.alpha <= 1 - (1 - high) / _FAR:
        yield Note.warning(
            "far alpha",
            f"with a weight of {fused.alpha:g} the criterion looks at LLRs near "
            f"{-log_odds(fused.alpha):.1f}, where there are hardly any trials to go by; choose one "
            f"between {low:.2g} and {high:.2g}: ",
            Setting("alpha", "empirical"),
        )


def _sample(scores: Array) -> Floats:
    return np.asarray(scores[:: max(len(scores) // _ENOUGH, 1)], dtype=np.float64)


def _constant(fused: Fused) -> Iterator[Note]:
    line = fused.lines[0]
    names, units = fused.systems + fused.quality, line.scores.unit + line.quality.unit
    for name, unit in zip(names, units, strict=True):
        if unit == 0:
            text = "all values are equal, so they say nothing: the weight is zero"
            yield Note.warning("constant", text).about(name)


def _duplicates(fused: Fused, trials: _Both) -> Iterator[Note]:
    if len(fused.systems) == 1:
        return
    both = np.minimum(*(np.abs(correlations(side[:, : len(fused.systems)])) for side in trials))
    for one, other in combinations(range(len(fused.systems)), 2):
        if both[one, other] > _THE_SAME:
            names = f"{fused.systems[one]} and {fused.systems[other]}"
            text = f"{names} have the same scores, up to scale: they share one weight"
            yield Note.warning("duplicate", text)


def _against(fused: Fused, trials: _Both) -> Iterator[Note]:
    line = fused.lines[0]
    for place, system in enumerate(line.systems):
        columns = (_sample(side[:, system]) for side in trials)
        tar, non = (np.nanmedian(column / 2) for column in columns)  # halves do not overflow
        weight, margin = line.weights[place], line.margins[place]
        if weight * np.sign(tar - non) < 0 and abs(weight) > margin:
            yield Note.of(
                "opposite weight",
                "its weight is against the direction of its scores: it corrects what other "
                "systems have in common with it, which may not hold on other trials",
            ).about(fused.systems[system])
