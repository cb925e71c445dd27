"""Scores that are NaN: an error that says what to do, or left out, counted, and nothing else."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pytest

from llrcal import LlrcalWarning, Trials, fit, load, read_trials
from llrcal.errors import LlrcalError, TrialFileError
from llrcal.notes import Note, Severity
from llrcal.trials.leaving_out import DROPPED_NAN
from llrcal.trials.request import ReadOptions, Request
from llrcal.trials.rewriting import rewrite
from tests.cli.running import llrcal, only_line

NAN = math.nan
ROWS = [
    ("m1", "t1", 1.5, "target"),
    ("m1", "t2", NAN, "nontarget"),
    ("m2", "t1", 0.25, "nontarget"),
    ("m2", "t2", NAN, "target"),
    ("m3", "t1", 3.5, "target"),
]
KEPT = [(s, k == "target") for _, _, s, k in ROWS if not math.isnan(s)]


def frame(rows: list[Any] = ROWS) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["enrol", "test", "score", "label"], orient="row")


def key(rows: list[Any] = ROWS) -> pl.DataFrame:
    return frame(rows).drop("score")


def scores(rows: list[Any] = ROWS) -> pl.DataFrame:
    return frame(rows).drop("label")


def dropped(trials: Trials) -> list[Note]:
    return [note for note in trials.notes if note.code == DROPPED_NAN]


def answers(*sources: Any, **options: Any) -> list[tuple[float, bool]]:
    trials = read_trials(*sources, on_nan="drop", **options)
    return list(zip(trials.scores.tolist(), trials.labels.tolist(), strict=True))


TEXT = "".join(f"{m} {t} {s} {k}\n" for m, t, s, k in ROWS)
VALUES = np.array([row[2] for row in ROWS])


def as_text(folder: Path) -> tuple[Any, ...]:
    (folder / "scores.txt").write_text(TEXT)
    return (folder / "scores.txt",)


def as_archive(folder: Path) -> tuple[Any, ...]:
    np.savez(folder / "a.npz", scores=VALUES, labels=[k for *_, k in ROWS])
    return (folder / "a.npz",)


def as_parquet(folder: Path) -> tuple[Any, ...]:
    pd.DataFrame(ROWS, columns=["enrol", "test", "score", "label"]).to_parquet(folder / "a.parquet")
    return (folder / "a.parquet",)


SOURCES: dict[str, tuple[Callable[[Path], tuple[Any, ...]], str]] = {
    "table": (lambda _: (frame(),), r"2 scores .* nan in row 1"),
    "pandas": (lambda _: (frame().to_pandas(),), "2 missing values"),
    "parquet": (as_parquet, "2 missing values"),
    "text": (as_text, r"line 2: .*\(NaN\)"),
    "key": (lambda _: (scores(), key()), "2 scores"),
    "line by line": (lambda _: (scores().select("score"), key()), "2 scores"),
    "archive": (as_archive, r"2 scores .* nan in row 1\. "),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_refused_with_the_way_out_or_left_out(kind: str, tmp_path: Path) -> None:
    make, message = SOURCES[kind]
    sources = make(tmp_path)
    with pytest.raises(LlrcalError, match=rf"{message}.*on_nan='drop'$"):
        read_trials(*sources)
    assert answers(*sources) == KEPT
    (note,) = dropped(read_trials(*sources, on_nan="drop"))
    assert note.severity is Severity.WARNING
    assert str(note).endswith(": 2 of 5 trials left out because their score is NaN")


def test_nothing_to_leave_out() -> None:
    assert not dropped(read_trials(frame().drop_nans(), on_nan="drop"))


INFINITE = [*ROWS, ("m4", "t4", -math.inf, "nontarget")]
STILL_REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "null elsewhere": (
        (frame().with_columns(label=pl.when(pl.col("enrol") != "m3").then("label")),),
        r"'label' has 1 missing values.*repair them$",
    ),
    "another is missing": (
        (scores(), key([*ROWS, ("m9", "t9", 0.0, "target")])),
        r"1 trials of .* have no score, such as \(m9 t9\)",
    ),
    "another count": ((scores().select("score"), key([*ROWS, ROWS[0]])), r"3 scores and .* 6 lab"),
    "infinite": ((frame(INFINITE),), r"1 scores .* -inf in row 5"),
    "every score": ((frame([(m, t, NAN, k) for m, t, _, k in ROWS]),), "every score is NaN"),
}


@pytest.mark.parametrize("what", STILL_REFUSED)
def test_what_is_wrong_otherwise_is_still_refused(what: str) -> None:
    sources, message = STILL_REFUSED[what]
    with pytest.raises(TrialFileError, match=message):
        answers(*sources)


def test_infinite_is_not_nan() -> None:
    assert answers(frame(INFINITE), allow_infinite=True) == [*KEPT, (-math.inf, False)]


def test_another_score_of_the_same_trial_stays() -> None:
    rows = [*ROWS, ("m1", "t2", 7.0, "nontarget"), ("m1", "t2", 9.0, "nontarget")]
    with pytest.raises(TrialFileError, match="1 repeated trials"):
        answers(scores(rows), key())
    for read in ((scores(rows), key()), (frame(rows),)):
        assert answers(*read, duplicates="first") == [*KEPT, (7.0, False)]


@pytest.mark.parametrize(
    ("more", "options", "message"),
    [
        ("m4 t4 inf target\n", {}, "line 6: the score 'inf' is infinite"),
        ("m4 t4 1e999 target\n", {"allow_infinite": True}, r"line 6: .* too large for a double"),
        (
            "".join(f"x y{i} 0.5 nontarget\n" for i in range(1500)) + "m4 t4 none target\n",
            {},
            "line 1506: the score 'none' is not a number",
        ),
    ],
)
def test_other_faults_of_text(tmp_path: Path, more: str, options: Any, message: str) -> None:
    (tmp_path / "scores.txt").write_text(TEXT + more)
    with pytest.raises(TrialFileError, match=message):
        answers(tmp_path / "scores.txt", **options)


def test_hdf5(tmp_path: Path) -> None:
    path = tmp_path / "scores.h5"
    with h5py.File(path, "w") as file:
        file["ID/row_ids"], file["ID/column_ids"] = np.array([b"m1", b"m2"]), np.array([b"t1"])
        file["scores"] = np.array([[1.5], [NAN]])
        file["score_mask"] = np.ones((2, 1), np.uint8)
    rows = [("m1", "t1", 0, "target"), ("m2", "t1", 0, "nontarget"), ("m3", "t", 0, "nontarget")]
    with pytest.raises(TrialFileError, match=r"1 of 2 scores .*on_nan='drop'$"):
        read_trials(path, key(rows[:2]))
    with pytest.raises(LlrcalError, match=r"no non-target scores"):
        answers(path, key(rows[:2]))


def test_speakers_go_with_their_scores(tmp_path: Path) -> None:
    speakers = np.arange(6).reshape(3, 2)
    tar, non = np.array([1.5, NAN, 3.5]), np.array([-1.5, NAN])
    path = tmp_path / "a.npz"
    np.savez(path, tar=tar, non=non, tar_speakers=speakers, non_speakers=speakers[:2])
    trials = read_trials(path, on_nan="drop")
    assert (trials.tar.tolist(), trials.non.tolist()) == ([1.5, 3.5], [-1.5])
    assert trials.tar_speakers is not None
    assert trials.tar_speakers.tolist() == [[0, 1], [4, 5]]
    assert len(dropped(trials)) == 1


# ------------------------------------------------------------------------------- written again


CRLF = b"a b 1.5\r\n# nan\r\nc d nan\r\n\r\ne f 2.5\r\ng h -NaN"


def doubled(values: Any) -> dict[str, Any]:
    assert not np.isnan(values).any()
    return {"llr": 2 * values}


def test_lines_are_left_out(tmp_path: Path) -> None:
    source, out = tmp_path / "scores.txt", tmp_path / "out.txt"
    request = ReadOptions(on_nan="drop").request("scores")
    for content, request_, message in (
        (CRLF, Request("scores"), "line 3: the score is not a number"),
        (b"a b nan\nc d nan\n", request, "every score is NaN"),
        (b"a b 1.5\n" * 2000 + b"c d none\n", request, "line 2001: the score 'none' is not a num"),
    ):
        source.write_bytes(content)
        with pytest.raises(TrialFileError, match=message):
            rewrite(str(source), str(out), doubled, request_)
        assert not out.exists()
    source.write_bytes(CRLF)
    with pytest.warns(LlrcalWarning, match=r"scores\.txt: 2 of 4 trials left out because"):
        rewrite(str(source), str(out), doubled, request)
    assert out.read_bytes() == b"a b 3.0\r\n# nan\r\n\r\ne f 5.0\r\n"


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_rows_are_left_out(tmp_path: Path, kind: str) -> None:
    source, out = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
    table = frame().with_columns(other=pl.lit("x"))
    (table.write_parquet if kind == "parquet" else table.write_ipc)(source)
    with pytest.warns(LlrcalWarning, match="2 of 5 trials left out"):
        rewrite(str(source), str(out), doubled, ReadOptions(on_nan="drop").request("scores"))
    found = (pl.read_parquet if kind == "parquet" else pl.read_ipc)(out)
    kept = table.filter(pl.col("score").is_not_nan())
    assert found.equals(kept.with_columns(pl.col("score") * 2))


# ---------------------------------------------------------------------------- the command line


def test_said_by_every_verb(tmp_path: Path) -> None:
    table = tmp_path / "a.parquet"
    rows = [*ROWS, *((f"n{i}", "t", float(i % 3), "nontarget") for i in range(9))]
    frame(rows).write_parquet(table)
    left_out = "2 of 14 trials left out because their score is NaN"
    only_line(llrcal("fit", table, "-o", tmp_path / "m.json", "--quiet"), "--on-nan drop")
    drop = ("--on-nan", "drop")
    model = tmp_path / "m.json"
    for arguments in (
        ("fit", table, "-o", model, *drop),
        ("apply", model, table, "-o", tmp_path / "b.parquet", *drop),
        ("evaluate", table, *drop),
        ("convert", table, "-o", tmp_path / "b.csv", *drop),
    ):
        result = llrcal(*arguments)
        assert result.exit_code == 0, result.stderr
        assert left_out in result.stderr
    tar, non = ([s for _, _, s, k in rows if k == w and s == s] for w in ("target", "nontarget"))
    with warnings.catch_warnings(record=True):
        assert load(model) == fit(tar, non)
    assert pl.read_parquet(tmp_path / "b.parquet").height == 12
    assert (tmp_path / "b.csv").read_text().count("\n") == 13
    quiet = llrcal("apply", model, table, "-o", tmp_path / "c.parquet", *drop, "--quiet")
    assert left_out in quiet.stderr  # a warning is said in any case
