"""The simulated recognizer: what it promises, and that its scores are worth calibrating."""

from __future__ import annotations

from typing import Any, Literal

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.stats import kurtosis, multivariate_normal, skew

import llrcal
from llrcal.arrays import Array
from llrcal.simulation import recognizer as simulation
from llrcal.simulation.recognizer import (
    DEMO_TEST,
    DEMO_TRAIN,
    PAPER_TEST,
    PAPER_TRAIN,
    simulate,
)
from llrcal.trials import Trials

CONDITIONS: tuple[Literal["train", "test"], ...] = ("train", "test")


@pytest.fixture(scope="module")
def train() -> Trials:
    targets, nontargets = DEMO_TRAIN
    return simulate(targets=targets, nontargets=nontargets)


@pytest.fixture(scope="module")
def held_out() -> Trials:
    targets, nontargets = DEMO_TEST
    return simulate(targets=targets, nontargets=nontargets, condition="test")


def bits(trials: Trials) -> list[bytes]:
    return [array.tobytes() for array in (trials.tar, trials.non, *speakers(trials))]


def speakers(trials: Trials) -> tuple[Array, Array]:
    """Who spoke in the target trials, and in the others."""
    assert trials.tar_speakers is not None
    assert trials.non_speakers is not None
    return trials.tar_speakers, trials.non_speakers


@pytest.mark.parametrize(
    ("targets", "nontargets"), [(10, 100), (1, 1), (7, 3), (1, 5_000), (900, 1_100), (300, 50_001)]
)
def test_exactly_as_many_trials_as_wanted(targets: int, nontargets: int) -> None:
    trials = simulate(targets=targets, nontargets=nontargets)
    counts = (targets, nontargets)
    for scores, spoke, count in zip(trials, speakers(trials), counts, strict=True):
        assert scores.shape == (count,)
        assert scores.dtype == np.float32
        assert np.isfinite(scores).all()
        assert spoke.shape == (count, 2)
        assert spoke.dtype == np.int32


def test_speakers_are_the_same_in_targets_and_different_in_nontargets(
    train: Trials,
) -> None:
    tar, non = speakers(train)
    assert (tar[:, 0] == tar[:, 1]).all()
    assert (non[:, 0] != non[:, 1]).all()
    everybody = np.arange(non.max() + 1)
    for some in (tar, non[:, :1], non[:, 1:]):
        np.testing.assert_array_equal(np.unique(some), everybody)


def test_no_trial_comes_twice() -> None:
    tar, non = speakers(simulate(targets=20, nontargets=300))  # one session a side and speaker
    assert len(np.unique(non, axis=0)) == 300
    assert len(np.unique(tar, axis=0)) == 20


def test_surplus_is_dropped_evenly_over_both_sides() -> None:
    _, non = speakers(simulate(targets=1_000, nontargets=1_000))  # keeps one non-target in 250
    for side in (0, 1):
        _, counts = np.unique(non[:, side], return_counts=True)
        assert len(counts) > 200
        assert counts.max() <= 12


@pytest.mark.parametrize("other", [{"seed": 4}, {"condition": "test"}])
def test_other_seeds_and_conditions_give_other_scores(other: dict[str, Any]) -> None:
    ours, theirs = (simulate(targets=50, nontargets=5_000, **o) for o in ({}, other))
    assert not np.isin(ours.tar, theirs.tar).any()
    assert not np.isin(ours.non, theirs.non).all()


def test_test_speakers_are_other_people() -> None:
    ours, theirs = (simulate(targets=50, nontargets=5_000, condition=c).non for c in CONDITIONS)
    assert abs(np.corrcoef(ours, theirs)[0, 1]) < 0.1


@pytest.mark.parametrize("wanted", [1, 17, 100])
@pytest.mark.parametrize("of_tar", [True, False])
def test_any_cuts_choose_the_same_trials(wanted: int, of_tar: bool) -> None:
    layout = 10, 2, 6  # 120 targets, and more non-targets
    row, column = simulation._chosen(of_tar, wanted, (0, 20), *layout)
    assert len({*zip(row.tolist(), column.tolist(), strict=True)}) == wanted
    assert ((row // 2 == column // 6) == of_tar).all()
    for cut in range(21):
        parts = [
            simulation._chosen(of_tar, wanted, some, *layout) for some in ((0, cut), (cut, 20))
        ]
        np.testing.assert_array_equal(np.concatenate([part[0] for part in parts]), row)
        np.testing.assert_array_equal(np.concatenate([part[1] for part in parts]), column)


def test_bits_do_not_depend_on_the_size_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = simulate(targets=300, nontargets=20_000)
    monkeypatch.setattr(simulation, "_BLOCK", 1_000)
    assert bits(simulate(targets=300, nontargets=20_000)) == bits(whole)


def sides() -> tuple[Array, Array, simulation._Sessions, simulation._Sessions]:
    rng = np.random.default_rng(1)
    voices = simulation._voices(rng, 20)
    enrolment, test = (simulation._sessions(rng, voices, each, "train") for each in (2, 3))
    return enrolment, test, simulation._Sessions.of(enrolment), simulation._Sessions.of(test)


def test_products_are_exact_whatever_the_order_of_summation() -> None:
    _, _, enrolment, test = sides()
    left, right = enrolment.integers.astype(np.int64), test.integers.astype(np.int64)
    np.testing.assert_array_equal(left, enrolment.integers)
    # The largest that any partial sum of any pair of sessions could become.
    assert (np.abs(left) @ np.abs(right).T).max() < 2**24
    assert np.sqrt((left**2).sum(axis=1).max() * (right**2).sum(axis=1).max()) < 2**24
    np.testing.assert_array_equal(enrolment.integers @ test.integers.T, left @ right.T)


def test_scores_are_two_covariance_log_likelihood_ratios() -> None:
    enrolment, test, kept, others = sides()
    between = np.diag(simulation._SPEAKER_VARIANCE)
    total = between + simulation._BELIEVED_SESSION_VARIANCE * np.eye(len(between))
    together = multivariate_normal(cov=np.block([[total, between], [between, total]]))
    alone = multivariate_normal(cov=total)
    scores = simulation._scores(kept, others, slice(None))
    for row, column in ((0, 0), (0, 50), (39, 7), (12, 18)):
        u, v = enrolment[row], test[column]
        exact = together.logpdf(np.concatenate([u, v])) - alone.logpdf(u) - alone.logpdf(v)
        assert scores[row, column] == pytest.approx(exact, abs=0.01)


def test_progress_ends_at_the_total(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_BLOCK", 1_000)
    calls: list[tuple[int, int]] = []
    simulate(targets=100, nontargets=9_900, progress=lambda *call: calls.append(call))
    done = [done for done, _ in calls]
    assert len(calls) > 5
    assert done == sorted(set(done))
    assert done[0] > 0
    assert calls[-1] == (10_000, 10_000)
    assert {total for _, total in calls} == {10_000}


def trials_of(speakers: int, enrolments: int, tests: int) -> tuple[int, int]:
    return speakers * enrolments * tests, speakers * (speakers - 1) * enrolments * tests


@hypothesis.given(st.integers(1, 10**5), st.integers(1, 10**8))
def test_layouts_hold_enough_trials(targets: int, nontargets: int) -> None:
    layout = simulation._layout(targets, nontargets)
    assert trials_of(*layout) >= (targets, nontargets)
    assert trials_of(*layout)[1] >= nontargets
    assert layout[0] >= min(targets, 200)
    assert layout[1] <= layout[2]


@pytest.mark.parametrize("size", [PAPER_TRAIN, PAPER_TEST])
def test_layouts_of_the_paper_waste_little(size: tuple[int, int]) -> None:
    for wanted, made in zip(size, trials_of(*simulation._layout(*size)), strict=True):
        assert wanted <= made < 1.05 * wanted


@pytest.mark.parametrize(
    "bad",
    [
        {"targets": 0},
        {"targets": -1},
        {"targets": 10.0},
        {"targets": True},
        {"targets": "10"},
        {"nontargets": 0},
        {"nontargets": None},
        {"seed": -1},
        {"seed": 0.5},
        {"condition": "dev"},
    ],
)
def test_bad_arguments_are_refused(bad: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"targets": 10, "nontargets": 100, **bad}
    with pytest.raises(llrcal.OptionError, match=next(iter(bad))):
        simulate(**arguments)


@pytest.mark.parametrize("name", ["train", "held_out"])
def test_scores_look_like_those_of_a_recognizer(name: str, request: pytest.FixtureRequest) -> None:
    """Worth calibrating: skewed, and with heavy tails."""
    trials: Trials = request.getfixturevalue(name)
    ev = llrcal.evaluate(trials.tar, trials.non)
    assert 0.01 < ev.eer < 0.045
    assert ev.cllr > 3 * ev.min_cllr
    low, high = ev.rule_of_30
    assert low < -6
    assert high > 1.5
    assert 0.05 < skew(trials.tar) < 1.5
    assert -1.0 < skew(trials.non) < -0.3
    assert 0.3 < kurtosis(trials.tar) < 5
    assert 0.5 < kurtosis(trials.non) < 2.5


def test_train_and_test_differ_mildly(train: Trials, held_out: Trials) -> None:
    shift = abs(float(held_out.non.mean()) - float(train.non.mean())) / float(train.non.std())
    assert 0.01 < shift < 0.25
    assert 1.005 < held_out.non.std() / train.non.std() < 1.2  # shorter recordings are noisier
    rates = [llrcal.evaluate(trials.tar, trials.non).eer for trials in (train, held_out)]
    assert 0.7 < rates[1] / rates[0] < 2
