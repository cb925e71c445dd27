"""Files of every kind with other scores: what is not a score stays, and none is half written."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import polars as pl
import pytest

from llrcal.arrays import Array, Floats
from llrcal.errors import LlrcalError, OptionError, TrialFileError
from llrcal.files.compression import zstd
from llrcal.trials.request import Request
from llrcal.trials.rewriting import rewrite
from tests.trials.files import PACKED

SCORES = np.random.default_rng(7).normal(size=12)
TEXT = "".join(f"m{i} t{i} {score!r}\n" for i, score in enumerate(SCORES.tolist()))


def answers(scores: Floats) -> dict[str, Array]:
    return {"llr": scores / 3}


def with_decision(scores: Floats) -> dict[str, Array]:
    return {**answers(scores), "decision": np.where(scores > 0, "accept", "reject")}


def rewritten(
    source: object, out: object, more: Callable[[Floats], dict[str, Array]] = answers
) -> str:
    return rewrite(str(source), str(out), more, Request("scores"))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "scores.txt"
    path.write_text(TEXT)
    return path


def scores_in(content: bytes) -> list[float]:
    return [float(line.split()[2]) for line in content.decode().splitlines()]


# --------------------------------------------------------------------------- compressed text


def unpacked(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(content)
    return zstd.decompress(content) if path.suffix in (".zst", ".zstd") else content


@pytest.mark.parametrize("source", PACKED)
@pytest.mark.parametrize("out", ["out.txt", "out.txt.gz", "out.txt.zst", "out.txt.zstd"])
def test_compressed_by_name_whatever_comes_in(tmp_path: Path, source: str, out: str) -> None:
    (tmp_path / "in").write_bytes(PACKED[source](TEXT.encode()))
    rewritten(tmp_path / "in", tmp_path / out)
    assert scores_in(unpacked(tmp_path / out)) == (SCORES / 3).tolist()


def test_the_same_answer_is_the_same_file(text: Path) -> None:
    for name in ("one.gz", "two.gz"):
        rewritten(text, text.parent / name)
    one, two = ((text.parent / name).read_bytes() for name in ("one.gz", "two.gz"))
    assert one == two
    assert one[3:8] == bytes(5)  # no flags, hence no name, and no time


def test_a_file_does_not_take_its_own_place(text: Path) -> None:
    with pytest.raises(OptionError, match="exists already"):
        rewritten(text, text)
    assert text.read_text() == TEXT


# ------------------------------------------------------------------------------------- tables


def frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "quality": pl.Series([1.5, None, 3.0] * 4, dtype=pl.Float32),
            "enrol": [f"m{i}" for i in range(12)],
            "test": pl.Series(["a b", "", "\u6f22\n"] * 4).cast(pl.Categorical),
            "score": SCORES,
            "count": pl.Series(range(12), dtype=pl.UInt8),
        }
    )


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_tables_keep_every_other_column(tmp_path: Path, kind: str) -> None:
    read = pl.read_parquet if kind == "parquet" else pl.read_ipc
    path, out = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    (frame().write_parquet if kind == "parquet" else frame().write_ipc)(path)
    assert rewritten(path, out) == "column 'score'"
    after = read(out)
    assert after.drop("score").equals(frame().drop("score"))
    assert after.columns == frame().columns
    assert after.schema == frame().schema
    assert after["score"].to_list() == (SCORES / 3).tolist()
    out.unlink()
    rewritten(path, out, with_decision)
    assert read(out)["decision"].to_list() == np.where(SCORES > 0, "accept", "reject").tolist()
    with pytest.raises(OptionError, match="has a column 'decision' already"):
        rewritten(out, tmp_path / "more", with_decision)


# ------------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_an_array(tmp_path: Path, dtype: type) -> None:
    scores: Array = (10 * SCORES).astype(dtype)
    np.save(tmp_path / "in.npy", scores)
    rewritten(tmp_path / "in.npy", tmp_path / "out.npy")
    assert np.load(tmp_path / "out.npy").tolist() == (scores / 3).tolist()


def test_an_archive_keeps_its_other_arrays(tmp_path: Path) -> None:
    scores = {"tar": SCORES[:4], "non": SCORES[4:], "scores": SCORES}
    others = {"labels": SCORES > 0, "file": np.arange(3), "allow_pickle": np.array("yes")}
    with zipfile.ZipFile(tmp_path / "in.npz", "w") as archive:  # savez has options of these names
        for name, array in {**scores, **others}.items():
            entry = io.BytesIO()
            np.save(entry, array)
            archive.writestr(f"{name}.npy", entry.getvalue())
    assert rewritten(tmp_path / "in.npz", tmp_path / "out.npz") == "arrays tar, non, scores"
    with np.load(tmp_path / "out.npz") as after:
        assert sorted(after.files) == sorted([*scores, *others])
        for name, array in ({n: a / 3 for n, a in scores.items()} | others).items():
            assert after[name].tolist() == array.tolist()


def test_an_archive_without_scores(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", labels=SCORES > 0)
    with pytest.raises(TrialFileError, match="holds none of the arrays tar, non, scores"):
        rewritten(tmp_path / "in.npz", tmp_path / "out.npz")


# --------------------------------------------------------------------------------------- HDF5


def test_hdf5_is_to_be_converted_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with h5py.File("my scores.h5", "w") as file:
        file["scores"] = SCORES.reshape(3, 4)
        file["score_mask"] = np.ones((3, 4), np.uint8)
        file["ID/row_ids"] = np.array([b"m1", b"m2", b"m3"])
        file["ID/column_ids"] = np.array([b"t1", b"t2", b"t3", b"t4"])
    with pytest.raises(TrialFileError, match=r"first to CSV .* llrcal convert"):
        rewritten("my scores.h5", "out.h5")
    assert [path.name for path in tmp_path.iterdir()] == ["my scores.h5"]


# ----------------------------------------------------------------------- where there is no room


def test_no_columns_where_there_is_no_room(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", SCORES)
    np.savez(tmp_path / "a.npz", scores=SCORES)
    before = sorted(tmp_path.iterdir())
    for source in (tmp_path / "a.npy", tmp_path / "a.npz"):
        with pytest.raises(OptionError, match="no columns can be added"):
            rewritten(source, tmp_path / "out", with_decision)
    assert sorted(tmp_path.iterdir()) == before


# -------------------------------------------------------------------------------- what goes wrong


def failing_files(folder: Path) -> dict[str, Path]:
    """Files that cannot be rewritten; in some, that is found out late."""
    contents = {
        "late": TEXT.encode() * 200 + b"m t x\n",
        "cut": gzip.compress(TEXT.encode() * 1000)[:-20],
        "key": b"a b target\nc d nontarget\n",
        "empty": b"",
        "parquet": b"PAR1" + b"x" * 100,
        "arrow": b"ARROW1" + b"x" * 100,
        "npy": b"\x93NUMPY" + b"x" * 100,
        "npz": b"PK\x03\x04" + b"x" * 100,
        "hdf5": b"\x89HDF\r\n\x1a\n" + b"x" * 100,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: folder / name for name in contents}


def test_a_failure_leaves_nothing_and_takes_nothing(tmp_path: Path) -> None:
    sources = failing_files(tmp_path)
    (tmp_path / "there").write_bytes(b"precious")
    before = sorted(tmp_path.iterdir())
    for name, path in sources.items():
        for out in ("there", "new", "new.gz", "new.zst"):
            with pytest.raises(LlrcalError):
                rewritten(path, tmp_path / out)
            assert (tmp_path / "there").read_bytes() == b"precious", name
            assert sorted(tmp_path.iterdir()) == before, name
