"""Calibration as a scikit-learn estimator, and scorers for model selection.

>>> from llrcal.sklearn import LLRCalibrator
>>> LLRCalibrator().fit([0.1, 2.0, 3.0, -2.0, -1.0, 0.5], [1, 1, 1, 0, 0, 0]).predict([1.5, -3.0])
array([1, 0])

This module needs the extra ``llrcal[sklearn]``. Nothing else in llrcal imports it.
"""

# ruff: noqa: N803  (scikit-learn calls its data X)

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.special import expit, log_expit

from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations.bounds import Policy
from llrcal.calibrations.fits import trained
from llrcal.errors import LlrcalWarning, OptionError, ScoreError
from llrcal.evaluation import cllr, evaluate
from llrcal.evaluation.bayes_error import effective_prior_log_odds
from llrcal.inputs.labels import LABEL_OF_WORD, Label
from llrcal.method_table import DEFAULT, TABLE
from llrcal.onepass.direction import WRONG_WAY
from llrcal.scoring_rule import RuleLike

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.base import ClassNamePrefixFeaturesOutMixin as NamesOutMixin
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.pipeline import Pipeline
    from sklearn.utils.multiclass import type_of_target
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as problem:
    raise ImportError(
        'llrcal.sklearn needs scikit-learn 1.6 or newer: pip install "llrcal[sklearn]"'
    ) from problem

__all__ = ["LLRCalibrator", "neg_cllr_scorer", "neg_dcf_scorer"]


class LLRCalibrator(NamesOutMixin, ClassifierMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Calibration of scores: transforms them to LLRs, and classifies them by Bayes decisions.

    ``transform`` gives natural-log likelihood-ratios, target over non-target. At prior log-odds
    x = logit p_target, ``predict_proba`` gives the posterior, 1 / (1 + e^-(LLR + x)) for targets,
    and ``predict`` makes the decision of least expected cost: target if
    LLR + x + log(c_miss / c_fa) >= 0.

    Parameters
    ----------
    method
        One of ``smooth``, ``linear-gaussian``, ``logistic``, ``pav``, ``gaussian``, ``student-t``,
        ``nig``.
    alpha
        Weight of the targets in training, for the two linear methods: a number between 0 and 1,
        or ``"empirical"`` for their share. The other methods have no weight and ignore it.
    rule
        Scoring rule that ``logistic`` minimises, as in :func:`llrcal.fit`. The other methods ignore
        it.
    bounds, rising, lower_is_better
        As in :func:`llrcal.fit`: which LLRs scores outside the training range get, and whether the
        scores are distances.
    p_target
        Prior probability of a target where the estimator is used. Neither it nor the costs affect
        training, so ``set_params`` changes all three without another fit.
    c_miss, c_fa
        Costs of a miss and of a false alarm.
    target_label
        The label of targets. By default the greater of two numbers, True, or the word that means
        target (``target`` and ``nontarget``, ``genuine`` and ``impostor``, ``Hp`` and ``Hd``, ...).
        If both words are unknown, the last in alphabetical order is taken, as everywhere in
        scikit-learn, with a warning. One known and one unknown word are refused.

    Attributes
    ----------
    calibration_
        The :class:`llrcal.Calibration`; its ``report`` describes the fit.
    classes_
        Both labels, sorted: the columns of ``predict_proba``.
    target_label_
        The label of targets.
    n_features_in_
        Always 1.
    feature_names_in_
        Name of the column, if the scores came in a data frame.

    Notes
    -----
    Scores are one-dimensional or a single column; ``transform`` always returns one column,
    ``llr``. Missing and infinite scores are refused. There are no sample weights.

    Examples
    --------
    >>> import numpy as np
    >>> from llrcal.sklearn import LLRCalibrator
    >>> rng = np.random.default_rng(1)
    >>> X = np.concatenate([rng.normal(2, 1, 50), rng.normal(-1, 1, 500)])
    >>> y = np.repeat(["genuine", "impostor"], [50, 500])
    >>> calibrator = LLRCalibrator("gaussian", p_target=0.01).fit(X, y)
    >>> calibrator.target_label_
    np.str_('genuine')
    >>> calibrator.transform([0.0, 3.0]).round(2)
    array([[-1.82],
           [ 6.88]])
    >>> calibrator.predict_proba([0.0, 3.0]).round(3)
    array([[0.002, 0.998],
           [0.908, 0.092]])
    >>> calibrator.set_params(p_target=0.5, c_fa=10).predict([0.0, 3.0])
    array(['impostor', 'genuine'], dtype='<U8')
    """

    _n_features_out = 1  # needed by the base class's get_feature_names_out

    def __init__(
        self,
        method: str = DEFAULT,
        *,
        alpha: float | str = 0.5,
        rule: RuleLike = "log",
        bounds: Policy = "counts",
        rising: bool = True,
        lower_is_better: bool = False,
        p_target: float = 0.5,
        c_miss: float = 1.0,
        c_fa: float = 1.0,
        target_label: Any = None,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.rule = rule
        self.bounds = bounds
        self.rising = rising
        self.lower_is_better = lower_is_better
        self.p_target = p_target
        self.c_miss = c_miss
        self.c_fa = c_fa
        self.target_label = target_label

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on scores and their labels.

        Parameters
        ----------
        X
            Scores, of shape (n,) or (n, 1).
        y
            As many labels, of two kinds.

        Raises
        ------
        ScoreError
            If the labels do not show which are the targets, or no optimum exists for the scores.
        OptionError
            If a parameter is unknown or out of range.
        ValueError
            If scikit-learn refuses the data.

        Warns
        -----
        LlrcalWarning
            If targets score worse than non-targets.
        ConvergenceWarning
            If the fit did not converge.
        """
        self._prior_log_odds(self.c_miss, self.c_fa)  # raises for an invalid operating point
        table, labels = validate_data(self, self._as_table(X), y)
        scores = self._one_column(table)
        classes = _two_classes(labels)
        target_label = classes[_target_index(classes, self.target_label)]
        is_target = labels == target_label
        tar, non = scores[is_target], scores[~is_target]
        (calibration,) = trained(
            tar,
            non,
            methods=[(self.method, self._options)],
            bounds=self.bounds,
            rising=self.rising,
            lower_is_better=self.lower_is_better,
        ).values()
        if any(note.code == WRONG_WAY for note in calibration.report.notes):
            warnings.warn(
                f"the targets, taken to be those labelled {_shown([target_label])}, score worse "
                f"than the others: did you mean lower_is_better={not self.lower_is_better}, "
                "or another target_label?",
                LlrcalWarning,
                stacklevel=2,
            )
        if not calibration.report.converged:
            warnings.warn(
                f"{self.method} did not converge: {calibration.report.reason}",
                ConvergenceWarning,
                stacklevel=2,
            )
        # All at once, so that a failed fit does not leave a mixture of two fits.
        self.classes_, self.target_label_, self.calibration_ = classes, target_label, calibration
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Natural-log likelihood-ratios of scores, target over non-target, of shape (n, 1)."""
        return self._llrs(X)[:, None]

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Posterior of each class at ``p_target``, in the order of ``classes_``."""
        return np.asarray(expit(self._log_odds_of_classes(X)))

    def predict_log_proba(self, X: ArrayLike) -> Floats:
        """Logarithms of the posteriors, accurate even where these round to 0 or 1."""
        return np.asarray(log_expit(self._log_odds_of_classes(X)))

    def decision_function(self, X: ArrayLike) -> Floats:
        """How far each LLR lies beyond the Bayes threshold, on the side of ``classes_[1]``.

        If ``classes_[1]`` is the target, this is LLR + logit p_target + log(c_miss / c_fa);
        otherwise it is the negative of that, as scikit-learn requires.
        """
        return self._side() * self._gains(X)

    def predict(self, X: ArrayLike) -> Array:
        """Labels of least expected cost at ``p_target``, ``c_miss`` and ``c_fa``."""
        decided = (self._gains(X) >= 0) == (self._side() > 0)
        return np.asarray(self.classes_[decided.astype(np.intp)])

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Name of the one column that ``transform`` gives: ``llr``.

        Parameters
        ----------
        input_features
            Only checked against the names seen in ``fit``.
        """
        check_is_fitted(self, "calibration_")
        super().get_feature_names_out(input_features)
        return np.array(["llr"], dtype=object)

    def _llrs(self, X: ArrayLike) -> Floats:
        check_is_fitted(self, "calibration_")
        scores = self._one_column(validate_data(self, self._as_table(X), reset=False))
        return self.calibration_(scores)

    def _gains(self, X: ArrayLike) -> Floats:
        """Log-ratio of the expected costs of rejecting and of accepting."""
        return self._llrs(X) + self._prior_log_odds(self.c_miss, self.c_fa)

    def _log_odds_of_classes(self, X: ArrayLike) -> Floats:
        """Posterior log-odds for each class, in two columns."""
        log_odds = self._side() * (self._llrs(X) + self._prior_log_odds())
        return np.column_stack([-log_odds, log_odds])

    def _side(self) -> float:
        """1 if the second class is the target, -1 if the first is."""
        check_is_fitted(self, "calibration_")
        return 1.0 if self.target_label_ == self.classes_[1] else -1.0

    def _prior_log_odds(self, c_miss: float = 1.0, c_fa: float = 1.0) -> float:
        """Prior log-odds with costs folded in."""
        given: dict[str, Any] = {"p_target": self.p_target, "c_miss": c_miss, "c_fa": c_fa}
        for name, value in given.items():
            if not isinstance(value, Real):
                raise OptionError(f"{name} is {value!r}; give one number")
        return float(effective_prior_log_odds(**given))

    @property
    def _options(self) -> dict[str, Any]:
        """The parameters that the method takes; all of them, if there is no such method."""
        given = {"alpha": self.alpha, "rule": self.rule}
        takes = TABLE[self.method].options if self.method in TABLE else given
        return {name: value for name, value in given.items() if name in takes}

    @staticmethod
    def _as_table(X: Any) -> Any:
        """X, with one-dimensional scores as a column; scikit-learn checks everything else."""
        if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
            raise ScoreError("X is a masked array; drop the masked scores, and their labels")
        shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
        return np.asarray(X).reshape(-1, 1) if len(shape) == 1 else X

    @staticmethod
    def _one_column(X: Array) -> Array:
        if X.shape[1] != 1:
            raise ScoreError(
                f"X has {X.shape[1]} columns; scores are one column. Choose it, or fuse the systems"
            )
        return X[:, 0]

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "calibration_" in state:
            # A fresh copy, without cached values.
            state["calibration_"] = replace(state["calibration_"])
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # As IsotonicRegression does: two_d_array would mean any number of columns.
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


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
            f"y holds {_shown(labels[strange][:1])}; the calibrator was trained on "
            f"{_shown(calibrator.classes_)}"
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


def _two_classes(y: Array) -> Array:
    """Both labels, sorted."""
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise ScoreError(  # the first sentence is what scikit-learn's checks look for
            f"Only binary classification is supported. The type of the target is {kind}: "
            "give one label to targets and one to non-targets"
        )
    classes = np.unique(y)
    if len(classes) == 1:
        raise ScoreError(
            f"y has one class only, {_shown(classes)}: calibration needs targets and non-targets"
        )
    return classes


def _target_index(classes: Array, request: Any) -> int:
    """Which of two sorted labels means target."""
    labels = classes.tolist()
    if request is not None:
        if request not in labels:
            raise OptionError(f"target_label is {request!r}, but y holds {_shown(classes)}")
        return int(labels.index(request))
    if classes.dtype.kind in "biuf":
        return 1
    meanings = [LABEL_OF_WORD.get(label) for label in labels]
    if set(meanings) == {Label.TARGET, Label.NONTARGET}:
        return meanings.index(Label.TARGET)
    which = f"target_label={labels[0]!r} or target_label={labels[1]!r}"
    if any(meaning is not None for meaning in meanings):
        raise ScoreError(
            f"y holds {_shown(classes)}, which does not show which are the targets: give {which}"
        )
    warnings.warn(
        f"y holds {_shown(classes)}, which does not show which are the targets: "
        f"{labels[1]!r} was taken, the last in alphabetical order, as everywhere in scikit-learn. "
        f"To be sure, give {which}",
        LlrcalWarning,
        stacklevel=3,
    )
    return 1


def _shown(labels: Any) -> str:
    return " and ".join(repr(label) for label in np.asarray(labels).tolist())
