"""Arrays on disk, alone, in pairs and in archives: nothing is taken that numpy does not find."""

from __future__ import annotations

import numpy as np

from fuzz.harness import answer, as_file, free_place, require, same_numbers
from llrcal.trials.reading import read_trials
from llrcal.trials.request import Request
from llrcal.trials.rewriting import rewrite
from llrcal.trials.source import kind_of
from llrcal.trials.table_reading import read_table


def check(data: bytes) -> None:
    """Read an array or an archive as whatever it could be."""
    if kind_of(data) not in ("npy", "npz"):
        return
    path = as_file(data)
    table = answer(read_table, path, Request("scores"))
    if table is not None and kind_of(data) == "npy":
        require(same_numbers(table.frame["score"], np.load(path)), "other scores than numpy's")
    answer(read_table, path, Request("key"))
    answer(read_trials, path)
    answer(read_trials, path, labels="Yes,No")
    answer(read_trials, f"{path},{path}")
    answer(read_trials, path, path)
    answer(rewrite, path, free_place(), lambda scores: {"llr": scores}, Request("scores"))
