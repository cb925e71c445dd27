"""Tables with named columns, such as frames of polars and pandas."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import polars as pl

from llrcal.errors import TrialFileError
from llrcal.messages import Message, Position, Setting
from llrcal.trials.conventions import SPEAKERS, is_kept, is_wanted, kept_role
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.table import Table
from llrcal.trials.text.roles import ColumnSketch, could_be_ids, roles_by_name

SAMPLE = 1000
"""Rows that decide which column is which."""
FIRST = 2**15
"""Trials whose labels are likely to be those of all."""
# What polars raises if it cannot convert values; the second over invalid times, for example.
_UNFIT = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def is_frame(value: object) -> bool:
    """Whether a value is a table in memory, by Arrow's protocol for exchanging tables."""
    return isinstance(value, pl.LazyFrame) or hasattr(value, "__arrow_c_stream__")


def as_polars(value: Any) -> pl.DataFrame:
    """Any table as a polars frame, without a copy if possible."""
    if isinstance(value, pl.DataFrame):
        return value
    if isinstance(value, pl.LazyFrame):
        return value.collect()
    if any(name is not None for name in getattr(getattr(value, "index", None), "names", ())):
        value = value.reset_index()  # pandas: the index may hold ids, and polars would drop it
    try:
        return pl.DataFrame(value)
    except (pl.exceptions.PolarsError, TypeError, ValueError) as problem:
        raise TrialFileError(
            f"the frame: is not a table with named columns: {problem}"
        ) from problem


def roles_of(frame: pl.DataFrame, request: Request, source: str) -> tuple[str, ...]:
    """The role of each column of a table; an error if that is not clear."""
    if request.columns:
        request.check_columns(frame.width, source)
        return request.columns
    return roles_by_name(frame.columns, _sketches(frame, request), request, source)


def _sketches(frame: pl.DataFrame, request: Request) -> list[ColumnSketch]:
    words = frozenset(word for word, _ in request.label_of_word)
    return [_sketch(column, words) for column in frame.get_columns()]


def unnamed_ids(frame: pl.DataFrame, roles: tuple[str, ...], request: Request) -> tuple[str, ...]:
    """Columns with unknown names that may well hold ids."""
    return could_be_ids(frame.columns, roles, _sketches(frame, request))


def read_frame(frame: pl.DataFrame, request: Request, source: str) -> Table:
    """The trials of a table with named columns."""
    if not frame.height:
        raise TrialFileError(f"{source}: holds no trials")
    roles = roles_of(frame, request, source)
    wanted = {
        role: frame[name]
        for role, name in zip(roles, frame.columns, strict=True)
        if is_wanted(role)
    }
    out = {}
    for role, column in wanted.items():
        if not is_kept(role) and (role != "score" or request.on_nan == "error"):
            refuse_nulls(column, role, source)
        out[role] = _converted(column, role, request, source)
    chosen = ",".join(f"{role}={column.name}" for role, column in wanted.items())
    label = wanted.get("label")
    return Table(
        with_derived_columns(with_kept_columns(pl.DataFrame(out), frame.columns, roles, request)),
        source,
        f"columns by name ({chosen})",
        score_name=wanted["score"].name if "score" in wanted else None,
        forensic=label is not None and _sketch(label, frozenset()).forensic,
        unnamed=unnamed_ids(frame, roles, request),
    )


def _sketch(column: pl.Series, words: frozenset[str]) -> ColumnSketch:
    head = column.drop_nulls().head(SAMPLE)
    try:
        return ColumnSketch.of(head.cast(pl.String).to_list(), words)
    except _UNFIT:  # lists and the like: neither ids nor scores nor labels
        return ColumnSketch.of(["[]"], frozenset())


@contextmanager
def rows_counted_from(first: int) -> Iterator[None]:
    """Let errors about a part of a table name the row in the whole table."""
    try:
        yield
    except TrialFileError as problem:
        raise problem.moved(row=first) from problem


def refuse_nulls(column: pl.Series, role: str, source: str) -> None:
    """Raise a TrialFileError if values are missing."""
    if column.null_count():
        raise TrialFileError(
            f"{source}: column {column.name!r} has {column.null_count()} missing values, the "
            "first in ",
            Position("row", int(column.is_null().arg_max() or 0)),
            "; remove or repair them",
            *(TO_DROP_NAN if role == "score" else ()),
        )


def _converted(column: pl.Series, role: str, request: Request, source: str) -> pl.Series:
    if role == "score":
        return scores_in(column, request, source)
    if role == "label":
        return labels_in(column, request, source)
    return _text(column, role, source)


def _text(column: pl.Series, role: str, source: str) -> pl.Series:
    try:
        return column.cast(pl.String).rename(role)
    except _UNFIT as problem:
        raise TrialFileError(
            f"{source}: column {column.name!r} should be the {role}, but is of type {column.dtype}"
        ) from problem


def scores_in(column: pl.Series, request: Request, source: str) -> pl.Series:
    """A column as scores, all of which can be used."""
    if not column.dtype.is_numeric():
        raise TrialFileError(
            f"{source}: column {column.name!r} should be the score, but is of type {column.dtype}"
        )
    scores = column.cast(pl.Float64).rename("score").fill_null(math.nan)  # NaN as pandas has it
    values = scores.to_numpy()
    bad = request.unusable(values)
    if bad.any():
        row = int(np.argmax(bad))
        raise TrialFileError(
            f"{source}: column {column.name!r} has {int(bad.sum())} scores that are not finite; "
            f"the first is {values[row]} in ",
            Position("row", row),
            ". Remove or repair them",
            *(TO_DROP_NAN if np.isnan(values).any() else ()),
        )
    return scores


def labels_in(column: pl.Series, request: Request, source: str) -> pl.Series:
    """A column as labels, all of which are known."""
    words, name = _text(column, "label", source), column.name
    labels = as_labels(words, request, source)
    if labels.null_count():
        row = int(labels.is_null().arg_max() or 0)
        raise TrialFileError(
            f"{source}: column {name!r}, ", Position("row", row), ": ", *unknown_label(words[row])
        )
    return labels


def unknown_label(word: str) -> Message:
    """The complaint about a word that is not a label."""
    return (
        f"the label {word!r} is neither target nor non-target; if it is one of them, define it: ",
        Setting("labels", "TARGET,NONTARGET"),
    )


def with_derived_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with labels and models derived from the speakers, if it has none of its own."""
    if set(SPEAKERS) <= set(frame.columns):
        if "label" not in frame.columns:
            same = pl.col("enrol_speaker") == pl.col("test_speaker")
            frame = frame.with_columns(same.cast(pl.Int8).alias("label"))
        if "enrol" not in frame.columns:
            frame = frame.with_columns(pl.col("enrol_speaker").alias("enrol"))
    return frame


def with_kept_columns(
    frame: pl.DataFrame, names: Sequence[str], roles: Sequence[str], request: Request
) -> pl.DataFrame:
    """The frame with copies of those columns that are to be kept, but have a role as well."""
    copies = [
        frame[role].cast(pl.String).rename(kept_role(name))
        for name, role in zip(names, roles, strict=False)
        if name in request.keep and role in frame.columns and not is_kept(role)
    ]
    return frame.with_columns(copies)


def as_labels(words: pl.Series, request: Request, source: str) -> pl.Series:
    """Labels as numbers; null for a word that is not a label.

    Raises
    ------
    TrialFileError
        If there are both 0 and -1, which mean different things in a key of three numbers.
    """
    words = words.rename("label")
    meaning = dict(request.label_of_word)
    # Unless the user says otherwise, both are words for non-targets.
    are_same = "0" in meaning and meaning["0"] is meaning.get("-1")
    if are_same and all((words == number).any() for number in ("0", "-1")):
        raise TrialFileError(
            f"{source}: labels are 1, 0 and -1, where 0 may mean that there is no trial; leave the "
            "zeros out: ",
            Setting("labels", "1,-1,0"),
            " with ",
            Setting("spoof", "omit"),
        )
    # A file has two or three of these words, and mostly from the start: looking for all of them
    # would take five times as long.
    for some in (words.head(FIRST), words):
        used = some.unique()
        used = used.filter(used.is_in(list(meaning)))
        labels = labelled(words, used, [meaning[word] for word in used])
        if not labels.null_count():
            break
    return labels


def labelled(column: pl.Series, values: pl.Series, numbers: Iterable[int]) -> pl.Series:
    """The numbers that belong to values, in place of these; null in place of any other value."""
    labels = pl.lit(None, pl.Int8)
    for value, number in zip(values, numbers, strict=True):
        is_value = pl.col("label") == pl.lit(value, column.dtype)
        labels = pl.when(is_value).then(pl.lit(number, pl.Int8)).otherwise(labels)
    return column.to_frame("label").with_columns(labels.alias("label")).to_series()
