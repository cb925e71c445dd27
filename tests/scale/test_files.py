"""Files of every kind, in pieces of any size: the bits of the same trials in memory."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from llrcal import OptionError, TrialFileError
from llrcal.scale.files import pieces_of
from llrcal.trials.request import Request
from tests import beyond_memory
from tests.scale.sets import QUICK, cut_small, in_memory, quiet, table, texts, trials, words

pytestmark = pytest.mark.slow

COUNT = 30_000
SCORES, IS_TARGET = trials(COUNT)
EVERY = table(SCORES, IS_TARGET)
IN_WORDS = EVERY.with_columns(pl.Series("label", words(IS_TARGET)))

Made = str | list[str | Path] | Path


def csv(path: Path, frame: pl.DataFrame = IN_WORDS, **options: Any) -> Path:
    frame.write_csv(path, **options)
    return path


def parquet(path: Path, frame: pl.DataFrame = EVERY, **options: Any) -> Path:
    frame.write_parquet(path, **{"row_group_size": 1000} | options)  # pieces are made of groups
    return path


def with_ids(folder: Path) -> Path:
    """Four columns without names."""
    ids = [pl.Series("enrol", ["a"] * COUNT), pl.Series("test", [f"t{i}" for i in range(COUNT)])]
    frame = IN_WORDS.with_columns(ids).select("enrol", "test", "score", "label")
    return csv(folder / "trials.tsv", frame, separator="\t", include_header=False)


def gz(folder: Path) -> Path:
    packed = folder / "trials.csv.gz"
    packed.write_bytes(gzip.compress(csv(folder / "trials.csv").read_bytes(), 1))
    return packed


def archive(folder: Path) -> Path:
    np.savez(folder / "trials.npz", tar=SCORES[IS_TARGET], non=SCORES[~IS_TARGET])
    return folder / "trials.npz"


def hdf5(folder: Path, **options: Any) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "trials.h5", "w", **options) as file:
        for name, size in (("row_ids", 150), ("column_ids", 200)):
            file[f"ID/{name}"] = np.array([f"{name}{i}".encode() for i in range(size)])
        file["scores"] = SCORES.reshape(150, 200)
        file["score_mask"] = np.ones((150, 200), np.uint8)
        file["trial_mask"] = np.where(IS_TARGET, 1, -1).astype(np.int8).reshape(150, 200)
    return folder / "trials.h5"


def many(folder: Path) -> Path:
    """A folder in a folder, files of several kinds, one of one class and one of none."""
    inner = folder / "night" / "first"
    inner.mkdir(parents=True)
    is_tar = pl.col("label")
    parquet(folder / "night" / "targets.parquet", EVERY.filter(is_tar))
    others = EVERY.filter(~is_tar)
    for number, part in enumerate(others.head(9000).iter_slices(2000)):
        parquet(inner / f"part-{number}.parquet", part, row_group_size=300)
    parquet(inner / "part-none.parquet", EVERY.head(0))
    parquet(inner / "part-rest.parquet", others.slice(9000))
    (inner / "_SUCCESS").write_text("")
    (inner / ".hidden").write_text("")
    return folder / "night"


KINDS: dict[str, Callable[[Path], Made]] = {
    "Parquet, truth": lambda folder: parquet(folder / "a.parquet"),
    "Parquet, small groups": lambda folder: parquet(folder / "a.parquet", row_group_size=700),
    "Parquet, numbers": lambda folder: parquet(
        folder / "a.parquet", EVERY.with_columns(pl.col("label").cast(pl.Int64))
    ),
    "Parquet, words": lambda folder: parquet(folder / "a.parquet", IN_WORDS, row_group_size=1200),
    "Parquet, categories": lambda folder: parquet(
        folder / "a.parquet", IN_WORDS.with_columns(pl.col("label").cast(pl.Categorical))
    ),
    "Parquet, packed": lambda folder: parquet(folder / "a.parquet", compression="gzip"),
    "odd name": lambda folder: parquet(folder / "a[1]*~.parquet"),
    "CSV": lambda folder: csv(folder / "a.csv"),
    "TSV without a header": with_ids,
    "CSV, gzip": gz,
    "archive": archive,
    "HDF5": hdf5,
    "HDF5 behind a user block": lambda folder: hdf5(folder, userblock_size=4096),
    "folder": many,
    "pattern": lambda folder: f"{many(folder)}/**/*.parquet",
    "list": lambda folder: [
        parquet(folder / "one.parquet", EVERY.head(11_000)),
        str(csv(folder / "two.csv", IN_WORDS.slice(11_000, 9_000))),
        parquet(folder / "three.parquet", EVERY.slice(20_000)),
    ],
}

WHOLE = ("archive", "HDF5", "HDF5 behind a user block", "CSV, gzip")
"""What can only be read from its beginning."""


@cache
def expected() -> dict[str, str]:
    return in_memory(SCORES[IS_TARGET], SCORES[~IS_TARGET], QUICK)


@pytest.mark.parametrize("rows", [2**30, 997])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file(
    kind: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_small(monkeypatch, rows)
    made = KINDS[kind](tmp_path)
    with quiet():
        found = beyond_memory.fit_all(made, methods=QUICK)
    assert texts(found) == expected()
    pieces = pieces_of(made, Request("trials"))
    assert rows > 997 or kind in WHOLE or len(pieces) > 20


def test_pieces_say_how_many_trials_they_have(tmp_path: Path) -> None:
    pieces = pieces_of(many(tmp_path), Request("trials"))
    assert sum(piece.rows for piece in pieces) == COUNT
    lines = pieces_of(csv(tmp_path / "a.csv"), Request("trials"))
    assert sum(piece.rows for piece in lines) == pytest.approx(COUNT, rel=0.05)


def test_no_files(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in ("nothing*.parquet", "empty", "missing.parquet"):
        with pytest.raises(TrialFileError, match=path.replace("*", r"\*")):
            beyond_memory.fit(tmp_path / path)
    (tmp_path / "empty.csv").write_bytes(b"")
    with pytest.raises(TrialFileError, match=r"empty\.csv: is empty"):
        beyond_memory.fit(tmp_path / "empty.csv")


def test_classes_in_files_of_text_are_refused(tmp_path: Path) -> None:
    for name, scores in (("tar.txt", "1.5\n2.5\n"), ("non.txt", "-1.5\n2.5\n")):
        (tmp_path / name).write_text(scores)
    with pytest.raises(TrialFileError, match=r"tar\.txt: .* only if they are arrays"):
        beyond_memory.fit(tmp_path / "tar.txt", nontargets=tmp_path / "non.txt")


# ------------------------------------------------------------------------------------- spoofs

SPOOFS = np.arange(COUNT) % 7 == 3
THREE = np.where(SPOOFS, "spoof", words(IS_TARGET))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("policy", ["omit", "nontarget", "only"])
def test_spoofs(policy: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of the pieces have none, which must not change what is made of the others."""
    cut_small(monkeypatch, 999)
    order = np.argsort(SPOOFS, kind="stable")
    frame = pl.DataFrame({"score": SCORES[order], "label": THREE[order]})
    path = tmp_path / f"trials.{kind}"
    frame.write_parquet(path) if kind == "parquet" else frame.write_csv(path)
    others = {
        "omit": THREE == "nontarget",
        "nontarget": THREE != "target",
        "only": THREE == "spoof",
    }[policy]
    with quiet():
        found = beyond_memory.fit_all(path, methods=QUICK, spoof=policy)
    assert texts(found) == in_memory(SCORES[THREE == "target"], SCORES[others], QUICK)


def test_spoofs_are_refused_as_a_rule(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", pl.DataFrame({"score": SCORES, "label": THREE}))
    with pytest.raises(TrialFileError, match=rf"{SPOOFS.sum()} of 30000 trials are spoofs"):
        beyond_memory.fit(path)
    with pytest.raises(OptionError, match="spoof cannot be 'keep'"):
        beyond_memory.fit(path, spoof="keep")
