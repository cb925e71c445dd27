"""Rows of Parquet files: cut at groups of rows, and what cannot be used told by its row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal import LlrcalWarning, TrialFileError
from tests import beyond_memory
from tests.scale.sets import QUICK, cut_small, in_memory, table, texts, trials, words

COUNT, ROW = 10_000, 7777
SCORES, IS_TARGET = trials(COUNT)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_small(monkeypatch, 3000)


def written(path: Path, row: int | None = None, **changed: Any) -> Path:
    """A file of trials, of which one has something else."""
    columns: dict[str, list[Any]] = {"score": SCORES.tolist(), "label": words(IS_TARGET)}
    for name, value in changed.items():
        columns[name][ROW if row is None else row] = value
    pl.DataFrame(columns).write_parquet(path, row_group_size=700)
    return path


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "NaN": ({"score": np.nan}, "the first is nan in row {row}"),
    "infinite": ({"score": np.inf}, "the first is inf in row {row}"),
    "missing": ({"score": None}, "missing values, the first in row {row}"),
    "no label": ({"label": None}, "missing values, the first in row {row}"),
    "odd label": ({"label": "what"}, "row {row}: the label 'what' is neither"),
}


@pytest.mark.parametrize("row", [0, 50, 2500, ROW, COUNT - 1])
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_told_with_the_row_of_the_file(fault: str, row: int, tmp_path: Path) -> None:
    changed, told = FAULTS[fault]
    path = written(tmp_path / "trials.parquet", row, **changed)
    with pytest.raises(TrialFileError) as caught:
        beyond_memory.fit(path)
    assert "trials.parquet, rows " in str(caught.value)
    assert told.format(row=row) in str(caught.value)
    first, last = str(caught.value).partition(", rows ")[2].partition(":")[0].split(" to ")
    assert int(first) <= row <= int(last)


@pytest.mark.slow
@pytest.mark.parametrize("value", [np.nan, None])
def test_scores_that_are_dropped_are_counted(value: float | None, tmp_path: Path) -> None:
    path = written(tmp_path / "trials.parquet", score=value)
    written(tmp_path / "other.parquet", 5, score=value)
    kept = np.arange(COUNT) != ROW
    with pytest.warns(LlrcalWarning, match="1 trials were left out"):
        found = beyond_memory.fit_all(path, methods=QUICK, on_nan="drop")
    expected = in_memory(SCORES[IS_TARGET & kept], SCORES[~IS_TARGET & kept], QUICK)
    assert texts(found) == expected
    with pytest.warns(LlrcalWarning, match="2 trials were left out"):
        beyond_memory.fit([path, tmp_path / "other.parquet"], on_nan="drop")
    with pytest.warns(LlrcalWarning, match="1 trials were left out"):
        beyond_memory.evaluate(path, on_nan="drop")


def test_infinite_scores_are_not_dropped(tmp_path: Path) -> None:
    path = written(tmp_path / "trials.parquet", score=np.inf)
    with pytest.raises(TrialFileError, match=f"inf in row {ROW}"):
        beyond_memory.fit(path, on_nan="drop")


def test_the_first_of_many_faults_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that which happens to be found first."""
    monkeypatch.setenv("LLRCAL_THREADS", "3")
    rows = np.arange(COUNT)
    scores = np.where(rows % 1000 == 999, np.nan, SCORES)
    table(scores, IS_TARGET).write_parquet(tmp_path / "trials.parquet")
    for _ in range(5):
        with pytest.raises(TrialFileError, match="in row 999"):
            beyond_memory.fit(tmp_path / "trials.parquet")


def test_without_pyarrow_files_are_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, part in enumerate(table(SCORES, IS_TARGET).iter_slices(4000)):
        part.write_parquet(tmp_path / f"{number}.parquet", row_group_size=700)
    assert len(beyond_memory.open_trials(tmp_path).pieces) == 5
    monkeypatch.setattr("llrcal.scale.files.find_spec", lambda _: None)
    whole = beyond_memory.open_trials(tmp_path)
    assert len(whole.pieces) == 3
    expected = in_memory(SCORES[IS_TARGET], SCORES[~IS_TARGET], QUICK)
    assert texts(llrcal.fit_all(whole, methods=QUICK)) == expected


# --------------------------------------------------------------------------------- damaged files


def test_pages_that_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / "trials.parquet"
    table(SCORES, IS_TARGET).write_parquet(path, compression="zstd", row_group_size=1000)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 2000] = b"\xff" * 2000
    path.write_bytes(content)
    with pytest.raises(TrialFileError, match=r"trials\.parquet"):
        beyond_memory.fit(path)
