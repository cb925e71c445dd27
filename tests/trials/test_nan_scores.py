"""Scores that are NaN: an error that says what to do, or left out, counted, and nothing else."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pytest

from llrcal import LlrcalWarning, Trials, fit, load, read_trials
from llrcal.errors import LlrcalError, OptionError, TrialFileError
from llrcal.notes import Note, Severity
from llrcal.trials.nan_scores import DROPPED_NAN
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


def test_refused_by_default_with_the_way_out() -> None:
    with pytest.raises(TrialFileError, match=r"2 scores .* nan in row 1.*on_nan='drop'$"):
        read_trials(frame())
    with pytest.raises(TrialFileError, match=r"2 missing values.*on_nan='drop'$"):
        read_trials(frame().with_columns(pl.col("score").fill_nan(None)))
    with pytest.raises(TrialFileError, match=r"not finite; the first is inf .* repair them$"):
        read_trials(frame([*ROWS[:1], ("a", "b", math.inf, "target")]))


def test_another_word() -> None:
    with pytest.raises(OptionError, match="on_nan cannot be 'skip'; choose error, drop"):
        read_trials(frame(), on_nan="skip")  # type: ignore[arg-type]


def test_trials_of_a_table() -> None:
    assert answers(frame()) == KEPT
    trials = read_trials(frame(), on_nan="drop")
    (note,) = dropped(trials)
    assert note.severity is Severity.WARNING
    assert str(note) == "the frame: 2 of 5 trials left out because their score is NaN"
    assert trials.ids is not None
    assert trials.ids.rows() == [(m, t) for m, t, s, _ in ROWS if not math.isnan(s)]


def test_nothing_to_leave_out() -> None:
    rows = [row for row in ROWS if not math.isnan(row[2])]
    assert answers(frame(rows)) == KEPT
    assert not dropped(read_trials(frame(rows), on_nan="drop"))


def test_null_is_how_pandas_says_it(tmp_path: Path) -> None:
    table = pd.DataFrame(ROWS, columns=["enrol", "test", "score", "label"])
    assert answers(table) == KEPT
    table.to_parquet(tmp_path / "a.parquet")
    assert answers(tmp_path / "a.parquet") == KEPT
    whole = frame().with_columns(pl.col("score").fill_nan(None).cast(pl.Int64, strict=False))
    assert answers(whole) == [(float(int(s)), k) for s, k in KEPT]


def test_null_elsewhere_is_still_an_error() -> None:
    torn = frame().with_columns(label=pl.when(pl.col("enrol") != "m3").then("label"))
    with pytest.raises(TrialFileError, match=r"'label' has 1 missing values.*repair them$"):
        answers(torn)


@pytest.mark.parametrize("reverse", [False, True])
def test_the_key_need_not_have_a_score_for_them(reverse: bool) -> None:
    labels = key().reverse() if reverse else key()
    assert answers(scores(), labels) == KEPT


def test_what_is_missing_otherwise_is_still_missed() -> None:
    with pytest.raises(TrialFileError, match=r"1 trials of .* have no score, such as \(m9 t9\)"):
        answers(scores(), key([*ROWS, ("m9", "t9", 0.0, "target")]))


def test_line_by_line_where_there_are_no_ids() -> None:
    assert answers(scores().select("score"), key()) == KEPT
    with pytest.raises(TrialFileError, match=r"3 scores and .* 6 labels"):
        answers(scores().select("score"), key([*ROWS, ROWS[0]]))


def test_another_score_of_the_same_trial_stays() -> None:
    rows = [*ROWS, ("m1", "t2", 7.0, "nontarget"), ("m1", "t2", 9.0, "nontarget")]
    with pytest.raises(TrialFileError, match="1 repeated trials"):
        answers(scores(rows), key())
    assert answers(scores(rows), key(), duplicates="mean") == [*KEPT, (8.0, False)]
    assert answers(frame(rows), duplicates="first") == [*KEPT, (7.0, False)]


def test_infinite_is_not_nan() -> None:
    rows = [*ROWS, ("m4", "t4", -math.inf, "nontarget")]
    with pytest.raises(TrialFileError, match=r"1 scores .* -inf in row 5"):
        answers(frame(rows))
    assert answers(frame(rows), allow_infinite=True) == [*KEPT, (-math.inf, False)]


def test_nothing_is_left() -> None:
    with pytest.raises(TrialFileError, match="every score is NaN"):
        answers(frame([(m, t, NAN, k) for m, t, _, k in ROWS]))


def test_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "scores.npy", np.array([row[2] for row in ROWS]))
    with pytest.raises(LlrcalError, match=r"2 of 5 .* index 1\. .*on_nan='drop'$"):
        read_trials(tmp_path / "scores.npy", key())
    assert answers(tmp_path / "scores.npy", key()) == KEPT


def test_pairs_of_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "tar.npy", np.array([1.5, NAN, 3.5], np.float32))
    np.save(tmp_path / "non.npy", np.array([0, 1]))
    pair = f"{tmp_path}/tar.npy,{tmp_path}/non.npy"
    with pytest.raises(LlrcalError, match=r"1 of 3 .*target scores .*on_nan='drop'$"):
        read_trials(pair)
    assert answers(pair) == [(1.5, True), (3.5, True), (0.0, False), (1.0, False)]
    assert len(dropped(read_trials(pair, on_nan="drop"))) == 1


TEXT = "".join(f"{m} {t} {s} {k}\n" for m, t, s, k in ROWS)


def test_text(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(TEXT)
    with pytest.raises(TrialFileError, match=r"line 2: .*\(NaN\).*on_nan='drop'$"):
        read_trials(path)
    assert answers(path) == KEPT
    assert answers(path, key().reverse()) == KEPT
    path.write_text(TEXT + "m4 t4 inf target\n")
    with pytest.raises(TrialFileError, match="line 6: the score 'inf' is infinite"):
        answers(path)
    path.write_text(TEXT + "m4 t4 1e999 target\n")
    with pytest.raises(TrialFileError, match=r"line 6: .* too large for a double"):
        answers(path, allow_infinite=True)
    more = "".join(f"x y{i} 0.5 nontarget\n" for i in range(1500))
    path.write_text(f"{TEXT}{more}m4 t4 none target\n")
    with pytest.raises(TrialFileError, match="line 1506: the score 'none' is not a number"):
        answers(path)


def test_a_pair_of_texts(tmp_path: Path) -> None:
    for name, text in (("tar", "a b 1.5\na c nan\n"), ("non", "a d -1.5\n")):
        (tmp_path / name).write_text(text)
    assert answers(f"{tmp_path}/tar,{tmp_path}/non") == [(1.5, True), (-1.5, False)]


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


def test_archives(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    speakers = np.arange(6).reshape(3, 2)
    tar, non = np.array([1.5, NAN, 3.5]), np.array([-1.5, NAN])
    np.savez(path, tar=tar, non=non, tar_speakers=speakers, non_speakers=speakers[:2])
    with pytest.raises(LlrcalError, match=r"1 of 3 .*target scores .*on_nan='drop'$"):
        read_trials(path)
    trials = read_trials(path, on_nan="drop")
    assert (trials.tar.tolist(), trials.non.tolist()) == ([1.5, 3.5], [-1.5])
    assert trials.tar_speakers is not None
    assert trials.tar_speakers.tolist() == [[0, 1], [4, 5]]
    assert len(dropped(trials)) == 2
    np.savez(path, scores=np.array([row[2] for row in ROWS]), labels=[k for *_, k in ROWS])
    with pytest.raises(LlrcalError, match=r"2 of 5 .* index 1\. .*on_nan='drop'$"):
        read_trials(path)
    assert answers(path) == KEPT
    assert answers(path, key()) == KEPT


# ------------------------------------------------------------------------------- written again


def doubled(values: Any) -> dict[str, Any]:
    assert not np.isnan(values).any()
    return {"llr": 2 * values}


def test_lines_are_left_out(tmp_path: Path) -> None:
    source, out = tmp_path / "scores.txt", tmp_path / "out.txt"
    source.write_bytes(b"a b 1.5\r\n# nan\r\nc d nan\r\n\r\ne f 2.5\r\ng h -NaN")
    request = ReadOptions(on_nan="drop").request("scores")
    with pytest.warns(LlrcalWarning, match=r"scores\.txt: 2 of 4 trials left out because"):
        rewrite(str(source), str(out), doubled, request)
    assert out.read_bytes() == b"a b 3.0\r\n# nan\r\n\r\ne f 5.0\r\n"
    with pytest.raises(TrialFileError, match="line 3: the score is not a number"):
        rewrite(str(source), str(out), doubled, Request("scores"))


def test_what_is_no_number_is_not_nan(tmp_path: Path) -> None:
    source = tmp_path / "scores.txt"
    source.write_text("".join(f"a{i} b 1.5\n" for i in range(2000)) + "c d none\n")
    with pytest.raises(TrialFileError, match="line 2001: the score 'none' is not a number"):
        rewrite(str(source), "-", doubled, ReadOptions(on_nan="drop").request("scores"))


def test_no_line_is_left(tmp_path: Path) -> None:
    source, out = tmp_path / "scores.txt", tmp_path / "out.txt"
    source.write_text("a b nan\nc d nan\n")
    with pytest.raises(TrialFileError, match="every score is NaN"):
        rewrite(str(source), str(out), doubled, ReadOptions(on_nan="drop").request("scores"))
    assert not out.exists()


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
