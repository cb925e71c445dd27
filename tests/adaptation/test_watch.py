"""``llrcal.watch``: whether the field has moved, from unlabelled scores alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal import out_of_core
from llrcal.arrays import Floats
from llrcal.errors import DegenerateError, OptionError, ScoreError
from llrcal.method_table import MethodName
from tests.trial_sets import normal

TAR, NON = normal(300, 2.0, 1.0), normal(3000, -1.0, 1.0)
FIELD = np.concatenate([normal(150, 2.0, 1.0), normal(2850, -1.0, 1.0)])


@cache
def trained(method: MethodName = "gaussian") -> llrcal.Calibration:
    return llrcal.fit(TAR, NON, method=method)


@pytest.mark.parametrize("method", ["smooth", "logistic", "pav"])
def test_nothing_has_moved(method: MethodName) -> None:
    seen = llrcal.watch(trained(method), FIELD)
    assert seen.verdict == "as in training"
    assert not seen.moved
    assert seen.unmoved > 0.5
    assert seen.count == len(FIELD)
    assert seen.share.low < 0.05 < seen.share.high
    assert str(seen).startswith("as in training")


@pytest.mark.parametrize("scores", [FIELD + 2, FIELD * 2])
def test_the_field_has_moved(scores: Floats) -> None:
    seen = llrcal.watch(trained(), scores, p_target=0.05)
    assert seen.verdict == "moved"
    assert seen.cost.value > 0.01
    assert seen.unmoved < 0.01
    assert str(seen).startswith("moved: ")


def test_scores_of_something_else() -> None:
    with pytest.warns(llrcal.LlrcalWarning, match="do not look like those of training"):
        seen = llrcal.watch(trained(), np.random.default_rng(0).exponential(300, 3000))
    assert seen.verdict == "moved, cost unknown"
    assert "labels" in str(seen)


def test_differences_are_shares_of_all_scores() -> None:
    seen = llrcal.watch(trained(), FIELD + 2)
    assert sum(one.seen for one in seen.differences) == pytest.approx(1)
    assert sum(one.expected for one in seen.differences) == pytest.approx(1)
    lows, highs = ([getattr(one, name) for one in seen.differences] for name in ("low", "high"))
    assert lows[1:] == highs[:-1]
    assert lows == sorted(lows)
    there = FIELD + 2
    for one in seen.differences:
        inside = np.mean((there >= one.low) & (there < one.high))
        assert one.seen == pytest.approx(inside, abs=0.02)


def test_distances_are_the_same_the_other_way_round() -> None:
    away = llrcal.fit(-TAR, -NON, method="gaussian", lower_is_better=True)
    one, other = llrcal.watch(trained(), FIELD + 1), llrcal.watch(away, -(FIELD + 1))
    assert replace(other, differences=()) == replace(one, differences=())
    turned = [(-high, -low, *shares) for low, high, *shares in reversed(one.differences)]
    assert [tuple(row) for row in other.differences] == turned


def test_in_pieces_as_in_memory(tmp_path: Path) -> None:
    for number, part in enumerate(np.array_split(FIELD + 1, 3)):
        pl.DataFrame({"score": part}).write_parquet(tmp_path / f"{number}.parquet")
    expected = llrcal.watch(trained(), FIELD + 1, p_target=0.05, factor=3)
    found = out_of_core.watch(trained(), tmp_path, p_target=0.05, factor=3)
    assert found == expected


@pytest.mark.slow
def test_on_dask_as_in_memory() -> None:
    dask_module = pytest.importorskip("llrcal.dask")
    import dask.dataframe as dd
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame({"s": FIELD + 1}), npartitions=3)
    found = dask_module.watch(trained(), frame, score="s", p_target=0.05)
    assert found == llrcal.watch(trained(), FIELD + 1, p_target=0.05)


def test_no_portrait() -> None:
    with pytest.raises(OptionError, match="no portrait of its training scores"):
        llrcal.watch(replace(trained(), portrait=None), FIELD)


@pytest.mark.parametrize(
    ("scores", "error", "words"),
    [
        (np.ones(500), DegenerateError, "all 500 unlabelled scores equal 1"),
        ([], ScoreError, "unlabelled"),
        (np.append(FIELD, np.nan), ScoreError, "not finite.*index 3000"),
    ],
)
def test_scores_that_cannot_be_used(
    scores: Floats, error: type[llrcal.LlrcalError], words: str
) -> None:
    with pytest.raises(error, match=words):
        llrcal.watch(trained(), scores)


def test_a_summary_for_notebooks() -> None:
    assert "as in training" in llrcal.watch(trained(), FIELD)._repr_html_()
