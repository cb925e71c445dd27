"""LLRs of two classes, or of a set of trials wherever it is, as an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from llrcal.arrays import ArrayLike
from llrcal.errors import OptionError
from llrcal.evaluation.bayes_error import as_prior_log_odds
from llrcal.evaluation.by_condition import ByCondition, divided_arrays, evaluated_by
from llrcal.evaluation.evaluation import Evaluation
from llrcal.evaluation.llrs import ArrayLLRs, Evaluable
from llrcal.inputs.conditions import WithConditions
from llrcal.notes import warn


@overload
def evaluate(
    tar: ArrayLike | Evaluable, non: ArrayLike | None = None, *, prior_log_odds: ArrayLike = ()
) -> Evaluation: ...
@overload
def evaluate(
    tar: ArrayLike | Evaluable,
    non: ArrayLike | None = None,
    *,
    prior_log_odds: ArrayLike = (),
    by: Sequence[Any],
) -> ByCondition: ...
def evaluate(
    tar: ArrayLike | Evaluable,
    non: ArrayLike | None = None,
    *,
    prior_log_odds: ArrayLike = (),
    by: Sequence[Any] | None = None,
) -> Evaluation | ByCondition:
    """Evaluate target and non-target LLRs (natural logarithms; they may be infinite).

    Parameters
    ----------
    tar, non
        One-dimensional arrays of LLRs of target and non-target trials; or, as the only argument,
        trials whose scores are LLRs, as for :func:`llrcal.fit`. To evaluate a calibration on raw
        scores, pass ``trials.mapped(cal)``.
    prior_log_odds
        Operating points that you are going to ask for. For trials that are not in memory, each
        request for others costs another pass; otherwise this makes no difference.
    by
        Evaluate conditions as well: for arrays, a pair with the condition of each target and of
        each non-target trial (or several conditions, as rows of a table); for trials, the names of
        columns that :func:`llrcal.read_trials` was told to keep.

    Returns
    -------
    Evaluation
        Rates and costs, computed when they are needed. With ``by``, a :class:`ByCondition`: the
        evaluation of all trials (``pooled``), of each condition (``cells``), and averages over
        these with equal weight (``average``).

    Raises
    ------
    ScoreError
        If a class is empty, or an LLR is NaN or not a real number.

    Warns
    -----
    LlrcalWarning
        If targets have lower LLRs than non-targets; if the LLRs look like raw scores; or if much
        is lost by their calibration.

    Examples
    --------
    >>> import llrcal
    >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
    >>> round(ev.cllr, 4), ev.eer
    (0.6016, 0.14285714285714285)
    >>> ev.bayes_error(0.0), ev.act_dcf(0.5), ev.min_dcf(p_target=0.5)
    (0.5833333333333333, 0.5833333333333333, 0.25)
    """
    evaluation = evaluated(tar, non, prior_log_odds=prior_log_odds)
    warn(evaluation.notes)
    if by is None:
        return evaluation
    divided = by_condition(evaluation, tar, non, by)
    warn(divided.notes)
    return divided


def by_condition(
    pooled: Evaluation, tar: Any, non: ArrayLike | None, by: Sequence[Any]
) -> ByCondition:
    """Evaluations of each condition, beside that of all trials."""
    if non is not None:
        parts = divided_arrays(tar, non, by)
        return evaluated_by(pooled, parts, [f"condition {i + 1}" for i in range(len(min(parts)))])
    if not isinstance(tar, WithConditions):
        raise OptionError("conditions can only be evaluated for trials in memory: read them whole")
    names = [by] if isinstance(by, str) else list(by)
    parts = divided_arrays(tar.tar, tar.non, tar.conditions(names), tar.speakers)
    return evaluated_by(pooled, parts, names)


def evaluated(
    tar: ArrayLike | Evaluable, non: ArrayLike | None = None, *, prior_log_odds: ArrayLike = ()
) -> Evaluation:
    """The same as :func:`evaluate`, for callers that handle the notes themselves."""
    thresholds = -as_prior_log_odds(prior_log_odds).ravel() + 0.0
    if isinstance(tar, Evaluable) and non is None:
        return Evaluation(tar.llrs(thresholds))
    return Evaluation(ArrayLLRs(tar, non))
