"""A classifier with calibrated posteriors, by scikit-learn's own checks and beside its own way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import estimator_checks

from llrcal.errors import OptionError, ScoreError
from llrcal.sklearn import LLRCalibratedClassifier, LLRCalibrator

X, Y = make_classification(600, weights=[0.7], flip_y=0.05, random_state=0)


# The classifier has seen some of the samples that the checks ask it about.
@pytest.mark.filterwarnings("ignore:.* lie beyond the training scores:llrcal.errors.LlrcalWarning")
@pytest.mark.filterwarnings("ignore:the targets, taken:llrcal.errors.LlrcalWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@estimator_checks.parametrize_with_checks([LLRCalibratedClassifier(cv=2)])  # type: ignore[untyped-decorator]
def test_checks_of_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


def test_it_is_what_one_would_write_by_hand() -> None:
    svm = make_pipeline(StandardScaler(), LinearSVC(random_state=0))
    calibrated = LLRCalibratedClassifier(svm, calibrator=LLRCalibrator("logistic")).fit(X, Y)
    unseen = cross_val_predict(svm, X, Y, method="decision_function")
    by_hand = LLRCalibrator("logistic", p_target=float(Y.mean())).fit(unseen, Y)
    scores = svm.fit(X, Y).decision_function(X[:9])
    assert calibrated.llrs(X[:9]).tolist() == by_hand.transform(scores)[:, 0].tolist()
    assert calibrated.predict_proba(X[:9]).tolist() == by_hand.predict_proba(scores).tolist()


@pytest.mark.slow
def test_groups_are_not_torn_apart() -> None:
    """Copies of one sample on both sides of a split would make scores too good."""
    copies = np.tile(np.arange(len(Y)), 3)
    nearest = KNeighborsClassifier(3)  # among others, it would find the copies of a sample
    torn = LLRCalibratedClassifier(nearest).fit(X[copies], Y[copies])
    whole = LLRCalibratedClassifier(nearest, cv=GroupKFold(5)).fit(X[copies], Y[copies], copies)
    assert np.abs(whole.llrs(X)).max() < np.abs(torn.llrs(X)).max() - 1


class Gaps(LogisticRegression):  # type: ignore[misc]
    """Answers NaN for some samples."""

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        return np.where(X[:, 0] > np.quantile(X[:, 0], 0.9), np.nan, super().decision_function(X))


def test_samples_without_an_answer_are_no_samples_left_out() -> None:
    with pytest.raises(ScoreError, match=r"^Gaps answers NaN for 60 of 600 samples"):
        LLRCalibratedClassifier(Gaps()).fit(X, Y)


def test_the_target_may_come_first_in_the_alphabet() -> None:
    words = np.where(Y == 1, "genuine", "impostor")
    by_word = LLRCalibratedClassifier().fit(X, words)
    by_number = LLRCalibratedClassifier().fit(X, Y)
    assert np.allclose(by_word.llrs(X), by_number.llrs(X), rtol=1e-6)
    assert by_word.classes_.tolist() == ["genuine", "impostor"]
    assert np.allclose(by_word.predict_proba(X)[:, 0], by_number.predict_proba(X)[:, 1], atol=1e-7)


def test_a_prior_of_ones_own() -> None:
    rare = LLRCalibratedClassifier(p_target=0.001).fit(X, Y)
    assert rare.predict(X).sum() < LLRCalibratedClassifier().fit(X, Y).predict(X).sum()
    with pytest.raises(OptionError, match='give a number, or "training"'):
        LLRCalibratedClassifier(p_target="rare").fit(X, Y)


def test_a_classifier_without_scores_is_refused() -> None:
    class Silent(NearestCentroid):  # type: ignore[misc]
        decision_function = predict_proba = predict_log_proba = property()

    with pytest.raises(OptionError, match="neither decision_function nor predict_proba"):
        LLRCalibratedClassifier(Silent()).fit(X, Y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* lie beyond the training scores:llrcal.errors.LlrcalWarning")
@pytest.mark.parametrize("estimator", [LinearSVC(), GaussianNB()], ids=["LinearSVC", "GaussianNB"])
@pytest.mark.parametrize("name", ["breast cancer", "digits"])
def test_log_loss_beside_scikit_learn(name: str, estimator: Any) -> None:
    """No worse than the worse of sigmoid and isotonic, over two halves of public sets."""
    data, labels = (load_breast_cancer if name == "breast cancer" else load_digits)(return_X_y=True)
    labels = labels if name == "breast cancer" else (labels % 2)
    scaled = make_pipeline(StandardScaler(), estimator)
    ways = {
        "llrcal": LLRCalibratedClassifier(scaled),
        "sigmoid": CalibratedClassifierCV(scaled, method="sigmoid", ensemble=False),
        "isotonic": CalibratedClassifierCV(scaled, method="isotonic", ensemble=False),
    }
    losses: dict[str, list[float]] = {way: [] for way in ways}
    for seed in range(2):
        train, test, y, y_test = train_test_split(
            data, labels, test_size=0.5, stratify=labels, random_state=seed
        )
        for way, classifier in ways.items():
            found = classifier.fit(train, y).predict_proba(test)
            losses[way].append(log_loss(y_test, found))
    means = {way: float(np.mean(values)) for way, values in losses.items()}
    print(name, estimator, means)
    assert means["llrcal"] <= max(means["sigmoid"], means["isotonic"])


def test_the_default_is_logistic_regression() -> None:
    assert isinstance(LLRCalibratedClassifier().fit(X, Y).estimator_, LogisticRegression)
