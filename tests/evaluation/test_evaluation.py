"""What holds for every number of an evaluation: invariances, types, sizes, and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from llrcal import Evaluation, ScoreError, evaluate, optimal_llrs
from llrcal.arrays import Array, Floats
from llrcal.onepass.chunks import CHUNK
from llrcal.onepass.ranks import RUN
from tests import oracles
from tests.trial_sets import ANY, FINITE, Sets, normal

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

PRIORS = np.linspace(-8, 8, 33)


def numbers(ev: Evaluation) -> Floats:
    """Everything that an evaluation knows, in one array."""
    return np.array(
        [ev.cllr, *best_numbers(ev), *ev.bayes_error(PRIORS), *ev.act_dcf([0.5, 0.01], 10, 1)]
    )


def best_numbers(ev: Evaluation) -> list[float]:
    """Those numbers that depend on the order of the scores only."""
    return [
        ev.min_cllr,
        ev.eer,
        *ev.min_bayes_error(PRIORS),
        *ev.min_dcf([0.5, 0.01], 10, 1),
        *ev.rule_of_30,
    ]


# ------------------------------------------------------------------------ invariances


RISING: list[Callable[[Floats], Array]] = [
    np.arctan,
    lambda s: 3 * s - 7,
    lambda s: np.exp(s / 16),
    lambda s: s.astype(np.float32),
]


@given(sets=ANY)
def test_rising_transformations_leave_the_best_as_it_is(sets: Sets) -> None:
    before = best_numbers(evaluate(*sets))
    for transform in RISING:
        tar, non = (transform(np.array(scores)) for scores in sets)
        if len({*tar.tolist(), *non.tolist()}) < len({*sets[0], *sets[1]}):
            continue  # rounding has made equal what was not
        np.testing.assert_array_equal(best_numbers(evaluate(tar, non)), before)


# ----------------------------------------------------------------------- simple cases


def test_separable_classes() -> None:
    ev = evaluate([1.0, 2.0, 3.0], [0.5, -1.0])
    assert (ev.eer, ev.min_cllr) == (0, 0)
    assert (ev.min_bayes_error(PRIORS) == 0).all()
    assert ev.cllr > 0
    tar, non = optimal_llrs([1.0, 2.0, 3.0], [0.5, -1.0])
    assert (tar == math.inf).all()
    assert (non == -math.inf).all()


def test_counts_and_words() -> None:
    ev = evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
    assert (ev.tar_count, ev.non_count) == (3, 4)
    assert repr(ev) == (
        "<evaluation of 3 target and 4 non-target LLRs: Cllr 0.6016, minCllr 0.2874, EER 14.286 %>"
    )


# ------------------------------------------------------------------- inputs and their types


@given(sets=FINITE)
def test_an_evaluation_does_not_change_when_the_scores_do(sets: Sets) -> None:
    """What is worked out later comes from a copy."""
    tar, non = (np.array(scores) for scores in sets)
    ev = evaluate(tar, non)
    tar[:], non[:] = 100.0, -100.0
    np.testing.assert_array_equal(numbers(ev), numbers(evaluate(*sets)))


@pytest.mark.parametrize("bad", [[], [math.nan, 1.0], [[1.0]], [True], ["1"], [1j], None])
def test_bad_scores_are_refused_by_class(bad: Any) -> None:
    with pytest.raises(ScoreError, match=r"^(?!.*non-target).*target scores"):
        evaluate(bad, [0.0])
    with pytest.raises(ScoreError, match="non-target scores"):
        evaluate([0.0], bad)


# -------------------------------------------------------------------------- large sets


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "tar_is_rarer"),
    [((3000, RUN + 1), True), ((3000, RUN + 1), False), ((2 * RUN + 3, 5 * CHUNK + 11), True)],
)
def test_sets_longer_than_a_run_and_for_several_threads(
    monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int], tar_is_rarer: bool
) -> None:
    """The same counts as from one sort of everything; other numbers follow from the hull."""
    rare, common = np.round(normal(sizes[0], 1, 1.5), 3), np.round(normal(sizes[1], -1, 1.5), 3)
    rare[0], common[:2] = np.inf, -np.inf
    tar, non = (rare, common) if tar_is_rarer else (-common, -rare)
    scores = np.unique(np.concatenate([tar, non]))
    counts = (
        np.bincount(np.searchsorted(scores, side), minlength=len(scores)) for side in (tar, non)
    )
    _, *blocks = np.array(oracles.blocks_by_stack(*(side.tolist() for side in counts))).T
    for threads in ("1", "3"):
        monkeypatch.setenv("LLRCAL_THREADS", threads)
        ev = evaluate(tar, non)
        np.testing.assert_array_equal([ev.hull.tar, ev.hull.non], blocks)
        costs = np.logaddexp(0, -tar).mean() + np.logaddexp(0, non).mean()
        assert ev.cllr == pytest.approx(costs / math.log(4), rel=1e-12)
        for x in (-9.0, -1.0, 0.123, 7.0):
            assert ev.pmiss(-x) == float(np.mean(tar < -x))
            assert ev.pfa(-x) == float(np.mean(non >= -x))
        assert evaluate(*optimal_llrs(tar, non)).cllr == pytest.approx(ev.min_cllr, rel=1e-12)
