"""Trials written in every format, and read again: the same, or refused before a byte is written."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llrcal.errors import OptionError, TrialFileError
from llrcal.inputs.labels import Label
from llrcal.notes import Note
from llrcal.trials.conventions import NAMES
from llrcal.trials.request import ReadOptions
from llrcal.trials.table import Table
from llrcal.trials.table_reading import read_table
from llrcal.trials.writing import FORMATS, Prepared, format_of, notes_on, prepared
from tests.examples import examples

# Which of the columns of TRIALS each format holds: those of the scores, and those of its key.
HELD = {
    "kaldi": ("enrol test score", "enrol test label"),
    "wespeaker": ("enrol test score label", None),
    "speechbrain": ("enrol test score label", None),
    "voxceleb": ("enrol test score label", "enrol test label"),
    "nist": ("enrol test side score", "enrol test side label"),
    "asvspoof2019": (None, None),  # says how recordings were made, which nothing else does
    "asvspoof2021": ("test score", None),
    "bob4": ("enrol_speaker test_speaker test score label", None),
    "bob5": ("enrol_speaker enrol test_speaker test score label", None),
    "scores": ("score", None),
    "labels": ("label", "label"),
    "score-label": ("score label", None),
    "label-score": ("score label", None),
    "key": ("test label", "test label"),
    "recordings": ("test score label", None),
    "csv": ("enrol test side score label enrol_speaker test_speaker",
            "enrol test side label enrol_speaker test_speaker"),
    "tsv": ("enrol test side score label enrol_speaker test_speaker",
            "enrol test side label enrol_speaker test_speaker"),
    "nist-tsv": ("enrol test side score label enrol_speaker test_speaker",
                 "enrol test side label enrol_speaker test_speaker"),
    "parquet": ("enrol test side score label enrol_speaker test_speaker",
                "enrol test side label enrol_speaker test_speaker"),
    "npz": ("score label", "label"),
    "hdf5": ("enrol test score", "enrol test label"),
}  # fmt: skip
BINARY = ("parquet", "npz", "hdf5")
TRIALS = pl.DataFrame(
    {
        "enrol": ["m1", "m1", "m2", "m2", "m3"],
        "test": ["t1", "t2", "t3", "t4", "t5"],
        "side": ["a", "b", "a", "a", "b"],
        "score": [0.1 + 0.2, -1 / 3, 5e-324, -1.7976931348623157e308, math.inf],
        "label": pl.Series([1, 0, 1, 0, 0], dtype=pl.Int8),
        "enrol_speaker": ["s1", "s1", "s2", "s2", "s3"],
        "test_speaker": ["s1", "s2", "s2", "s1", "s1"],
    }
)


def table(frame: pl.DataFrame) -> Table:
    return Table(frame, "made up", "by hand")


def read(path: Path, to: str, contents: Any) -> pl.DataFrame:
    convention: Any = to if to in NAMES else None
    return read_table(
        path, ReadOptions(convention=convention, allow_infinite=True).request(contents)
    ).frame


def rows(frame: pl.DataFrame, roles: Iterable[str]) -> list[tuple[object, ...]]:
    """Trials in an order of their own, for a matrix has none."""
    chosen = frame.select(roles)
    return sorted(chosen.rows(), key=repr)


def written(frame: pl.DataFrame, path: Path, to: str, *, key: bool = False) -> Prepared:
    file = prepared(table(frame), to=to, key=key)
    file.write(str(path))
    return file


def test_every_format_is_tried() -> None:
    assert list(HELD) == list(FORMATS)


@pytest.mark.parametrize("key", [False, True])
@pytest.mark.parametrize("to", FORMATS)
def test_what_is_held_is_read_again_and_the_rest_is_said(
    tmp_path: Path, to: str, key: bool
) -> None:
    held = HELD[to][key]
    path = tmp_path / "file"
    if held is None:
        with pytest.raises(TrialFileError, match=f"format {to} (needs|has no file for labels)"):
            written(TRIALS, path, to, key=key)
        assert not path.exists()
        return
    file = written(TRIALS, path, to, key=key)
    roles = held.split()
    if to == "npz":
        with np.load(path) as arrays:
            assert sorted(arrays.files) == sorted(f"{role}s" for role in roles)
            for role in roles:
                assert arrays[f"{role}s"].tolist() == TRIALS[role].to_list()
    else:
        is_key = key or "score" not in roles
        after = read(path, to, "key" if is_key else "trials" if "label" in roles else "scores")
        assert rows(after, roles) == rows(TRIALS, roles)
    left_out = set(TRIALS.columns) - set(roles) - ({"score"} if key else set())
    assert set(file.left_out) == left_out


def test_labels_in_words_and_numbers(tmp_path: Path) -> None:
    spoken = TRIALS.with_columns(label=pl.Series([1, 0, 2, 0, 0], dtype=pl.Int8))
    for to in ("kaldi", "nist", "key", "csv", "tsv", "nist-tsv", "parquet"):
        written(spoken, tmp_path / to, to, key=True)
        after = read(tmp_path / to, to, "key")
        assert after["label"].to_list() == [1, 0, 2, 0, 0]
    assert (tmp_path / "kaldi").read_text().split("\n")[:3] == [
        "m1 t1 target", "m1 t2 nontarget", "m2 t3 spoof"
    ]  # fmt: skip
    written(TRIALS, tmp_path / "voxceleb", "voxceleb", key=True)
    assert (tmp_path / "voxceleb").read_text().split("\n")[:2] == ["1 m1 t1", "0 m1 t2"]


@pytest.mark.parametrize(
    "to", ["speechbrain", "voxceleb", "labels", "score-label", "label-score", "npz", "hdf5"]
)
def test_spoof_trials_are_not_made_into_something_else(tmp_path: Path, to: str) -> None:
    spoken = TRIALS.with_columns(pl.lit(Label.SPOOF.value, pl.Int8).alias("label"))
    keys = [True, False] if to != "hdf5" else [True]
    for key in keys:
        with pytest.raises(TrialFileError, match=r"no word for spoof trials|no file for labels"):
            written(spoken, tmp_path / "out", to, key=key)
    assert not any(tmp_path.iterdir())


def test_labels_that_do_not_follow_from_the_speakers(tmp_path: Path) -> None:
    swapped = TRIALS.with_columns(label=1 - pl.col("label"))
    for to in ("bob4", "bob5"):
        with pytest.raises(TrialFileError, match="have other labels"):
            written(swapped, tmp_path / "out", to)


# ------------------------------------------------------------------------------ ids of any kind

ANY_TEXT = st.text(
    st.sampled_from("ab,;\t \"'#\r\n\0\ufeff\u00a0\u2028\x1f\x85\u6f22")
    | st.characters(codec="utf-8"),
    max_size=5,
)
ORDINARY = ANY_TEXT.map("v{}w".format)


@st.composite
def frames(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> pl.DataFrame:
    ids = draw(st.lists(st.tuples(texts, texts), min_size=1, max_size=4, unique=True))
    count = len(ids)
    scores = st.lists(
        st.floats(allow_nan=False, allow_infinity=False), min_size=count, max_size=count
    )
    labels = st.lists(st.integers(0, 1), min_size=count, max_size=count)
    return pl.DataFrame(
        {
            "enrol": [enrol for enrol, _ in ids],
            "test": [test for _, test in ids],
            "score": draw(scores),
            "label": pl.Series(draw(labels), dtype=pl.Int8),
        }
    )


WITH_IDS = ("kaldi", "wespeaker", "speechbrain", "voxceleb", "csv", "tsv", "nist-tsv", "parquet")


def written_and_read(frame: pl.DataFrame, path: Path, to: str) -> pl.DataFrame | None:
    """The trials again, or None if the format refused them."""
    path.unlink(missing_ok=True)
    try:
        written(frame, path, to)
    except TrialFileError:
        assert not path.exists()
        return None
    return read(path, to, "scores")


@pytest.mark.slow
@examples(150)
@given(frame=frames(ORDINARY), to=st.sampled_from(WITH_IDS))
def test_ids_are_kept_or_refused(
    tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame, to: str
) -> None:
    after = written_and_read(frame, tmp_path_factory.getbasetemp() / "kept", to)
    letters = set("".join(frame["enrol"] + frame["test"]))
    blanks = {letter for letter in letters if letter.isspace()}
    unfit = {"csv": {"\r", "\n"}, "parquet": set()}.get(
        to, {"\t", "\r", "\n"} if "tsv" in to else blanks
    )
    refused = bool(letters & (unfit | {"\0"})) and to != "parquet"
    assert (after is None) is refused
    if after is not None:
        assert rows(after, ("enrol", "test", "score")) == rows(frame, ("enrol", "test", "score"))


@pytest.mark.slow
@examples(150)
@given(frame=frames(ANY_TEXT), to=st.sampled_from(WITH_IDS))
def test_ids_are_never_read_as_others(
    tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame, to: str
) -> None:
    """Ids that look like numbers, labels or nothing at all: some formats cannot tell."""
    try:
        after = written_and_read(frame, tmp_path_factory.getbasetemp() / "others", to)
    except TrialFileError:
        return
    if after is not None:
        assert rows(after, ("enrol", "test", "score")) == rows(frame, ("enrol", "test", "score"))


@pytest.mark.parametrize(
    ("to", "unfit"),
    [
        ("kaldi", "a b"), ("kaldi", "a\tb"), ("kaldi", ""), ("kaldi", "#a"), ("kaldi", "\ufeffa"),
        ("wespeaker", "a\u00a0b"), ("tsv", "a\tb"), ("tsv", " a"), ("tsv", ""), ("nist-tsv", "a\n"),
        ("csv", "a\nb"), ("csv", "#a"), ("csv", "a "), ("csv", ""), ("csv", "a\0"),
    ],
)  # fmt: skip
def test_unfit_ids_are_shown(tmp_path: Path, to: str, unfit: str) -> None:
    frame = TRIALS.with_columns(pl.Series("enrol", ["m1", "m1", unfit, "m2", "m3"]))
    with pytest.raises(TrialFileError) as caught:
        written(frame, tmp_path / "out", to)
    assert f"format {to} cannot hold the id {unfit!r}" in str(caught.value)
    assert not any(tmp_path.iterdir())


# ------------------------------------------------------------------------------------ the rest


@pytest.mark.parametrize(
    ("name", "to"),
    [
        ("a.csv", "csv"), ("a.b.tsv.gz", "tsv"), ("x/a.parquet", "parquet"), ("a.npz", "npz"),
        ("a.h5", "hdf5"), ("a.hdf5", "hdf5"), ("a.csv.zst", "csv"), ("a.csv.zstd", "csv"),
    ],
)  # fmt: skip
def test_the_ending_says_the_format(name: str, to: str) -> None:
    assert format_of(name) == to


@pytest.mark.parametrize("name", ["a.txt", "a", "-", "a.gz", "csv/a"])
def test_an_ending_that_says_nothing(name: str) -> None:
    with pytest.raises(OptionError, match="the extension does not tell the format; choose"):
        format_of(name)


def test_a_format_that_does_not_exist() -> None:
    with pytest.raises(OptionError, match="there is no format 'htk'; choose one of kaldi"):
        prepared(table(TRIALS), to="htk")


def test_what_a_table_needs() -> None:
    with pytest.raises(TrialFileError, match="has no score, which format csv needs"):
        prepared(table(TRIALS.drop("score")), to="csv")


def test_what_is_said_of_what_was_left_out() -> None:
    assert notes_on(()) == []
    labels = notes_on(("label",))
    assert [note.on_command_line for note in labels] == ["labels are not in it; add --key-out"]
    assert notes_on(("side", "enrol_speaker", "test_speaker", "label")) == [
        Note.of("not written", "sides and speakers are not in it"),
        *labels,
    ]


def test_hdf5_has_to_be_a_plain_file(tmp_path: Path) -> None:
    file = prepared(table(TRIALS), to="hdf5")
    file.check_place(str(tmp_path / "a.h5"))
    for name in ("-", str(tmp_path / "a.h5.gz")):
        with pytest.raises(OptionError, match="only be written to a plain file"):
            file.check_place(name)
