"""Scores and keys in different files, joined in pieces: what they are when joined in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import llrcal
from llrcal import TrialFileError
from llrcal.scale import joining, spill
from llrcal.trials.joining import hashes_of_ids
from tests import beyond_memory
from tests.cli.running import llrcal as command
from tests.cli.running import only_line
from tests.scale.sets import QUICK, cut_small, quiet, texts, with_ids

COUNT = 3000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight parts, and several pieces of each file."""
    monkeypatch.setattr(spill, "ROWS_OF_A_PART", COUNT // 5)
    cut_small(monkeypatch, 700)


def write(frame: pl.DataFrame, path: Path) -> None:
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_csv(path)


def files(folder: Path, scores: pl.DataFrame, key: pl.DataFrame, ending: str) -> tuple[Path, Path]:
    """Scores in one order in two files, the key in another order in three."""
    for name, frame, count in (("scores", scores.drop("label"), 2), ("key", key.drop("score"), 3)):
        (folder / name).mkdir()
        shuffled = frame.sample(fraction=1.0, shuffle=True, seed=count)
        for number, part in enumerate(shuffled.iter_slices(frame.height // count + 1)):
            write(part, folder / name / f"{number}{ending}")
    return folder / "scores", folder / "key"


def models(every: Any) -> dict[str, str]:
    with quiet():
        return texts(llrcal.fit_all(every, methods=QUICK))


ENDINGS = pytest.mark.parametrize("ending", [".parquet", ".csv"])


@ENDINGS
def test_the_bits_of_a_join_in_memory(ending: str, tmp_path: Path) -> None:
    every = with_ids(COUNT)
    scores, key = files(tmp_path, every, every, ending)
    in_pieces = beyond_memory.open_trials(scores, key=key)
    assert "3,000 scores joined" in str(in_pieces.notes[0])
    assert models(in_pieces) == models(llrcal.read_trials(every))


def test_a_key_of_one_piece(tmp_path: Path) -> None:
    every = with_ids(100)
    scores, key = files(tmp_path, every, every, ".parquet")
    every.drop("score").write_parquet(key / "0.parquet")
    in_pieces = beyond_memory.open_trials(scores, key=key / "0.parquet")
    assert "100 scores joined" in str(in_pieces.notes[0])


def other(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(test=pl.lit("x") + pl.col("test"))


FAULTS: dict[str, tuple[Callable[[pl.DataFrame], tuple[pl.DataFrame, pl.DataFrame]], str]] = {
    "missing": (
        lambda every: (every[5:], every),
        r"^5 trials of .*key have no score, such as \(m0 t0\), \(m1 t0\), \(m2 t0\); to leave them "
        r"out: missing='skip'",
    ),
    "unknown": (
        lambda every: (every, every[:-2]),
        r"^2 scores of .*scores are not in the key, such as \(m38 t74\), \(m39 t74\); to leave",
    ),
    "repeated": (
        lambda every: (pl.concat([every, every[7:9]]), every),
        r"scores: 2 repeated trials, such as \(m7 t0\) in .*scores/0\.parquet and in "
        r".*scores/1\.parquet; .*duplicates='all'",
    ),
    "repeated in the key": (
        lambda every: (every, pl.concat([every, every[7:8]])),
        r"key: 1 repeated trials, such as \(m7 t0\) in .*key/\d\.parquet",
    ),
    "torn": (
        lambda every: (
            every,
            pl.concat([every, every[7:9].with_columns(label=pl.lit("spoof"))]),
        ),
        r"key: 2 trials are both target and non-target, such as \(m7 t0\) in .*key/\d\.parquet",
    ),
    "nothing in common": (
        lambda every: (every, other(every)),
        r"have no trial in common: \(m\d+ t\d+\), .* against \(m\d+ xt\d+\)",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_does_not_match(fault: str, tmp_path: Path) -> None:
    changed, words = FAULTS[fault]
    scores, key = files(tmp_path, *changed(with_ids(COUNT)), ".parquet")
    with pytest.raises(TrialFileError, match=words):
        beyond_memory.open_trials(scores, key=key)


def test_what_is_left_out_and_what_is_kept(tmp_path: Path) -> None:
    every = with_ids(COUNT)
    scores, key = files(tmp_path, pl.concat([every[5:], every[7:9]]), every[:-2], ".csv")
    policy: dict[str, Any] = {"missing": "skip", "unknown": "skip", "duplicates": "all"}
    in_pieces = beyond_memory.open_trials(scores, key=key, **policy)
    kept = pl.concat([every[5:-2], every[7:9]])
    assert models(in_pieces) == models(llrcal.read_trials(kept, duplicates="all"))
    assert [note.code for note in in_pieces.notes] == ["joined", "missing", "unknown"]


def test_trials_that_share_a_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the first seed all hashes are equal, so that nothing can be told apart by them."""

    def hashes(frame: pl.DataFrame, ids: Any, seed: int = 0) -> pl.Series:
        found = hashes_of_ids(frame, ids, seed)
        return found * 0 if seed == 0 else found

    every = with_ids(200)
    scores, key = files(tmp_path, every, every, ".parquet")
    monkeypatch.setattr(joining, "hashes_of_ids", hashes)
    assert models(beyond_memory.open_trials(scores, key=key)) == models(llrcal.read_trials(every))


def test_on_the_command_line(tmp_path: Path) -> None:
    every = with_ids(COUNT)
    scores, key = files(tmp_path, every, every, ".csv")
    write(every, tmp_path / "all.csv")
    one, many = tmp_path / "one.json", tmp_path / "many.json"
    for source, *options, out in ((tmp_path / "all.csv", one), (scores, "--key", key, many)):
        result = command("fit", source, *options, "--method", "pav", "-o", out, "--quiet")
        assert result.exit_code == 0, result.stderr
    assert one.read_bytes() == many.read_bytes()
    result = command(
        "fit", scores, "--key", tmp_path / "all.csv", "-o", many, "--in-pieces", "--force"
    )
    assert result.exit_code == 0, result.stderr  # a key may have scores, too
    write(every.drop("enrol", "test", "score"), tmp_path / "labels.csv")
    result = command(
        "fit", scores, "--key", tmp_path / "labels.csv", "-o", many, "--quiet", "--force"
    )
    only_line(result, "no ids in common")


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on disk has no name, even while it is used; so no kill can leave it there."""
    every = with_ids(COUNT)
    scores, key = files(tmp_path, every, every, ".parquet")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    in_pieces = beyond_memory.open_trials(scores, key=key)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert llrcal.fit(in_pieces, method="pav").tar_count
