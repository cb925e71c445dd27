"""Files written again with LLRs, one by one and by the folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal import Calibration, OptionError, TrialFileError
from llrcal.arrays import Floats
from tests.scale.sets import trials, words
from tests.stopping import contents

COUNT = 20_000
SCORES, IS_TARGET = trials(COUNT)
FRAME = pl.DataFrame(
    {
        "enrol": [f"model {i % 97}" for i in range(COUNT)],
        "score": SCORES,
        "label": words(IS_TARGET),
        "time": pl.datetime_range(
            pl.datetime(2026, 1, 1), pl.datetime(2026, 1, 1) + pl.duration(minutes=COUNT - 1),
            interval="1m", eager=True,
        ),
        "list": [[i, i + 1] for i in range(COUNT)],
        "hole": [None if i % 3 else float(i) for i in range(COUNT)],
    }
)  # fmt: skip


@cache
def calibration() -> Calibration:
    return llrcal.fit(SCORES[IS_TARGET], SCORES[~IS_TARGET], method="pav")


@cache
def llrs() -> Floats:
    return calibration()(SCORES)


def expected() -> pl.DataFrame:
    return FRAME.with_columns(pl.Series("score", llrs()))


def apply(source: object, out: Path, **options: object) -> None:
    llrcal.apply_files(calibration(), source, out, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("group", [None, 700])
def test_parquet(group: int | None, tmp_path: Path) -> None:
    """Other columns are not touched, and the rows stay in their order."""
    FRAME.write_parquet(tmp_path / "in.parquet", row_group_size=group)
    apply(tmp_path / "in.parquet", tmp_path / "out.parquet")
    written = pl.read_parquet(tmp_path / "out.parquet")
    assert written.schema == FRAME.schema
    assert written.equals(expected())


@pytest.mark.parametrize("row", [0, 12_345, COUNT - 1])
@pytest.mark.parametrize("value", [np.nan, np.inf, None])
def test_scores_that_are_refused(value: float | None, row: int, tmp_path: Path) -> None:
    scores: list[float | None] = list(SCORES)
    scores[row] = value
    frame = FRAME.with_columns(pl.Series("score", scores))
    frame.write_parquet(tmp_path / "in.parquet", row_group_size=700)
    with pytest.raises(TrialFileError, match=rf"in\.parquet.* in row {row}\b"):
        apply(tmp_path / "in.parquet", tmp_path / "out.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def folder(path: Path) -> Path:
    """Files of two kinds, one of them in a folder within."""
    (path / "in" / "night").mkdir(parents=True)
    FRAME[:9000].write_parquet(path / "in" / "a.parquet")
    FRAME[9000:15_000].write_parquet(path / "in" / "night" / "a.parquet")
    FRAME[15_000:].select("enrol", "score", "label").write_csv(path / "in" / "night" / "b.csv")
    return path / "in"


def assert_written(out: Path) -> None:
    written = contents(out)
    assert isinstance(written, dict)
    names = list(written)
    assert names == ["a.parquet", "night/a.parquet", "night/b.csv"]
    parts = [pl.read_parquet(out / name) for name in names[:2]]
    last = pl.read_csv(out / names[2])
    scores = np.concatenate([part["score"].to_numpy() for part in [*parts, last]])
    np.testing.assert_array_equal(scores, llrs())
    assert pl.concat(parts).equals(expected()[:15_000])


def test_a_folder(tmp_path: Path) -> None:
    told = []
    apply(folder(tmp_path), tmp_path / "out", progress=lambda *what: told.append(what))
    assert_written(tmp_path / "out")
    assert told == [("applying", done, 3) for done in range(4)]


def test_two_files_that_would_go_to_one_place(tmp_path: Path) -> None:
    source = folder(tmp_path)
    with pytest.raises(OptionError, match=r"night/a\.parquet and .*in/a\.parquet would both be"):
        apply([source / "a.parquet", source / "night" / "a.parquet"], tmp_path / "out")
    with pytest.raises(OptionError, match="would both be written"):
        apply(f"{source}/**/*.parquet", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_nothing_is_written_if_one_of_the_files_fails(tmp_path: Path) -> None:
    source = folder(tmp_path)
    (source / "night" / "c.csv").write_text("enrol,score,label\na,b,c\n")
    with pytest.raises(TrialFileError, match=r"c\.csv"):
        apply(source, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
