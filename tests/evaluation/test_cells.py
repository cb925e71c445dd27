"""Counts in cells say the same as the trials themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import evaluate
from llrcal.arrays import Array, Floats
from llrcal.evaluation import cells as cells_module
from llrcal.evaluation.cells import Cells
from llrcal.onepass.chunks import CHUNK
from tests.trial_sets import ANY, FEW_VALUES, INFINITE, Sets, classes, normal

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

PRIORS = np.array([-6.0, -0.5, 0.0, 0.25, 1.5, 4.0])  # thresholds at trials, and between them


def expected_metrics(tar: Array, non: Array) -> Floats:
    ev = evaluate(tar, non)
    rates = [ev.cllr, ev.min_cllr, ev.calibration_loss, ev.eer]
    return np.concatenate([rates, ev.bayes_error(PRIORS), ev.min_bayes_error(PRIORS)])


def cells_of(tar: Array, non: Array) -> Cells:
    return Cells.of(tar, non, prior_log_odds=PRIORS)


def as_arrays(sets: Sets) -> tuple[Floats, Floats]:
    return np.array(sets[0]), np.array(sets[1])


def check_point_estimates(tar: Array, non: Array) -> None:
    cells = cells_of(tar, non)
    found = cells.metrics(cells.tar.counts, cells.non.counts)
    np.testing.assert_allclose(found, expected_metrics(tar, non), rtol=1e-12, atol=1e-14)


@given(sets=ANY)
def test_the_trials_themselves_give_the_numbers_of_an_evaluation(sets: Sets) -> None:
    check_point_estimates(*as_arrays(sets))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("tar_is_rarer", [True, False])
def test_sets_longer_than_a_chunk(dtype: type, tar_is_rarer: bool) -> None:
    rare: Array = normal(3000, 2, 2).astype(dtype)
    common: Array = normal(CHUNK + 99, -3, 3).astype(dtype)
    rare[0], common[:2] = np.inf, -np.inf
    check_point_estimates(*((rare, common) if tar_is_rarer else (-common, -rare)))


@given(sets=classes(FEW_VALUES | INFINITE), seed=st.integers(0, 99))
def test_resampled_counts_give_the_numbers_of_the_resampled_trials(sets: Sets, seed: int) -> None:
    """Cllr too, as the values are so far apart that each has a cell to itself."""
    check_resampled(*as_arrays(sets), seed=seed, first=0)


@given(sets=ANY, seed=st.integers(0, 99))
def test_errors_and_the_hull_are_exact_for_any_values(sets: Sets, seed: int) -> None:
    tar, non = as_arrays(sets)
    check_resampled(tar, non, seed=seed, first=3)
    check_resampled(tar, non, seed=seed, first=1, last=2)


def check_resampled(
    tar: Floats, non: Floats, *, seed: int, first: int, last: int | None = None
) -> None:
    rng = np.random.default_rng(seed)
    cells = cells_of(tar, non)
    tar_drawn, non_drawn = (rng.integers(len(llrs), size=len(llrs) + 2) for llrs in (tar, non))
    counts = [
        np.bincount(in_cells.cell[drawn], minlength=len(cells.edges))
        for in_cells, drawn in ((cells.tar, tar_drawn), (cells.non, non_drawn))
    ]
    expected = expected_metrics(tar[tar_drawn], non[non_drawn])[first:last]
    found = cells.metrics(*counts)[first:last]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_costs_hardly_vary_within_a_cell() -> None:
    """The Cllr of a resampled set is near the exact one, also for LLRs of thousands of nats."""
    rng = np.random.default_rng(5)
    for scale in (1.0, 1000.0):
        tar, non = scale * normal(2000, 1, 2), scale * normal(9000, -2, 2)
        cells = cells_of(tar, non)
        tar_drawn, non_drawn = rng.integers(2000, size=2000), rng.integers(9000, size=9000)
        size = len(cells.edges)
        resampled = cells.metrics(
            np.bincount(cells.tar.cell[tar_drawn], minlength=size),
            np.bincount(cells.non.cell[non_drawn], minlength=size),
        )
        exact = evaluate(tar[tar_drawn], non[non_drawn]).cllr
        change = exact - evaluate(tar, non).cllr
        assert resampled[0] == pytest.approx(exact, abs=0.03 * abs(change))


def test_merged_groups_leave_the_numbers_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    tar, non = normal(500, 1, 2), normal(700, -1, 2)
    all_edges = len(cells_of(tar, non).edges)
    monkeypatch.setattr(cells_module, "MOST_GROUPS", 20)
    assert len(cells_of(tar, non).edges) < all_edges / 2
    check_point_estimates(tar, non)


@pytest.mark.parametrize("extreme", [1.7e308, float(np.finfo(float).max), 5e-324])
def test_the_largest_and_smallest_doubles_are_llrs(extreme: float) -> None:
    check_point_estimates(np.array([extreme, 1.0]), np.array([-extreme, 0.5]))
    check_point_estimates(np.array([extreme, math.inf]), np.array([-extreme, -math.inf]))
    cells = cells_of(np.array([extreme, math.inf]), np.array([-extreme, -math.inf]))
    assert len({*cells.tar.cell, *cells.non.cell}) == 4 or extreme < 1


@pytest.mark.slow
def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    tar, non = normal(CHUNK + 5, 2, 2), normal(5 * CHUNK + 11, -3, 3)
    seen = []
    for threads in ("1", "3"):
        monkeypatch.setenv("LLRCAL_THREADS", threads)
        seen.append(cells_of(tar, non))
    for one, other in ((seen[0].tar, seen[1].tar), (seen[0].non, seen[1].non)):
        np.testing.assert_array_equal(one.means[0], other.means[0])
        np.testing.assert_array_equal(one.counts, other.counts)
        np.testing.assert_array_equal(one.cell, other.cell)
