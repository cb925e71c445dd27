"""Drawn sets, against trials that are written down or counted one by one."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from llrcal import Evaluation, ScoreError
from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation import bootstrap as module
from llrcal.evaluation.bootstrap import Bootstrap, Replicates, SpeakerDraws, speaker_pairs
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.statistics import Cells, evaluation_statistic
from llrcal.inputs.beside_scores import as_speakers
from tests.trial_sets import normal

PRIORS, CURVE = np.array([-2.0, 0.5]), np.linspace(-3, 3, 11)
SPEAKERS = 7


# -------------------------------------------------------------------------------- by trial


def replicates_of(
    *llrs: tuple[Array, Array], speakers: tuple[Array, Array] | None = None, count: int = 30
) -> list[Replicates]:
    statistics = [evaluation_statistic(*one, PRIORS, curve=CURVE) for one in llrs]
    return Bootstrap.of(speakers, replicates=count, seed=3).replicates(statistics)


def numbers(ev: Evaluation) -> dict[str, Any]:
    names = ("cllr", "min_cllr", "calibration_loss", "eer")
    return {
        **{name: getattr(ev, name) for name in names},
        "act_dcf": ev.bayes_error(PRIORS),
        "min_dcf": ev.min_bayes_error(PRIORS),
        "mean_error": ev.bayes_error(CURVE).mean(),
        "least_mean_error": ev.min_bayes_error(CURVE).mean(),
    }


# In order, and with ties, so that Cllr is exact.
SCORES = np.sort(np.round(normal(40, 1, 2))), np.sort(np.round(normal(90, -1, 2)))


def bent(scores: Array) -> Floats:
    """LLRs that fall where scores rise."""
    return np.asarray(3 - np.abs(scores - 1))


def test_every_set_of_llrs_is_evaluated_on_the_same_trials() -> None:
    """Joint cells are drawn as the multinomial that is written down here, trial by trial."""
    maps: tuple[Callable[[Array], Array], ...] = (np.positive, bent, lambda s: -2 * s)
    found = replicates_of(*((one(SCORES[0]), one(SCORES[1])) for one in maps))
    rng = np.random.default_rng(3)
    values = [np.unique(side, return_counts=True) for side in SCORES]
    for row in range(30):
        tar, non = (
            np.repeat(distinct, rng.multinomial(counts.sum(), counts / counts.sum()))
            for distinct, counts in values
        )
        for replicates, transform in zip(found, maps, strict=True):
            for name, number in numbers(evaluate_quietly(transform(tar), transform(non))).items():
                drawn = replicates.drawn[name][row]
                np.testing.assert_allclose(drawn, np.atleast_1d(number), rtol=1e-9, atol=1e-12)


def test_every_set_that_can_be_drawn_is() -> None:
    """Two targets and three non-targets: 4 x 27 sets, each as likely as any other."""
    tar, non = [-0.5, 2.5], [-3.0, -1.0, 1.5]
    sets = itertools.product(itertools.product(tar, repeat=2), itertools.product(non, repeat=3))
    expected = Counter(round(evaluate_quietly(*one).cllr, 9) for one in sets)
    (found,) = replicates_of((np.array(tar), np.array(non)), count=1000)
    seen = Counter(np.round(found.drawn["cllr"][:, 0], 9).tolist())
    assert seen.keys() == expected.keys()
    for value, ways in expected.items():
        likely = 1000 * ways / 108
        assert abs(seen[value] - likely) < 5 * math.sqrt(likely) + 1


def test_llrs_that_no_score_explains() -> None:
    """As in cross-validation, equal scores may get different LLRs: each trial is then its own."""
    rng = np.random.default_rng(1)
    other, constant = (rng.normal(size=40), rng.normal(size=90)), (np.zeros(40), np.zeros(90))
    _, first, second = replicates_of(constant, other, other)
    np.testing.assert_array_equal(first.drawn["cllr"], second.drawn["cllr"])
    assert first.drawn["cllr"].std() > 0


# ------------------------------------------------------------------------------ by speaker


def trials(
    tar_count: int = 50, non_count: int = 300, speakers: int = SPEAKERS
) -> tuple[Array, Array, Cells]:
    """Speakers of both classes, some non-targets of one speaker, and tied LLRs in cells."""
    rng = np.random.default_rng(non_count)
    tar = np.repeat(rng.integers(speakers, size=(tar_count, 1)), 2, axis=1)
    non = rng.integers(speakers, size=(non_count, 2))
    llrs = rng.integers(-3, 4, tar_count) + 1.0, rng.integers(-3, 4, non_count) - 1.0
    return tar, non, evaluation_statistic(*llrs, np.array([0.0])).cells


def counted_one_by_one(pairs: Array, cell: Array, drawn: Array, size: int) -> Counts:
    """Trials in each cell, each as often as its speaker, or both its speakers, were drawn."""
    counts = np.zeros(size, np.int64)
    for (enrol, test), place in zip(pairs, cell, strict=True):
        counts[place] += drawn[enrol] if enrol == test else drawn[enrol] * drawn[test]
    return counts


@pytest.mark.parametrize(("piece", "block"), [(4096, 256), (16, 3), (1, 1)])
def test_counts_are_those_of_trials_counted_one_by_one(
    monkeypatch: pytest.MonkeyPatch, piece: int, block: int
) -> None:
    monkeypatch.setattr(module, "_PIECE", piece)
    monkeypatch.setattr(module, "_BLOCK", block)
    tar, non, cells = trials()
    draws = SpeakerDraws.of(tar, non, replicates=8, seed=3)
    found = list(draws.counts([cells, cells]))
    assert [i for i, _, _ in found] == [0] * 8 + [1] * 8
    for (_, *both), drawn in zip(found, [*draws.weights.T] * 2, strict=True):
        for counts, pairs, side in zip(both, (tar, non), (cells.tar, cells.non), strict=True):
            expected = counted_one_by_one(pairs, side.cell_of_each, drawn, len(cells.edges))
            np.testing.assert_array_equal(counts, expected)


def test_as_many_speakers_are_drawn_as_there_are() -> None:
    tar, non, _ = trials(speakers=30)
    weights = SpeakerDraws.of(tar, non, replicates=400, seed=0).weights
    drawn = weights[:-1]
    assert drawn.shape == (30, 400)
    assert (drawn.sum(axis=0) == 30).all()
    assert (weights[-1] == 1).all()
    # Each count is binomial, with mean 1 and variance 1 - 1/30.
    assert drawn.mean(axis=1) == pytest.approx(1, abs=5 / np.sqrt(400))
    assert drawn.var() == pytest.approx(29 / 30, rel=0.1)


def test_draws_come_from_the_seed_and_the_order_of_the_ids_alone() -> None:
    tar, non, _ = trials()
    draws = SpeakerDraws.of(tar, non, replicates=5, seed=1)
    far_apart = np.sort(np.random.default_rng(0).integers(-(2**62), 2**62, SPEAKERS))
    for ids in (10 * np.arange(SPEAKERS) - 20, far_apart):
        same = SpeakerDraws.of(ids[tar], ids[non], replicates=5, seed=1)
        for name in ("tar", "non", "weights"):
            np.testing.assert_array_equal(getattr(same, name), getattr(draws, name))
    other = SpeakerDraws.of(tar, non, replicates=5, seed=2)
    assert (other.weights != draws.weights).any()


def test_both_classes_keep_a_trial() -> None:
    tar, non = np.array([[0, 0]]), np.array([[1, 2]])
    draws = SpeakerDraws.of(tar, non, replicates=20, seed=0)
    assert (draws.weights == 1).all()  # no other draw leaves all three speakers
    many = np.array([[0, 0], [3, 3], [4, 4], [5, 5]])
    drawn = SpeakerDraws.of(many, non, replicates=50, seed=0).weights
    assert (drawn[[1, 2]] > 0).all()
    assert (drawn[[0, 3, 4, 5]].sum(axis=0) > 0).all()
    assert len(np.unique(drawn, axis=1).T) > 10


def test_target_trials_have_one_speaker() -> None:
    with pytest.raises(ScoreError, match=r"2 target trials .* index 1: 4 and 9"):
        speaker_pairs(([[4, 4], [4, 9], [9, 4]], [[4, 9]]), 3, 1)


@pytest.mark.parametrize(
    "bad", [[1, 2], [[1], [2]], [[1, 2]], [[1.0, 2.0]] * 2, [["a", "b"]] * 2, [[True, False]] * 2]
)
def test_bad_speakers_are_refused(bad: Any) -> None:
    with pytest.raises(ScoreError, match="target speakers"):
        as_speakers(bad, 2, "target")
