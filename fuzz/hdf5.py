"""Scores and keys as HDF5: what is read is read again after it was written."""

from __future__ import annotations

import polars as pl

from fuzz.harness import answer, as_file, free_place, require, same_numbers
from llrcal.trials.hdf5 import read_hdf5, write_hdf5
from llrcal.trials.reading import read_trials
from llrcal.trials.request import Contents, Request
from llrcal.trials.source import kind_of
from llrcal.trials.table import Table


def check(data: bytes) -> None:
    """Read a file, and write what it holds."""
    if kind_of(data) != "hdf5":
        return
    path = as_file(data)
    answer(read_trials, path)
    kinds: dict[Contents, str] = {"scores": "score", "key": "label"}
    for contents, name in kinds.items():
        request = Request(contents, allow_infinite=True)
        found = answer(read_hdf5, path, request)
        if found is None:
            continue
        part = found.frame.select("enrol", "test", name)
        if name == "label":
            part = part.cast({name: pl.Boolean})
        out = free_place()
        write_hdf5(out, part)
        _same(part, answer(read_hdf5, out, request))


def _same(frame: pl.DataFrame, found: Table | None) -> None:
    require(found is not None, "what was written is not read")
    if found is None:
        return
    order = ["enrol", "test"]
    before, after = frame.sort(order), found.frame.sort(order).cast({pl.Int8: pl.Boolean})
    for name in frame.columns:
        one, other = before[name], after[name]
        same = same_numbers(one, other) if name == "score" else one.equals(other)
        require(same, f"another {name} when written")
