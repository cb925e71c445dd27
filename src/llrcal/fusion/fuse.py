"""Training a fusion of several systems, with side information and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.conditions import fitted_conditions
from llrcal.calibrations.training import target_weight
from llrcal.errors import OptionError, ScoreError
from llrcal.fitting.report import Report
from llrcal.fusion.findings import findings
from llrcal.fusion.fused import LIMITS, Fused, Limit
from llrcal.fusion.inputs import Scores, as_columns, as_names, as_quality, quality_names
from llrcal.fusion.line import Line, fitted_line
from llrcal.fusion.passes import InMemory, Trials
from llrcal.fusion.terms import Known
from llrcal.inputs.beside_scores import Speakers, both_conditions, both_speakers, pair
from llrcal.notes import warn

_MOST_PATTERNS = 32  # of missing scores; trials of rarer ones go without some of their systems


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
    holes = _checked(missing, bounds)
    systems = as_names(names, tar, "system")
    scores = [
        as_columns(side, systems, f"{what} scores", holes=holes)
        for side, what in ((tar, "target"), (non, "non-target"))
    ]
    counts = len(scores[0]), len(scores[1])
    side_names, side = _side_information(quality, counts)
    where = None if condition is None else both_conditions(condition, *counts)
    who = None if speakers is None else both_speakers(speakers, *counts)
    weight = target_weight(alpha, *counts)
    trials = Known(scores[0], side[0]), Known(scores[1], side[1])
    lines, report = _fitted(trials, weight, who, systems, holes=holes)
    fused = Fused(
        names=systems,
        quality_names=side_names,
        tar_count=counts[0],
        non_count=counts[1],
        alpha=alpha if isinstance(alpha, str) else weight,
        lines=lines,
        missing=holes,
        conditions=None,
        bounds="counts" if bounds == "counts" else "range",
        report=report,
    )
    return _with_the_rest(fused, trials, weight, where)


def fusion_of(
    trials: Trials,
    *,
    names: Sequence[str],
    quality_names: Sequence[str] = (),
    alpha: float | str = 0.5,
    bounds: str = "range",
) -> Fused:
    """A fusion of trials that have a score of every system, wherever they are."""
    _checked("error", bounds)
    systems = as_names(names, None, "system")
    tar, non = trials.looks()
    weight = target_weight(alpha, len(tar), len(non))
    line, report = fitted_line(tuple(range(len(systems))), trials, weight, None)
    fused = Fused(
        names=systems,
        quality_names=tuple(quality_names),
        tar_count=len(tar),
        non_count=len(non),
        alpha=alpha if isinstance(alpha, str) else weight,
        lines=(line,),
        missing=False,
        conditions=None,
        bounds="counts" if bounds == "counts" else "range",
        report=report,
    )
    some = tar.sample(len(systems)), non.sample(len(systems))
    return _with_the_rest(fused, some, weight, None)


def _with_the_rest(
    fused: Fused, trials: tuple[Known, Known], alpha: float, where: tuple[Array, Array] | None
) -> Fused:
    """The fusion with conditions on top, and with notes."""
    if where is not None:
        tar, non = (fused.pooled_llrs(side)[0] for side in trials)
        fused = replace(fused, conditions=fitted_conditions(tar, non, *where, alpha))
    notes = findings(fused, trials)
    return replace(fused, report=fused.report.with_notes(notes))


def _checked(missing: str, bounds: str) -> bool:
    """Whether scores may be missing."""
    if missing not in ("error", "patterns"):
        raise OptionError(f"missing is {missing!r}; choose error or patterns")
    if bounds not in LIMITS:
        raise OptionError(f"bounds are {bounds!r}; choose {' or '.join(LIMITS)}")
    return missing == "patterns"


def _side_information(
    quality: tuple[Any, Any] | None, counts: tuple[int, int]
) -> tuple[tuple[str, ...], list[Floats]]:
    """Names of its columns, and those of both classes."""
    if quality is None:
        return (), [np.empty((count, 0)) for count in counts]
    both = pair(quality, "quality")
    names = quality_names(both[0])
    given = zip(both, counts, ("target", "non-target"), strict=True)
    return names, [as_quality(one, names, count, what) for one, count, what in given]


def _fitted(
    trials: tuple[Known, Known],
    alpha: float,
    speakers: tuple[Array, Array] | None,
    names: tuple[str, ...],
    *,
    holes: bool,
) -> tuple[tuple[Line, ...], Report]:
    """A line for all systems, or one for each pattern of those that are there."""
    everything = tuple(range(len(names)))
    if not holes:
        line, report = fitted_line(everything, InMemory(*trials), alpha, speakers)
        return (line,), report
    has = [~np.isnan(side.scores) for side in trials]
    fitted = []
    for systems in _patterns(has, names):
        tar, non = (np.flatnonzero(side[:, systems].all(axis=1)) for side in has)
        some = trials[0].part(tar, list(systems)), trials[1].part(non, list(systems))
        who = None if speakers is None else (speakers[0][tar], speakers[1][non])
        fitted.append(fitted_line(systems, InMemory(*some), alpha, who))
    reports = [report for _, report in fitted]
    return tuple(line for line, _ in fitted), replace(
        reports[0],
        converged=all(report.converged for report in reports),
        iterations=sum(report.iterations for report in reports),
        gradient_norm=max(report.gradient_norm for report in reports),
    )


def _patterns(has: list[Array], names: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Systems that are there together, most first: those of many trials, and each alone."""
    for place, name in enumerate(names):
        for side, what in zip(has, ("target", "non-target"), strict=True):
            if not side[:, place].any():
                raise ScoreError(f"{name}: there are no {what} scores; leave that system out")
    rows, counts = np.unique(np.concatenate(has), axis=0, return_counts=True)
    common = rows[np.argsort(-counts, kind="stable")][:_MOST_PATTERNS]
    found = {tuple(np.flatnonzero(row).tolist()) for row in common}
    found |= {(system,) for system in range(len(names))}
    in_both = {one for one in found if one and all(s[:, one].all(axis=1).any() for s in has)}
    return sorted(in_both, key=lambda one: (-len(one), one))
