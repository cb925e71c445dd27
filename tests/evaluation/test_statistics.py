"""Counts in cells say the same as the trials themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal import Evaluation, OperatingPoint, evaluate
from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation import statistics as module
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.evaluation.measures import Asked
from llrcal.evaluation.statistics import Statistic, cost_statistic, entropy_statistic
from llrcal.onepass.chunks import CHUNK
from tests.trial_sets import ANY, FEW_VALUES, INFINITE, Sets, classes, normal

# Random sets may well run the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::llrcal.LlrcalWarning")

# Thresholds at trials, and between them.
POINTS = tuple(OperatingPoint(0.5, math.exp(x)) for x in (-6.0, -0.5, 0.0, 0.25, 1.5, 4.0))
PRIORS = np.array([point.prior_log_odds for point in POINTS])
LARGEST = float(np.finfo(np.float64).max)
COSTS, HULL = ("cllr", "calibration_loss"), ("min_cllr", "eer", "act_dcf", "min_dcf")


def statistic_of(tar: Array, non: Array) -> Statistic:
    return cost_statistic(WholeLLRs(tar, non).sides, Asked(POINTS))


def number(ev: Evaluation, name: str) -> Floats:
    """What an evaluation says of a number of the statistic."""
    at = {"act_dcf": ev.bayes_error, "min_dcf": ev.min_bayes_error}
    return at[name](PRIORS) if name in at else np.array([getattr(ev, name)])


def check(found: dict[str, Floats], tar: Array, non: Array, names: tuple[str, ...]) -> None:
    ev = evaluate(tar, non)
    for name in names:
        np.testing.assert_allclose(found[name], number(ev, name), rtol=1e-12, atol=1e-14)


def check_actual(tar: Array, non: Array) -> None:
    check(dict(statistic_of(tar, non).actual), tar, non, COSTS + HULL)


def drawn_counts(statistic: Statistic, tar: Counts, non: Counts) -> tuple[Counts, Counts]:
    """How many of the trials at these places are in each cell."""
    tar_counts, non_counts = (
        np.bincount(side.cell_of_each[drawn], minlength=len(statistic.edges))
        for side, drawn in zip(statistic.sides, (tar, non), strict=True)
    )
    return tar_counts, non_counts


@given(sets=ANY)
def test_the_trials_themselves_give_the_numbers_of_an_evaluation(sets: Sets) -> None:
    check_actual(np.array(sets[0]), np.array(sets[1]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("tar_is_rarer", [True, False])
def test_sets_longer_than_a_chunk(
    dtype: type, tar_is_rarer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rare: Array = normal(3000, 2, 2).astype(dtype)
    common: Array = normal(2 * CHUNK + 99, -3, 3).astype(dtype)
    rare[0], common[:2] = np.inf, -np.inf
    sets = (rare, common) if tar_is_rarer else (-common, -rare)
    check_actual(*sets)
    seen = []
    for threads in ("1", "3"):  # which change no bit
        monkeypatch.setenv("LLRCAL_THREADS", threads)
        seen.append([side.means.tobytes() for side in statistic_of(*sets).sides])
    assert seen[0] == seen[1]


@pytest.mark.parametrize("names", [COSTS, HULL])
@given(data=st.data(), seed=st.integers(0, 99))
def test_resampled_counts_give_the_numbers_of_the_resampled_trials(
    names: tuple[str, ...], data: st.DataObject, seed: int
) -> None:
    """Costs too, if the values are so far apart that each has a cell to itself."""
    sets = data.draw(ANY if names == HULL else classes(FEW_VALUES | INFINITE))
    tar, non = np.array(sets[0]), np.array(sets[1])
    rng, statistic = np.random.default_rng(seed), statistic_of(tar, non)
    drawn = [rng.integers(len(llrs), size=len(llrs) + 2) for llrs in (tar, non)]
    found = dict(statistic.numbers(*drawn_counts(statistic, *drawn)))
    check(found, tar[drawn[0]], non[drawn[1]], names)


def test_costs_hardly_vary_within_a_cell() -> None:
    """The Cllr of a resampled set is near the exact one, also for LLRs of thousands of nats."""
    rng = np.random.default_rng(5)
    for scale in (1.0, 1000.0):
        tar, non = scale * normal(2000, 1, 2), scale * normal(9000, -2, 2)
        drawn = rng.integers(2000, size=2000), rng.integers(9000, size=9000)
        statistic = statistic_of(tar, non)
        resampled = statistic.numbers(*drawn_counts(statistic, *drawn))["cllr"]
        exact = evaluate(tar[drawn[0]], non[drawn[1]]).cllr
        change = exact - evaluate(tar, non).cllr
        assert resampled == pytest.approx(exact, abs=0.03 * abs(change))


def test_cross_entropies_are_those_of_the_trials_to_four_digits() -> None:
    tar, non = normal(500, 3, 3), normal(2000, -3, 3)
    found = entropy_statistic(WholeLLRs(tar, non).sides, PRIORS).actual["cross_entropy"]
    np.testing.assert_allclose(found, evaluate(tar, non).cross_entropy(PRIORS), atol=1e-4)


def test_merged_groups_leave_the_numbers_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    tar, non = normal(500, 1, 2), normal(700, -1, 2)
    all_edges = len(statistic_of(tar, non).edges)
    monkeypatch.setattr(module, "MOST_GROUPS", 20)
    assert len(statistic_of(tar, non).edges) < all_edges / 2
    check_actual(tar, non)


@pytest.mark.parametrize("extreme", [1.7e308, LARGEST, 5e-324])
def test_the_largest_and_smallest_doubles_are_llrs(extreme: float) -> None:
    check_actual(np.array([extreme, 1.0]), np.array([-extreme, 0.5]))
    check_actual(np.array([extreme, math.inf]), np.array([-extreme, -math.inf]))
    found = statistic_of(np.array([math.inf, -extreme]), np.array([-math.inf, extreme]))
    assert len({cell for side in found.sides for cell in side.cell.tolist()}) == 4 or extreme < 1
