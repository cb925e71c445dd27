"""Scores of several systems: joined on ids, called by what distinguishes their files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from llrcal.errors import OptionError, TrialFileError
from llrcal.trials.request import ReadOptions
from llrcal.trials.systems import named_files, read_side_information, read_systems


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a.txt", "b.txt"], ["a", "b"]),
        (["cos-dev.txt", "plda-dev.txt.gz"], ["cos", "plda"]),
        (["x/eval_cos.txt", "y/eval_plda.txt"], ["cos", "plda"]),
        (["one=a.txt", "b.txt"], ["one", "b"]),
        (["sys.v1.txt", "sys.v2.txt"], ["v1", "v2"]),
        (["only.txt"], ["only"]),
    ],
)
def test_systems_are_called_by_what_distinguishes_their_files(
    files: list[str], names: list[str]
) -> None:
    assert list(named_files(files)) == names


def test_systems_that_are_known_are_found_by_their_words() -> None:
    files = ["eval-cos-v2.txt", "x/plda_sre.txt", "key.txt"]
    assert list(named_files(files, ["plda", "cos", "cos-v2"])) == ["cos-v2", "plda", "key"]
    assert list(named_files(["a-b.txt"], ["a", "b"])) == ["a-b"]


def test_two_systems_of_one_name_are_refused() -> None:
    with pytest.raises(OptionError, match="both systems would be called 'a'; name them: NAME="):
        named_files(["x/a.txt", "y/a.txt"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("m1 t1 1.5\nm2 t2 -0.5\nm3 t3 2.5\n")
    (tmp_path / "b.txt").write_text("m3 t3 30\nm1 t1 10\nm2 t2 20\n")
    (tmp_path / "c.txt").write_text("m2 t2 200\nm1 t1 100\n")
    (tmp_path / "key.txt").write_text("m2 t2 nontarget\nm1 t1 target\nm3 t3 target\n")
    return tmp_path


def test_files_are_joined_on_ids_in_any_order(folder: Path) -> None:
    sources = {name: (folder / f"{name}.txt", None) for name in "ab"}
    systems = read_systems(sources, folder / "key.txt", options=ReadOptions())
    assert systems.scores.tolist() == [[1.5, 10], [-0.5, 20], [2.5, 30]]
    tar, non = systems.split(systems.scores)
    assert (tar.tolist(), non.tolist()) == ([[1.5, 10], [2.5, 30]], [[-0.5, 20]])
    unlabelled = read_systems(sources, options=ReadOptions(), labelled=False)
    assert unlabelled.is_target is None
    assert (unlabelled.scores == systems.scores).all()


def test_missing_trials_are_named_skipped_or_kept(folder: Path) -> None:
    sources = {name: (folder / f"{name}.txt", None) for name in "ca"}
    with pytest.raises(TrialFileError, match=r"c: 1 trials have no .* \(m3 t3\).*missing='sk"):
        read_systems(sources, options=ReadOptions(), labelled=False)
    skipped = read_systems(sources, options=ReadOptions(missing="skip"), labelled=False)
    assert skipped.scores.tolist() == [[200, -0.5], [100, 1.5]]
    kept = read_systems(sources, folder / "key.txt", options=ReadOptions(), partial=True)
    expected = np.array([[200, -0.5], [100, 1.5], [np.nan, 2.5]])
    assert np.array_equal(kept.scores, expected, equal_nan=True)
    assert kept.is_target is not None
    assert kept.is_target.tolist() == [False, True, True]
    assert not [note for note in kept.notes if note.code == "missing"]


def test_trials_that_cannot_be_told_apart_are_not_matched(folder: Path) -> None:
    sources = {name: (folder / f"{name}.txt", None) for name in "ad"}
    (folder / "d.txt").write_text("m1 t1 1\nm1 t1 2\nm2 t2 3\nm3 t3 4\n")
    options = ReadOptions(duplicates="all")
    with pytest.raises(TrialFileError, match=r"d: enrol and test do not tell .*duplicates='first'"):
        read_systems(sources, options=options, labelled=False)
    options = ReadOptions(duplicates="first")
    systems = read_systems(sources, options=options, labelled=False)
    assert systems.scores.tolist() == [[1.5, 1], [-0.5, 3], [2.5, 4]]


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_columns_in_order_go_with_the_names_of_scores(folder: Path, kind: str) -> None:
    """The ids are not where common names are, which would be taken otherwise."""
    frame = pl.DataFrame(
        {
            "test": ["m1", "m2"],
            "enrol": ["t1", "t2"],
            "cos": [1.0, 2.0],
            "plda": [3.0, 4.0],
            "score": [1, 0],
            "line": ["a", "b"],
        }
    )
    source: object = frame
    if kind != "frame":
        source = str(folder / f"all.{kind}")
        (frame.write_csv if kind == "csv" else frame.write_parquet)(source)
    sources = {"plda": (source, "plda"), "cos": (source, "cos")}
    options = ReadOptions(columns="enrol,test,-,score,label,-", keep=["line"])
    systems = read_systems(sources, options=options)
    assert systems.scores.tolist() == [[3, 1], [4, 2]]
    assert systems.is_target is not None
    assert systems.is_target.tolist() == [True, False]
    assert systems.ids is not None
    assert systems.ids["enrol"].to_list() == ["m1", "m2"]
    assert systems.kept["line"].to_list() == ["a", "b"]
    with pytest.raises(TrialFileError, match="there is no column 'foo'"):
        read_systems({"foo": (source, "foo")}, options=options)
    with pytest.raises(TrialFileError, match="has 6 columns, but 3 were named"):
        read_systems(sources, options=ReadOptions(columns="enrol,test,label"))
    with pytest.raises(OptionError, match="scores gives names of columns, but the file has none"):
        read_systems(sources, options=ReadOptions(header=False))


def test_trials_with_a_score_that_is_nan_are_left_out_of_every_system(folder: Path) -> None:
    (folder / "b.txt").write_text("m3 t3 30\nm1 t1 nan\nm2 t2 20\n")
    sources = {name: (folder / f"{name}.txt", None) for name in "ab"}
    systems = read_systems(sources, folder / "key.txt", options=ReadOptions(on_nan="drop"))
    assert systems.scores.tolist() == [[-0.5, 20], [2.5, 30]]
    assert "1 of 3 trials left out" in str(systems.notes[-1])


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("\n\nm,1.5\nt,2\n", {"quality 1": [1.5, 2]}),
        ("# m 3.5\nm 1.5\n#t 9\nt 2\n", {"quality 1": [1.5, 2]}),
        ("\n# seconds\nid;dur\nm;1.5\n\nt;2\n", {"dur": [1.5, 2]}),
    ],
)
def test_blank_lines_and_comments_in_side_information(
    folder: Path, text: str, values: dict[str, list[float]]
) -> None:
    (folder / "side").write_text(text)
    found = read_side_information(str(folder / "side"), pl.DataFrame({"test": ["m", "t"]}))
    assert {name: column.tolist() for name, column in found.items()} == values


def test_lines_of_side_information_are_counted_as_in_the_file(folder: Path) -> None:
    (folder / "side").write_text("# seconds\n\nm 1\nt 1 2\n")
    with pytest.raises(TrialFileError, match="line 4 has 3 columns, and the first 2"):
        read_side_information(str(folder / "side"), pl.DataFrame({"test": ["m"]}))


def test_columns_of_one_table_with_conditions_and_holes() -> None:
    frame = pl.DataFrame(
        {
            "cos": [1.0, None, 3.0],
            "plda": [4.0, 5.0, 6.0],
            "y": [1, 0, 1],
            "line": ["a", "b, c", None],
        }
    )
    sources = {"cos": (frame, "cos"), "plda": (frame, "plda")}
    options = ReadOptions(columns="label=y", keep=["line"])
    systems = read_systems(sources, options=options, partial=True)
    expected = np.array([[1.0, 4.0], [np.nan, 5.0], [3.0, 6.0]])
    assert np.array_equal(systems.scores, expected, equal_nan=True)
    assert systems.kept["line"].to_list() == ["a", "b, c", None]
    with pytest.raises(TrialFileError, match="'cos' has 1 missing values"):
        read_systems(sources, options=replace(options, keep=[]))
    with pytest.raises(TrialFileError, match="a frame: there is no column 'foo'"):
        read_systems({"plda": sources["plda"]}, options=replace(options, keep=["foo"]))
