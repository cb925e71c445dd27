"""Pool-adjacent-violators and the ROC hull, against exact arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal.onepass.hull import Hull
from llrcal.onepass.two_classes import InArrays
from tests import oracles
from tests.trial_sets import ANY, Sets

SMALL = st.integers(0, 4)
HUGE = st.integers(0, 2**40)


def counted(
    numbers: st.SearchStrategy[int], *, most: int = 12
) -> st.SearchStrategy[tuple[list[int], list[int]]]:
    """Targets and non-targets of groups, none of them empty, both classes present."""
    group = st.tuples(numbers, numbers).filter(lambda pair: sum(pair) > 0)
    return (
        st.lists(group, min_size=1, max_size=most)
        .filter(lambda pairs: all(sum(column) > 0 for column in zip(*pairs, strict=True)))
        .map(lambda pairs: ([t for t, _ in pairs], [n for _, n in pairs]))
    )


def pooled(tar: list[int], non: list[int]) -> list[tuple[int, int, int]]:
    hull = Hull.pool(np.array(tar, np.int64), np.array(non, np.int64))
    columns = (hull.first_group.tolist(), hull.tar.tolist(), hull.non.tolist())
    return list(zip(*columns, strict=True))


@given(counts=counted(SMALL) | counted(HUGE))
def test_blocks_are_those_of_exact_isotonic_regression(counts: tuple[list[int], list[int]]) -> None:
    assert pooled(*counts) == oracles.blocks(*counts)


@given(sets=ANY)
def test_llrs_are_those_of_the_min_max_formula(sets: Sets) -> None:
    tar, non = sets
    together = InArrays(np.array(tar), np.array(non)).groups
    hull = Hull.of(together)
    starts = together.edges[hull.first_group]
    for score, expected in oracles.pav_llrs(tar, non).items():
        block = int(np.searchsorted(starts, score, side="right")) - 1
        assert hull.llrs[block] == pytest.approx(expected, rel=1e-14, abs=1e-14)
    assert (np.diff(hull.llrs) > 0).all()


@given(sets=ANY)
def test_vertices_are_those_of_the_roc(sets: Sets) -> None:
    tar, non = sets
    hull = Hull.of(InArrays(np.array(tar), np.array(non)).groups)
    vertices = oracles.hull_vertices(tar, non)
    assert list(zip(hull.misses.tolist(), hull.false_alarms.tolist(), strict=True)) == vertices
    np.testing.assert_allclose(hull.pmiss, [m / len(tar) for m, _ in vertices], rtol=1e-15)
    np.testing.assert_allclose(hull.pfa, [f / len(non) for _, f in vertices], rtol=1e-15)


def test_equal_shares_are_pooled() -> None:
    assert pooled([1, 2, 3], [3, 6, 9]) == [(0, 6, 18)]
    # A third is no double: these means differ in their rounding, not in truth.
    assert pooled([1, 10**8, 7], [2, 2 * 10**8, 14]) == [(0, 10**8 + 8, 2 * 10**8 + 16)]


BIG = 3 * 10**8


def test_shares_that_fall_by_less_than_doubles_show_are_pooled() -> None:
    assert pooled([BIG + 1, BIG], [BIG + 2, BIG + 1]) == [(0, 2 * BIG + 1, 2 * BIG + 3)]


@given(counts=counted(st.integers(BIG, BIG + 5), most=6))
def test_llrs_of_nearly_equal_shares(counts: tuple[list[int], list[int]]) -> None:
    """Shares that doubles cannot tell apart may be pooled: no LLR changes by it."""
    tar, non = (np.array(side) for side in counts)

    def llrs(first: list[int], block_tar: list[int], block_non: list[int]) -> list[float]:
        log_ratio = np.log(np.array(block_tar) / np.array(block_non))
        return np.repeat(log_ratio, np.diff([*first, len(tar)])).tolist()

    expected = llrs(*(list(side) for side in zip(*oracles.blocks(*counts), strict=True)))
    hull = Hull.pool(tar, non)
    found = llrs(hull.first_group.tolist(), hull.tar.tolist(), hull.non.tolist())
    assert found == pytest.approx(expected, abs=1e-15)


def test_counts_whose_products_overflow_64_bits() -> None:
    k = 2**40
    assert pooled([k + 1, k], [k + 2, k + 1]) == [(0, 2 * k + 1, 2 * k + 3)]
    assert len(pooled([1, k], [k, 1])) == 2


def test_llrs_where_a_class_is_missing() -> None:
    hull = Hull.pool(np.array([0, 2, 3]), np.array([4, 1, 0]))
    assert hull.llrs.tolist() == [-math.inf, pytest.approx(math.log(2 / 5 / (1 / 5))), math.inf]


@given(sets=ANY, x=st.floats(-12, 12))
def test_best_vertex_costs_least(sets: Sets, x: float) -> None:
    tar, non = sets
    hull = Hull.of(InArrays(np.array(tar), np.array(non)).groups)
    vertex = int(hull.best_vertex(np.array(x)))
    costs = [oracles.normalised_error(m, f, x) for m, f in zip(hull.pmiss, hull.pfa, strict=True)]
    assert costs[vertex] == pytest.approx(min(costs), rel=1e-12, abs=1e-15)
