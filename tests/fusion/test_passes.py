"""Passes over all trials: exact sums and samples, the same for any order and division of trials."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal.arrays import Floats
from llrcal.fitting.optimizer import minimise
from llrcal.fusion import passes
from llrcal.fusion.passes import ColumnSketch, Pass, Sums, Trials
from llrcal.fusion.regression import Cost, regression
from tests.examples import examples


def drawn(count: int, mean: float, seed: int, quality: int = 0) -> Floats:
    """Trials with two scores, and so many columns of side information."""
    rng = np.random.default_rng(seed)
    scores = rng.standard_t(4, (count, 2)) + mean
    return np.column_stack([scores, rng.exponential(1, (count, quality))])


def test_sums_are_those_of_brute_force() -> None:
    tar, non = drawn(70, 1, 1, quality=1), drawn(900, -1, 2, quality=1)
    cost = Cost.of(Trials.in_memory(tar, non), 2, 0.3)
    weights = np.array([1.0, -0.4, 0.2, 0.05, -0.1, 0.7])
    value, gradient, hessian = cost(weights)
    total, slope, bend = 0.0, np.zeros(6), np.zeros((6, 6))
    for side, sign, share in ((tar, -1, 0.3 / 70), (non, 1, 0.7 / 900)):
        rows = cost.terms.bounds[:, None] * cost.terms.rows(side)
        x = sign * (weights @ rows + np.log(0.3 / 0.7))
        p = 1 / (1 + np.exp(-x))
        total += share * np.logaddexp(0, x).sum()
        slope += share * sign * (rows @ p)
        bend += share * (rows * p * (1 - p)) @ rows.T
    worth = 2 / (0.3 / 70 + 0.7 / 900)
    assert value == pytest.approx(worth * total, rel=1e-13)
    assert np.allclose(gradient, worth * slope, rtol=0, atol=1e-11)
    assert np.allclose(hessian, worth * bend, rtol=0, atol=1e-8)  # squares have larger bounds


def test_each_number_is_rounded_once_and_added_without_rounding() -> None:
    tar, non = drawn(3, 1, 1), drawn(2000, -1, 2)
    cost = Cost.of(Trials.in_memory(tar, non), 2, 0.5)
    work = Pass(cost.terms, cost.terms.bounds * [1.0, 0.5, -0.2])
    rows = cost.terms.rows(non)
    assert np.abs(rows).max() <= 1
    x = rows.T @ work.weights
    exact = [sum(Fraction(float(p)) for p in row / (1 + np.exp(-x))) for row in rows]
    for found, true in zip(work(non).totals[1:4], exact, strict=True):
        assert abs(Fraction(found, 2**49) - true) < 2000 * Fraction(1, 2**49)  # half a unit each


CUTS = st.lists(st.integers(0, 1500), max_size=4).map(sorted)


@examples(15)
@given(CUTS, st.integers(0, 2**32), st.booleans())
def test_order_and_division_change_nothing(cuts: list[int], seed: int, tied: bool) -> None:
    trials = drawn(1500, -1, 3)
    if tied:
        trials = np.rint(trials) + 0.0  # no -0.0, which has other bits
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "SIZE", 100)  # of which the tied ones have fewer
        patch.setattr(passes, "_HELD", 400)
        whole = ColumnSketch.at(trials)
        mixed = trials[np.random.default_rng(seed).permutation(1500)]
        edges = [0, *cuts, 1500]
        parts = [mixed[a:b] for a, b in pairwise(edges)]
        look = reduce(ColumnSketch.merge, map(ColumnSketch.at, parts))
        distinct, times = np.unique(trials, axis=0, return_counts=True)
        assert len(whole.keys) == min(len(distinct), 100)
        assert whole.count == 1500
        for name in ("lowest", "highest", "keys", "rows", "counts"):
            assert np.array_equal(getattr(look, name), getattr(whole, name)), name
        counts = {tuple(row): n for row, n in zip(distinct.tolist(), times.tolist(), strict=True)}
        assert [counts[tuple(row)] for row in whole.rows.T.tolist()] == whole.counts.tolist()
        terms = Cost.of(Trials.in_memory(drawn(50, 1, 4), trials), 2, 0.5).terms
    work = Pass(terms, terms.bounds * [1.5, -0.3, -0.8])
    assert reduce(Sums.merge, map(work, parts)) == work(trials)


def test_many_trials_take_three_passes_after_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "SIZE", 2**14)
    monkeypatch.setattr(passes, "_HELD", 2**16)
    sides = drawn(40_000, 1, 5), drawn(300_000, -1, 6)
    trials, counted = Trials.in_memory(*sides), []

    def sums(tar: Pass, non: Pass) -> tuple[Sums, Sums]:
        counted.append(tar)
        return trials.sums(tar, non)

    cost = Cost.of(replace(trials, sums=sums), 2, 0.5)
    found = regression(cost).solution
    assert len(counted) <= 3
    assert found.gradient_norm / cost.effective_sample_size < 1e-8
    best = regression(replace(cost, sample=sides)).solution  # from the start on all trials
    assert np.abs(best.point - found.point).max() < 2e-3  # the variance is that of a sample


def test_the_centre_of_the_prior_is_that_of_all_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts from a sample of the commoner class, one step of Newton's away."""
    monkeypatch.setattr(passes, "SIZE", 2**9)
    monkeypatch.setattr(passes, "_HELD", 2**11)
    cost = Cost.of(Trials.in_memory(drawn(300, 1, 5), drawn(6000, -1, 6)), 2, 0.5)
    found = regression(cost)
    assert found.prior is not None
    every = replace(cost, alpha=cost.share, prior=found.at_share)
    exact = minimise(every, np.zeros(3), radius=10.0).point
    sample = minimise(every.on(cost.sample), np.zeros(3), radius=10.0).point
    assert np.abs(found.prior.centre - exact).max() < 0.2 * np.abs(sample - exact).max()


def test_a_value_far_beyond_the_sample_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "SIZE", 50)
    tar, non = drawn(400, 1, 7), drawn(400, -1, 8)
    for far in (1e3, 1e6, 1e9, 1e12):  # most of them are not in the sample of every eighth
        scores = non.copy()
        scores[0, 1] = far
        cost = Cost.of(Trials.in_memory(tar, scores), 2, 0.5)
        assert cost.terms.scores.unit[1] > 0.99 * far / np.sqrt(800)
        found = regression(cost).solution
        assert found.converged
        assert found.gradient_norm / cost.effective_sample_size < 1e-8
