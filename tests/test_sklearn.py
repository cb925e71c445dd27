"""The scikit-learn estimator: scikit-learn's own checks, and llrcal's answers through it."""

# ruff: noqa: N803  (scikit-learn calls its data X)

from __future__ import annotations

import copy
import math
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.validation import check_is_fitted

import llrcal
from llrcal import sklearn as adapter
from llrcal.arrays import Array, Floats
from llrcal.calibrations.methods.logistic import Logistic
from llrcal.method_table import MethodName
from llrcal.sklearn import LLRCalibrator, neg_cllr_scorer, neg_dcf_scorer
from tests.trial_sets import normal

TAR, NON = normal(80, 1.5, 1.2), normal(200, -1.5, 1.0)
SCORES: Floats = np.concatenate([TAR, NON])
LABELS: Array = np.repeat([1, 0], [80, 200])
NEW: Floats = np.array([-4.0, -1.2, 0.0, 0.3, 2.0, 5.0])
EVERY_METHOD = pytest.mark.parametrize("method", llrcal.METHODS)
ROOT = Path(__file__).resolve().parents[1]


def words(target: str, nontarget: str) -> Array:
    return np.where(LABELS == 1, target, nontarget)


def llrs(estimator: LLRCalibrator, scores: Any = NEW) -> Floats:
    return np.asarray(estimator.transform(scores))[:, 0]


# ---------------------------------------------------------------- scikit-learn's own checks


def second_column(X: Array) -> Array:
    return X[:, min(1, X.shape[1] - 1)]


class OneColumn(LLRCalibrator):
    """The calibrator on one column of wider data, which scikit-learn's checks need.

    It is the second column, negated: like this the blobs of the checks rise with their class, as
    PAV wants it. All the rest is the calibrator's own.
    """

    @staticmethod
    def _as_table(X: Any) -> Any:
        return X

    @staticmethod
    def _one_column(X: Array) -> Array:
        return -second_column(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = False
        tags.input_tags.two_d_array = True
        return tags


# Random data of the checks have no targets that score higher.
RANDOM_DATA = pytest.mark.filterwarnings("ignore:the targets, taken:llrcal.errors.LlrcalWarning")


@RANDOM_DATA
@estimator_checks.parametrize_with_checks(  # type: ignore[untyped-decorator]
    [OneColumn(), OneColumn("logistic")]
)
def test_checks_of_scikit_learn(estimator: OneColumn, check: Callable[[Any], None]) -> None:
    check(estimator)


def test_the_checks_are_many() -> None:
    """Tags can make scikit-learn skip them without a word."""
    assert len(list(estimator_checks.estimator_checks_generator(OneColumn()))) > 50


@RANDOM_DATA
@pytest.mark.filterwarnings("ignore:.* feature names, but:UserWarning")
@pytest.mark.parametrize(
    "check",
    [
        "check_set_output_transform",
        "check_set_output_transform_pandas",
        "check_set_output_transform_polars",
        "check_global_output_transform_pandas",
        "check_global_set_output_transform_polars",
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
        "check_dataframe_column_names_consistency",
    ],
)
def test_checks_that_scikit_learn_keeps_for_its_own(check: str) -> None:
    getattr(estimator_checks, check)("OneColumn", OneColumn())


@RANDOM_DATA
@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_classifiers_classes,
        estimator_checks.check_classifiers_train,
        estimator_checks.check_decision_proba_consistency,
    ],
    ids=["classes", "train", "proba"],
)
def test_either_class_may_be_the_target(
    target: int, check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What scikit-learn wants of columns and signs holds in both orders, with any words."""
    monkeypatch.setattr(adapter.calibrator, "target_index", lambda classes, request: target)
    if target == 0:
        monkeypatch.setattr(OneColumn, "_one_column", staticmethod(second_column))
    check("OneColumn", OneColumn())


def test_the_plain_class_passes_with_its_own_tags() -> None:
    with pytest.warns(SkipTestWarning, match="Can't test estimator"):
        results = estimator_checks.check_estimator(LLRCalibrator())
    assert {result["status"] for result in results} == {"passed"}
    for check in (
        estimator_checks.check_valid_tag_types,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
        estimator_checks.check_mixin_order,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_parameters_default_constructible,
    ):
        check("LLRCalibrator", LLRCalibrator())


def test_tags() -> None:
    tags = get_tags(LLRCalibrator())
    assert is_classifier(LLRCalibrator())
    assert tags.estimator_type == "classifier"
    assert tags.transformer_tags is not None
    assert tags.target_tags.required
    assert not tags.classifier_tags.multi_class
    assert (tags.input_tags.one_d_array, tags.input_tags.two_d_array) == (True, False)
    assert not tags.input_tags.sparse
    assert not tags.input_tags.allow_nan


# ------------------------------------------------------------------------- llrcal's answers


@pytest.mark.parametrize(
    ("params", "options"),
    [
        *(({"method": method, "alpha": 0.9}, {}) for method in ("pav", "student-t", "nig")),
        ({"method": "linear-gaussian", "rule": "brier"}, {}),
        ({"method": "linear-gaussian", "alpha": "empirical"}, {"alpha": "empirical"}),
        ({"method": "logistic", "alpha": 0.1}, {"alpha": 0.1}),
        ({"method": "logistic", "rule": "brier"}, {"rule": "brier"}),
        ({"method": "gaussian", "alpha": 0.1, "bayes": True}, {"bayes": True}),
        *(({"bounds": bounds}, {"bounds": bounds}) for bounds in ("range", "counts", "none")),
        ({"rising": False}, {"rising": False}),
    ],
)
def test_llrs_are_those_of_fit(params: dict[str, Any], options: dict[str, Any]) -> None:
    """Methods ignore a weight or a rule that they do not take."""
    calibrator = LLRCalibrator(**params).fit(SCORES, LABELS)
    own = llrcal.fit(TAR, NON, method=params.get("method", "smooth"), **options)
    assert calibrator.calibration_ == own
    np.testing.assert_array_equal(calibrator.transform(NEW), own(NEW)[:, None])
    assert clone(calibrator).get_params() == calibrator.get_params()


def test_parameters_that_a_method_cannot_integrate_out() -> None:
    with pytest.raises(llrcal.OptionError, match="smooth has no option 'bayes'"):
        LLRCalibrator(bayes=True).fit(SCORES, LABELS)


def test_distances() -> None:
    plain = LLRCalibrator().fit(SCORES, LABELS)
    distances = LLRCalibrator(lower_is_better=True).fit(-SCORES, LABELS)
    np.testing.assert_array_equal(llrs(distances, -NEW), llrs(plain))
    assert distances.predict(-NEW).tolist() == plain.predict(NEW).tolist()


def test_in_a_pipeline() -> None:
    pipeline = make_pipeline(StandardScaler(), LLRCalibrator(p_target=0.2))
    pipeline.fit(SCORES[:, None], LABELS)
    mean, deviation = SCORES.mean(), SCORES.std()
    calibration = llrcal.fit((TAR - mean) / deviation, (NON - mean) / deviation)
    expected = calibration((NEW - mean) / deviation)
    np.testing.assert_allclose(pipeline.transform(NEW[:, None])[:, 0], expected, rtol=1e-8)
    accepted = expected + math.log(0.2 / 0.8) >= 0
    assert pipeline.predict(NEW[:, None]).tolist() == accepted.astype(int).tolist()


def test_grid_search_over_all_methods_is_the_loop_by_hand() -> None:
    folds = StratifiedKFold(3, shuffle=True, random_state=5)
    grid = {"method": list(llrcal.METHODS), "alpha": [0.1, 0.5]}
    search = GridSearchCV(LLRCalibrator(), grid, scoring=neg_cllr_scorer, cv=folds)
    search.fit(SCORES, LABELS)

    def cllr_by_hand(method: MethodName, alpha: float) -> float:
        options: dict[str, Any] = (
            {"alpha": alpha} if method in ("linear-gaussian", "logistic") else {}
        )
        total = 0.0
        for train, test in folds.split(SCORES, LABELS):
            tar, non = (SCORES[train][LABELS[train] == label] for label in (1, 0))
            x = llrcal.fit(tar, non, method=method, **options)(SCORES[test])
            is_tar = LABELS[test] == 1
            tar_cost = np.log2(1 + np.exp(-x[is_tar])).mean()
            total += (tar_cost + np.log2(1 + np.exp(x[~is_tar])).mean()) / 2
        return total / 3

    by_hand = [cllr_by_hand(**params) for params in search.cv_results_["params"]]
    assert len(by_hand) == 14
    np.testing.assert_allclose(-search.cv_results_["mean_test_score"], by_hand, rtol=1e-9)
    assert search.best_index_ == int(np.argmin(by_hand))
    # Gaussian scores of nearly one variance: no method can be far from the others.
    assert max(by_hand) < 1.4 * min(by_hand)
    assert neg_cllr_scorer(search, SCORES, LABELS) == neg_cllr_scorer(
        search.best_estimator_, SCORES, LABELS
    )


# --------------------------------------------------------------------------- which is target?


@pytest.mark.parametrize("kind", ["U", "O", "pandas", "polars"])
@pytest.mark.parametrize(("target", "nontarget"), [("target", "nontarget"), ("Hp", "Hd")])
def test_words_mean_what_they_mean_in_split(target: str, nontarget: str, kind: str) -> None:
    """LLRs never change their sign with the alphabet."""
    labels: Any = words(target, nontarget)
    convert: dict[str, Callable[[Any], Any]] = {
        "U": np.asarray,
        "O": lambda values: values.astype(object),
        "pandas": lambda values: pd.Series(values).astype("category"),
        "polars": pl.Series,
    }
    calibrator = LLRCalibrator("gaussian").fit(SCORES, convert[kind](labels))
    assert calibrator.target_label_ == target
    assert calibrator.classes_.tolist() == sorted([target, nontarget])
    plain = LLRCalibrator("gaussian").fit(SCORES, LABELS)
    np.testing.assert_array_equal(llrs(calibrator), llrs(plain))
    column = calibrator.classes_.tolist().index(target)
    np.testing.assert_array_equal(
        calibrator.predict_proba(NEW)[:, column], plain.predict_proba(NEW)[:, 1]
    )
    assert (calibrator.predict(NEW) == target).tolist() == (plain.predict(NEW) == 1).tolist()
    assert neg_cllr_scorer(calibrator, SCORES, labels) == neg_cllr_scorer(plain, SCORES, LABELS)
    if kind != "polars":  # scikit-learn's metrics want numpy's labels
        auc = roc_auc_score(labels == calibrator.classes_[1], calibrator.decision_function(SCORES))
        assert auc > 0.9


@pytest.mark.parametrize(
    ("labels", "target"),
    [
        (LABELS, 1),
        (LABELS.astype(bool), True),
        (2.0 * LABELS - 1, 1),
        (LABELS + 1, 2),
        (LABELS.astype(np.uint8) * 7, 7),
        (pd.Series(LABELS, dtype="Int64"), 1),
        (pl.Series(LABELS == 1), True),
        (LABELS.tolist(), 1),
    ],
    ids=lambda value: f"{type(value).__name__}-{getattr(value, 'dtype', value)}"[:30],
)
def test_the_greater_number_is_the_target(labels: Any, target: Any) -> None:
    calibrator = LLRCalibrator().fit(SCORES, labels)
    assert calibrator.target_label_ == target
    assert calibrator.calibration_ == llrcal.fit(TAR, NON)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("target", "zebra"),  # half of it known is no better: "1" and "2"?
        ("1", "2"),
        ("apple", "nontarget"),
        ("genuine", "target"),
        ("impostor", "nontarget"),
    ],
)
def test_words_that_do_not_say_are_refused(one: str, other: str) -> None:
    shown = f"'{one}' and '{other}', which does not show .*target_label='{one}' or"
    with pytest.raises(llrcal.ScoreError, match=shown):
        LLRCalibrator().fit(SCORES, words(one, other))


def test_of_unknown_words_the_last_is_taken_with_a_warning() -> None:
    with pytest.warns(llrcal.LlrcalWarning, match="'two' was taken.*target_label='one' or"):
        calibrator = LLRCalibrator().fit(SCORES, words("two", "one"))
    assert calibrator.target_label_ == "two"
    assert calibrator.calibration_ == llrcal.fit(TAR, NON)


@pytest.mark.parametrize(("one", "other"), [("cat", "dog"), ("dog", "cat"), ("Hd", "Hp")])
def test_target_label_decides(one: str, other: str) -> None:
    calibrator = LLRCalibrator(target_label=one).fit(SCORES, words(one, other))
    assert calibrator.target_label_ == one
    assert calibrator.calibration_ == llrcal.fit(TAR, NON)
    sign = 1 if one > other else -1
    np.testing.assert_array_equal(calibrator.decision_function(NEW), sign * llrs(calibrator))


@pytest.mark.parametrize("wanted", ["Cat", "bird", 1, True, ["cat"]])
def test_a_target_label_that_is_none(wanted: Any) -> None:
    with pytest.raises(llrcal.OptionError, match="but y holds 'cat' and 'dog'"):
        LLRCalibrator(target_label=wanted).fit(SCORES, words("cat", "dog"))


def test_targets_that_score_worse_give_a_warning() -> None:
    with pytest.warns(
        llrcal.LlrcalWarning, match=r"those labelled 1, score .* mean lower_is_better=True"
    ):
        LLRCalibrator().fit(-SCORES, LABELS)
    with pytest.warns(llrcal.LlrcalWarning, match="mean lower_is_better=False"):
        LLRCalibrator(lower_is_better=True).fit(SCORES, LABELS)
    with pytest.warns(llrcal.LlrcalWarning, match="those labelled 'impostor', score worse"):
        LLRCalibrator(target_label="impostor").fit(SCORES, words("genuine", "impostor"))


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        (np.ones(280), "one class only, 1.0"),
        (np.repeat(["target"], 280), "one class only, 'target'"),
        (np.arange(280) % 3, r"Only binary classification is supported\. .*multiclass"),
        (SCORES, "Only binary classification is supported.*continuous"),
        (np.repeat([1.0, np.nan], 140), "y contains NaN"),
        (LABELS[:-1], "inconsistent numbers of samples"),
        (None, "requires y"),
    ],
)
def test_labels_that_are_not_two_classes(labels: Any, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        LLRCalibrator().fit(SCORES, labels)


# ------------------------------------------------------------------------- operating points

POINTS = [(0.5, 1, 1), (0.01, 1, 1), (0.01, 10, 1), (0.9, 1, 20), (0.5, 3, 3), (0.999, 1, 1)]


@pytest.mark.parametrize(("p_target", "c_miss", "c_fa"), POINTS)
@pytest.mark.parametrize("labels", [LABELS, words("genuine", "impostor")], ids=["numbers", "words"])
def test_posteriors_and_decisions_are_bayes(
    p_target: float, c_miss: float, c_fa: float, labels: Array
) -> None:
    calibrator = LLRCalibrator("gaussian", p_target=p_target, c_miss=c_miss, c_fa=c_fa)
    calibrator.fit(SCORES, labels)
    target = calibrator.classes_.tolist().index(calibrator.target_label_)

    ratio = np.exp(calibrator.calibration_(SCORES))
    posterior = p_target * ratio / (p_target * ratio + 1 - p_target)
    found = calibrator.predict_proba(SCORES)
    np.testing.assert_allclose(found[:, target], posterior, rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-15)
    np.testing.assert_allclose(calibrator.predict_log_proba(SCORES), np.log(found), atol=1e-15)

    cost_of_accepting, cost_of_rejecting = (1 - posterior) * c_fa, posterior * c_miss
    accepted = calibrator.predict(SCORES) == calibrator.target_label_
    assert accepted.tolist() == (cost_of_accepting <= cost_of_rejecting).tolist()
    decision = calibrator.decision_function(SCORES)
    assert calibrator.predict(SCORES).tolist() == labels_of(calibrator, decision)

    # What it costs is what evaluate says that it costs.
    tar, non = calibrator.calibration_(TAR), calibrator.calibration_(NON)
    cost = llrcal.evaluate(tar, non).act_dcf(p_target, c_miss, c_fa, normalised=False)
    miss, fa = (~accepted[LABELS == 1]).mean(), accepted[LABELS == 0].mean()
    assert p_target * miss * c_miss + (1 - p_target) * fa * c_fa == pytest.approx(cost, rel=1e-12)
    assert -neg_dcf_scorer(calibrator, SCORES, labels) == pytest.approx(
        cost / min(p_target * c_miss, (1 - p_target) * c_fa), rel=1e-12
    )


def labels_of(calibrator: LLRCalibrator, decision: Floats) -> list[Any]:
    return list(calibrator.classes_[(decision > 0).astype(int)].tolist())


def test_an_llr_at_the_threshold_is_accepted_as_evaluate_does() -> None:
    scores, labels = [0.0, 0.0, 0.0, 0.0], ["genuine", "impostor", "genuine", "impostor"]
    calibrator = LLRCalibrator("pav").fit(scores, labels)
    assert llrs(calibrator, [0.0]) == 0
    assert calibrator.predict([0.0]) == "genuine"
    assert neg_dcf_scorer(calibrator, scores, labels) == -1


def test_the_operating_point_moves_without_another_fit() -> None:
    calibrator = LLRCalibrator().fit(SCORES, LABELS)
    before = calibrator.calibration_
    for p_target, c_miss, c_fa in POINTS[2:4]:
        calibrator.set_params(p_target=p_target, c_miss=c_miss, c_fa=c_fa)
        fresh = LLRCalibrator(p_target=p_target, c_miss=c_miss, c_fa=c_fa)
        fresh.fit(SCORES, LABELS)
        for name in ("predict", "predict_proba", "decision_function", "transform"):
            np.testing.assert_array_equal(getattr(calibrator, name)(NEW), getattr(fresh, name)(NEW))
    assert calibrator.calibration_ is before


def test_log_posteriors_do_not_saturate() -> None:
    calibrator = LLRCalibrator("logistic", bounds="range").fit(SCORES, LABELS)
    assert isinstance(calibrator.calibration_, Logistic)
    calibrator.calibration_ = replace(calibrator.calibration_, slope=5e3, origin=0.0, height=0.0)
    log_proba = calibrator.predict_log_proba([-1.0, 1.0])
    np.testing.assert_allclose(log_proba, [[0, -5e3], [-5e3, 0]], rtol=1e-14)
    assert calibrator.predict_proba([-1.0, 1.0]).tolist() == [[1, 0], [0, 1]]


def test_log_loss_at_even_prior_and_even_classes_is_cllr() -> None:
    scores = np.concatenate([TAR, NON[:80]])
    labels = np.repeat([1, 0], 80)
    calibrator = LLRCalibrator("logistic").fit(scores, labels)
    nats = log_loss(labels, calibrator.predict_proba(scores))
    assert -neg_cllr_scorer(calibrator, scores, labels) == pytest.approx(nats / math.log(2))


@pytest.mark.parametrize(
    ("params", "what"),
    [
        ({"method": "platt"}, "no method 'platt'.*logistic"),
        ({"method": "logistic", "alpha": 1.5}, "alpha is 1.5"),
        ({"bounds": "all"}, "bounds are 'all'"),
        ({"rising": "yes"}, "rising is 'yes'"),
        ({"lower_is_better": "yes"}, "lower_is_better is 'yes'"),
        ({"p_target": 0}, "p_target is 0"),
        ({"p_target": "0.5"}, "p_target is '0.5'; give one number"),
        ({"p_target": [0.1, 0.5]}, r"p_target is \[0.1, 0.5\]; give one number"),
        ({"c_fa": -1}, "c_fa is -1"),
        ({"c_fa": None}, "c_fa is None"),
    ],
)
def test_bad_parameters_are_refused_by_fit(params: dict[str, Any], what: str) -> None:
    calibrator = LLRCalibrator(**params)  # stores, and says nothing
    with pytest.raises(llrcal.OptionError, match=what):
        calibrator.fit(SCORES, LABELS)


def test_a_bad_operating_point_is_refused_after_fit_too() -> None:
    calibrator = LLRCalibrator().fit(SCORES, LABELS).set_params(p_target=2)
    for name in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(llrcal.OptionError, match="p_target is 2"):
            getattr(calibrator, name)(NEW)


# ----------------------------------------------------------------------------------- scores


@pytest.mark.parametrize(
    "convert",
    [
        np.asarray,
        list,
        lambda scores: scores[:, None],
        lambda scores: scores.astype(object),
        pd.Series,
        lambda scores: pd.Series(scores, index=range(1000, 1000 + len(scores)), dtype="Float64"),
        lambda scores: pd.DataFrame({"plda": scores}),
        lambda scores: pl.Series("plda", scores),
        lambda scores: pl.DataFrame({"plda": scores}),
        lambda scores: np.ma.MaskedArray(scores, mask=False),
    ],
)
def test_every_form_of_one_column(convert: Callable[[Floats], Any]) -> None:
    calibrator = LLRCalibrator().fit(convert(SCORES), LABELS)
    assert calibrator.calibration_ == llrcal.fit(TAR, NON)
    assert calibrator.n_features_in_ == 1
    found = calibrator.transform(convert(NEW))
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, llrcal.fit(TAR, NON)(NEW)[:, None])
    assert calibrator.predict(convert(NEW)).shape == (6,)
    assert calibrator.predict_proba(convert(NEW)).shape == (6, 2)


@pytest.mark.parametrize(
    ("scores", "what"),
    [
        (np.column_stack([SCORES, SCORES]), "X has 2 (columns; scores are one|features)"),
        (SCORES.reshape(-1, 1, 1), "dim 3"),
        (3.0, "Reshape your data"),
        ([], r"0 sample"),
        (np.where(SCORES > 3, np.nan, SCORES), "contains NaN"),
        (np.where(SCORES > 3, np.inf, SCORES), "contains infinity"),
        (np.ma.masked_greater(SCORES, 3), "masked array"),
        (SCORES > 0, "booleans; were labels passed as scores"),
        (SCORES.astype(str), "not compatible with arrays of bytes/strings"),
        (SCORES + 0j, "Complex data not supported"),
    ],
)
def test_scores_that_are_refused(scores: Any, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        LLRCalibrator().fit(scores, LABELS)
    trained = LLRCalibrator().fit(SCORES, LABELS)
    for name in ("transform", "predict", "predict_proba", "decision_function"):
        with pytest.raises(ValueError, match=what):
            getattr(trained, name)(scores)


def test_huge_scores_overflow_in_silence() -> None:
    scores = np.where(LABELS == 1, 1e308, 0.9e308) + SCORES * 1e306
    assert LLRCalibrator("pav").fit(scores, LABELS).predict([1.7e308]) == 1


# --------------------------------------------------------------------------- names and frames


def test_the_column_is_called_llr() -> None:
    frame = pd.DataFrame({"plda": NEW}, index=list("abcdef"))
    calibrator = LLRCalibrator().fit(pd.DataFrame({"plda": SCORES}), LABELS)
    assert calibrator.feature_names_in_.tolist() == ["plda"]
    assert calibrator.get_feature_names_out().tolist() == ["llr"]
    assert calibrator.get_feature_names_out(["plda"]).tolist() == ["llr"]
    with pytest.raises(ValueError, match="input_features"):
        calibrator.get_feature_names_out(["cosine"])
    out = calibrator.set_output(transform="pandas").transform(frame)
    assert (out.columns.tolist(), out.index.tolist()) == (["llr"], list("abcdef"))
    assert neg_cllr_scorer(calibrator, pd.DataFrame({"plda": SCORES}), LABELS) < 0


# --------------------------------------------------------------------- copies, files and words


def test_copies_answer_the_same() -> None:
    calibrator = LLRCalibrator(p_target=0.1, target_label="dog")
    calibrator.fit(SCORES, words("dog", "cat"))
    expected = calibrator.transform(NEW)
    copies = [
        pickle.loads(pickle.dumps(calibrator)),  # noqa: S301
        copy.deepcopy(calibrator),
        copy.copy(calibrator),
    ]
    for one in copies:
        np.testing.assert_array_equal(one.transform(NEW), expected)
        assert one.calibration_ == calibrator.calibration_
        assert one.get_params() == calibrator.get_params()


def test_only_the_method_goes_without_its_name() -> None:
    with pytest.raises(TypeError, match="positional"):
        LLRCalibrator("pav", 0.5)  # type: ignore[call-arg]


def test_a_fit_that_fails_changes_no_answer() -> None:
    calibrator = LLRCalibrator("gaussian").fit(SCORES, words("genuine", "impostor"))
    expected, decided = calibrator.transform(NEW), calibrator.predict(NEW)
    with pytest.raises(llrcal.DegenerateError, match="scores that differ"):
        calibrator.fit(np.ones(280), LABELS)
    np.testing.assert_array_equal(calibrator.transform(NEW), expected)
    assert calibrator.predict(NEW).tolist() == decided.tolist()


def test_a_fit_that_does_not_converge_gives_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    calibration = llrcal.fit(TAR, NON)
    report = replace(calibration.report, converged=False, reason="too many iterations")
    poor = {"smooth": replace(calibration, report=report)}
    monkeypatch.setattr(adapter.calibrator, "fit_methods", lambda *_, **__: poor)
    with pytest.warns(ConvergenceWarning, match="smooth did not converge: too many iterations"):
        calibrator = LLRCalibrator().fit(SCORES, LABELS)
    check_is_fitted(calibrator)


# ---------------------------------------------------------------------------------- scorers


@pytest.mark.parametrize("scorer", [neg_cllr_scorer, neg_dcf_scorer])
def test_scorers_say_what_they_need(scorer: Callable[..., float]) -> None:
    for other in (LogisticRegression(), make_pipeline(StandardScaler()), BaseEstimator()):
        with pytest.raises(llrcal.OptionError, match="an LLRCalibrator, or a pipeline or search"):
            scorer(other, SCORES[:, None], LABELS)
    with pytest.raises(NotFittedError):
        scorer(LLRCalibrator(), SCORES, LABELS)
    calibrator = LLRCalibrator().fit(SCORES, LABELS)
    with pytest.raises(llrcal.ScoreError, match="y holds 2; the calibrator was trained on 0 and 1"):
        scorer(calibrator, SCORES, LABELS + 1)
    with pytest.raises(llrcal.ScoreError, match="no target"):
        scorer(calibrator, NON, np.zeros(200, int))


# ------------------------------------------------------------------------- import and docs


def test_without_scikit_learn_the_error_names_the_command() -> None:
    code = "import sys, llrcal; sys.modules['sklearn'] = None; llrcal.fit; import llrcal.sklearn"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.rstrip().endswith('pip install "llrcal[sklearn]"')
    assert "ImportError: llrcal.sklearn needs scikit-learn" in ran.stderr


def test_public_names() -> None:
    assert adapter.__all__ == [
        "LLRCalibratedClassifier",
        "LLRCalibrator",
        "neg_cllr_scorer",
        "neg_dcf_scorer",
    ]
    assert LLRCalibrator.__module__ == "llrcal.sklearn"


@pytest.mark.slow
def test_the_page_prints_what_it_says() -> None:
    text = (ROOT / "docs" / "sklearn.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == text.count("```python") == 6
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", "".join(code for code, _ in blocks)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"MPLBACKEND": "Agg"},
    )
    assert ran.stderr == ""
    assert ran.stdout == "".join(expected for _, expected in blocks)


pytestmark = pytest.mark.slow
