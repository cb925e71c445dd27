"""Parquet files of every kind are read as they are; what swells or is damaged is refused."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from llrcal import TrialFileError, read_trials

pq = pytest.importorskip("pyarrow.parquet")

COUNT = 3000
FRAME = pl.DataFrame(
    {
        "enrol": [f"m{i % 7}" for i in range(COUNT)],
        "test": [f"t{i}" for i in range(COUNT)],
        "score": np.random.default_rng(0).normal(size=COUNT),
        "label": [i % 5 == 0 for i in range(COUNT)],
        "lists": [[1, 2]] * COUNT,
        "nothing": [None] * COUNT,
        "sometimes": [None if i % 3 else i for i in range(COUNT)],
    }
)
WAYS: dict[str, dict[str, Any]] = {
    "plain": {"compression": "none", "use_dictionary": False},
    "dictionaries": {},
    "second pages": {"data_page_version": "2.0", "compression": "zstd"},
    "many pages": {"data_page_size": 500, "write_batch_size": 100, "write_page_index": True},
    "many groups": {"row_group_size": 170, "compression": "gzip"},
}


def written(frame: pl.DataFrame = FRAME, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(frame.to_arrow(), out, **options)
    return out.getvalue()


@pytest.mark.parametrize("way", WAYS)
def test_what_pyarrow_writes_is_read(tmp_path: Path, way: str) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(written(**WAYS[way]))
    trials = read_trials(path)
    assert trials.scores.tolist() == FRAME["score"].to_list()
    assert trials.labels.tolist() == FRAME["label"].to_list()


@pytest.mark.parametrize("packed", [False, True])
def test_rows_that_cannot_all_be_scores(tmp_path: Path, packed: bool) -> None:
    content = written(pl.DataFrame({"score": np.full(12_000_000, 1.5)}), compression="zstd")
    path = tmp_path / "a.parquet"
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(TrialFileError, match=r"expand to 96000000; 12000000 rows of this size"):
        read_trials(path)


def test_every_cut_and_every_lost_block_is_noticed(tmp_path: Path) -> None:
    content = written(FRAME.select("enrol", "test", "score", "label"))
    path = tmp_path / "a.parquet"
    for start in range(0, len(content) - 512, 2048):
        for damaged in (content[:start], content[:start] + content[start + 512 :]):
            path.write_bytes(damaged)
            with pytest.raises(TrialFileError, match=r"a\.parquet: "):
                read_trials(path)
