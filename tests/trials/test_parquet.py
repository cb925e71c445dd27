"""Some rows and columns of Parquet files, whoever wrote them; and footers that are damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from llrcal import TrialFileError
from llrcal.files.fingerprint import FileFingerprint
from llrcal.trials.parquet import ParquetFile, _Thrift

COUNT = 1000
RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {
        "id": [f"m{i % 7}-t{i}" for i in range(COUNT)],
        "score": RNG.normal(size=COUNT),
        "label": RNG.integers(0, 2, COUNT),
        "word": pl.Series(["a", "b"] * (COUNT // 2), dtype=pl.Categorical),
        "pair": [{"u": i, "v": 0.5} for i in range(COUNT)],
        "list": [[1.0, 2.0]] * COUNT,
    }
)
SPANS = [(0, 3), (98, 4), (500, 500), (999, 10), (0, COUNT), (COUNT, 5), (0, 0)]


def parquet(path: Path) -> ParquetFile:
    return ParquetFile(FileFingerprint.of(str(path)))


def by_polars(**options: Any) -> Any:
    return lambda path: FRAME.write_parquet(path, **options)


def by_arrow(**options: Any) -> Any:
    return lambda path: pq.write_table(FRAME.to_arrow(), path, **options)


WRITERS = {
    "polars": by_polars(),
    "polars, many row groups": by_polars(row_group_size=100, compression="snappy"),
    "polars, plain": by_polars(compression="uncompressed", statistics=False),
    "polars, many pages": by_polars(data_page_size=100, compression="gzip"),
    "arrow": by_arrow(),
    "arrow, many row groups, second version": by_arrow(
        row_group_size=99, data_page_version="2.0", use_dictionary=False
    ),
    "arrow, with an index of pages": by_arrow(row_group_size=200, write_page_index=True),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_rows_and_columns(tmp_path: Path, writer: str) -> None:
    path = tmp_path / "a.parquet"
    WRITERS[writer](path)
    try:
        file, expected = parquet(path), pl.read_parquet(path)
    except pl.exceptions.ComputeError as problem:  # pages that polars reads since version 2
        pytest.skip(f"polars {pl.__version__}: {problem}")
    assert file.rows == COUNT
    for columns in (["score"], ["list", "id", "pair"]):
        assert file.select(columns).collect().equals(expected.select(columns))
    for start, rows in SPANS:
        some = expected.slice(start, rows)
        assert file.slice(start, rows).collect().equals(some)
        columns = ["label", "score"]
        found = file.slice(start, rows, columns).select(columns).collect()
        assert found.equals(some.select(columns))


def test_a_table_without_rows(tmp_path: Path) -> None:
    FRAME.clear().write_parquet(tmp_path / "a.parquet")
    file = parquet(tmp_path / "a.parquet")
    assert file.rows == 0
    assert file.head(10).collect().columns == FRAME.columns


@pytest.mark.parametrize("size", [0, 7, 8, 12, 300, -1])
def test_files_that_are_cut_off(tmp_path: Path, size: int) -> None:
    FRAME.write_parquet(tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()[:size]
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(TrialFileError, match=r"a\.parquet: cannot be read: its footer is damaged"):
        parquet(tmp_path / "a.parquet").head(1)


def test_a_file_that_changes(tmp_path: Path) -> None:
    """Before anything is decoded, even if its footer is known."""
    FRAME.write_parquet(tmp_path / "a.parquet")
    file = parquet(tmp_path / "a.parquet")
    file.head(1)
    with (tmp_path / "a.parquet").open("r+b") as other:
        other.write(b"PAR1 or not")
    with pytest.raises(TrialFileError, match=r"a\.parquet: has changed while it was read"):
        file.head(1)


def test_chunks_in_one_place(tmp_path: Path) -> None:
    """They could claim the file many times over."""
    path = tmp_path / "a.parquet"
    pq.write_table(FRAME.select("score", "label").to_arrow(), path, use_dictionary=False)
    content = bytearray(path.read_bytes())
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    (group,) = _Thrift(bytes(content[footer:])).struct()[4]
    score, label = (column[3][9] for column in group[1])
    other = content[footer:]
    label.write(other, score.value)
    path.write_bytes(content[:footer] + other)
    with pytest.raises(TrialFileError, match=r"a\.parquet: cannot be read: its footer is damaged"):
        parquet(path).head(1)


def test_damaged_footers(tmp_path: Path) -> None:
    """An error of ours, or bytes for polars to judge: nothing else, and no end of it."""
    path = tmp_path / "a.parquet"
    FRAME.select("score", "label").write_parquet(path, row_group_size=100)
    content, refused = path.read_bytes(), 0
    length = int.from_bytes(content[-8:-4], "little")
    for place in RNG.integers(len(content) - length - 8, len(content), 200):
        damaged = bytearray(content)
        damaged[place] ^= int(RNG.integers(1, 256))
        path.write_bytes(damaged)
        try:
            parquet(path).slice(150, 300, ["score"])
        except TrialFileError:
            refused += 1
    assert 20 < refused < 180
