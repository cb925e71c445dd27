"""Trials from files: what is written is read, and what is not trials is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from llrcal import OptionError, ScoreError, TrialFileError, Trials, open_trials, read_trials

TAR, NON = np.array([1.5, 2.25, -0.5]), np.array([-1.0, 0.125, -2.0, -3.5])
SPEAKERS = {
    "tar_speakers": np.array([[0, 0], [1, 1], [2, 2]], np.int32),
    "non_speakers": np.array([[0, 1], [0, 2], [1, 0], [2, 0]], np.int32),
}


def assert_same(trials: Trials) -> None:
    assert trials.tar.tolist() == TAR.tolist()
    assert trials.non.tolist() == NON.tolist()


def test_archive_with_speakers(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", allow_pickle=False, tar=TAR, non=NON, **SPEAKERS)
    trials = read_trials(tmp_path / "a.npz")
    assert_same(trials)
    assert trials.source == str(tmp_path / "a.npz")
    assert trials.has_speakers
    assert trials.non_speakers is not None
    assert trials.non_speakers.tolist() == SPEAKERS["non_speakers"].tolist()
    with pytest.raises(ScoreError, match="target speakers have shape"):
        Trials(TAR, NON, "x", SPEAKERS["tar_speakers"][:2], SPEAKERS["non_speakers"])


def test_an_array_of_one_class(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", TAR)
    with pytest.raises(TrialFileError, match=r"has no labels; .* or non-targets in an array of"):
        read_trials(tmp_path / "t.npy")


def read_both(folder: Path, tar: str, non: str, **options: Any) -> Trials:
    (folder / "tar").write_text(tar)
    (folder / "non").write_text(non)
    return read_trials(folder / "tar", nontargets=folder / "non", **options)


@pytest.mark.parametrize("before", ["", "a b ", "12 13 ", "a,b,", "x y z 7 ", "a\tb\t"])
def test_texts_of_one_class(tmp_path: Path, before: str) -> None:
    """Whatever comes before, the scores are in the last column."""
    tar, non = ("".join(f"{before}{score!r}\n" for score in part.tolist()) for part in (TAR, NON))
    trials = read_both(tmp_path, tar, non)
    assert_same(trials)
    assert trials.labels.tolist() == [True] * 3 + [False] * 4
    assert trials.source == f"{tmp_path / 'tar'}, {tmp_path / 'non'}"
    assert ["3 trials" in trials.notes[0].text, "4 trials" in trials.notes[1].text] == [True] * 2


def test_texts_of_one_class_with_names(tmp_path: Path) -> None:
    tar, non = (
        "".join(f"{score!r},{name}{i},b\n" for i, score in enumerate(part.tolist()))
        for name, part in (("a", TAR), ("c", NON))
    )
    header = "similarity,file1,file2\n"
    assert_same(read_both(tmp_path, header + tar, header + non))
    assert_same(read_both(tmp_path, tar, non))  # the only column of numbers
    assert_same(read_both(tmp_path, tar, non, columns="score,-,-"))


@pytest.mark.parametrize(
    ("tar", "message"),
    [
        ("a b 0.5 1\nc d 0.25 1\n", "the scores could be in column 3 or in the last; choose"),
        ("0.5 12 13\n0.25 14 15\n", "the scores could be in column 1 or in the last; choose"),
        ("a b 57 1\nc d 58 1\n", "the scores could be in column 3 or in the last; choose"),
        ("a b\t0.5\nc d\t0.25\n", "separated by tab; or scores in the last column"),
        ("a b\nc d\n", "the columns look like text, text"),
        ("0.5\nnan\n" + "1.5\n" * 20, "line 2: the score is not a number"),
        ("", "holds no trials"),
    ],
)
def test_texts_of_one_class_that_are_not_clear(tmp_path: Path, tar: str, message: str) -> None:
    with pytest.raises(TrialFileError, match=message):
        read_both(tmp_path, tar, "-1.5\n-2.5\n")


def test_classes_of_different_kinds(tmp_path: Path) -> None:
    np.save(tmp_path / "tar.npy", TAR)
    np.savez(tmp_path / "tar.npz", scores=TAR)
    (tmp_path / "non.txt").write_text("".join(f"{score!r}\n" for score in NON.tolist()))
    frame = pl.DataFrame({"llr": TAR, "note": "x"})
    for source in (tmp_path / "tar.npy", tmp_path / "tar.npz", frame):
        assert_same(read_trials(source, nontargets=tmp_path / "non.txt"))


@pytest.mark.parametrize("in_pieces", [False, True])
def test_labels_are_given_in_one_way(in_pieces: bool) -> None:
    with pytest.raises(OptionError, match="give either key or nontargets"):
        open_trials("a.txt", "b.txt", nontargets="c.txt", in_pieces=in_pieces)


@pytest.mark.parametrize("in_pieces", [False, True])
def test_options_about_a_key_that_is_not_there(tmp_path: Path, in_pieces: bool) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a b 1.5 target\nc d 0.5 nontarget\n")
    trials = open_trials(path, in_pieces=in_pieces, missing="skip", key_columns="label=key")
    assert [note.on_command_line for note in trials.notes if note.code == "ignored"] == [
        "--key-columns is about a key; there is none",
        "--missing is about a key; there is none",
    ]


def test_options_about_text_for_something_else(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", tar=TAR, non=NON)
    trials = read_trials(tmp_path / "a.npz", separator="tab", header=False, decimal="comma")
    assert [note.text for note in trials.notes[1:]] == [
        f"{tmp_path / 'a.npz'}: {name} is about text files; this is none"
        for name in ("separator", "header", "decimal")
    ]


def test_a_file_whose_name_has_a_comma(tmp_path: Path) -> None:
    (tmp_path / "a,b").write_text("1.5 target\n0.5 nontarget\n")
    assert len(read_trials(str(tmp_path / "a,b"))) == 2
    assert len(read_trials(tmp_path / "a,b")) == 2


def test_a_class_without_trials(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a b 1.5 target\nc d 2.5 target\n")
    with pytest.raises(ScoreError, match=r"a\.txt: no non-target scores"):
        read_trials(path)
    path.write_text("a b 1.5 nontarget\nc d 2.5 spoof\n")
    with pytest.raises(ScoreError, match=r"a\.txt: no target scores"):
        read_trials(path, spoof="omit")


def test_trials_of_arrays() -> None:
    trials = Trials(TAR, NON)
    assert trials.source == "arrays"
    assert len(trials) == 7
    assert trials.scores.tolist() == [*TAR.tolist(), *NON.tolist()]
    assert trials.labels.tolist() == [True] * 3 + [False] * 4
    assert (trials.ids, trials.notes, trials.score_name) == (None, (), None)


@pytest.mark.parametrize("name", ["a.npz", "a.txt"])
def test_files_that_are_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(TrialFileError, match=r"No such file|not found"):
        read_trials(tmp_path / name)


def test_reading_a_file_does_not_load_the_evaluation(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1.5 target\n-0.5 nontarget\n")
    code = (
        "import sys, llrcal; llrcal.read_trials(sys.argv[1]);"
        "print([name for name in sys.modules if name.startswith('llrcal.evaluation')])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a.txt")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
