"""Targets and non-targets from two sources: their labels, their columns, and the same one twice."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pytest

import llrcal
from llrcal.errors import LlrcalError, ScoreError, TrialFileError

TAR, NON = [2.5, 1.5, 0.5], [-2.0, -1.0, 0.0, -0.5]


def table(scores: list[float], name: str, label: str | None, words: str = "label") -> pl.DataFrame:
    columns = {
        "enrol": [f"{name}{i}" for i in range(len(scores))],
        "test": [f"{name}{i}x" for i in range(len(scores))],
        "room": [f"room {i % 2}" for i in range(len(scores))],
        "llr": scores,
    }
    return pl.DataFrame({**columns, **({} if label is None else {words: [label] * len(scores)})})


def as_npz(frame: pl.DataFrame, path: Path) -> None:
    arrays = {"scores": frame["llr"].to_numpy()}
    if "label" in frame.columns:
        arrays["labels"] = np.array(frame["label"].to_list())
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


WRITERS = {
    "csv": lambda frame, path: frame.write_csv(path),
    "headless": lambda frame, path: frame.select("^[^lr].*$", "^label$", "llr").write_csv(
        path, include_header=False, separator=" "
    ),
    "parquet": lambda frame, path: frame.write_parquet(path),
    "arrow": lambda frame, path: frame.write_ipc(path),
    "npz": as_npz,
}


@pytest.mark.parametrize("kind", WRITERS)
def test_labels_must_agree_with_the_class(kind: str, tmp_path: Path) -> None:
    paths = tmp_path / "tar", tmp_path / "non"

    def trials(*labels: str | None) -> llrcal.Trials:
        for path, label, scores in zip(paths, labels, (TAR, NON), strict=True):
            WRITERS[kind](table(scores, path.name, label), path)
        return llrcal.read_trials(paths[0], nontargets=paths[1])

    for labels in ((None, None), ("target", None), (None, "nontarget"), ("1", "0"), ("SS", "DS")):
        found = trials(*labels)
        assert (found.tar.tolist(), found.non.tolist()) == (TAR, NON)
    for labels in (("nontarget", None), (None, "target"), ("0", "1"), ("target", "target")):
        wrong = paths[labels[0] in (None, "target")]
        with pytest.raises(TrialFileError, match=rf"{wrong}: is given for one class, and has lab"):
            trials(*labels)


def test_labels_in_a_column_of_any_name(tmp_path: Path) -> None:
    frames = table(TAR, "t", "Different speakers", "outcome"), table(NON, "n", None)
    with pytest.raises(TrialFileError, match="name the scores if these are not labels"):
        llrcal.read_trials(frames[0], nontargets=frames[1])
    found = llrcal.read_trials(frames[0], nontargets=frames[1], columns="score=llr")
    assert found.tar.tolist() == TAR


def test_labels_in_hdf5(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["scores"], file["score_mask"] = np.array([TAR]), np.ones((1, 3), np.int8)
        file["trial_mask"] = np.array([[1, -1, 1]], np.int8)
        file["ID/row_ids"], file["ID/column_ids"] = np.array([b"m"]), np.array([b"a", b"b", b"c"])
    with pytest.raises(TrialFileError, match="is given for one class"):
        llrcal.read_trials(tmp_path / "a.h5", nontargets=table(NON, "n", None))


@pytest.mark.parametrize("in_pieces", [False, True])
def test_one_file_for_both_classes(tmp_path: Path, in_pieces: bool) -> None:
    for name in ("a.npy", "copy.npy"):
        np.save(tmp_path / name, np.array(TAR))
    (tmp_path / "a.txt").write_text("2.5\n1.5\n0.5\n")
    (tmp_path / "link.npy").symlink_to(tmp_path / "a.npy")
    for name in ("a.npy", "copy.npy", "link.npy", *([] if in_pieces else ["a.txt"])):
        with pytest.raises(LlrcalError, match="targets and non-targets have the same scores"):
            llrcal.open_trials(tmp_path / "a.npy", nontargets=tmp_path / name, in_pieces=in_pieces)


def test_an_archive_with_two_pairs_of_arrays(tmp_path: Path) -> None:
    both = {"scores": np.array([*TAR, *NON]), "labels": np.array([1] * 3 + [0] * 4)}
    both |= {"tar": np.array(TAR), "non": np.array(NON)}
    np.savez(tmp_path / "a.npz", allow_pickle=False, **both)
    for in_pieces in (False, True):
        with pytest.raises(TrialFileError, match="holds non, tar, and labels, scores; remove one"):
            llrcal.open_trials(tmp_path / "a.npz", in_pieces=in_pieces)


@pytest.mark.parametrize(
    ("arrays", "more"),
    [("tar non", name) for name in ("scores", "labels", "tar_speakers", "room")]
    + [("scores labels", name) for name in ("tar", "non", "non_speakers", "room")],
)
def test_a_third_array_is_refused_or_named(arrays: str, more: str, tmp_path: Path) -> None:
    values = {"tar": TAR, "non": NON, "scores": [*TAR, *NON], "labels": [1] * 3 + [0] * 4}
    values |= {"tar_speakers": [[0, 0]] * 3, "non_speakers": [[0, 1]] * 4, "room": ["a"]}
    given = {name: np.array(values[name]) for name in (*arrays.split(), more)}
    np.savez(tmp_path / "a.npz", allow_pickle=False, **given)
    if more == "room":
        notes = llrcal.read_trials(tmp_path / "a.npz").notes
        assert str(notes[0]).endswith(", without room")
        return
    with pytest.raises(TrialFileError, match=more):
        llrcal.read_trials(tmp_path / "a.npz")


def test_the_same_scores_in_another_order(tmp_path: Path) -> None:
    """As if they were targets and non-targets; a few, or a few levels, may agree by chance."""
    tar = np.random.default_rng(0).normal(size=300)
    np.save(tmp_path / "a.npy", tar)
    for name, non in (("sorted", np.sort(tar)), ("twice", np.tile(tar, 2)[::-1])):
        np.save(tmp_path / f"{name}.npy", non)
        sets = [
            llrcal.open_trials(
                tmp_path / "a.npy", nontargets=tmp_path / f"{name}.npy", in_pieces=in_pieces
            )
            for in_pieces in (False, True)
        ]
        for work in (llrcal.fit, llrcal.evaluate):
            for trials in ((tar, non), (sets[0],), (sets[1],)):
                with pytest.raises(ScoreError, match="targets and non-targets have the same score"):
                    work(*trials)
        with pytest.raises(ScoreError, match="targets and non-targets have the same scores"):
            llrcal.fit(tar, non, method="pav")
    for few in (tar[:20], np.repeat([1.0, 2.0, 3.0], 100)):
        assert llrcal.fit(few, few[::-1], method="pav")(0.0) == pytest.approx(0, abs=0.1)


def test_columns_ids_and_speakers_of_both_are_kept() -> None:
    tar, non = table(TAR, "t", None), table(NON, "n", None)
    tar = tar.with_columns(speaker_a=pl.lit("ann"), speaker_b=pl.lit("ann"))
    non = non.with_columns(speaker_a=pl.lit("ann"), speaker_b=pl.lit("bob"))
    found = llrcal.read_trials(tar, nontargets=non, keep=["room"])
    assert found.ids is not None
    assert found.ids["test"].to_list() == [*tar["test"], *non["test"]]
    assert found.kept is not None
    assert found.kept["room"].to_list() == [*tar["room"], *non["room"]]
    assert found.speakers is not None
    assert found.speaker_names is not None
    assert found.speaker_names[found.speakers[1]].tolist() == [["ann", "bob"]] * 4
    with pytest.raises(TrialFileError, match="3 trials are both target and non-target"):
        llrcal.read_trials(tar, nontargets=tar.with_columns(llr=-pl.col("llr"), speaker_b="room"))


def test_frames_of_pandas_are_joined_by_position_only_if_their_index_agrees() -> None:
    scores, labels = pd.DataFrame({"llr": TAR}), pd.DataFrame({"label": [0, 1, 0]})
    assert llrcal.read_trials(scores, labels).labels.tolist() == [False, True, False]
    chosen = scores[scores["llr"] < 2]
    assert len(llrcal.read_trials(chosen, labels.loc[chosen.index])) == 2
    for other in (labels[:2], labels.loc[[2, 1]]):
        with pytest.raises(TrialFileError, match="no ids to join them on, and different indexes"):
            llrcal.read_trials(chosen, other)
        reset = other.reset_index(drop=True)
        assert len(llrcal.read_trials(chosen.reset_index(drop=True), reset)) == 2
