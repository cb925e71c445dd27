"""One door: the same trials in memory, in pieces and on a cluster give the same answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import llrcal
from llrcal.errors import OptionError
from llrcal.scale import opening
from llrcal.scale.files import pieces_of
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials.request import Request
from tests.scale.sets import cut_small, numbers, table, trials

SCORES, IS_TARGET = trials(3000)


@pytest.fixture
def path(tmp_path: Path) -> str:
    table(SCORES, IS_TARGET).write_parquet(tmp_path / "a.parquet")
    return str(tmp_path / "a.parquet")


def test_wherever_trials_are_the_answers_are_the_same(path: str) -> None:
    dask_frames = pytest.importorskip("dask.dataframe")
    folder = str(Path(path).parent)
    frame = table(SCORES, IS_TARGET)
    ways: dict[str, Any] = {
        "memory": llrcal.open_trials(path),
        "pieces": llrcal.open_trials(path, in_pieces=True),
        "folder": llrcal.open_trials(folder),
        "list": llrcal.open_trials([path]),
        "frame": llrcal.open_trials(frame),
        "Dask": llrcal.open_trials(dask_frames.from_pandas(frame.to_pandas(), npartitions=3)),
    }
    assert [isinstance(one, TrialsInPieces) for one in ways.values()] == [0, 1, 1, 1, 0, 1]
    assert len({numbers(llrcal.evaluate(one)) for one in ways.values()}) == 1


def test_pieces_of_a_text_have_about_as_many_trials_as_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their bytes, wherever they begin."""
    table(SCORES, IS_TARGET).write_csv(tmp_path / "a.csv")
    cut_small(monkeypatch, 500)
    pieces = pieces_of([str(tmp_path / "a.csv")], Request("trials"))
    assert len(pieces) > 3
    for one in pieces:
        held = sum(len(side) for batch in one.batches() for side in (batch.tar, batch.non))
        assert one.rows == pytest.approx(held, rel=0.1)


def test_large_files_are_opened_in_pieces_unless_told_otherwise(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_LARGE", 100)
    assert isinstance(llrcal.open_trials(path), TrialsInPieces)
    assert isinstance(llrcal.open_trials(path, in_pieces=False), llrcal.Trials)
    assert isinstance(llrcal.open_trials(path, duplicates="first"), llrcal.Trials)
    with pytest.raises(OptionError, match=r"read the file whole \(in_pieces=False\)"):
        llrcal.evaluate(llrcal.open_trials(path)).threshold(pfa=0.1)
    with pytest.raises(OptionError, match=r"several files.*leave out in_pieces=False"):
        llrcal.open_trials([path], in_pieces=False)
    with pytest.raises(OptionError, match="a cluster reads in pieces; leave out in_pieces=False"):
        llrcal.open_trials(path, client=object(), in_pieces=False)


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        ("a.txt", {"keep": ["line"]}, "in pieces with columns of conditions"),
        ("a.txt", {"duplicates": "first"}, "in pieces with duplicates='first'"),
        ("-", {}, "standard input cannot be read in pieces"),
    ],
)
def test_what_cannot_be_read_in_pieces(source: str, options: Any, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        llrcal.open_trials(source, in_pieces=True, **options)
