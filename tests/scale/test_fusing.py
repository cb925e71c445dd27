"""Fusions in pieces: the bits of those in memory, from every kind of table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.errors import LlrcalError, LlrcalWarning, OptionError, ScoreError, TrialFileError
from llrcal.fusion import sample

RNG = np.random.default_rng(0)
IS_TARGET = RNG.random(9000) < 0.2
COLUMNS = {
    "cos": np.round(RNG.normal(size=9000), 2) + IS_TARGET,
    "plda": RNG.standard_t(4, 9000) * 3 + 5 * IS_TARGET,
    "seconds": RNG.exponential(4, 9000),
}
TABLE = pl.DataFrame({**COLUMNS, "y": np.where(IS_TARGET, "target", "nontarget")})
FORM = {"columns": {"label": "y"}}


def in_memory(quality: bool = False, **options: Any) -> llrcal.Fused:
    tar, non = (
        {name: COLUMNS[name][chosen] for name in ("cos", "plda")}
        for chosen in (IS_TARGET, ~IS_TARGET)
    )
    if quality:
        sides = COLUMNS["seconds"][IS_TARGET], COLUMNS["seconds"][~IS_TARGET]
        options["quality"] = tuple({"seconds": side} for side in sides)
    return llrcal.fuse(tar, non, **options)


@pytest.mark.parametrize("few", [False, True])
def test_files_in_any_order_have_the_bits_of_arrays(
    tmp_path: Path, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if few:  # all of them fit into the sample otherwise
        monkeypatch.setattr(sample, "SIZE", 500)
        monkeypatch.setattr(sample, "_HELD", 1500)
    mixed = TABLE.sample(fraction=1, shuffle=True, seed=4)
    for number, (low, high) in enumerate([(0, 5), (5, 5), (5, 4000), (4000, 9000)]):
        mixed[low:high].write_parquet(tmp_path / f"{number}.parquet", row_group_size=1500)
    TABLE.write_csv(tmp_path / "all.csv")
    expected = in_memory(quality=True)
    options: dict[str, Any] = {"scores": ["cos", "plda"], "quality": ["seconds"], **FORM}
    assert llrcal.fuse_files(f"{tmp_path}/*.parquet", **options) == expected
    assert llrcal.fuse_files(tmp_path / "all.csv", **options) == expected
    del options["quality"]
    other = llrcal.fuse_files(tmp_path / "all.csv", alpha="empirical", bounds="counts", **options)
    assert other == in_memory(alpha="empirical", bounds="counts")


def test_columns_in_order_are_honoured_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    TABLE.rename({"y": "score"}).write_csv(path)  # a name that is common for another role
    order: dict[str, Any] = {"columns": "-,-,-,label"}
    assert llrcal.fuse_files(path, scores=["cos", "plda"], **order) == in_memory()
    with pytest.raises(OptionError, match="columns='-,-,-,label' are in order"):
        llrcal.fuse_files("memory://all.parquet", scores=["cos"], **order)


def test_what_is_said_and_refused(tmp_path: Path) -> None:
    path = tmp_path / "all.parquet"
    both: dict[str, Any] = {"scores": ["cos", "plda"], **FORM}
    apart = TABLE.with_columns(pl.col("cos") + 100 * (pl.col("y") == "target"))
    apart.with_columns(again=(pl.col("y") == "target").cast(int)).write_parquet(path)
    with pytest.warns(LlrcalWarning, match="do not overlap"):
        llrcal.fuse_files(path, **both)
    cases: list[tuple[dict[str, Any], type[LlrcalError], str]] = [
        ({"scores": ["cos", "cos"]}, OptionError, "two columns are called 'cos'"),
        ({"scores": ["cos", ""]}, OptionError, "does not name every column"),
        ({"scores": "cos"}, OptionError, "lists of columns, not one text"),
        ({"quality": ""}, OptionError, "lists of columns, not one text"),
        ({"quality": ["plda"]}, OptionError, "two columns are called 'plda'"),
        ({"quality": ["again"]}, ScoreError, "again: is 1 for every target and 0 for every"),
        ({"scores": []}, OptionError, "name the columns"),
        ({"scores": ["cos", "no"]}, TrialFileError, "no"),
        ({"on_nan": "drop"}, OptionError, "on_nan='drop' does not work"),
        ({"bounds": "none"}, OptionError, "bounds are 'none'"),
    ]
    for options, error, message in cases:
        with pytest.raises(error, match=message):
            llrcal.fuse_files(path, **{**both, **options})
    TABLE.filter(pl.col("y") == "target").write_parquet(path)
    with pytest.raises(ScoreError, match="no non-target scores in"):
        llrcal.fuse_files(path, **both)
    TABLE.with_columns(plda=pl.lit(float("nan"))).write_parquet(path)
    with pytest.raises(LlrcalError, match=r"all.parquet.*NaN"):
        llrcal.fuse_files(path, **both)
