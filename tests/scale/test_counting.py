"""Counting and sorting in parts, beside counting one by one."""

from __future__ import annotations

from functools import partial, reduce
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import llrcal
from llrcal.arrays import Counts, Floats
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Counted, CountFold, Distinct, Ends, EndsFold, Sieve, edges_above
from llrcal.scale.folds import fold_one_class
from llrcal.scale.passes import class_rows, join_ranges, pool_range
from llrcal.scale.piece import Piece
from llrcal.scale.spill import frame_of, number_by_score
from tests import beyond_memory
from tests.scale.sets import cut
from tests.trial_sets import ANY, Sets


@given(ANY, st.integers(1, 4), st.booleans())
def test_counts_one_by_one(sets: Sets, count: int, of_tar: bool) -> None:
    tar, non = (np.array(scores) for scores in sets)
    scores, others = (tar, non) if of_tar else (non, tar)
    values = np.unique(others)
    new = partial(CountFold, Sieve(values))
    found = reduce(
        Counted.merge, (fold_one_class(new, of_tar, [piece]) for piece in cut(tar, non, count))
    )
    assert found.below.tolist() == [int((scores < value).sum()) for value in values]
    assert found.up_to.tolist() == [int((scores <= value).sum()) for value in values]
    assert (found.count, found.least) == (len(scores), scores.min())
    again = Distinct.of(scores).among(values)
    for one, other in ((again.below, found.below), (again.up_to, found.up_to)):
        np.testing.assert_array_equal(one, other)
    assert (again.count, again.least) == (found.count, found.least)


@given(ANY, st.integers(1, 4))
def test_the_next_score_above(sets: Sets, count: int) -> None:
    tar, non = (np.array(scores) for scores in sets)
    values = np.unique(tar)
    new = partial(EndsFold, edges_above(values))
    found = reduce(
        Ends.merge, (fold_one_class(new, False, [piece]) for piece in cut(tar, non, count))
    ).next_above
    expected = [min(non[non > value], default=np.inf) for value in values]
    np.testing.assert_array_equal(found, expected)


@given(ANY, st.lists(st.sampled_from([-2.0, -0.25, 0.0, 0.5, 3.0]), unique=True))
def test_ranges_are_the_whole(sets: Sets, cuts: list[float]) -> None:
    """Sorted and pooled part by part, beside every distinct score as a group of its own."""
    tar, non = (np.array(scores) for scores in sets)
    rows = class_rows(Piece.of_arrays(tar, non))
    number = number_by_score(np.array(sorted(cuts)), rows)
    found = join_ranges(
        [
            pool_range(frame_of(rows[number == part]), rare_is_tar=len(tar) <= len(non))[0]
            for part in range(len(cuts) + 1)
        ]
    )
    every = np.unique(np.concatenate([tar, non]))
    whole = Hull.pool(_times(tar, every), _times(non, every))
    np.testing.assert_array_equal(found.groups.tar, whole.tar)
    np.testing.assert_array_equal(found.groups.non, whole.non)
    pairs = tar[:, None] - non if np.isfinite([*tar, *non]).all() else _differences(tar, non)
    assert found.pairs_won == (pairs > 0).sum() + (pairs == 0).sum() / 2
    common = non if len(tar) <= len(non) else tar
    starts = zip(found.groups.low, found.groups.excludes_low, strict=True)
    first = [min(common[common > low]) if above else low for low, above in starts]
    np.testing.assert_array_equal(first, every[whole.first_group])


def _times(scores: Floats, values: Floats) -> Counts:
    return np.array([int((scores == value).sum()) for value in values], np.int64)


def _differences(tar: Floats, non: Floats) -> Floats:
    """Which of two scores is higher, where both may be infinite."""
    return np.array([[float(t > n) - float(t < n) for n in non] for t in tar])


@pytest.mark.filterwarnings("ignore:3 trials were left out")
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("dropped", [0, 3])
def test_a_rare_class_in_pages(kind: type, dropped: int, tmp_path: Path) -> None:
    """Both classes are counted, and the rarer one is taken off, unless scores were left out."""
    rng = np.random.default_rng(0)
    is_tar = rng.random(12_000) < 0.02
    scores: Floats = np.round(rng.normal(2 * is_tar, 1), 2).astype(kind)
    scores[:dropped] = np.nan
    frame = pl.DataFrame({"score": scores, "label": is_tar})
    frame.write_parquet(tmp_path / "trials.parquet", row_group_size=700)
    form = {"on_nan": "drop"} if dropped else {}
    trials = beyond_memory.open_trials(tmp_path / "trials.parquet", **form)
    kept = ~np.isnan(scores)
    tar, non = scores[kept & is_tar], scores[kept & ~is_tar]
    expected, found = llrcal.fit(tar, non, method="pav"), llrcal.fit(trials, method="pav")
    assert repr(found.to_model()) == repr(expected.to_model())


def test_a_rare_class_and_infinite_llrs(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    is_tar = rng.random(9000) < 0.02
    llrs = np.where(is_tar, 2, -2) + 2 * rng.standard_normal(9000)
    llrs[np.flatnonzero(~is_tar)[[0, 500]]] = -np.inf
    pl.DataFrame({"score": llrs, "label": is_tar}).write_parquet(tmp_path / "llrs.parquet")
    found = beyond_memory.evaluate(tmp_path / "llrs.parquet")
    expected = llrcal.evaluate(llrs[is_tar], llrs[~is_tar])
    for name in ("min_cllr", "eer", "cllr"):
        assert getattr(found, name) == getattr(expected, name)
