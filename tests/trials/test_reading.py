"""Trials from files: what is written is read, and what is not trials is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from llrcal import ScoreError, TrialFileError, Trials, read_trials

TAR, NON = np.array([1.5, 2.25, -0.5]), np.array([-1.0, 0.125, -2.0, -3.5])
SPEAKERS = {
    "tar_speakers": np.array([[0, 0], [1, 1], [2, 2]], np.int32),
    "non_speakers": np.array([[0, 1], [0, 2], [1, 0], [2, 0]], np.int32),
}


def assert_same(trials: Trials) -> None:
    assert trials.tar.tolist() == TAR.tolist()
    assert trials.non.tolist() == NON.tolist()


def test_archive_of_two_classes(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, tar=TAR, non=NON)
    trials = read_trials(path)
    assert_same(trials)
    assert trials.source == str(path)
    assert not trials.has_speakers


def test_archive_with_speakers(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", allow_pickle=False, tar=TAR, non=NON, **SPEAKERS)
    trials = read_trials(tmp_path / "a.npz")
    assert trials.has_speakers
    assert trials.non_speakers is not None
    assert trials.non_speakers.tolist() == SPEAKERS["non_speakers"].tolist()
    with pytest.raises(ScoreError, match="target speakers have shape"):
        Trials(TAR, NON, "x", SPEAKERS["tar_speakers"][:2], SPEAKERS["non_speakers"])


def test_archive_of_labelled_scores(tmp_path: Path) -> None:
    labels = np.array([1, 1, 1, 0, 0, 0, 0])
    np.savez(tmp_path / "a.npz", scores=np.concatenate([TAR, NON]), labels=labels)
    assert_same(read_trials(tmp_path / "a.npz"))


def test_pair_of_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", TAR)
    np.save(tmp_path / "n.npy", NON)
    assert_same(read_trials(f"{tmp_path / 't.npy'},{tmp_path / 'n.npy'}"))
    with pytest.raises(TrialFileError, match="name two"):
        read_trials(tmp_path / "t.npy")


@pytest.mark.parametrize("words", [("target", "nontarget"), ("1", "0"), ("genuine", "impostor")])
@pytest.mark.parametrize("label_first", [False, True])
def test_text_of_two_columns(tmp_path: Path, words: tuple[str, str], label_first: bool) -> None:
    rows = [(repr(float(s)), words[0]) for s in TAR] + [(repr(float(s)), words[1]) for s in NON]
    lines = [" ".join(reversed(row) if label_first else row) for row in rows]
    (tmp_path / "a.txt").write_text("# score and label\n" + "\n".join(lines) + "\n")
    assert_same(read_trials(tmp_path / "a.txt"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1.0 target x\n", "3 columns"),
        ("1 0\n0 1\n", "both columns read as labels"),
        ("1.5 yes\n2.5 no\n", "neither column"),
        ("high target\nlow nontarget\n", "not a number"),
    ],
)
def test_text_that_is_not_trials(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(TrialFileError, match=words):
        read_trials(tmp_path / "a.txt")


def test_files_that_are_not_there_or_not_whole(tmp_path: Path) -> None:
    for name in ("a.npz", "a.npy,b.npy", "a.txt"):
        with pytest.raises(TrialFileError, match=r"No such file|not found"):
            read_trials(tmp_path / name)
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(TrialFileError, match=r"cut\.npz"):
        read_trials(tmp_path / "cut.npz")
    np.savez(tmp_path / "other.npz", a=TAR)
    with pytest.raises(TrialFileError, match="holds a; expected tar and non"):
        read_trials(tmp_path / "other.npz")


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", tar=np.array([object()]), non=NON)
    with pytest.raises(TrialFileError, match="cannot be read"):
        read_trials(tmp_path / "p.npz")


def test_scores_are_checked(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", tar=np.array([]), non=NON)
    with pytest.raises(ScoreError, match=r"no .*target scores"):
        read_trials(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", tar=TAR, non=np.array([1.0, np.nan]))
    with pytest.raises(ScoreError, match="non-target scores are not finite"):
        read_trials(tmp_path / "b.npz")
