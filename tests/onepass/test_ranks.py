"""Groups of scores, against counting one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from llrcal.arrays import Array
from llrcal.onepass import two_classes
from llrcal.onepass.ranks import RUN, Groups, merged
from llrcal.onepass.two_classes import InArrays
from tests.trial_sets import ANY, FEW_VALUES, INFINITE, Sets, classes, normal


def groups(tar: Array, non: Array) -> Groups:
    return InArrays(tar, non).groups


def as_if_large(tar: Array, non: Array) -> Groups:
    """Small sets take the way of large ones when a run is shorter than they are."""
    with mock.patch.object(two_classes, "RUN", 0):
        return groups(tar, non)


BOTH_WAYS = pytest.mark.parametrize("pool", [groups, as_if_large])


def assert_same(one: Groups, other: Groups) -> None:
    for name in ("low", "excludes_low", "tar", "non", "edges"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def group_of(pooled: Groups, score: float) -> int:
    """Index of the group that a score belongs to, by the words of the docstring."""
    begun = [
        score > low if above else score >= low
        for low, above in zip(pooled.low, pooled.excludes_low, strict=True)
    ]
    return sum(begun) - 1


@BOTH_WAYS
@given(sets=ANY)
def test_each_group_counts_the_scores_that_it_says_belong_to_it(
    pool: Callable[[Array, Array], Groups], sets: Sets
) -> None:
    tar, non = sets
    pooled = pool(np.array(tar), np.array(non))
    size = len(pooled.low)
    for counts, scores in ((pooled.tar, tar), (pooled.non, non)):
        where = [group_of(pooled, score) for score in scores]
        assert counts.tolist() == [where.count(i) for i in range(size)]
    assert ((pooled.tar + pooled.non) > 0).all()


@BOTH_WAYS
@given(sets=ANY)
def test_nothing_can_bend_within_a_group(
    pool: Callable[[Array, Array], Groups], sets: Sets
) -> None:
    """A group is one value, or several values of one class between two of the other."""
    tar, non = sets
    pooled = pool(np.array(tar), np.array(non))
    for i in range(len(pooled.low)):
        inside = {score for score in (*tar, *non) if group_of(pooled, score) == i}
        assert len(inside) == 1 or pooled.tar[i] == 0 or pooled.non[i] == 0
    # And no two neighbours could have been one group: of the rarer class, each value stands alone.
    rarer = tar if len(tar) <= len(non) else non
    assert len({group_of(pooled, score) for score in rarer}) == len(set(rarer))
    assert len(pooled.low) <= 2 * len(set(rarer)) + 1


@BOTH_WAYS
@given(sets=ANY)
def test_edges_are_the_least_doubles_of_their_groups(
    pool: Callable[[Array, Array], Groups], sets: Sets
) -> None:
    tar, non = sets
    pooled = pool(np.array(tar), np.array(non))
    edges = pooled.edges.tolist()
    assert edges[0] == min(*tar, *non)
    assert all(before < after for before, after in pairwise(edges))
    for i, edge in enumerate(edges):
        assert group_of(pooled, edge) == i
        if i > 0:
            assert group_of(pooled, math.nextafter(edge, -math.inf)) == i - 1


# Near and far, dense and sparse: neighbouring doubles share a bin, others lie beyond all bins.
CLUSTERS = st.integers(0, 40).map(lambda k: 1.0 + k * 2.0**-52)
SPREAD = st.tuples(st.sampled_from([-1.0, 1.0]), st.integers(-60, 60), st.integers(0, 7)).map(
    lambda parts: parts[0] * 2.0 ** parts[1] * (1 + parts[2] / 8)
)
EXTREME = st.sampled_from([0.0, -0.0, 1e30, -1e30, 5e-324, 1e300, -1e300])


@pytest.mark.parametrize("run", [0, 3])
@given(
    sets=ANY
    | classes(CLUSTERS | INFINITE, most=40)
    | classes(CLUSTERS | SPREAD, most=40)
    | classes(FEW_VALUES | SPREAD | EXTREME | INFINITE, most=40)
)
@example(sets=([-3.0, 0.0, 0.5, -(2.0**-28)], [-3.0, -3.0, -3.0, 1e300]))  # 1e300 of units
def test_large_sets_are_counted_as_small_ones(run: int, sets: Sets) -> None:
    tar, non = (np.array(scores) for scores in sets)
    with mock.patch.object(two_classes, "RUN", run):
        counted = groups(tar, non)
    assert_same(counted, groups(tar, non))


@pytest.mark.parametrize("run", [0, RUN])
@given(scores=st.lists(FEW_VALUES | INFINITE, min_size=1, max_size=20))
def test_counts_below_thresholds_in_any_order(run: int, scores: list[float]) -> None:
    values = np.array([[9.0, -1.5, -0.1, 0.0], [2.75, -math.inf, 0.0, math.inf]])
    with mock.patch.object(two_classes, "RUN", run):
        found = InArrays(np.array(scores), np.array([0.0])).below(values, of_tar=True)
    assert found.tolist() == [[sum(s < v for s in scores) for v in row] for row in values]


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("tar_is_rarer", [True, False])
@pytest.mark.parametrize("count", [RUN, 5 * RUN + 7])
def test_sets_longer_than_a_run(
    monkeypatch: pytest.MonkeyPatch, count: int, tar_is_rarer: bool, threads: str
) -> None:
    """Against one sort of everything. Five runs are also enough for a second thread."""
    monkeypatch.setenv("LLRCAL_THREADS", threads)
    rare = np.round(normal(900, 1.0, 2.0), 2)
    common = np.round(normal(count, -1.0, 2.0), 3)
    common[:6] = [-math.inf, -1e9, -1e6, 1e6, 1e9, math.inf]  # beyond all bins
    rare[:3] = [-1e6, 1e9, math.inf]
    tar, non = (rare, common) if tar_is_rarer else (common, rare)
    pooled = groups(tar, non)
    assert_same(pooled, as_if_large(tar, non))
    edges = [*pooled.edges, math.inf]
    for counts, scores in ((pooled.tar, tar), (pooled.non, non)):
        np.testing.assert_array_equal(counts, np.histogram(scores, edges)[0])
    assert len(pooled.low) > len(np.unique(rare))


@pytest.mark.parametrize("dtypes", [("f4", "f8"), ("f8", "f4"), (">f8", "f8"), ("f4", "f4")])
def test_types_may_differ_between_the_classes(dtypes: tuple[str, str]) -> None:
    tar, non = [0.1, 0.3, 0.3, 2.0], [0.1, 0.25, -7.0, 0.3, 5.0]
    # Single precision rounds 0.1 to another number, so the two 0.1 are equal only if both do.
    as_given = [np.array(s, t) for s, t in zip((tar, non), dtypes, strict=True)]
    doubles = [scores.astype(np.float64) for scores in as_given]
    assert_same(groups(*as_given), groups(*doubles))
    assert_same(as_if_large(*as_given), groups(*doubles))


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_counts_of_equal_scores_add_up(order: list[int]) -> None:
    """In rising order, too; what never occurs is left out."""
    scores, tar, non = np.array([[1.0, 2.0, 2.0, 5.0], [3, 1, 0, 0], [0, 2, 4, 0]])[:, order]
    found = merged(scores, tar.astype(np.int64), non.astype(np.int64))
    assert [one.tolist() for one in found] == [[1.0, 2.0], [3, 1], [0, 6]]
