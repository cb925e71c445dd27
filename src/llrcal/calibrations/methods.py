"""The methods of the paper, by name, and the ten calibrations that it compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from llrcal.arrays import ArrayLike
from llrcal.calibrations.bounds import Bounds, check_policy, unsupported
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.gaussian import GaussianCalibration
from llrcal.calibrations.linear_gaussian import LinearGaussian
from llrcal.calibrations.logistic import Logistic
from llrcal.calibrations.nig import NIGCalibration
from llrcal.calibrations.pav import PAV
from llrcal.calibrations.student_t import StudentTCalibration
from llrcal.errors import OptionError
from llrcal.training import Training

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

    Examples
    --------
    >>> import llrcal
    >>> cal = llrcal.fit([1.0, 2.0, 3.0], [-2.0, -1.0, 1.5], method="linear-gaussian")
    >>> cal.params["slope"]
    1.7647058823529413
    """
    every = fit_all(
        tar, non, methods=[(method, options)], bounds=bounds, lower_is_better=lower_is_better
    )
    return next(iter(every.values()))


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

    Examples
    --------
    >>> import llrcal
    >>> cals = llrcal.fit_all(
    ...     [1.0, 2.0, 3.0], [-2.0, -1.0, 1.5], methods=["pav", ("logistic", {"alpha": 0.9})]
    ... )
    >>> list(cals)
    ['pav', 'logistic-0.9']
    """
    check_policy(bounds)
    if not isinstance(lower_is_better, bool):
        raise OptionError(f"lower_is_better is {lower_is_better!r}; give True or False")
    data = Training(tar, non, lower_is_better=lower_is_better)
    out: dict[str, Calibration] = {}
    for entry in methods:
        method, options = (entry, {}) if isinstance(entry, str) else entry
        calibration = _bounded(_fit(data, method, options), Bounds.of(bounds, *data.score_range))
        out[label(method, options)] = replace(calibration, lower_is_better=lower_is_better)
    return out


def label(method: str, options: Mapping[str, Any]) -> str:
    """A short name for a method with its options, fit for a legend and for a file name."""
    return "-".join([method, *(str(value) for value in options.values())])


def _fit(data: Training, method: str, options: Mapping[str, Any]) -> Calibration:
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r}; choose one of {', '.join(METHODS)}")
    chosen = METHODS[method]
    for name in options:
        if name not in chosen.options:
            known = f"takes {', '.join(chosen.options)}" if chosen.options else "takes no options"
            raise OptionError(f"method {method} has no option {name!r}; it {known}")
    return chosen.fit(data, **options)


def _bounded(calibration: Calibration, bounds: Bounds) -> Calibration:
    """The calibration with its bounds, and with a note where it claims too much even so."""
    bounded = replace(calibration, bounds=bounds)
    notes = unsupported(bounded.llr_range, bounded.tar_count, bounded.non_count)
    return replace(bounded, report=bounded.report.with_notes(notes))
