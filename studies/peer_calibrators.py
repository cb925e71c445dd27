"""Calibrators of other packages, each run as its users would run it: scores in, LLRs out.

Packages are imported when a calibrator is fitted, so that the rest of a study needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from llrcal.arrays import Floats

Transform = Callable[[Floats], Floats]
Trainer = Callable[[Floats, Floats], Transform]
"""Of scores and labels, which are 1 for a target."""


def llrs_of(probabilities: Floats, log_odds: float) -> Floats:
    """LLRs of probabilities of the target, of which the log-odds of the training are taken away."""
    p = np.asarray(probabilities, float)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p) - log_odds)


def log_odds_of(labels: Floats) -> float:
    """Log-odds of a target in the training, which probabilities take in."""
    return float(np.log(labels.sum()) - np.log(len(labels) - labels.sum()))


def bounded(llrs: Floats, labels: Floats) -> Floats:
    """LLRs kept to what T targets and N non-targets can support: -log(T + 1) to log(N + 1)."""
    targets = labels.sum()
    return np.clip(llrs, -np.log(targets + 1), np.log(len(labels) - targets + 1))


def _by_probability(make: Callable[[], Any], predict: str = "predict_proba") -> Trainer:
    """An estimator that is fitted to scores and gives probabilities."""

    def train(x: Floats, y: Floats) -> Transform:
        model = make().fit(x[:, None], y.astype(int))
        prior = log_odds_of(y)

        def llrs(scores: Floats) -> Floats:
            p = getattr(model, predict)(scores[:, None])
            return llrs_of(p[:, 1] if p.ndim == 2 else p, prior)

        return llrs

    return train


def _of_probabilities(
    make: Callable[[], Any], *, pairs: bool, predict: str, standard: bool = False
) -> Trainer:
    """A calibrator that takes probabilities, as of a classifier: those of a logistic regression.

    Or, for those to which this serves better, the sigmoid of scores in standard units.
    """

    def train(x: Floats, y: Floats) -> Transform:
        prior, mean, deviation = log_odds_of(y), x.mean(), x.std()
        line = _logistic()(x, y)

        def shown(scores: Floats) -> Floats:
            p = expit((scores - mean) / deviation if standard else line(scores) + prior)
            return np.stack([1 - p, p], 1) if pairs else p

        model = make()
        model.fit(shown(x), y.astype(int))

        def llrs(scores: Floats) -> Floats:
            found = getattr(model, predict)(shown(scores))
            p = np.asarray(found[0] if isinstance(found, tuple) else found)
            return llrs_of(p[:, 1] if p.ndim == 2 else p, prior)

        return llrs

    return train


def _logistic() -> Trainer:
    from sklearn.linear_model import LogisticRegression

    def train(x: Floats, y: Floats) -> Transform:
        model = LogisticRegression(C=np.inf).fit(x[:, None], y)
        prior = log_odds_of(y)
        return lambda scores: np.asarray(model.decision_function(scores[:, None]) - prior)

    return train


def _sklearn(method: str) -> Trainer:
    """CalibratedClassifierCV of a classifier whose decision function is the score."""
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator

    class Scores(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, x: Floats, y: Floats) -> Scores:
            self.classes_ = np.array([0, 1])
            return self

        def decision_function(self, x: Floats) -> Floats:
            return x[:, 0]

        def predict(self, x: Floats) -> Floats:
            return (x[:, 0] > 0).astype(int)

    def make() -> Any:
        scores = Scores().fit(np.zeros((1, 1)), np.zeros(1))
        return CalibratedClassifierCV(FrozenEstimator(scores), method=method)

    return _by_probability(make)


def _betacal() -> Trainer:
    from betacal import BetaCalibration

    return _of_probabilities(BetaCalibration, pairs=False, predict="predict", standard=True)


def _venn_abers() -> Trainer:
    from venn_abers import VennAbers

    return _of_probabilities(VennAbers, pairs=True, predict="predict_proba")


def _probmetrics(name: str, *, standard: bool) -> Trainer:
    from probmetrics.calibrators import get_calibrator

    return _of_probabilities(
        lambda: get_calibrator(name), pairs=True, predict="predict_proba", standard=standard
    )


def _netcal(name: str) -> Trainer:
    from netcal import binning

    return _of_probabilities(
        getattr(binning, name), pairs=False, predict="transform", standard=True
    )


def _splinecalib() -> Trainer:
    from splinecalib import SplineCalib

    return _of_probabilities(SplineCalib, pairs=False, predict="calibrate")


def _pygam() -> Trainer:
    from pygam import LogisticGAM, s

    return _by_probability(lambda: LogisticGAM(s(0, constraints="monotonic_inc")))


def _lir(name: str, *, elub: bool = False) -> Trainer:
    """A calibrator of lir, whose LLRs have base 10, without bounds or with empirical ones."""
    from lir.algorithms import bayeserror, isotonic_regression, kde
    from lir.algorithms import logistic_regression as line
    from lir.data.models import LLRData

    calibrators: dict[str, Callable[[], Any]] = {
        "logistic": line.LogitCalibrator,
        "kde": lambda: kde.KDECalibrator(bandwidth="silverman"),
        "isotonic": lambda: isotonic_regression.IsotonicCalibrator(add_misleading=1),
    }

    def train(x: Floats, y: Floats) -> Transform:
        model = calibrators[name]().fit(x if name == "isotonic" else x[:, None], y)
        shape = (-1,) if name == "isotonic" else (-1, 1)

        def plain(scores: Floats) -> Floats:
            # Kernels for all pairs of scores take minutes; a curve through some is as good.
            at = _knots(scores) if name == "kde" else scores
            found = np.ravel(model.transform(at.reshape(shape)))
            return np.interp(scores, at, found) if name == "kde" else found

        if not elub:
            return lambda scores: plain(scores) * np.log(10)
        bounds = bayeserror.ELUBBounder()
        bounds.fit(LLRData(features=plain(x).copy(), labels=y.astype(int)))

        def llrs(scores: Floats) -> Floats:
            found = bounds.transform(LLRData(features=plain(scores)))
            return np.asarray(found.llrs * np.log(10))

        return llrs

    return train


def _knots(scores: Floats) -> Floats:
    """Some of the scores, and even steps where they are rare."""
    shares = np.linspace(0, 1, 201)
    return np.unique([*np.quantile(scores, shares), *np.interp(shares, [0, 1], _ends(scores))])


def _ends(scores: Floats) -> tuple[float, float]:
    return float(scores.min()), float(scores.max())


PEERS: dict[str, Callable[[], Trainer]] = {
    "scikit-learn logistic": _logistic,
    "scikit-learn sigmoid": lambda: _sklearn("sigmoid"),
    "scikit-learn isotonic": lambda: _sklearn("isotonic"),
    "lir logistic": lambda: _lir("logistic"),
    "lir logistic, ELUB": lambda: _lir("logistic", elub=True),
    "lir KDE": lambda: _lir("kde"),
    "lir KDE, ELUB": lambda: _lir("kde", elub=True),
    "lir isotonic": lambda: _lir("isotonic"),
    "betacal": _betacal,
    "venn-abers": _venn_abers,
    "probmetrics SVS": lambda: _probmetrics("svs", standard=False),
    "probmetrics quadratic": lambda: _probmetrics("quadratic-scaling", standard=True),
    "pygam, rising": _pygam,
    "splinecalib": _splinecalib,
    "netcal histogram": lambda: _netcal("HistogramBinning"),
    "netcal BBQ": lambda: _netcal("BBQ"),
}
