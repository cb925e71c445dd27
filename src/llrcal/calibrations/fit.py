"""Training: one calibration, or several that share the passes over the scores.

:func:`fit_methods` is the way of every fit: options are checked, scores become a `Training`, and
each method is fitted to it, bounded, given margins and a portrait, and told of by notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from llrcal.arrays import ArrayLike
from llrcal.calibrations.bounds import POLICIES, Bounds, Policy
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.conditioned import Conditioned, conditioned
from llrcal.calibrations.fit_notes import fit_notes
from llrcal.calibrations.methods import (
    METHODS,
    PAPER,
    Method,
    class_of,
    label,
    method_and_options,
)
from llrcal.calibrations.portrait import Portrait
from llrcal.calibrations.training import Trainable, Training
from llrcal.calibrations.uncertainty import Margins
from llrcal.errors import DegenerateError, OptionError
from llrcal.inputs.beside_scores import Speakers
from llrcal.method_table import DEFAULT, MethodName
from llrcal.notes import Note, warn
from llrcal.onepass.elub import elub


@overload
def fit(
    tar: ArrayLike | Trainable,
    non: ArrayLike | None = None,
    *,
    method: MethodName = DEFAULT,
    alpha: float | Literal["empirical"] | None = None,
    rule: str | None = None,
    bayes: bool = False,
    bounds: Policy = "counts",
    rising: bool = True,
    lower_is_better: bool = False,
    speakers: Speakers | None = None,
    condition: None = None,
    **options: Any,
) -> Calibration: ...
@overload
def fit(
    tar: ArrayLike | Trainable,
    non: ArrayLike | None = None,
    *,
    condition: tuple[Any, Any] | str,
    **settings: Any,
) -> Conditioned: ...
def fit(
    tar: ArrayLike | Trainable,
    non: ArrayLike | None = None,
    *,
    method: MethodName = DEFAULT,
    alpha: float | Literal["empirical"] | None = None,
    rule: str | None = None,
    bayes: bool = False,
    bounds: Policy = "counts",
    rising: bool = True,
    lower_is_better: bool = False,
    speakers: Speakers | None = None,
    condition: tuple[Any, Any] | str | None = None,
    **options: Any,
) -> Calibration | Conditioned:
    """Train a calibration on target and non-target scores.

    Parameters
    ----------
    tar, non
        One-dimensional arrays of target and non-target scores; or, as the only argument, trials
        from :func:`llrcal.read_trials`, or from :func:`llrcal.open_trials`, in pieces or on
        a cluster.
    method
        One of ``smooth`` (the default), ``linear-gaussian``, ``logistic``, ``pav``, ``gaussian``,
        ``student-t``, ``nig``.
    alpha
        For the two linear methods, the weight of the targets: a number between 0 and 1 (by default
        0.5), or ``"empirical"`` for T / (T + N). The other methods have no weight.
    rule
        For ``logistic``, the proper scoring rule to minimise: ``"log"`` (the default) or
        ``"brier"``: see docs/scoring-rules.md.
    bayes
        Whether to integrate the parameters out rather than to estimate them, which is safer with
        few trials: see docs/few-trials.md. For ``gaussian``, ``student-t`` and ``nig``.
    bounds
        How far to trust the formula. By default scores beyond all training scores get the LLR of
        the nearest one, and LLRs keep to what trials and their speakers support, from -log(T + 1)
        to log(N + 1) (``"counts"``); or to the empirical lower and upper bounds of the training
        LLRs (``"elub"``); without such a limit (``"range"``); or the formula answers everywhere
        (``"none"``).
    rising
        Whether a higher score never means less evidence for the target: outward from where the
        classes meet, the LLR is held at its turning points. False for the plain formula.
    lower_is_better
        Whether the scores are distances. The calibration is then trained on the negated scores,
        to which ``params`` and ``bounds`` refer, but it is called with the distances themselves.
    speakers
        A pair, for target and for non-target scores: whole numbers of shape (n, 2), the enrolment
        and the test speaker of each trial. Intervals then count trials that share speakers for
        what they are worth, and LLRs keep to what so many speakers support (``bounds="counts"``);
        without, trials are taken to be independent. Trials from files bring their speakers along,
        where the files know them.
    condition
        The condition of each trial, such as its channel, as a pair of lists for targets and for
        non-targets; or the name of a column that :func:`llrcal.read_trials` was told to keep. Each
        condition gets its own slope and offset on top of the calibration of all trials, as far as
        its trials can tell: see docs/fusion.md.
    **options
        Any other options of the method.

    Returns
    -------
    Calibration
        A frozen map from scores to natural-log likelihood-ratios. Its ``report`` says whether
        and how the fit converged. With ``condition``, a :class:`Conditioned` one, which is called
        with scores and their conditions.

    Raises
    ------
    ScoreError
        If the scores cannot be used, or no optimum exists for them.
    OptionError
        If the method or an option is unknown or out of range.

    Warns
    -----
    LlrcalWarning
        If the result should be checked: scores run the wrong way, a few scores determine the slope,
        the classes do not overlap, or the fit did not converge. The notes of its ``report`` say the
        same.

    Examples
    --------
    >>> import llrcal
    >>> cal = llrcal.fit([1.0, 2.0, 3.0], [-2.0, -1.0, 1.5], method="linear-gaussian")
    >>> cal.params["slope"]
    1.7647058823529413
    """
    given = {"alpha": alpha, "rule": rule, "bayes": None if bayes is False else bayes}
    options = {name: value for name, value in given.items() if value is not None} | options
    if not isinstance(method, str):
        raise OptionError(f"method is {method!r}; choose one of {', '.join(METHODS)}")
    cals = fit_methods(
        tar,
        non,
        methods=[(method, options)],
        bounds=bounds,
        rising=rising,
        lower_is_better=lower_is_better,
        speakers=speakers,
    )
    pooled = cals[label(method, options)]
    if condition is None:
        warn(notes_of(cals))
        return pooled
    by = conditioned(pooled, tar, non, condition)
    warn(note.about(label(method, options)) for note in by.report.all_notes)
    return by


def fit_all(
    tar: ArrayLike | Trainable,
    non: ArrayLike | None = None,
    *,
    methods: Sequence[Method] = PAPER,
    bounds: Policy = "counts",
    rising: bool = True,
    lower_is_better: bool = False,
    speakers: Speakers | None = None,
) -> dict[str, Calibration]:
    """Train several calibrations on the same scores, sharing the passes over them.

    Parameters
    ----------
    tar, non
        As in :func:`fit`.
    methods
        Names, or pairs of a name and its options. By default the ten calibrations of the paper:
        both linear methods at three weights, and the four non-linear ones.
    bounds, rising, lower_is_better, speakers
        As in :func:`fit`, for all of them.

    Returns
    -------
    dict
        Calibrations by label: the method, followed by the values of its options, if any.

    Raises
    ------
    ScoreError, OptionError
        As :func:`fit` does.

    Warns
    -----
    LlrcalWarning
        As :func:`fit` does, with the label in front.

    Examples
    --------
    >>> import llrcal
    >>> cals = llrcal.fit_all(
    ...     [1.0, 2.0, 3.0], [-2.0, -1.0, 1.5], methods=["pav", ("logistic", {"alpha": 0.9})]
    ... )
    >>> list(cals)
    ['pav', 'logistic-0.9']
    """
    cals = fit_methods(
        tar,
        non,
        methods=methods,
        bounds=bounds,
        rising=rising,
        lower_is_better=lower_is_better,
        speakers=speakers,
    )
    warn(notes_of(cals))
    return cals


def fit_methods(
    tar: ArrayLike | Trainable,
    non: ArrayLike | None = None,
    *,
    methods: Sequence[Method] = PAPER,
    bounds: Policy = "counts",
    rising: bool = True,
    lower_is_better: bool = False,
    speakers: Speakers | None = None,
    with_margins: bool = True,
) -> dict[str, Calibration]:
    """The same as :func:`fit_all`, for callers that handle the notes themselves.

    Without margins, calibrations have no intervals and no portrait: for those that nobody will see.
    """
    if not isinstance(bounds, str) or bounds not in POLICIES:
        raise OptionError(f"bounds are {bounds!r}; choose one of {', '.join(POLICIES)}")
    for name, value in (("rising", rising), ("lower_is_better", lower_is_better)):
        if not isinstance(value, bool):
            raise OptionError(f"{name} is {value!r}; give True or False")
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise OptionError(f"methods are {methods!r}; give a list of names")
    chosen = [method_and_options(entry) for entry in methods]
    labels = [label(*entry) for entry in chosen]
    for name in labels:
        if labels.count(name) > 1:
            raise OptionError(f"methods: {name!r} is there more than once; give each one once")

    by_ranks = [class_of(method).needs_ranks for method, _ in chosen]
    summarised = not all(by_ranks)
    data: Training
    if isinstance(tar, Trainable) and non is None:
        if speakers is not None:
            raise OptionError("speakers go with arrays of scores; trials bring their own along")
        data = tar.training(
            summarised=summarised, ranked=any(by_ranks), lower_is_better=lower_is_better
        )
    else:
        data = Training.of(
            tar, non, lower_is_better=lower_is_better, speakers=speakers, summarised=summarised
        )

    out = {}
    for name, (method, settings) in zip(labels, chosen, strict=True):
        cal = _bounded(data, method, settings, bounds, rising=rising, reverse=lower_is_better)
        margins = _margins(cal, data) if with_margins else None
        notes = tuple(fit_notes(cal, data, with_intervals=margins is not None))
        portrait = data.cached(Portrait.of) if with_margins else None
        report = cal.report.with_notes(notes)
        out[name] = replace(cal, margins=margins, portrait=portrait, report=report)
    return out


def _bounded(
    data: Training,
    method: str,
    options: Mapping[str, Any],
    policy: Policy,
    *,
    rising: bool,
    reverse: bool,
) -> Calibration:
    """A method fitted to scores, with its bounds."""
    bayes = options.get("bayes", False)
    others = {name: value for name, value in options.items() if name != "bayes"}
    try:
        fitted = class_of(method, bayes=bayes).fit(data, **others)
    except DegenerateError as problem:
        raise problem.within("for the negated distances") if reverse else problem from None
    bounds = Bounds.of(
        policy,
        *data.score_range,
        eer_score=fitted.eer_score(data) if rising else None,
    )
    if policy == "elub":
        least, greatest = elub(data.scores.mapped(replace(fitted, bounds=bounds).without_warnings))
        bounds = replace(bounds, least_llr=least, greatest_llr=greatest)
    fitted = replace(fitted, bounds=bounds, speakers=data.speakers.counts, lower_is_better=reverse)
    if fitted.needs_ranks or np.isfinite(fitted.unbounded_llrs(data.interval_scores)).all():
        return fitted
    reason = "some LLRs are not finite numbers"
    return replace(fitted, report=replace(fitted.report, converged=False, reason=reason))


def _margins(fitted: Calibration, data: Training) -> Margins | None:
    """How sure a calibration is, which has its bounds; None if its method cannot tell."""
    least, greatest = data.score_range
    if least == greatest and not fitted.needs_ranks:  # where scores say nothing
        return Margins((least,), (0.0,), (0.0,))
    uncertainty = fitted.uncertainty(data)
    if uncertainty is None:
        return None
    factor, by = data.speakers.factor(uncertainty.scores, uncertainty.influence)
    return Margins.of(uncertainty, fitted.unbounded_llrs(uncertainty.scores), factor, by)


def notes_of(calibrations: Mapping[str, Calibration]) -> list[Note]:
    """The notes of calibrations, each with the label of its calibration."""
    return [
        note.about(label) for label, cal in calibrations.items() for note in cal.report.all_notes
    ]
