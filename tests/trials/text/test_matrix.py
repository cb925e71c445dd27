"""A matrix of scores as text: a trial for each of its cells."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from llrcal import LlrcalError, TrialFileError, Trials, read_trials
from tests.trials.files import PACKED, matrix

MATRIX = ",a,b,c\na,1.5,2,3\nb,4,5.5,-6e-1\n"
IDS = [("a", "a"), ("a", "b"), ("a", "c"), ("b", "a"), ("b", "b"), ("b", "c")]
SCORES = [1.5, 2, 3, 4, 5.5, -0.6]


def read(folder: Path, content: str | bytes, **options: str | bool) -> Trials:
    path = folder / "m.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_trials(path, **options)  # type: ignore[arg-type]


def assert_matrix(trials: Trials) -> None:
    assert trials.scores.tolist() == SCORES
    assert trials.labels.tolist() == [model == recording for model, recording in IDS]
    assert trials.ids is not None
    assert trials.ids.columns == ["enrol", "test"]
    assert trials.ids.rows() == IDS


@pytest.mark.parametrize("packed", PACKED.values(), ids=PACKED)
def test_row_by_row(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    trials = read(tmp_path, packed(MATRIX.encode()))
    assert_matrix(trials)
    assert "a matrix of scores with ids (2 x 3), targets where both ids" in trials.notes[0].text


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace(",", ";"),
        lambda text: text.replace(",", ", "),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: "# scores\n\n" + text,
        lambda text: text.replace("\n", "\n\n") + "\n",
        lambda text: text.removesuffix("\n"),
        lambda text: text.replace("a", '"a"').replace("4", '"4"'),
    ],
)
def test_forms_that_do_no_harm(tmp_path: Path, change: Callable[[str], str]) -> None:
    assert_matrix(read(tmp_path, change(MATRIX)))


def test_a_corner_with_a_name(tmp_path: Path) -> None:
    with pytest.raises(TrialFileError, match="the columns look like"):
        read(tmp_path, "models" + MATRIX)
    assert_matrix(read(tmp_path, "models" + MATRIX, convention="matrix"))


def test_a_key_for_a_matrix(tmp_path: Path) -> None:
    key = tmp_path / "key.txt"
    key.write_text("".join(f"{m} {t} {'target' if t == 'c' else 'imp'}\n" for m, t in IDS[::-1]))
    trials = read(tmp_path, MATRIX, key=str(key))
    assert trials.scores.tolist() == SCORES
    assert trials.labels.tolist() == [recording == "c" for _, recording in IDS]
    key.write_text("a a target\nb c nontarget\n")
    with pytest.raises(TrialFileError, match=r"4 scores of .* are not in the key"):
        read(tmp_path, MATRIX, key=str(key))
    assert read(tmp_path, MATRIX, key=str(key), unknown="skip").scores.tolist() == [1.5, -0.6]


def test_names_with_separators(tmp_path: Path) -> None:
    trials = read(tmp_path, ',"a,1","b ""2"""\n"a,1",1,2\nc,3,4\n')
    assert trials.ids is not None
    assert trials.ids.rows() == [("a,1", "a,1"), ("a,1", 'b "2"'), ("c", "a,1"), ("c", 'b "2"')]


def test_names_that_look_like_something_else(tmp_path: Path) -> None:
    trials = read(tmp_path, ",1,y,nan,#\n1,1.5,2.5,3.5,4.5\ny,1,2,3,4\n#,5,6,7,8\n")
    assert trials.ids is not None
    assert trials.ids["enrol"].unique(maintain_order=True).to_list() == ["1", "y", "#"]
    assert trials.ids["test"].to_list()[:4] == ["1", "y", "nan", "#"]
    assert trials.tar.tolist() == [1.5, 2, 8]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (MATRIX + "c,1,2\n", "line 4: has 3 columns where most have 4"),
        (MATRIX + "c,1,2,3,4\n", "line 4: has 5 columns where most have 4"),
        (MATRIX.replace("5.5", "nan"), "the score of b against b is 'nan', which cannot be used"),
        (MATRIX.replace("5.5", "1e400"), "the score of b against b is '1e400'"),
        (MATRIX.replace("5.5", "x"), "the columns look like"),
        (MATRIX.replace("5.5", ""), "the columns look like"),
        (MATRIX + ",7,8,9\n", "a row or a column of the matrix has no name"),
        (MATRIX.replace(",b,", ",,", 1), "a row or a column of the matrix has no name"),
        (MATRIX + "a,7,8,9\n", r"3 repeated trials, such as \(a a\), \(a b\), \(a c\); choose"),
        (MATRIX.replace("a,b,c", "a,b,b", 1), r"2 repeated trials, such as \(a b\), \(b b\)"),
        (MATRIX.replace(",a,b,c", ",u,v,w"), "no model has the name of a recording"),
        (",a,b,c\n", "the columns look like|only a header"),
    ],
)
def test_matrices_with_faults(tmp_path: Path, changed: str, message: str) -> None:
    with pytest.raises(TrialFileError, match=message):
        read(tmp_path, changed)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("z,1,x,3", "the score of z against b is 'x', which cannot be used"),
        ("z,1,,3", "the score of z against b is None, which cannot be used"),
        ("z,1,1_0,3", "the score of z against b is '1_0'"),
        ("z,1,2", "the score of z against c is None"),
        ("z,1,2,3,4", "the rows of the matrix have different lengths"),
        ("z,1,2\0,3", "holds a NUL byte"),
        ("# a comment", "the score of # a comment against a is None"),
    ],
)
def test_faults_deep_in_a_matrix(tmp_path: Path, row: str, message: str) -> None:
    rows = [",a,b,c", *(f"m{i:0150d},{i},{i}.5,3" for i in range(1, 2000)), row, "a,1,2,3"]
    with pytest.raises(TrialFileError, match=message):
        read(tmp_path, "\n".join(rows) + "\n")


def test_infinite_llrs_in_a_matrix(tmp_path: Path) -> None:
    changed = MATRIX.replace("5.5", "inf")
    assert read(tmp_path, changed, allow_infinite=True).scores.tolist()[4] == np.inf
    with pytest.raises(LlrcalError):
        read(tmp_path, changed)


@pytest.mark.slow
def test_a_matrix_wider_than_what_is_looked_at_first(tmp_path: Path) -> None:
    """Its header alone is a quarter of a megabyte, and it must not pass for the whole file."""
    names = [f"{i * 0x9E3779B97F4A7C15 % 2**64:064x}" for i in range(3900)]
    trials = read(tmp_path, matrix(names[:5], names, iter(count(0.5))))
    assert len(trials) == 5 * 3900
    assert trials.scores.tolist() == [i + 0.5 for i in range(5 * 3900)]
    assert trials.tar.tolist() == [i * 3901 + 0.5 for i in range(5)]
