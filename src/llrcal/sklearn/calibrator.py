"""The estimator: scores in, LLRs and decisions out."""

# ruff: noqa: N803  (scikit-learn calls its data X)

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.base import ClassNamePrefixFeaturesOutMixin as NamesOutMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from llrcal.arrays import Array, ArrayLike, Floats
from llrcal.calibrations.bounds import Policy
from llrcal.calibrations.fit import fit_methods
from llrcal.errors import LlrcalWarning, OptionError, ScoreError
from llrcal.evaluation.operating_points import effective_prior_log_odds
from llrcal.inputs.labels import LABEL_OF_WORD, Label
from llrcal.method_table import DEFAULT, TABLE
from llrcal.onepass.rank_scale import WRONG_WAY


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
    bayes
        Whether to integrate the parameters out, as in :func:`llrcal.fit`. Methods that cannot
        refuse it.
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
           [ 6.22]])
    >>> calibrator.predict_proba([0.0, 3.0]).round(3)
    array([[0.002, 0.998],
           [0.835, 0.165]])
    >>> calibrator.set_params(p_target=0.5, c_fa=10).predict([0.0, 3.0])
    array(['impostor', 'genuine'], dtype='<U8')
    """

    _n_features_out = 1  # needed by the base class's get_feature_names_out

    def __init__(
        self,
        method: str = DEFAULT,
        *,
        alpha: float | str = 0.5,
        rule: str = "log",
        bayes: bool = False,
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
        self.bayes = bayes
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
        classes = two_classes(labels)
        target_label = classes[target_index(classes, self.target_label)]
        is_target = labels == target_label
        tar, non = scores[is_target], scores[~is_target]
        (calibration,) = fit_methods(
            tar,
            non,
            methods=[(self.method, self._options)],
            bounds=self.bounds,
            rising=self.rising,
            lower_is_better=self.lower_is_better,
        ).values()
        if any(note.code == WRONG_WAY for note in calibration.report.notes):
            warnings.warn(
                f"the targets, taken to be those labelled {shown([target_label])}, score worse "
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
        return self._sided(X, self.c_miss, self.c_fa)

    def predict(self, X: ArrayLike) -> Array:
        """Labels of least expected cost at ``p_target``, ``c_miss`` and ``c_fa``."""
        gains = self._llrs(X) + self._prior_log_odds(self.c_miss, self.c_fa)
        others = self.classes_[self.classes_ != self.target_label_]
        return np.asarray(np.where(gains >= 0, self.target_label_, others))

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

    def _sided(self, X: ArrayLike, *costs: float) -> Floats:
        """Posterior log-odds of the second class, with costs folded in."""
        log_odds = self._llrs(X) + self._prior_log_odds(*costs)
        return log_odds if self.target_label_ == self.classes_[1] else -log_odds

    def _log_odds_of_classes(self, X: ArrayLike) -> Floats:
        """Posterior log-odds for each class, in two columns."""
        log_odds = self._sided(X)
        return np.column_stack([-log_odds, log_odds])

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
        given: dict[str, Any] = {"alpha": self.alpha, "rule": self.rule}
        takes = TABLE[self.method].options if self.method in TABLE else given
        own = {name: value for name, value in given.items() if name in takes}
        # Nobody should believe that the parameters were integrated out where they were not.
        return own if self.bayes is False else own | {"bayes": self.bayes}

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # As IsotonicRegression does: two_d_array would mean any number of columns.
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


def two_classes(y: Array) -> Array:
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
            f"y has one class only, {shown(classes)}: calibration needs targets and non-targets"
        )
    return classes


def target_index(classes: Array, request: Any) -> int:
    """Which of two sorted labels means target."""
    labels = classes.tolist()
    if request is not None:
        if request not in labels:
            raise OptionError(f"target_label is {request!r}, but y holds {shown(classes)}")
        return int(labels.index(request))
    if classes.dtype.kind in "biuf":
        return 1
    meanings = [LABEL_OF_WORD.get(label) for label in labels]
    if set(meanings) == {Label.TARGET, Label.NONTARGET}:
        return meanings.index(Label.TARGET)
    which = f"target_label={labels[0]!r} or target_label={labels[1]!r}"
    if any(meaning is not None for meaning in meanings):
        raise ScoreError(
            f"y holds {shown(classes)}, which does not show which are the targets: give {which}"
        )
    warnings.warn(
        f"y holds {shown(classes)}, which does not show which are the targets: "
        f"{labels[1]!r} was taken, the last in alphabetical order, as everywhere in scikit-learn. "
        f"To be sure, give {which}",
        LlrcalWarning,
        stacklevel=3,
    )
    return 1


def shown(labels: Any) -> str:
    """Labels as a message names them."""
    return " and ".join(repr(label) for label in np.asarray(labels).tolist())
