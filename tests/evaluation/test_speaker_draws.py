"""Draws of speakers, against trials counted one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from llrcal import ScoreError
from llrcal.arrays import Array, Counts
from llrcal.evaluation import speaker_draws as module
from llrcal.evaluation.cells import Cells
from llrcal.evaluation.speaker_draws import SpeakerDraws
from llrcal.inputs.speakers import as_speakers

SPEAKERS = 7


def trials(
    tar_count: int = 50, non_count: int = 300, speakers: int = SPEAKERS
) -> tuple[Array, Array, Cells]:
    """Speakers of both classes, some non-targets of one speaker, and tied LLRs in cells."""
    rng = np.random.default_rng(non_count)
    tar = np.repeat(rng.integers(speakers, size=(tar_count, 1)), 2, axis=1)
    non = rng.integers(speakers, size=(non_count, 2))
    llrs = rng.integers(-3, 4, tar_count) + 1.0, rng.integers(-3, 4, non_count) - 1.0
    return tar, non, Cells.of(*llrs, prior_log_odds=np.array([0.0]))


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
    found = list(draws.counts(cells))
    assert len(found) == 8
    size = len(cells.edges)
    for (tar_counts, non_counts), drawn in zip(found, draws.weights.T, strict=True):
        expected = counted_one_by_one(tar, cells.tar.cell, drawn, size)
        np.testing.assert_array_equal(tar_counts, expected)
        expected = counted_one_by_one(non, cells.non.cell, drawn, size)
        np.testing.assert_array_equal(non_counts, expected)


def test_counts_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    tar, non, cells = trials(200, 20_000, 40)
    seen = []
    for threads in ("1", "3"):
        monkeypatch.setenv("LLRCAL_THREADS", threads)
        draws = SpeakerDraws.of(tar, non, replicates=5, seed=0)
        seen.append(np.array(list(draws.counts(cells))))
    np.testing.assert_array_equal(seen[0], seen[1])
    assert seen[0].sum() > 0


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


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_any_integers_are_ids(dtype: type) -> None:
    ids: Array = np.array([np.iinfo(dtype).min, 3, np.iinfo(dtype).max], dtype)
    tar, non = ids[[[0, 0], [1, 1], [2, 2]]], ids[[[0, 1], [1, 2]]]
    before = tar.copy(), non.copy()
    draws = SpeakerDraws.of(tar, non, replicates=3, seed=0)
    assert len(draws.weights) == 4
    np.testing.assert_array_equal(tar, before[0])
    np.testing.assert_array_equal(non, before[1])


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
        SpeakerDraws.of(
            np.array([[4, 4], [4, 9], [9, 4]]), np.array([[4, 9]]), replicates=1, seed=0
        )


@pytest.mark.parametrize(
    "bad", [[1, 2], [[1], [2]], [[1, 2]], [[1.0, 2.0]] * 2, [["a", "b"]] * 2, [[True, False]] * 2]
)
def test_bad_speakers_are_refused(bad: Any) -> None:
    with pytest.raises(ScoreError, match="target speakers"):
        as_speakers(bad, 2, "target")
