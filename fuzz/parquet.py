"""Tables in Parquet and Arrow files: what is read must be there when read again as a frame."""

from __future__ import annotations

from typing import get_args

import numpy as np

from fuzz.harness import answer, as_file, free_place, require, same_numbers
from llrcal.trials.reading import read_trials
from llrcal.trials.request import Contents, Request
from llrcal.trials.rewriting import rewrite
from llrcal.trials.source import kind_of
from llrcal.trials.table_reading import read_table


def check(data: bytes) -> None:
    """Read a table as whatever it could be, and rewrite it."""
    if kind_of(data) not in ("parquet", "arrow"):
        return
    path, out = as_file(data), free_place()
    for contents in get_args(Contents):
        answer(read_table, path, Request(contents))
    answer(read_trials, path, spoof="nontarget", duplicates="first")
    table = answer(read_table, path, Request("scores"))
    done = answer(rewrite, path, out, lambda scores: {"llr": scores + 0.0}, Request("scores"))
    if done is not None and table is not None:
        again = answer(read_table, out, Request("scores"))
        scores = np.asarray(table.frame["score"]) + 0.0
        require(again is not None and same_numbers(scores, again.frame["score"]), "other scores")
