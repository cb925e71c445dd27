"""Scores and keys as HDF5: what is read is read again after it was written."""

from __future__ import annotations

import polars as pl

from fuzz.harness import answer, as_file, folder, require, same_numbers
from llrcal.trials.hdf5 import read_hdf5, write_hdf5_key, write_hdf5_scores
from llrcal.trials.reading import read_trials
from llrcal.trials.request import Request
from llrcal.trials.source import kind_of


def check(data: bytes) -> None:
    """Read a file, and write what it holds."""
    if kind_of(data) != "hdf5":
        return
    path, out = as_file(data), str(folder() / "out")
    answer(read_trials, path)
    request = Request("scores", allow_infinite=True)
    found = answer(read_hdf5, path, request)
    if found is None:
        return
    frame = found[0]
    for name, write in (("score", write_hdf5_scores), ("label", write_hdf5_key)):
        if name in frame.columns:
            part = frame.select("enrol", "test", name)
            write(out, part)
            written = answer(read_hdf5, out, request)
            order = ["enrol", "test"]
            again = None if written is None else (written[0].sort(order), written[1])
            _same(part.sort(order), again)


def _same(frame: pl.DataFrame, found: tuple[pl.DataFrame, str] | None) -> None:
    require(found is not None, "what was written is not read")
    if found is None:
        return
    for name in frame.columns:
        one, other = frame[name], found[0][name]
        same = same_numbers(one, other) if name == "score" else one.equals(other)
        require(same, f"another {name} when written")
