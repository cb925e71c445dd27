"""Intervals of error-rates, against SciPy's, leaving out speakers one by one, and known truths."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from llrcal import Trials
from llrcal.arrays import Array
from llrcal.evaluation.effective_count import Errors, SharedSpeakers
from llrcal.evaluation.evaluate import evaluate_quietly


def pairs_of(count: int, speakers: int, seed: int, *, single: bool) -> Array:
    pairs = np.random.default_rng(seed).integers(speakers, size=(count, 2))
    return np.column_stack([pairs[:, 0]] * 2) if single else pairs


@pytest.mark.parametrize(("errors", "count"), [(0, 30), (3, 100), (100, 100), (17, 50)])
def test_independent_trials_have_the_interval_of_clopper_and_pearson(
    errors: int, count: int
) -> None:
    expected = binomtest(errors, count).proportion_ci(0.9, "exact")
    assert Errors(count, None).interval(errors, 0.9) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("errors", [1, 12, 40])
def test_the_variance_is_that_of_leaving_out_speakers(errors: int) -> None:
    pairs = pairs_of(200, 9, 0, single=True)
    wrong = np.arange(200) < errors
    rates = [wrong[pairs[:, 0] != who].mean() for who in range(9)]
    jackknife = 8 / 9 * np.square(rates - wrong.mean()).sum()
    rate = errors / 200
    effect = SharedSpeakers.of(pairs).design_effect(np.full(errors, 1 - rate), -rate)
    all_moved = np.where(wrong, 1 - rate, -rate)
    assert SharedSpeakers.of(pairs).design_effect(all_moved) == pytest.approx(effect)
    assert effect * rate * (1 - rate) / 200 == pytest.approx(jackknife)


def test_what_a_pair_has_in_common_is_counted_once() -> None:
    """The sum of all products of deviations of trials that share a speaker, written down."""
    pairs = pairs_of(60, 5, 1, single=False)
    left = 1 - np.array([(pairs == who).any(axis=1).mean() for who in range(5)])
    left = np.maximum(left, 0.5)
    wrong = np.where(np.arange(60) < 15, 0.75, -0.25)
    total = 0.0
    for i, one in enumerate(pairs.tolist()):
        for j, other in enumerate(pairs.tolist()):
            shared = {*one} & {*other}
            total += sum(wrong[i] * wrong[j] * 0.8 / left[who] ** 2 for who in shared)
            if len(shared) == 2:
                total -= wrong[i] * wrong[j]
    effect = SharedSpeakers.of(pairs).design_effect(wrong)
    assert effect == pytest.approx(total / (60 * 0.25 * 0.75))


def test_speakers_who_do_not_matter_cost_little() -> None:
    rng = np.random.default_rng(2)
    errors = Errors(10_000, pairs_of(10_000, 500, 3, single=True))
    assert 8_000 < errors.effective(int(rng.integers(500, 600)), 0.95) <= 10_000
    alike = Errors(10_000, np.repeat(np.arange(100), 100)[:, None] * [1, 1])
    assert alike.effective(1_000, 0.95) == pytest.approx(100, rel=0.05)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_fewest_trials_have_intervals(count: int) -> None:
    for pairs in (np.zeros((count, 2), int), np.arange(2 * count).reshape(-1, 2)):
        for wrong in range(count + 1):
            low, high = Errors(count, pairs).interval(wrong, 0.95)
            assert 0 <= low <= wrong / count <= high <= 1


def test_the_error_of_the_threshold_counts() -> None:
    """The distances of Clopper and Pearson's interval, and of the ends of the threshold's."""
    rng = np.random.default_rng(4)
    ev = evaluate_quietly(rng.normal(3, 1, 300), rng.normal(0, 1, 2_000))
    found = ev.threshold(pfa=0.01)
    at = binomtest(found.misses, 300).proportion_ci(0.95, "exact")
    ends = [ev.pmiss(end) for end in found.interval]
    expected = [
        found.pmiss + sign * np.hypot(one - found.pmiss, other - found.pmiss)
        for sign, one, other in zip((-1, 1), at, ends, strict=True)
    ]
    assert found.pmiss_interval == pytest.approx(expected)
    alarms = binomtest(found.false_alarms, 2_000).proportion_ci(0.95, "exact")
    assert found.pfa_interval == pytest.approx(tuple(alarms))
    equal = ev.threshold()
    assert equal.pmiss_interval == equal.pfa_interval
    assert equal.pmiss_interval[0] < ev.eer < equal.pmiss_interval[1]


@pytest.mark.parametrize("speakers", [20, 60])
def test_intervals_by_speaker_hold(speakers: int) -> None:
    """Goats at 15 %; the rate at an FMR of 1 % is that of a million people."""
    rng = np.random.default_rng(speakers)

    def means(count: int) -> Array:
        return 4 + rng.normal(0, 0.5, count) - 2 * (rng.random(count) < 0.15)

    many = means(1_000_000) + rng.standard_normal(1_000_000)
    others = rng.normal(0, 1.2**0.5, 1_000_000)
    true = float((many < np.quantile(others, 0.99)).mean())
    by_speaker = by_trial = 0
    for _ in range(120):
        same = np.resize(np.arange(speakers), 400)
        pairs = rng.integers(speakers, size=(4_000, 2))
        pairs[:, 1] = np.where(
            pairs[:, 0] == pairs[:, 1], (pairs[:, 1] + 1) % speakers, pairs[:, 1]
        )
        adds = rng.normal(0, 0.1**0.5, speakers)
        tar = means(speakers)[same] + rng.standard_normal(400)
        non = adds[pairs].sum(axis=1) + rng.standard_normal(4_000)
        known = Trials(tar, non, "drawn", np.column_stack([same, same]), pairs)
        low, high = evaluate_quietly(known).threshold(pfa=0.01).pmiss_interval
        by_speaker += low <= true <= high
        low, high = evaluate_quietly(tar, non).threshold(pfa=0.01).pmiss_interval
        by_trial += low <= true <= high
    assert by_speaker >= 108
    assert by_trial < by_speaker
