"""Drawn sets, against trials that are written down or counted one by one."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from llrcal import Evaluation, OperatingPoint, ScoreError
from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation import bootstrap as module
from llrcal.evaluation.bootstrap import (
    Bootstrap,
    Replicates,
    keys_of,
    speaker_pairs,
    weighted_counts,
)
from llrcal.evaluation.evaluate import evaluate_quietly
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.evaluation.measures import Asked
from llrcal.evaluation.statistics import SetInCells, Statistic, cost_statistic
from tests.trial_sets import normal

POINTS, CURVE = (OperatingPoint(0.1), OperatingPoint(0.5, 2)), np.linspace(-3, 3, 11)
PRIORS = np.array([point.prior_log_odds for point in POINTS])
SPEAKERS = 7


# -------------------------------------------------------------------------------- by trial


def replicates_of(*llrs: tuple[Array, Array], count: int = 30) -> list[Replicates]:
    statistics = [
        cost_statistic(WholeLLRs(*both).sides, Asked(POINTS, range=CURVE)) for both in llrs
    ]
    return Bootstrap(count, 3).replicates(statistics)


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


# ------------------------------------------------------------------------------ by speaker


def trials(
    tar_count: int = 50, non_count: int = 300, speakers: int = SPEAKERS
) -> tuple[Array, Array, Statistic]:
    """Speakers of both classes, some non-targets of one speaker, and tied LLRs in cells."""
    rng = np.random.default_rng(non_count)
    tar = np.repeat(rng.integers(speakers, size=(tar_count, 1)), 2, axis=1)
    non = rng.integers(speakers, size=(non_count, 2))
    llrs = rng.integers(-3, 4, tar_count) + 1.0, rng.integers(-3, 4, non_count) - 1.0
    return tar, non, cost_statistic(WholeLLRs(*llrs).sides, Asked((OperatingPoint(0.5),)))


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
    *pairs, statistic = trials()
    draws = Bootstrap(8, 3, (pairs[0], pairs[1]))
    drawn = draws.drawn_speakers[1].T
    seen: list[tuple[Counts, ...]] = []

    def ask(trials: SetInCells) -> dict[str, Floats]:
        seen.append((trials.tar, trials.non))
        return {"none": np.zeros(1)}

    draws.replicates([replace(statistic, ask=ask)] * 2)
    for both, weights in zip(seen, [*drawn] * 2, strict=False):  # then come the actual numbers
        for counts, who, side in zip(both, pairs, statistic.sides, strict=True):
            expected = counted_one_by_one(who, side.cell_of_each, weights, len(statistic.edges))
            np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("cells", [(0, 2, 3), (1, 3), (2,)])
def test_weights_of_trials_in_some_of_the_cells(
    cells: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever cell comes first in a piece of them."""
    monkeypatch.setattr(module, "_PIECE", 4)
    rng = np.random.default_rng(1)
    weights, cell = rng.integers(1, 4, (SPEAKERS, 3)), rng.choice(cells, 30)
    pairs = rng.integers(SPEAKERS, size=(30, 2))
    expected = np.zeros((3, 4), np.int64)
    for (enrol, test), place in zip(pairs, cell, strict=True):
        expected[:, place] += weights[enrol] * weights[test]
    keys = np.sort(keys_of(cell, pairs, SPEAKERS))
    assert weighted_counts(keys, weights, 4).tolist() == expected.tolist()


def test_as_many_speakers_are_drawn_as_there_are() -> None:
    tar, non, _ = trials(speakers=30)
    _, weights = Bootstrap(400, 0, (tar, non)).drawn_speakers
    drawn = weights[:-1]
    assert drawn.shape == (30, 400)
    assert (drawn.sum(axis=0) == 30).all()
    assert (weights[-1] == 1).all()
    # Each count is binomial, with mean 1 and variance 1 - 1/30.
    assert drawn.mean(axis=1) == pytest.approx(1, abs=5 / np.sqrt(400))
    assert drawn.var() == pytest.approx(29 / 30, rel=0.1)


def test_draws_come_from_the_seed_and_the_order_of_the_ids_alone() -> None:
    tar, non, _ = trials()
    pairs, weights = Bootstrap(5, 1, (tar, non)).drawn_speakers
    far_apart = np.sort(np.random.default_rng(0).integers(-(2**62), 2**62, SPEAKERS))
    for ids in (10 * np.arange(SPEAKERS) - 20, far_apart):
        same, as_often = Bootstrap(5, 1, (ids[tar], ids[non])).drawn_speakers
        for one, other in zip((*same, as_often), (*pairs, weights), strict=True):
            np.testing.assert_array_equal(one, other)
    assert (Bootstrap(5, 2, (tar, non)).drawn_speakers[1] != weights).any()


def test_both_classes_keep_a_trial() -> None:
    tar, non = np.array([[0, 0]]), np.array([[1, 2]])
    _, weights = Bootstrap(20, 0, (tar, non)).drawn_speakers
    assert (weights == 1).all()  # no other draw leaves all three speakers
    many = np.array([[0, 0], [3, 3], [4, 4], [5, 5]])
    _, drawn = Bootstrap(50, 0, (many, non)).drawn_speakers
    assert (drawn[[1, 2]] > 0).all()
    assert (drawn[[0, 3, 4, 5]].sum(axis=0) > 0).all()
    assert len(np.unique(drawn, axis=1).T) > 10


def test_target_trials_have_one_speaker() -> None:
    with pytest.raises(ScoreError, match=r"2 target trials .* index 1: 4 and 9"):
        speaker_pairs(([[4, 4], [4, 9], [9, 4]], [[4, 9]]), 3, 1)
