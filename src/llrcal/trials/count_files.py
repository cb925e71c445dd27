"""Tables of counted trials: columns ``score``, ``targets`` and ``nontargets``.

They are known by these names. A further column, ``without``, is 0 or empty for the counts of all
trials, and g for those without the g-th group of speakers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import LlrcalError, OptionError, TrialFileError
from llrcal.files.compression import output, plain_name
from llrcal.messages import Part, Position, Setting
from llrcal.notes import Note
from llrcal.trials.conventions import COUNTED, kept_role
from llrcal.trials.counts import Counts, as_counts
from llrcal.trials.leaving_out import left_out
from llrcal.trials.request import ReadOptions
from llrcal.trials.table import Table

_ENDINGS = ("csv", "parquet", "npz")


def counts_of(tables: Sequence[Table], key: Any | None, options: ReadOptions) -> Counts:
    """The counted trials of one or more tables, added up.

    Raises
    ------
    LlrcalError
        If something in them is no count, or something is asked that needs single trials.
    """
    name = tables[0].source if len(tables) == 1 else f"{len(tables)} files"
    given: dict[Part, Any] = {Setting("key"): key, Setting("nontargets"): options.nontargets}
    given["columns of conditions"] = options.keep or None
    for what, value in given.items():
        if value is not None:
            text = (
                f"{name}: holds counted trials, which have neither ids nor conditions; leave out "
            )
            raise OptionError(text, what)
    columns = [_columns(table) for table in tables]
    first, *others = (np.unique(part["without"]).tolist() for part in columns)
    for table, groups in zip(tables[1:], others, strict=True):
        if groups != first:
            raise TrialFileError(
                f"{table.source}: leaves out other groups of speakers than {tables[0].source} does"
            )
    if first[0] != 0:
        raise TrialFileError(f"{name}: has no counts of all trials, in rows whose without is 0")
    every = pl.concat(columns)
    is_nan, trials = every["score"].is_nan(), every.filter(pl.col("without") == 0)
    dropped, total = (
        int(some.select(pl.sum_horizontal(COUNTED)).sum().item() or 0)
        for some in (trials.filter(pl.col("score").is_nan()), trials)
    )

    def of(group: int) -> Counts:
        rows = every.filter(~is_nan & (pl.col("without") == group))
        return Counts(
            rows["score"].to_numpy(),
            rows["targets"].to_numpy(),
            rows["nontargets"].to_numpy(),
            source=name,
            score_name="score",
            allow_infinite=options.allow_infinite,
        )

    found = replace(of(0), without=tuple(map(of, first[1:])))
    notes = [Note.of("read", found.words).about(name), *left_out(name, dropped, total)]
    return replace(found, notes=tuple(notes))


def _columns(table: Table) -> pl.DataFrame:
    """The columns of a table of counts, as numbers."""
    frame = table.frame
    columns = {name: _whole(frame[kept_role(name)], name, table.source) for name in COUNTED}
    without = np.zeros(frame.height, np.int64)
    if table.has(kept_role("without")):
        text = frame[kept_role("without")].str.strip_chars().replace("", None).fill_null("0")
        without = _whole(text, "without", table.source)
    return pl.DataFrame({"score": frame["score"], **columns, "without": without})


def _whole(column: pl.Series, name: str, source: str) -> Array:
    """A column of text as whole numbers; an error about the first value that is none."""
    text = column.str.strip_chars()
    numbers = text.cast(pl.Int64, strict=False)
    if numbers.null_count():  # 2.0, and what is no whole number
        numbers = text.cast(pl.Float64, strict=False)
    if numbers.null_count():
        row = int(numbers.is_null().arg_max() or 0)
        raise TrialFileError(
            f"{source}: column {name!r} has {numbers.null_count()} values that are no numbers; "
            f"the first is {column[row]!r} in ",
            Position("row", row),
        )
    try:
        return as_counts(numbers.to_numpy(), name, len(numbers))
    except LlrcalError as problem:
        raise problem.within(source) from None


def write_counts(counts: Counts, path: str | PathLike[str]) -> None:
    """Write counts to CSV, Parquet or npz, as the extension says; see :meth:`Counts.save`."""
    name = fspath(path)
    ending = plain_name(name).rpartition(".")[2]
    if ending not in _ENDINGS:
        endings = ", ".join(f".{one}" for one in _ENDINGS)
        raise OptionError(f"{name}: counts are written to files that end in {endings}")
    sets = (counts, *counts.without)
    columns = {
        "score": np.concatenate([one.scores for one in sets]),
        "targets": np.concatenate([one.targets for one in sets]),
        "nontargets": np.concatenate([one.nontargets for one in sets]),
    }
    if counts.without:
        columns["without"] = np.repeat(np.arange(len(sets)), [len(one.scores) for one in sets])
    with output(name) as file:
        if ending == "npz":
            arrays: dict[str, Any] = {**columns, "scores": columns["score"]}
            del arrays["score"]
            np.savez(file, **arrays)
        elif ending == "parquet":
            pl.DataFrame(columns).write_parquet(file)
        else:
            pl.DataFrame(columns).write_csv(file)
