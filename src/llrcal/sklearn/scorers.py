"""Scorers for ``scoring=`` in searches and cross-validation."""

# ruff: noqa: N803  (scikit-learn calls its data X)

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from llrcal.arrays import Array, ArrayLike
from llrcal.errors import OptionError, ScoreError
from llrcal.evaluation import cllr, evaluate
from llrcal.sklearn.calibrator import LLRCalibrator, shown


def neg_cllr_scorer(estimator: Any, X: ArrayLike, y: ArrayLike) -> float:
    """Negative Cllr, in bits, for ``scoring=``: the quality of LLRs over all operating points.

    Parameters
    ----------
    estimator
        A fitted :class:`LLRCalibrator`, or a pipeline or search that ends in one.
    X, y
        The input of the estimator (scores, or what a pipeline turns into scores), and its labels.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from llrcal.sklearn import LLRCalibrator, neg_cllr_scorer
    >>> rng = np.random.default_rng(1)
    >>> X = np.concatenate([rng.normal(3, 1.5, 300), rng.gumbel(-2, 1, 700)])
    >>> y = np.repeat([1, 0], [300, 700])
    >>> grid = {"method": ["logistic", "gaussian", "nig"]}
    >>> search = GridSearchCV(LLRCalibrator(), grid, scoring=neg_cllr_scorer).fit(X, y)
    >>> search.best_params_
    {'method': 'nig'}
    """
    return -cllr(*_split_llrs(estimator, X, y))


def neg_dcf_scorer(estimator: Any, X: ArrayLike, y: ArrayLike) -> float:
    """Negative detection cost at the estimator's own ``p_target``, ``c_miss`` and ``c_fa``.

    In units of the cost of deciding by the prior alone. It counts errors, so it is coarse if
    there are few of them. A grid that varies the operating point compares different costs.

    Parameters
    ----------
    estimator
        A fitted :class:`LLRCalibrator`, or a pipeline or search that ends in one.
    X, y
        The input of the estimator (scores, or what a pipeline turns into scores), and its labels.

    Examples
    --------
    >>> from llrcal.sklearn import LLRCalibrator, neg_dcf_scorer
    >>> X, y = [0.1, 2.0, 3.0, -2.0, -1.0, 0.5], [1, 1, 1, 0, 0, 0]
    >>> round(neg_dcf_scorer(LLRCalibrator(p_target=0.5).fit(X, y), X, y), 3)
    -0.667
    """
    at = _calibrator(estimator)
    evaluation = evaluate(*_split_llrs(estimator, X, y))
    return -evaluation.act_dcf(at.p_target, at.c_miss, at.c_fa)


def _split_llrs(estimator: Any, X: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """LLRs of targets and of non-targets."""
    calibrator = _calibrator(estimator)
    labels = np.asarray(y).ravel()
    strange = ~np.isin(labels, calibrator.classes_)
    if strange.any():
        raise ScoreError(
            f"y holds {shown(labels[strange][:1])}; the calibrator was trained on "
            f"{shown(calibrator.classes_)}"
        )
    llrs = np.asarray(estimator.transform(X)).ravel()
    is_target = labels == calibrator.target_label_
    return llrs[is_target], llrs[~is_target]


def _calibrator(estimator: Any) -> LLRCalibrator:
    """The calibrator at the end of pipelines and searches."""
    if hasattr(estimator, "best_estimator_"):
        return _calibrator(estimator.best_estimator_)
    if isinstance(estimator, Pipeline):
        return _calibrator(estimator[-1])
    if not isinstance(estimator, LLRCalibrator):
        raise OptionError(
            "this scorer needs LLRs: an LLRCalibrator, or a pipeline or search that ends in one, "
            f"not a {type(estimator).__name__}"
        )
    check_is_fitted(estimator, "calibration_")
    return estimator
