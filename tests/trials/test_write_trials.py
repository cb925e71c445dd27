"""Trials that are written to a table and read again are the same trials."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import llrcal
from llrcal.arrays import Array
from llrcal.errors import TrialFileError

FRAME = pl.DataFrame(
    {
        "enrol": ["m, 1", "m2", '"m3"', "m4", "m5"],
        "test": ["a", "b", "c", "d", "ä"],
        "score": [0.1 + 0.2, -1e-300, 5.0, 1e17, -2.5],
        "label": ["nontarget", "target", "target", "nontarget", "target"],
        "enrol_speaker": ["ann", "bob", "cy", "ann", "dan"],
        "test_speaker": ["bob", "bob", "cy", "dan", "dan"],
        "line": ["mic", "phone", "mic", "", "phone"],
    }
)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.csv.gz"])
def test_what_is_read_again_is_the_same(tmp_path: Path, name: str) -> None:
    trials = llrcal.read_trials(FRAME, keep=["line"]).mapped(_with_infinite)
    llrcal.write_trials(trials, tmp_path / name)
    again = llrcal.read_trials(tmp_path / name, keep=["line"], allow_infinite=True)
    for field in ("tar", "non", "tar_speakers", "non_speakers", "speaker_names", "labels"):
        assert np.array_equal(getattr(again, field), getattr(trials, field)), field
    assert again.scores.tolist() == trials.scores.tolist()
    assert again.ids is not None
    assert trials.ids is not None
    assert again.ids.equals(trials.ids)
    assert again.kept is not None
    assert again.kept.fill_null("")["line"].to_list() == FRAME["line"].to_list()


def _with_infinite(scores: Array) -> Array:
    return np.where(scores == 1e17, np.inf, scores)


def test_arrays_without_ids(tmp_path: Path) -> None:
    trials = llrcal.Trials([2.0, 1.5], [0.25])  # type: ignore[arg-type]
    llrcal.write_trials(trials, tmp_path / "t.csv")
    assert (
        tmp_path / "t.csv"
    ).read_text() == "score,label\n2.0,target\n1.5,target\n0.25,nontarget\n"


def test_columns_that_a_text_cannot_hold(tmp_path: Path) -> None:
    for text, refused in (("a\tb", ["tsv"]), ("a\nb", ["tsv", "csv"]), ("a b", [])):
        frame = pl.DataFrame({"score": [1.5, -0.5], "label": [1, 0], "line": [text, None]})
        trials = llrcal.read_trials(frame, keep=["line"])
        for kind in ("tsv", "csv", "parquet"):
            path = tmp_path / f"t.{kind}"
            if kind in refused:
                with pytest.raises(TrialFileError, match="has tabs or line ends, which"):
                    llrcal.write_trials(trials, path)
                continue
            llrcal.write_trials(trials, path)
            again = llrcal.read_trials(path, keep=["line"]).kept
            path.unlink()
            assert again is not None
            assert again["line"][0] == text


def test_what_cannot_be_written(tmp_path: Path) -> None:
    trials = llrcal.read_trials(FRAME)
    with pytest.raises(llrcal.OptionError, match=r"t\.txt: trials are written to a table: name it"):
        llrcal.write_trials(trials, tmp_path / "t.txt")
    with pytest.raises(llrcal.OptionError, match="is not a folder"):
        llrcal.write_trials(trials, tmp_path / "nowhere" / "t.csv")
    ids = FRAME.with_columns(enrol=pl.lit("a\tb"))
    with pytest.raises(llrcal.TrialFileError, match="cannot hold the id 'a\\\\tb'"):
        llrcal.write_trials(llrcal.read_trials(ids), tmp_path / "t.tsv")
    assert not [*tmp_path.iterdir()]
