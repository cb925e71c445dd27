"""Evaluations of LLRs in pieces: every number the same, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import llrcal
from llrcal.arrays import Array, Floats
from llrcal.evaluation import Evaluation
from llrcal.evaluation.evaluate import evaluate_quietly as of_raw
from llrcal.evaluation.operating_points import effective_prior_log_odds
from llrcal.scale.engine import Threads
from llrcal.scale.piece import Piece
from tests.scale.sets import EVERY_SET, PRIORS, SETS, Passes, cut, keep_few, numbers, of_pieces
from tests.trial_sets import ANY, Sets

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

GLANCE, READING, COUNTING = "looking at a few pieces", "reading", "counting"


def evaluated(
    pieces: Sequence[Piece], passes: Passes | None = None, priors: Floats = PRIORS
) -> Evaluation:
    return of_raw(of_pieces(pieces, Threads(passes or Passes())), prior_log_odds=priors)


def roc(ev: Evaluation) -> list[list[float]]:
    return [side.tolist() for side in ev.roc()]


@cache
def expected(name: str) -> tuple[str, list[list[float]]]:
    ev = llrcal.evaluate(*SETS[name])
    return numbers(ev), roc(ev)


@EVERY_SET
@pytest.mark.parametrize(("count", "seed"), [(1, 0), (7, 1)])
def test_every_number(name: str, count: int, seed: int) -> None:
    ev = evaluated(cut(*SETS[name], count, seed))
    assert (numbers(ev), roc(ev)) == expected(name)


@EVERY_SET
def test_thresholds_that_were_not_announced(name: str) -> None:
    ev = evaluated(cut(*SETS[name], 4), priors=np.empty(0))
    assert numbers(ev) == expected(name)[0]


def with_infinities(scores: Array, *values: float) -> Floats:
    every = np.asarray(scores, np.float64).copy()
    every[: 3 * len(values)] = np.repeat(values, 3)
    return every


INF = np.inf
INFINITE: dict[str, tuple[Floats, Floats]] = {
    "right": (with_infinities(SETS["many"][0], INF), with_infinities(SETS["many"][1], -INF)),
    "wrong targets": (with_infinities(SETS["few"][0], INF, -INF), SETS["few"][1]),
    "wrong non-targets": (SETS["few"][0], with_infinities(SETS["few"][1], INF, -INF)),
    "more targets": (with_infinities(SETS["more targets"][0], INF), SETS["more targets"][1]),
    "nothing else": (np.full(7, INF), np.full(9, -INF)),
    "nothing else, both ends": (np.array([INF, -INF] * 4), np.array([-INF] * 9)),
}


@pytest.mark.parametrize("kind", INFINITE)
@pytest.mark.parametrize("kept", [True, False])
def test_infinite_llrs(kind: str, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not kept:
        keep_few(monkeypatch, 5, 9000)
    tar, non = INFINITE[kind]
    assert numbers(evaluated(cut(tar, non, 4))) == numbers(llrcal.evaluate(tar, non))


@pytest.mark.parametrize("room", [9_000, 2**24])
@EVERY_SET
def test_classes_too_large_to_be_kept(
    name: str, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the ROC, which then has the corners of its hull alone."""
    keep_few(monkeypatch, 100, room)
    ev = evaluated(cut(*SETS[name], 5))
    assert numbers(ev) == expected(name)[0]
    pfa, pmiss = ev.roc()
    hull = llrcal.evaluate(*SETS[name]).hull
    np.testing.assert_allclose(pfa, hull.pfa, rtol=0, atol=1e-15)
    np.testing.assert_allclose(pmiss, hull.pmiss, rtol=0, atol=1e-15)


@given(ANY, st.integers(1, 5), st.sampled_from([2, 2**23]), st.sampled_from([3, 2**24]))
def test_any_few_llrs(sets: Sets, count: int, kept: int, room: int) -> None:
    """Ties, infinities, one trial, in any order: kept or not, sorted at once or not."""
    tar, non = (np.array(scores) for scores in sets)
    with pytest.MonkeyPatch.context() as patch:
        keep_few(patch, kept, room)
        assert numbers(evaluated(cut(tar, non, count))) == numbers(llrcal.evaluate(tar, non))


# --------------------------------------------------------------------------- the number of passes


@pytest.mark.parametrize("name", ["many", "more targets"])
def test_two_passes_where_the_operating_points_are_known(name: str) -> None:
    passes = Passes()
    point = np.array([effective_prior_log_odds(0.03, 1, 1)])
    ev = evaluated(cut(*SETS[name], 6), passes, np.concatenate([PRIORS, point, -point]))
    assert passes.names == [GLANCE, READING]
    found = (
        ev.cllr, ev.min_cllr, ev.eer, ev.rule_of_30, ev.tar_range, ev.act_dcf(0.03),
        ev.min_dcf(0.03), ev.bayes_error(PRIORS).tolist(), ev.pfa(-PRIORS).tolist(),
        ev.pmiss(-PRIORS).tolist(), ev.min_cross_entropy(PRIORS).tolist(),
        ev.cross_entropy(0.5), ev.notes,
    )  # fmt: skip
    assert passes.names == [GLANCE, READING, COUNTING]
    assert passes.done == passes.total == sum(map(len, SETS[name]))
    assert found[0] == llrcal.evaluate(*SETS[name]).cllr
    ev.bayes_error(0.123)
    assert passes.names == [GLANCE, READING, COUNTING, COUNTING]


def test_known_operating_points_of_large_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each class is counted at all of them in one pass, however often they are asked for."""
    keep_few(monkeypatch, 100)
    passes = Passes()
    ev = evaluated(cut(*SETS["many"], 6), passes)
    for prior in PRIORS:
        ev.bayes_error(float(prior))
    assert passes.names == [GLANCE, READING, COUNTING, COUNTING]
