"""Samples of trials by their keys: the same for any order and division of trials."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

import llrcal
from llrcal.arrays import Floats
from llrcal.evaluation.costs import cllr
from llrcal.fusion import sample
from llrcal.fusion.regression import Cost
from llrcal.fusion.sample import ColumnSample
from llrcal.fusion.terms import Terms
from tests.examples import examples


def drawn(count: int, mean: float, seed: int, quality: int = 0) -> Floats:
    """Trials with two scores, and so many columns of side information."""
    rng = np.random.default_rng(seed)
    scores = rng.standard_t(4, (count, 2)) + mean
    return np.column_stack([scores, rng.exponential(1, (count, quality))])


def cost_of(tar: Floats, non: Floats, alpha: float) -> Cost:
    samples = ColumnSample.of(tar), ColumnSample.of(non)
    return Cost.of(Terms.of(samples, 2), (samples[0].trials, samples[1].trials), alpha)


def few_kept(patch: pytest.MonkeyPatch, size: int) -> None:
    patch.setattr(sample, "SIZE", size)
    patch.setattr(sample, "_HELD", 4 * size)


def test_the_criterion_is_that_of_brute_force() -> None:
    tar, non = drawn(70, 1, 1, quality=1), drawn(900, -1, 2, quality=1)
    cost = cost_of(tar, non, 0.3)
    weights = np.array([1.0, -0.4, 0.2, 0.05, -0.1, 0.7])
    value, gradient, hessian = cost(weights)
    total, slope, bend = 0.0, np.zeros(6), np.zeros((6, 6))
    for side, sign, share in ((tar, -1, 0.3 / 70), (non, 1, 0.7 / 900)):
        rows = cost.terms.rows(side)
        x = sign * (weights @ rows + np.log(0.3 / 0.7))
        p = 1 / (1 + np.exp(-x))
        total += share * np.logaddexp(0, x).sum()
        slope += share * sign * (rows @ p)
        bend += share * (rows * p * (1 - p)) @ rows.T
    worth = 2 / (0.3 / 70 + 0.7 / 900)
    assert value == pytest.approx(worth * total, rel=1e-13)
    assert np.allclose(gradient, worth * slope, rtol=0, atol=1e-11)
    assert np.allclose(hessian, worth * bend, rtol=0, atol=1e-8)  # squares are larger


CUTS = st.lists(st.integers(0, 1500), max_size=4).map(sorted)


@examples(15)
@given(CUTS, st.integers(0, 2**32), st.booleans())
def test_order_and_division_change_nothing(cuts: list[int], seed: int, tied: bool) -> None:
    trials = drawn(1500, -1, 3)
    if tied:
        trials = np.rint(trials) + 0.0  # no -0.0, which has other bits
    with pytest.MonkeyPatch.context() as patch:
        few_kept(patch, 100)  # of which the tied ones have fewer
        whole = ColumnSample.of(trials)
        mixed = trials[np.random.default_rng(seed).permutation(1500)]
        parts = [mixed[a:b] for a, b in pairwise([0, *cuts, 1500])]
        merged = reduce(ColumnSample.merge, map(ColumnSample.of, parts))
        distinct, times = np.unique(trials, axis=0, return_counts=True)
        assert len(whole.keys) == min(len(distinct), 100)
        assert whole.count == 1500
        for name in ("lowest", "highest", "keys", "rows", "counts"):
            assert np.array_equal(getattr(merged, name), getattr(whole, name)), name
        counts = {tuple(row): n for row, n in zip(distinct.tolist(), times.tolist(), strict=True)}
        assert [counts[tuple(row)] for row in whole.rows.T.tolist()] == whole.counts.tolist()


def test_a_sample_is_all_trials_if_they_are_few() -> None:
    trials = np.rint(drawn(1500, -1, 3))
    assert sorted(ColumnSample.of(trials).trials.tolist()) == sorted(trials.tolist())


def test_a_fusion_of_samples_is_nearly_that_of_all_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Speakers of all trials count, and intervals are as wide as so few trials make them."""
    tar, non, new = (
        drawn(20_000, 1, 5),
        drawn(20_000, -1, 6),
        (drawn(50_000, 1, 7), drawn(50_000, -1, 8)),
    )
    who = [np.arange(20_000).repeat(2).reshape(-1, 2) % people for people in (20_000, 15_000)]
    whole = llrcal.fuse(tar, non)
    few_kept(monkeypatch, 2**12)
    found = llrcal.fuse(tar, non)
    known = llrcal.fuse(tar, non, speakers=(who[0], who[1]))
    assert known.lines[0].weights == found.lines[0].weights
    assert cllr(*map(found, new)) == pytest.approx(cllr(*map(whole, new)), abs=5e-4)
    wider = np.array(found.lines[0].margins) / whole.lines[0].margins
    assert np.allclose(wider, np.sqrt(20_000 / 2**12), rtol=0.15)
    assert known.lines[0].by == "speaker"
    assert (np.array(known.lines[0].margins) > 0.95 * np.array(found.lines[0].margins)).all()
    order = np.random.default_rng(0).permutation(20_000)
    assert llrcal.fuse(tar[order], non[order]) == found


def test_threads_of_blas_change_nothing() -> None:
    rng = np.random.default_rng(0)
    tar, non = rng.normal(1, 1, (40_000, 12)), rng.normal(-1, 1, (40_000, 12))
    fusions = []
    for count in (1, 2, 3):
        with threadpool_limits(count, "blas"):
            fusions.append(llrcal.fuse(tar, non))
    assert fusions[0] == fusions[1] == fusions[2]


def test_a_value_far_beyond_the_sample_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    few_kept(monkeypatch, 50)
    tar, non = drawn(400, 1, 7), drawn(400, -1, 8)
    for far in (1e3, 1e6, 1e9, 1e12):  # most of them are not in the sample of every eighth
        scores = non.copy()
        scores[0, 1] = far
        assert cost_of(tar, scores, 0.5).terms.scores.unit[1] > 0.99 * far / np.sqrt(800)
        assert llrcal.fuse(tar, scores).report.converged
