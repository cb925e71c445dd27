"""Training a fusion of several systems, with side information and conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.bounds import TrainedOn
from llrcal.calibrations.conditions import fitted_conditions
from llrcal.calibrations.training import target_weight
from llrcal.errors import OptionError, ScoreError
from llrcal.fitting.logistic import log_odds
from llrcal.fitting.report import Report
from llrcal.fusion.fused import LIMITS, Fused, Limit, Line
from llrcal.fusion.inputs import (
    Scores,
    as_columns,
    as_names,
    as_quality,
    quality_names,
    refuse_labels,
)
from llrcal.fusion.regression import (
    THE_SAME,
    Both,
    Cost,
    at_share_of_targets,
    margins,
    regression,
)
from llrcal.fusion.sample import ColumnSample
from llrcal.fusion.terms import Terms
from llrcal.inputs.beside_scores import (
    Speakers,
    both_conditions,
    both_speakers,
    pair,
    speaker_counts,
)
from llrcal.messages import Setting
from llrcal.notes import Note, warn

Samples = tuple[ColumnSample, ColumnSample]
"""Of the targets and of the non-targets."""
_MOST_PATTERNS = 32  # of missing scores; trials of rarer ones go without some of their systems
_ENOUGH = 10  # trials of each class for each system
_FAR = 5  # times less than the share of a class: a weight at which there are few trials


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
    bounds: Limit = "counts",
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
        for what they are worth, and LLRs keep to what so many speakers support.
    missing
        Scores that are NaN: an error, or missing. Then there is a fusion for each pattern of
        systems that are there, trained on all trials that have at least these, and leaning on the
        fusion of all trials as far as these are few.
    bounds
        Scores beyond those of training are taken for the nearest of these, and LLRs keep to what
        trials and their speakers support, as with :func:`llrcal.fit` (``"counts"``); or only the
        former (``"range"``).

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
    bounds: str = "counts",
) -> Fused:
    """The same as :func:`fuse`, for callers that handle the notes themselves."""
    if missing not in ("error", "patterns"):
        raise OptionError(f"missing is {missing!r}; choose error or patterns")
    systems, may_miss = as_names(names, tar, "system"), missing == "patterns"
    both = [
        as_columns(side, systems, f"{what} scores", may_miss=may_miss)
        for side, what in ((tar, "target"), (non, "non-target"))
    ]
    sides: tuple[str, ...] = ()
    if quality is not None:
        given = pair(quality, "quality")
        sides = quality_names(given[0])
        known = [
            as_quality(more, sides, len(scores), what)
            for scores, more, what in zip(both, given, ("target", "non-target"), strict=True)
        ]
        refuse_labels(sides, *((side.min(axis=0), side.max(axis=0)) for side in known))
        both = list(map(np.column_stack, zip(both, known, strict=True)))
    trials, counts = (both[0], both[1]), (len(both[0]), len(both[1]))
    where = None if condition is None else both_conditions(condition, *counts)
    who = None if speakers is None else both_speakers(speakers, *counts)
    patterns = _by_pattern(trials, systems, who) if may_miss else [_whole(trials, systems, who)]
    filled = _sampled(_filled(trials, systems)) if may_miss else None
    training = TrainedOn(*counts, None if who is None else speaker_counts(*who))
    fused = fusion_of(patterns, training, systems, sides, alpha, bounds, filled=filled)
    if where is not None:
        tar_llrs, non_llrs = (fused.pooled_llrs(side)[0] for side in trials)
        conditions = fitted_conditions(tar_llrs, non_llrs, *where, target_weight(alpha, *counts))
        report = fused.report.with_notes(conditions.notes)
        fused = replace(fused, conditions=conditions, report=report)
    return fused


@dataclass(frozen=True)
class Pattern:
    """Systems that are there together, and the trials that have at least these."""

    systems: tuple[int, ...]
    samples: Samples
    by_speaker: tuple[Both, Both] | None = None
    """All trials and their speakers, where these are known."""


def fusion_of(
    patterns: Iterable[Pattern],
    training: TrainedOn,
    systems: Sequence[str],
    quality: Sequence[str],
    alpha: float | str,
    bounds: str,
    *,
    filled: Samples | None = None,
) -> Fused:
    """A fusion by a line for each pattern, learned from samples of the trials.

    Where scores may be missing, ``filled`` are samples of all trials: weights of each pattern are
    expected around those of all trials together, since its own may be few.
    """
    if bounds not in LIMITS:
        raise OptionError(f"bounds are {bounds!r}; choose {' or '.join(LIMITS)}")
    counts = training.tar, training.non
    weight, lines, reports, costs = target_weight(alpha, *counts), [], [], []
    common: tuple[Terms, Floats] | None = None
    if filled is not None:
        terms = Terms.of(filled, len(systems))
        cost = Cost.of(terms, _trials(filled), weight)
        common = terms, at_share_of_targets(cost)[0].point
    for pattern in patterns:
        centre = None
        if common is None:
            terms = Terms.of(pattern.samples, len(pattern.systems))
        else:
            terms = common[0].of_systems(pattern.systems)
            sizes = [sample.count for sample in pattern.samples]
            if (len(pattern.systems), *sizes) != (len(systems), *counts):
                centre = common[1][common[0].places(pattern.systems)]
        cost = Cost.of(terms, _trials(pattern.samples), weight)
        line, report = _line(pattern, cost, centre)
        lines.append(line)
        reports.append(report)
        costs.append(cost)
    fused = Fused(
        systems=tuple(systems),
        quality=tuple(quality),
        training=training,
        alpha=alpha if isinstance(alpha, str) else weight,
        missing=filled is not None,
        bounds="counts" if bounds == "counts" else "range",
        lines=tuple(lines),
        report=replace(
            reports[0],
            converged=all(report.converged for report in reports),
            iterations=sum(report.iterations for report in reports),
            gradient_norm=max(report.gradient_norm for report in reports),
        ),
    )
    return replace(fused, report=fused.report.with_notes(tuple(_notes(fused, costs[0]))))


def _line(pattern: Pattern, cost: Cost, centre: Floats | None) -> tuple[Line, Report]:
    """The line that fits trials with the scores of some systems, and how that went."""
    fit = regression(cost, centre)
    solution, size, terms = fit.solution, cost.effective_sample_size, cost.terms
    if pattern.by_speaker is None:
        widths, by = margins(cost, fit)
    else:
        (tar, non), speakers = pattern.by_speaker
        widths, by = margins(cost, fit, (terms.rows(tar), terms.rows(non)), speakers)
    variances = tuple((1 / fit.at_share.precision[:-1]).tolist())
    notes: tuple[Note, ...] = ()
    if cost.is_separable(solution.point):
        text = "the fused classes do not overlap: only the prior keeps the weights finite"
        notes = (Note.warning("separable", text),)
    report = Report.of(solution, solution.value / size, notes)
    report = replace(report, gradient_norm=report.gradient_norm / size)
    weights = tuple(solution.point.tolist())
    line = Line(pattern.systems, terms.scores, terms.quality, weights, widths, variances, by)
    return line, report


def _sampled(trials: Both) -> Samples:
    return ColumnSample.of(trials[0]), ColumnSample.of(trials[1])


def _trials(samples: Samples) -> Both:
    return samples[0].trials, samples[1].trials


def _whole(trials: Both, names: Sequence[str], speakers: Both | None) -> Pattern:
    """All systems, and all trials."""
    known = None if speakers is None else (trials, speakers)
    return Pattern(tuple(range(len(names))), _sampled(trials), known)


def _by_pattern(trials: Both, names: Sequence[str], speakers: Both | None) -> Iterator[Pattern]:
    """Most systems first: those of many trials, and each alone."""
    has = [~np.isnan(side[:, : len(names)]) for side in trials]
    rows, counts = np.unique(np.concatenate(has), axis=0, return_counts=True)
    common = rows[np.argsort(-counts, kind="stable")][:_MOST_PATTERNS]
    patterns = {tuple(np.flatnonzero(row).tolist()) for row in common} - {()}
    patterns |= {(system,) for system in range(len(names))}
    for systems in sorted(patterns, key=lambda pattern: (-len(pattern), pattern)):
        tar, non = (side[:, systems].all(axis=1) for side in has)
        if tar.any() and non.any():
            columns = [*systems, *range(len(names), trials[0].shape[1])]
            some = trials[0][tar][:, columns], trials[1][non][:, columns]
            known = None if speakers is None else (some, (speakers[0][tar], speakers[1][non]))
            yield Pattern(systems, _sampled(some), known)


def _filled(trials: Both, names: tuple[str, ...]) -> Both:
    """The trials, with scores half-way between the classes for those that are missing."""
    for side, what in zip(trials, ("target", "non-target"), strict=True):
        for name, column in zip(names, side.T, strict=False):
            if np.isnan(column).all():
                raise ScoreError(f"{name}: there are no {what} scores; leave that system out")
    middle = np.add(*(np.nanmedian(side, axis=0) / 2 for side in trials))
    tar, non = (np.where(np.isnan(side), middle, side) for side in trials)
    return tar, non


def _notes(fused: Fused, cost: Cost) -> Iterator[Note]:
    """What a reader should know of a fusion, given the trials of its first line."""
    yield from _far_from_trials(fused)
    few, systems = min(fused.tar_count, fused.non_count), len(fused.systems)
    if few < _ENOUGH * systems > _ENOUGH:
        text = (
            f"{few} trials of a class are few for {systems} systems: the fusion may be worse than "
            f"the best of them alone. Train on at least {_ENOUGH * systems}, or fuse fewer systems"
        )
        yield Note.warning("few trials", text)
    line = fused.lines[0]
    names = [fused.systems[system] for system in line.systems]
    units = line.scores.unit + line.quality.unit
    for name, unit in zip([*names, *fused.quality], units, strict=True):
        if unit == 0:
            text = "all values are equal, so they say nothing: the weight is zero"
            yield Note.warning("constant", text).about(name)
    scores = [rows[: len(names)] for rows in cost.rows]
    alike = np.minimum(*(np.abs(_correlations(rows)) for rows in scores))
    for first, second in combinations(range(len(names)), 2):
        if alike[first, second] > THE_SAME:
            two = f"{names[first]} and {names[second]}"
            text = f"{two} have the same scores, up to scale: they share one weight"
            yield Note.warning("duplicate", text)
    tar, non = (np.median(rows, axis=1) for rows in scores)
    for name, up, weight, margin in zip(
        names, np.sign(tar - non), line.weights, line.margins, strict=False
    ):
        if weight * up < 0 and abs(weight) > margin:
            yield Note.of(
                "opposite weight",
                "its weight is against the direction of its scores: it corrects what other "
                "systems have in common with it, which may not hold on other trials",
            ).about(name)


def _far_from_trials(fused: Fused) -> Iterator[Note]:
    share = fused.tar_count / (fused.tar_count + fused.non_count)
    low, high = min(share, 0.5), max(share, 0.5)
    if isinstance(fused.alpha, str) or low / _FAR <= fused.alpha <= 1 - (1 - high) / _FAR:
        return
    yield Note.warning(
        "far alpha",
        f"with a weight of {fused.alpha:g} the criterion looks at LLRs near "
        f"{-log_odds(fused.alpha):.1f}, where there are hardly any trials to go by; choose one "
        f"between {low:.2g} and {high:.2g}: ",
        Setting("alpha", "empirical"),
    )


def _correlations(rows: Floats) -> Floats:
    """Correlations between rows; 0 where one is constant."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    lengths = np.sqrt((centred * centred).sum(axis=1, keepdims=True))
    centred /= np.where(lengths > 0, lengths, 1.0)
    return np.asarray(centred @ centred.T)
