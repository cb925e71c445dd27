"""What Parquet files claim: pyarrow's own account of whole ones, an error for any other."""

from __future__ import annotations

import gzip
import io
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from llrcal import TrialFileError, read_trials
from llrcal.trials.tables import parquet as module
from llrcal.trials.tables.parquet import Claims, DamagedError, claims_of

pa = pytest.importorskip("pyarrow")
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


def by_polars(frame: pl.DataFrame = FRAME) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def chunks_of(content: bytes) -> list[Any]:
    meta = pq.read_metadata(io.BytesIO(content))
    groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
    return [group.column(j) for group in groups for j in range(meta.num_columns)]


@pytest.mark.parametrize("way", [*WAYS, "polars"])
def test_claims_are_those_of_pyarrow(way: str) -> None:
    content = by_polars() if way == "polars" else written(**WAYS[way])
    claims = claims_of(content)
    chunks = chunks_of(content)
    assert claims.rows == sum(claims.groups) == COUNT
    assert claims.values == sum(chunk.num_values for chunk in chunks)
    told = sum(chunk.total_uncompressed_size for chunk in chunks)  # with the headers of the pages
    assert 0.7 * told < claims.unpacked < told


def test_a_mapped_file_and_one_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(written())
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as image:
        assert claims_of(image) == claims_of(path.read_bytes())
    for content in (written(FRAME.clear()), by_polars(FRAME.clear())):
        assert claims_of(content) == Claims(0, 0, 0, claims_of(content).groups)
        assert sum(claims_of(content).groups) == 0


def test_every_cut_is_noticed() -> None:
    content = written(FRAME.head(3).select("score", "label"))
    for size in range(len(content)):
        with pytest.raises(DamagedError):
            claims_of(content[:size])


@pytest.mark.slow
def test_no_damage_leads_to_another_error() -> None:
    """Whatever a byte is turned into, there are claims or there is an error, and no more room."""
    content = by_polars(FRAME.head(40).drop("lists"))
    rng = np.random.default_rng(1)
    refused = 0
    for place in rng.permutation(len(content))[:1500].tolist():
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        try:
            claims = claims_of(bytes(damaged))
        except DamagedError:
            refused += 1
        else:
            assert claims.values <= 6 * 40
    assert 100 < refused < 1500


def replaced(content: bytes, old: bytes, new: bytes) -> bytes:
    assert content.count(old) >= 1
    return content.replace(old, new, 1)


def varint(value: int) -> bytes:
    """A whole number as Thrift writes it."""
    value *= 2
    out = []
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def test_a_page_that_claims_more_values_than_its_column() -> None:
    """Polars would make room for them, find none, and end the process."""
    frame = FRAME.head(70).select("score")
    content = written(frame, use_dictionary=False, write_statistics=False)
    # In the header of the page: the field that is a structure, and in it the number of values.
    damaged = replaced(content, b"\x2c\x15" + varint(70), b"\x2c\x15" + varint(8000))
    with pytest.raises(DamagedError, match="70 values, but its pages hold a different"):
        claims_of(damaged)


def test_rows_that_are_not_there() -> None:
    content = written(FRAME.head(70).select("score"))
    footer = content.rindex(b"\x16" + varint(70))
    damaged = content[: footer + 1] + varint(99) + content[footer + 1 + len(varint(70)) :]
    with pytest.raises(DamagedError, match="70 rows, but its row groups have 99"):
        claims_of(damaged)


def test_too_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_PAGES", 10)
    with pytest.raises(DamagedError, match="more than 10 pages"):
        claims_of(written(**WAYS["many pages"]))


def test_a_long_footer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LARGEST_FOOTER", 100)
    with pytest.raises(DamagedError, match="footer is longer than 100 bytes"):
        claims_of(written())


def test_columns_in_another_file(tmp_path: Path) -> None:
    """A footer may name files beside it, as those of a data set do."""
    table = FRAME.head(4).select("score").to_arrow()
    collected: list[Any] = []
    pq.write_table(table, tmp_path / "part.parquet", metadata_collector=collected)
    collected[0].set_file_path("part.parquet")
    collected[0].write_metadata_file(tmp_path / "a.parquet")
    with pytest.raises(TrialFileError, match="one of its columns is in another file"):
        read_trials(tmp_path / "a.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_what_swells_is_refused(tmp_path: Path, packed: bool) -> None:
    """A few rows, of which each holds a million letters."""
    frame = pl.DataFrame({"score": [1.0, 2.0] * 50, "enrol": ["a" * 2**20] * 100})
    content = written(frame, compression="zstd", use_dictionary=False)
    assert len(content) < 2**17
    path = tmp_path / "a.parquet"
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(TrialFileError, match=r"bytes expand to 1\d{8}; if this is intended, write"):
        read_trials(path)


def test_what_is_well_packed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = FRAME.select("enrol", "test", "score", "label")
    frame.write_parquet(path, compression="zstd")
    assert read_trials(path).scores.tolist() == frame["score"].to_list()
