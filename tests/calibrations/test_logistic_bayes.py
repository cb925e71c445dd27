"""Bayesian logistic regression against quadrature over slope and height."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logsumexp

import llrcal
from llrcal.arrays import Floats
from llrcal.calibrations.methods.logistic_bayes import (
    LogisticBayes,
    predictive_log_odds,
    prior_deviation,
)
from llrcal.errors import OptionError
from tests.notes import codes

RNG = np.random.default_rng(5)
TAR, NON = RNG.normal(1.5, 1, 40), RNG.normal(0, 1, 300)
SCORES = np.linspace(-2, 4, 7)


def fitted(alpha: float | str = 0.5, **options: object) -> LogisticBayes:
    cal = llrcal.fit(TAR, NON, method="logistic", alpha=alpha, bayes=True, **options)  # type: ignore[call-overload]
    assert isinstance(cal, LogisticBayes)
    return cal


def grid(cal: LogisticBayes) -> tuple[Floats, Floats]:
    """Slopes and heights around the mode, eight deviations either way."""
    steps = np.linspace(-8, 8, 241)
    slope = cal.slope + steps[:, None] * cal.slope_deviation + 0 * steps
    return slope, cal.height + steps * cal.height_deviation + 0 * slope


def log_odds(logs: Floats, slope: Floats, height: Floats, z: float) -> float:
    """Of the mean probability under a density that is known up to a factor."""
    p = expit(slope * z + height)
    return float(logsumexp(logs, b=p) - logsumexp(logs, b=1 - p))


def standard(cal: LogisticBayes, scores: Floats) -> Floats:
    return (scores - cal.origin - cal.centre) / cal.unit


def test_the_mean_over_a_gaussian_posterior_is_exact() -> None:
    cal = fitted(bounds="none", rising=False)
    slope, height = grid(cal)
    a = (slope - cal.slope) / cal.slope_deviation
    b = (height - cal.height) / cal.height_deviation
    r = cal.correlation
    logs = -(a * a - 2 * r * a * b + b * b) / (2 * (1 - r * r))
    for score, z in zip(SCORES, standard(cal, SCORES), strict=True):
        expected = log_odds(logs, slope, height, z)
        assert cal(float(score)) == pytest.approx(expected, rel=4e-7, abs=4e-7)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.5, 0.1, "empirical"])
def test_it_is_close_to_the_mean_over_the_posterior_itself(alpha: float | str) -> None:
    cal = fitted(alpha, bounds="none", rising=False)
    slope, height = grid(cal)
    share = len(TAR) / (len(TAR) + len(NON)) if alpha == "empirical" else float(alpha)
    worth = 2 / (share / len(TAR) + (1 - share) / len(NON))
    prior = np.log(share / (1 - share))
    logs = -0.5 * (slope**2 + height**2) / prior_deviation(share) ** 2
    for scores, sign, weight in ((TAR, -1, share), (NON, 1, 1 - share)):
        for z in standard(cal, scores):
            cost = np.logaddexp(0, sign * (slope * z + height + prior))
            logs -= worth * weight / len(scores) * cost
    weights = np.exp(logs - logsumexp(logs))
    mean, deviation = (weights * slope).sum(), (weights * (slope - cal.slope) ** 2).sum() ** 0.5
    assert cal.slope == pytest.approx(mean, abs=1e-6)
    assert cal.slope_deviation == pytest.approx(deviation, abs=1e-5)
    assert cal.height == pytest.approx((weights * height).sum(), abs=1e-6)
    both = (weights * (slope - cal.slope) * (height - cal.height)).sum()
    assert cal.correlation * deviation * cal.height_deviation == pytest.approx(both, abs=1e-5)
    exact = [log_odds(logs, slope, height, z) for z in standard(cal, SCORES)]
    assert cal(SCORES) == pytest.approx(exact, abs=0.1)  # it is not quite Gaussian


def test_two_gaussians_three_deviations_apart_have_the_slope_that_the_prior_expects() -> None:
    for share in (0.5, 0.1):
        deviation = np.sqrt(1 + share * (1 - share) * 3**2)  # of all scores, within-class one
        assert prior_deviation(share) == pytest.approx(3 * 2 * deviation)  # the LLR has slope 3


def test_separable_classes_need_no_dummies() -> None:
    cal = llrcal.fit([2.0, 3.0, 4.0], [0.0, 1.0, -1.0], method="logistic", bayes=True)
    assert not {"separable"} & set(codes(cal.report.notes))
    assert cal(1.5) == pytest.approx(0, abs=1e-9)
    assert 0 < cal(4.0) < 5


def test_log_odds_of_certain_and_of_very_uncertain_lines() -> None:
    mean = np.array([-700.0, -3.0, 0.0, 50.0])
    assert predictive_log_odds(mean, np.zeros(4)) == pytest.approx(mean, abs=1e-12)
    # With a deviation far above one, the sign decides: at one deviation, 0.8413 to 0.1587.
    (wide,) = predictive_log_odds(np.array([100.0]), np.array([100.0]))
    assert wide == pytest.approx(np.log(0.841345 / 0.158655), abs=0.02)


def test_other_rules_are_refused() -> None:
    with pytest.raises(OptionError, match="logarithmic rule only"):
        fitted(rule="brier")


def test_equal_scores_say_nothing() -> None:
    with pytest.warns(llrcal.LlrcalWarning, match="all scores are equal"):
        cal = llrcal.fit([1.0, 1.0], [1.0], method="logistic", bayes=True)
    assert cal(1.0) == 0
