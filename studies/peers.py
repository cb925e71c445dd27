"""The tools that users would reach for instead, each run as its users would run it."""

from __future__ import annotations

from typing import Any

import numpy as np
from lir.algorithms.isotonic_regression import IsotonicCalibrator
from lir.algorithms.logistic_regression import LogitCalibrator
from lir.data.models import LLRData
from lir.metrics import cllr, cllr_min
from llreval.quick_eval import tarnon_2_eer_cllr_mincllr
from scipy.stats import norminvgauss, t
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from llrcal.arrays import Floats
from studies.paper_scores import Scores


def _labelled(scores: Scores) -> tuple[Floats, Floats]:
    labels = np.zeros(len(scores.tar) + len(scores.non))
    labels[: len(scores.tar)] = 1
    return np.concatenate([scores.tar, scores.non]), labels


def isotonic(scores: Scores) -> Any:
    """scikit-learn's isotonic regression of the labels."""
    x, y = _labelled(scores)
    return IsotonicRegression(out_of_bounds="clip").fit(x, y)


def logistic(scores: Scores) -> Any:
    """scikit-learn's logistic regression, unregularised, classes weighted equally."""
    x, y = _labelled(scores)
    return LogisticRegression(C=np.inf, class_weight="balanced").fit(x[:, None], y)


def lir_isotonic(scores: Scores) -> Any:
    """Isotonic regression by lir, with a misleading score at each end: LLRs are finite."""
    x, y = _labelled(scores)
    return IsotonicCalibrator(add_misleading=1).fit(x, y)


def lir_logistic(scores: Scores) -> Any:
    """Logistic regression by lir, as it comes."""
    x, y = _labelled(scores)
    return LogitCalibrator().fit(x[:, None], y)


def lir_costs(scores: Scores) -> tuple[float, float]:
    """Cllr and minimum Cllr by lir."""
    x, y = _labelled(scores)
    llrs = LLRData(features=x / np.log(10), labels=y.astype(int))
    return float(cllr(llrs)), float(cllr_min(llrs))


def evaluation(scores: Scores) -> tuple[float, float, float]:
    """Llreval's EER, Cllr and minCllr."""
    eer, cllr, min_cllr = tarnon_2_eer_cllr_mincllr(scores.tar, scores.non)
    return float(eer), float(cllr), float(min_cllr)


def student_t(x: Floats) -> Any:
    """Scipy's maximum-likelihood fit of a Student-T density."""
    return t.fit(x)


def nig(x: Floats) -> Any:
    """Scipy's maximum-likelihood fit of a normal-inverse-Gaussian density."""
    return norminvgauss.fit(x)
