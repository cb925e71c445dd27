"""A classifier with calibrated posteriors around any other: its own scores, on unseen samples."""

# ruff: noqa: N803  (scikit-learn calls its data X)

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import logit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import check_cv, cross_val_predict
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.errors import OptionError, ScoreError
from llrcal.sklearn.calibrator import LLRCalibrator, target_index, two_classes

_NEAREST = 1e-15  # of probabilities to 0 and 1, whose log-odds are infinite


class LLRCalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Calibration of a binary classifier, as scikit-learn's CalibratedClassifierCV.

    Scores of a classifier on its own training samples are too good. So the samples are split: each
    is scored by a copy of the classifier that was trained on others. The calibration learns from
    these scores, and the classifier itself from all samples.

    Parameters
    ----------
    estimator
        A classifier with ``decision_function`` or ``predict_proba``, such as a pipeline that ends
        in one. By default scikit-learn's ``LogisticRegression``.
    calibrator
        An :class:`LLRCalibrator` with the method and its options, with costs, and perhaps a
        ``target_label``. By default ``LLRCalibrator()``.
    cv
        How samples are split: a number of folds, a splitter, or an iterable of splits, as in
        scikit-learn's ``cross_val_predict``: each sample is in one fold.
    p_target
        Prior probability of a target where the classifier is used: a number, or ``"training"`` for
        the share of targets among the training samples.

    Attributes
    ----------
    estimator_
        The classifier, trained on all samples.
    calibrator_
        The :class:`LLRCalibrator`, trained on scores of unseen samples.
    classes_
        Both labels, sorted: the columns of ``predict_proba``.
    n_features_in_, feature_names_in_
        Those of the classifier, if it has them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import LinearSVC
    >>> from llrcal.sklearn import LLRCalibratedClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> svm = make_pipeline(StandardScaler(), LinearSVC(random_state=0))
    >>> calibrated = LLRCalibratedClassifier(svm).fit(X[::2], y[::2])
    >>> calibrated.predict_proba(X[[13, 21]]).round(2)
    array([[0.65, 0.35],
           [0.01, 0.99]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        calibrator: LLRCalibrator | None = None,
        cv: Any = 5,
        p_target: float | str = "training",
    ) -> None:
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.p_target = p_target

    def fit(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Train the classifier and its calibration.

        Parameters
        ----------
        X, y
            What the classifier is trained on, with two kinds of labels.
        groups
            Which samples must not be torn apart, such as those of one speaker, for a splitter that
            asks for them.

        Raises
        ------
        OptionError
            If the estimator has no scores, or a parameter is out of range.
        ScoreError
            If there are not two classes, the estimator answers NaN, or no optimum exists for the
            scores.
        """
        if isinstance(self.p_target, str) and self.p_target != "training":
            raise OptionError(f'p_target is {self.p_target!r}; give a number, or "training"')
        if y is None:
            raise ScoreError("requires y to be passed, but the target y is None")
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        samples, labels, groups = indexable(X, labels, groups)
        classes = two_classes(labels)
        calibrator = LLRCalibrator() if self.calibrator is None else clone(self.calibrator)
        target = target_index(classes, calibrator.target_label)
        side = 1.0 if target else -1.0
        answers = cross_val_predict(
            self._estimator,
            samples,
            labels,
            groups=groups,
            cv=check_cv(self.cv, labels, classifier=True),
            method=_method(self._estimator),
        )
        scores = side * _as_scores(answers)
        if unscored := int(np.isnan(scores).sum()):
            raise ScoreError(
                f"{type(self._estimator).__name__} answers NaN for {unscored:,} of "
                f"{len(scores):,} samples; leave these out, or fill in what they lack"
            )
        share = float((labels == classes[target]).mean())
        calibrator.set_params(
            target_label=classes[target],
            p_target=share if self.p_target == "training" else self.p_target,
        )
        calibrator.fit(scores, labels)
        self.estimator_ = clone(self._estimator).fit(X, labels)
        self.classes_, self.calibrator_, self._side = classes, calibrator, side
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def llrs(self, X: ArrayLike) -> Floats:
        """Natural-log likelihood-ratios, target over non-target; they depend on no prior."""
        return self._calibrated("transform", X)[:, 0]

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Posterior of each class, in the order of ``classes_``."""
        return self._calibrated("predict_proba", X)

    def predict_log_proba(self, X: ArrayLike) -> Floats:
        """Logarithms of the posteriors, accurate even where these round to 0 or 1."""
        return self._calibrated("predict_log_proba", X)

    def decision_function(self, X: ArrayLike) -> Floats:
        """How far each LLR lies beyond the Bayes threshold, on the side of ``classes_[1]``."""
        return self._calibrated("decision_function", X)

    def predict(self, X: ArrayLike) -> Array:
        """Labels of least expected cost."""
        return self._calibrated("predict", X)

    def _calibrated(self, answer: str, X: ArrayLike) -> Array:
        """What the calibration answers for the scores of the classifier."""
        check_is_fitted(self, "calibrator_")
        scores = _as_scores(getattr(self.estimator_, _method(self.estimator_))(X))
        return np.asarray(getattr(self.calibrator_, answer)(self._side * scores))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags = get_tags(self._estimator).input_tags
        return tags

    @property
    def _estimator(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator


def _method(estimator: Any) -> str:
    """How a classifier gives its scores."""
    for name in ("decision_function", "predict_proba"):
        if hasattr(estimator, name):
            return name
    raise OptionError(
        f"{type(estimator).__name__} has neither decision_function nor predict_proba, so there "
        "are no scores to calibrate"
    )


def _as_scores(answers: ArrayLike) -> Floats:
    """Scores of the second class; log-odds, where a classifier gives only probabilities."""
    scores = np.asarray(answers, np.float64)
    if scores.ndim == 1:
        return scores
    return np.asarray(logit(np.clip(scores[:, 1], _NEAREST, 1 - _NEAREST)))
