"""Arrays on disk: read as they are, and never anything that could run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llrcal import LlrcalError, TrialFileError, Trials, read_trials

TAR, NON = np.array([1.5, 2.25, -0.5]), np.array([-1.0, 0.125, -2.0, -3.5])
SCORES = np.array([1.5, -2.0, 0.5, 7.0])
LABELS = np.array([1, 0, 1, 0])


def save(path: Path, array: Any) -> str:
    np.save(path, np.asarray(array))
    return str(path)


def read_both(folder: Path, tar: Any, non: Any = NON, **options: Any) -> Trials:
    files = save(folder / "tar.npy", tar), save(folder / "non.npy", non)
    return read_trials(files[0], nontargets=files[1], **options)


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">f4", "f2", "g", "i1", "u1", ">i8", "u8"])
def test_arrays_of_any_type(tmp_path: Path, dtype: str) -> None:
    tar = np.array([3, 5, 2]).astype(dtype)
    non = np.array([1, 0]).astype(dtype)
    trials = read_both(tmp_path, tar, non)
    assert trials.tar.tolist() == [3, 5, 2]
    assert trials.non.tolist() == [1, 0]
    assert trials.scores.dtype == np.float64
    assert trials.scores.tolist() == [3, 5, 2, 1, 0]
    assert trials.labels.tolist() == [True, True, True, False, False]
    assert trials.ids is None


@pytest.mark.parametrize(
    ("tar", "message"),
    [
        ([], r"tar\.npy: holds no trials"),
        ([[1.5], [2.5]], "one-dimensional"),
        (1.5, "one-dimensional"),
        ([1.5, np.nan], "has 1 scores that are not finite"),
        ([1.5, np.inf], "has 1 scores that are not finite"),
        ([1j], "have type complex128"),
        ([True, False], "are booleans; were labels passed as scores"),
        (["1.5"], "have type <U3"),
        ([b"1.5"], r"have type \|S3"),
        (np.array(["2020-01-01"], "M8[D]"), "have type datetime64"),
        (np.array([(1.5,)], [("a", "f8")]), "have type"),
        (np.array([object()]), "cannot be read as an array"),
        (np.zeros(2, "V0"), "its values have the type"),
        (np.array([1.5, None]), "cannot be read as an array"),
    ],
)
def test_arrays_that_are_no_scores(tmp_path: Path, tar: Any, message: str) -> None:
    with pytest.raises(LlrcalError, match=message):
        read_both(tmp_path, tar)


def test_infinite_llrs_in_arrays(tmp_path: Path) -> None:
    trials = read_both(tmp_path, [np.inf, 1.5], [-np.inf], allow_infinite=True)
    assert trials.scores.tolist() == [np.inf, 1.5, -np.inf]
    with pytest.raises(TrialFileError, match="the first is nan in row 0"):
        read_both(tmp_path, [np.nan, 1.5], allow_infinite=True)


LABEL_ARRAYS: dict[str, Any] = {
    "whole": LABELS,
    "booleans": LABELS == 1,
    "bytes": LABELS.astype("S1"),
    "words": np.where(LABELS == 1, "target", "nontarget"),
}


@pytest.mark.parametrize("labels", LABEL_ARRAYS.values(), ids=LABEL_ARRAYS)
def test_scores_and_labels(tmp_path: Path, labels: Any) -> None:
    scores, key = save(tmp_path / "s.npy", SCORES), save(tmp_path / "k.npy", labels)
    np.savez(tmp_path / "both.npz", scores=SCORES, labels=labels)
    np.savez(tmp_path / "scores.npz", scores=SCORES)
    for trials in (
        read_trials(scores, key),
        read_trials(tmp_path / "both.npz"),
        read_trials(scores, tmp_path / "both.npz"),
        read_trials(tmp_path / "both.npz", key),
        read_trials(tmp_path / "scores.npz", key),
    ):
        assert trials.scores.tolist() == SCORES.tolist()
        assert trials.labels.tolist() == [True, False, True, False]


def test_words_of_the_user_for_arrays(tmp_path: Path) -> None:
    scores = save(tmp_path / "s.npy", SCORES)
    key = save(tmp_path / "k.npy", 1 - LABELS)
    assert read_trials(scores, key, labels="0,1").labels.tolist() == [True, False, True, False]
    with pytest.raises(TrialFileError, match=r"k\.npy: .* row 0: the label '.' is neither"):
        read_trials(scores, key, labels="2,3")


def test_labels_that_are_not_text(tmp_path: Path) -> None:
    beyond_unicode = np.full(len(SCORES), 0x110000, np.uint32).view("U1")
    key = save(tmp_path / "k.npy", beyond_unicode)
    with pytest.raises(TrialFileError, match=r"k\.npy: its labels are not valid text"):
        read_trials(save(tmp_path / "s.npy", SCORES), key)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 0, -1, 1], r"k\.npy: labels are 1, 0 and -1, where 0 may mean"),
        (["target", "spoof", "tar", "non"], "1 of 4 trials are spoofs"),
        ([np.nan, 0, 1, 1], "row 0: the label 'NaN' is neither"),
        ([1, 0, 1], "has 4 scores and .*k.npy 3 labels, with no ids in common"),
        ([[1, 0], [1, 0]], "expected a one-dimensional array"),
    ],
)
def test_labels_that_are_none(tmp_path: Path, labels: Any, message: str) -> None:
    scores, key = save(tmp_path / "s.npy", SCORES), save(tmp_path / "k.npy", labels)
    with pytest.raises(TrialFileError, match=message):
        read_trials(scores, key)


def test_an_array_in_the_order_of_a_text(tmp_path: Path) -> None:
    key = tmp_path / "key.txt"
    key.write_text("1 a x\n0 a y\n1 b x\n0 b y\n")
    trials = read_trials(save(tmp_path / "s.npy", SCORES), key)
    assert trials.labels.tolist() == [True, False, True, False]
    assert trials.ids is not None
    assert trials.ids.rows() == [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]


def test_archives_that_hold_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    scores = save(tmp_path / "s.npy", SCORES)
    np.savez(path, a=TAR)
    with pytest.raises(TrialFileError, match="holds a; expected tar and non, or scores and labels"):
        read_trials(path)
    np.savez(path)
    with pytest.raises(TrialFileError, match="holds nothing; expected tar and non"):
        read_trials(path)
    np.savez(path, scores=SCORES, labels=LABELS[:3])
    with pytest.raises(LlrcalError, match="one for each score"):
        read_trials(path)
    np.savez(path, tar=TAR, non=NON, tar_speakers=LABELS, non_speakers=LABELS)
    with pytest.raises(
        TrialFileError, match=r"tar_speakers and non_speakers must .* shapes \(4,\) and"
    ):
        read_trials(path)
    with pytest.raises(TrialFileError, match=r"holds .*, tar, tar_speakers; expected scores"):
        read_trials(path, nontargets=scores)
    np.savez(path, scores=SCORES)
    with pytest.raises(TrialFileError, match="holds scores; expected tar and non, or labels"):
        read_trials(scores, path)


def test_two_classes_have_labels_of_their_own(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", tar=TAR, non=NON)
    other = save(tmp_path / "k.npy", [1, 1, 1, 0, 0, 0, 1])
    with pytest.raises(TrialFileError, match=r"1 of its labels contradict the key, such as .*\(6"):
        read_trials(tmp_path / "a.npz", other)
    scores = save(tmp_path / "s.npy", np.arange(7.0))
    assert read_trials(scores, tmp_path / "a.npz").tar.tolist() == [0, 1, 2]
