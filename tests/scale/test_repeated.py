"""Trials that are there more than once are found, wherever they are and however many there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal import TrialFileError
from llrcal.scale import joining, spill
from tests import beyond_memory
from tests.cli.running import llrcal as command
from tests.cli.running import only_line
from tests.scale.sets import Passes

COUNT = 4_000


def trials(seed: int = 0, count: int = COUNT) -> pl.DataFrame:
    """Trials with names, none of them twice; ids that share no more than their parts."""
    rng = np.random.default_rng(seed)
    number = np.arange(count)
    is_target = number % 5 == 0
    return pl.DataFrame(
        {
            "enrol": [f"m{seed}-{i % 40}" for i in number],
            "test": [f"t{i // 40}" for i in number],
            "score": rng.normal(size=count) + 2 * is_target,
            "label": is_target,
        }
    )


def again(frame: pl.DataFrame, *rows: int) -> pl.DataFrame:
    """The same trials, and some of them once more, with other scores."""
    more = frame[list(rows)].with_columns(pl.col("score") + 1)
    return pl.concat([frame, more])


def written(folder: Path, frame: pl.DataFrame, name: str) -> Path:
    path = folder / name
    if path.suffix == ".parquet":
        frame.write_parquet(path, row_group_size=1000)
    else:
        words = pl.when("label").then(pl.lit("target")).otherwise(pl.lit("nontarget"))
        frame.with_columns(label=words).write_csv(path)
    return path


@pytest.fixture(params=["in memory", "on disk"])
def memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for all hashes, or for a few of them."""
    if request.param == "on disk":
        monkeypatch.setattr(spill, "ROWS_OF_A_PART", 400)
        monkeypatch.setattr(spill, "_HELD", 400)


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("ending", ["parquet", "csv"])
class TestOneFile:
    def test_no_trial_is_there_twice(self, tmp_path: Path, ending: str) -> None:
        path = written(tmp_path, trials(), f"a.{ending}")
        assert "1 piece of" in str(beyond_memory.open_trials(path).notes[0])

    def test_repeated_trials_are_named(self, tmp_path: Path, ending: str) -> None:
        path = written(tmp_path, again(trials(), 7, 1234), f"a.{ending}")
        with pytest.raises(TrialFileError) as refusal:
            beyond_memory.open_trials(path)
        said = str(refusal.value)
        assert f"{path}: 2 repeated trials, such as (m0-" in said
        assert f" in {path}; " in said
        assert said.endswith("duplicates='all'")
        assert refusal.value.on_command_line.endswith("--duplicates all")

    def test_nobody_looks_where_they_do_not_matter(self, tmp_path: Path, ending: str) -> None:
        frame = again(trials(), 7)
        path = written(tmp_path, frame, f"a.{ending}")
        passes = Passes()
        found = beyond_memory.open_trials(path, duplicates="all", progress=passes)
        assert passes.names == []
        assert llrcal.fit(found).tar_count == int(frame["label"].sum())


@pytest.mark.slow
@pytest.mark.usefixtures("memory")
def test_a_trial_in_two_files(tmp_path: Path) -> None:
    first, second = trials(1), trials(2)
    written(tmp_path, first, "a.parquet")
    written(tmp_path, second, "b.csv")
    assert "2 pieces of" in str(beyond_memory.open_trials(tmp_path).notes[0])
    written(tmp_path, pl.concat([second, first[[40]]]), "b.csv")
    with pytest.raises(TrialFileError, match=r"1 repeated trials, such as \(m1-0 t1\)") as refusal:
        beyond_memory.open_trials(tmp_path)
    assert f"in {tmp_path}/a.parquet and in {tmp_path}/b.csv" in str(refusal.value)


def test_other_trials_that_share_a_hash_are_no_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crowded(frame: pl.DataFrame, ids: Any, seed: int = 0) -> pl.Series:
        return pl.Series(np.arange(frame.height, dtype=np.uint64) // 2)

    monkeypatch.setattr(joining, "hashes_of_ids", crowded)
    assert beyond_memory.open_trials(written(tmp_path, trials(), "a.parquet"))


def test_files_without_names_are_not_looked_at(tmp_path: Path) -> None:
    passes = Passes()
    path = written(tmp_path, trials().drop("enrol", "test"), "a.parquet")
    assert beyond_memory.open_trials(path, progress=passes)
    assert passes.names == []


def test_the_verbs_refuse_them_in_memory_and_in_pieces(tmp_path: Path) -> None:
    path, out = written(tmp_path, again(trials(), 7), "a.parquet"), tmp_path / "model.json"
    for options in ([], ["--in-pieces"]):
        only_line(
            command("fit", path, "-o", out, "--force", *options),
            "1 repeated trials, such as (m0-7 t0)",
        )
        result = command(
            "fit", path, "-o", out, "--force", "--duplicates", "all", "--quiet", *options
        )
        assert result.exit_code == 0, result.stderr
    only_line(
        command("fit", path, "-o", out, "--force", "--in-pieces", "--duplicates", "first"),
        "trials cannot be read in pieces with --duplicates first",
    )
