"""Costs by proper scoring rules: against plain sums, Bayes errors, and other transformations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit

import llrcal
from llrcal.evaluation.costs import cllr
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.scale.engine import Threads
from tests.scale.sets import EVERY_SET, SETS, Passes, cut, of_pieces, quiet
from tests.trial_sets import normal

TAR, NON = normal(300, 1.5, 2.0), normal(2000, -2.0, 1.7)
RULES = ("log", "brier")
EVERY_RULE = pytest.mark.parametrize("rule", RULES)


def test_by_the_logarithmic_rule_it_is_cllr_to_the_bit() -> None:
    ev = evaluate_quietly(TAR, NON)
    cost = ev.cost("log")
    assert cost.actual == ev.cllr == cllr(TAR, NON)
    assert cost.minimum == ev.min_cllr
    assert cost.loss == ev.calibration_loss


def test_by_the_rule_of_brier_it_is_the_mean_square() -> None:
    mean_square = ((1 - expit(TAR)) ** 2).mean() / 2 + (expit(NON) ** 2).mean() / 2
    assert evaluate_quietly(TAR, NON).cost("brier").actual == pytest.approx(
        4 * mean_square, rel=1e-13
    )


@EVERY_RULE
def test_it_is_a_weighted_mean_of_bayes_errors(rule: str) -> None:
    # Decisions at every prior, counted at thresholds: no cost is evaluated.
    ev = evaluate_quietly(TAR[:40], NON[:60])
    x = np.linspace(-60, 60, 1_200_001)
    rare = expit(-np.abs(x))  # to which Bayes errors are relative
    density = rare * (1 - rare)  # of the probability of a target
    weights = 4 * density * rare if rule == "brier" else rare / (2 * math.log(2))
    cost = ev.cost(rule)
    assert cost.actual == pytest.approx(np.trapezoid(weights * ev.bayes_error(x), x), rel=1e-4)
    assert cost.minimum == pytest.approx(np.trapezoid(weights * ev.min_bayes_error(x), x), rel=1e-4)
    optimal = evaluate_quietly(*llrcal.optimal_llrs(TAR[:40], NON[:60])).cost(rule).actual
    assert cost.minimum == pytest.approx(optimal, rel=1e-12)


@EVERY_RULE
def test_knowing_nothing_costs_one(rule: str) -> None:
    cost = evaluate_quietly([0.0, 0.0], [0.0]).cost(rule)
    assert (cost.actual, cost.minimum) == pytest.approx((1, 1), rel=1e-14)


def test_infinite_llrs() -> None:
    right = evaluate_quietly([math.inf, 1.0], [-math.inf, -1.0])
    assert 0 < right.cost("brier").actual < 1
    assert right.cost("brier").minimum == right.cost("log").minimum == 0
    wrong = evaluate_quietly([-math.inf, 1.0], [0.0])
    assert wrong.cost("log").actual == math.inf
    # The cost of Brier is bounded: certainty in the wrong class costs four times a coin's.
    sure, half = 4.0, 4 * (1 - expit(1.0)) ** 2
    assert wrong.cost("brier").actual == pytest.approx(((sure + half) / 2 + 1) / 2)


@EVERY_SET
def test_in_pieces_it_is_the_same_to_the_bit(name: str) -> None:
    with quiet():
        whole = llrcal.evaluate(*SETS[name])
        ev = evaluate_quietly(of_pieces(cut(*SETS[name], 5), Threads()))
    for rule in RULES:
        assert ev.cost(rule) == whole.cost(rule)


def test_in_pieces_a_rule_costs_one_pass() -> None:
    passes = Passes()
    ev = evaluate_quietly(of_pieces(cut(TAR, NON, 3), Threads(passes)))
    ev.cost("log")
    before = list(passes.names)
    ev.cost("brier")
    assert passes.names == [*before, "adding up costs"]
