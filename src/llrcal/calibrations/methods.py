"""The methods of the paper, by name, and the ten calibrations that it compares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from llrcal.arrays import ArrayLike
from llrcal.calibrations.bounds import Bounds, check_policy, unsupported
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.direction import direction_notes
from llrcal.calibrations.doubts import warn_of
from llrcal.calibrations.gaussian import GaussianCalibration
from llrcal.calibrations.linear_gaussian import LinearGaussian
from llrcal.calibrations.logistic import Logistic
from llrcal.calibrations.nig import NIGCalibration
from llrcal.calibrations.pav import PAV
from llrcal.calibrations.student_t import StudentTCalibration
from llrcal.calibrations.training import ArrayTraining, Training
from llrcal.errors import DegenerateError, OptionError

_CLASSES: tuple[type[Calibration], ...] = (
    LinearGaussian,
    Logistic,
    PAV,
    GaussianCalibration,
    StudentTCalibration,
    NIGCalibration,
)
METHODS: Mapping[str, type[Calibration]] = MappingProxyType({c.method: c for c in _CLASSES})

Method = str | tuple[str, Mapping[str, Any]]

_ALPHAS = ("empirical", 0.5, 0.92)
PAPER: tuple[Method, ...] = (
    *(("linear-gaussian", {"alpha": alpha}) for alpha in _ALPHAS),
    *(("logistic", {"alpha": alpha}) for alpha in _ALPHAS),
    "pav",
    "gaussian",
    "student-t",
    "nig",
)


def fit(
    tar: ArrayLike,
    non: ArrayLike,
    *,
    method: str = "logistic",
    bounds: str = "range",
    lower_is_better: bool = False,
    **options: Any,
) -> Calibration:
    """Train a calibration on target and non-target scores.

    Parameters
    ----------
    tar, non
        One-dimensional arrays of target and non-target scores.
    method
        One of ``linear-gaussian``, ``logistic``, ``pav``, ``gaussian``, ``student-t``, ``nig``.
    bounds
        What scores beyond all training scores get: the LLR of the nearest training score
        (``"range"``); the same, with every LLR kept to what the number of trials supports, from
        -log(T + 1) to log(N + 1) (``"counts"``); or what the formula gives (``"none"``).
    lower_is_better
        Whether the scores are distances. The calibration is then trained on the negated scores,
        to which ``params`` and ``bounds`` refer; it is called on distances as they are.
    **options
        ``alpha`` for the two linear methods: the weight of the targets, a number between 0 and 1
        (default 0.5) or ``"empirical"`` for T / (T + N).

    Returns
    -------
    Calibration
        A frozen map from scores to natural-log likelihood-ratios. Its ``report`` says whether
        and how the fit converged.

    Raises
    ------
    ScoreError
        If the scores cannot be used, or no optimum exists for them.
    OptionError
        If the method or an option is unknown or out of range.

    Warns
    -----
    LlrcalWarning
        If the answer should be looked at twice: scores that run the wrong way, a slope that a few
        of them decide, classes that do not overlap, a fit that did not converge. Its ``report``
        says the same.

    Examples
    --------
    >>> import llrcal
    >>> cal = llrcal.fit([1.0, 2.0, 3.0], [-2.0, -1.0, 1.5], method="linear-gaussian")
    >>> cal.params["slope"]
    1.7647058823529413
    """
    calibration = train(
        tar, non, method=method, bounds=bounds, lower_is_better=lower_is_better, **options
    )
    warn_of({label(method, options): calibration}, stacklevel=2)
    return calibration


def fit_all(
    tar: ArrayLike,
    non: ArrayLike,
    *,
    methods: Sequence[Method] = PAPER,
    bounds: str = "range",
    lower_is_better: bool = False,
) -> dict[str, Calibration]:
    """Train several calibrations on the same scores, sharing the passes over them.

    Parameters
    ----------
    tar, non
        One-dimensional arrays of target and non-target scores.
    methods
        Names, or pairs of a name and its options. By default the ten calibrations of the paper:
        both linear methods at three weights, and the four non-linear ones.
    bounds, lower_is_better
        As in :func:`fit`, for all of them.

    Returns
    -------
    dict
        Calibrations by label: the method, followed by its options where some were given.

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
    every = train_all(tar, non, methods=methods, bounds=bounds, lower_is_better=lower_is_better)
    warn_of(every, stacklevel=2)
    return every


def train(
    tar: ArrayLike,
    non: ArrayLike,
    *,
    method: str = "logistic",
    bounds: str = "range",
    lower_is_better: bool = False,
    **options: Any,
) -> Calibration:
    """What :func:`fit` does, for callers who tell of doubts in their own way."""
    if not isinstance(method, str):
        raise OptionError(f"method is {method!r}; choose one of {', '.join(METHODS)}")
    every = train_all(
        tar, non, methods=[(method, options)], bounds=bounds, lower_is_better=lower_is_better
    )
    return next(iter(every.values()))


def train_all(
    tar: ArrayLike,
    non: ArrayLike,
    *,
    methods: Sequence[Method] = PAPER,
    bounds: str = "range",
    lower_is_better: bool = False,
) -> dict[str, Calibration]:
    """What :func:`fit_all` does, likewise."""
    check_settings(methods, bounds, lower_is_better=lower_is_better)
    data = ArrayTraining(tar, non, lower_is_better=lower_is_better)
    return train_on(data, methods, bounds, lower_is_better=lower_is_better)


def check_settings(methods: Sequence[Method], bounds: str, *, lower_is_better: bool) -> None:
    """Refuse settings that cannot be, before anything is read.

    Raises
    ------
    OptionError
        If an option is unknown or out of range.
    """
    check_policy(bounds)
    if not isinstance(lower_is_better, bool):
        raise OptionError(f"lower_is_better is {lower_is_better!r}; give True or False")
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise OptionError(f"methods are {methods!r}; give a list of names")
    for entry in methods:
        _check_method(*parted(entry))


def train_on(
    data: Training, methods: Sequence[Method], bounds: str, *, lower_is_better: bool
) -> dict[str, Calibration]:
    """Calibrations by label, from training scores wherever they are."""
    out: dict[str, Calibration] = {}
    for entry in methods:
        method, options = parted(entry)
        try:
            fitted = METHODS[method].fit(data, **options)
        except DegenerateError as problem:
            if not lower_is_better:
                raise
            raise DegenerateError(f"of the distances, negated: {problem}") from None
        limits = Bounds.of(bounds, *data.score_range)
        bounded = replace(fitted, bounds=limits, lower_is_better=lower_is_better)
        out[label(method, options)] = _with_notes(bounded, data)
    return out


def parted(entry: Method) -> tuple[str, Mapping[str, Any]]:
    """A method and its options."""
    if isinstance(entry, str):
        return entry, {}
    match entry:
        case (str(method), Mapping() as options):
            return method, options
    raise OptionError(f"methods: {entry!r} is neither a name nor a name and its options")


def label(method: str, options: Mapping[str, Any]) -> str:
    """A short name for a method with its options, fit for a legend and for a file name."""
    return "-".join([method, *(str(value) for value in options.values())])


def _check_method(method: str, options: Mapping[str, Any]) -> None:
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r}; choose one of {', '.join(METHODS)}")
    chosen = METHODS[method]
    for name in options:
        if name not in chosen.options:
            known = f"takes {', '.join(chosen.options)}" if chosen.options else "takes no options"
            raise OptionError(f"method {method} has no option {name!r}; it {known}")


def _with_notes(calibration: Calibration, data: Training) -> Calibration:
    """The calibration with a note where it runs the wrong way, rests on little, or claims much."""
    notes = direction_notes(calibration, data)
    for name, count in (("target", data.tar_count), ("non-target", data.non_count)):
        if count == 1:
            notes += (
                f"there is only one {name} score, which may be luck: by Doddington's rule, it "
                "takes 30 errors of a kind to tell how common they are",
            )
    notes += unsupported(calibration.llr_range, calibration.tar_count, calibration.non_count)
    return replace(calibration, report=calibration.report.with_notes(notes))
