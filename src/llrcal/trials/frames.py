"""Tables with named columns, such as frames of polars and pandas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import polars as pl

from llrcal.errors import TrialFileError
from llrcal.messages import Message, Part, Position, Setting
from llrcal.trials.conventions import SPEAKERS, is_kept, is_wanted, kept_role
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.table import Table
from llrcal.trials.text.roles import (
    ColumnSketch,
    are_hypotheses,
    could_be_ids,
    in_order,
    roles_by_name,
)

_WITHOUT_SPEAKERS: Message = (", or do without speakers: ", Setting("speakers_from", "none"))
SAMPLE = 1000
"""Rows that decide which column is which."""
_FIRST = 2**15  # trials whose labels are likely to be those of all
# What polars raises if it cannot convert values; the second over invalid times, for example.
_UNFIT = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
# What it raises over columns of pandas that it cannot take; the first if pyarrow is not installed.
_UNKNOWN = (ImportError, NotImplementedError, TypeError, ValueError, pl.exceptions.PolarsError)


def is_frame(value: object) -> bool:
    """Whether a value is a table in memory, by Arrow's protocol for exchanging tables."""
    return isinstance(value, pl.LazyFrame) or hasattr(value, "__arrow_c_stream__")


def as_polars(value: Any) -> pl.DataFrame:
    """Any table as a polars frame, without a copy if possible."""
    if isinstance(value, pl.DataFrame):
        return value
    if isinstance(value, pl.LazyFrame):
        return value.collect()
    try:
        if hasattr(value, "columns") and hasattr(value, "reset_index"):
            return _from_pandas(value)
        return pl.DataFrame(value)
    except _UNKNOWN as problem:
        raise TrialFileError(
            f"the frame: is not a table with named columns: {problem}"
        ) from problem


def _from_pandas(frame: Any) -> pl.DataFrame:
    """A frame of pandas, column by column: whole, polars would need pyarrow for any text in it."""
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()  # it may hold ids
    return pl.DataFrame([_column(str(name), column) for name, column in frame.items()])


def _column(name: str, column: Any) -> pl.Series:
    """A column of pandas; what polars does not know stays as it is, for it may be of no concern.

    Objects of several kinds become text: of dates among numbers, polars would make numbers.
    """
    if column.dtype == object and len({*map(type, column.dropna())}) > 1:
        column = column.map(str, na_action="ignore")
    with suppress(*_UNKNOWN):
        return pl.Series(name, column)
    values = column.to_numpy(dtype=object, na_value=None).tolist()
    with suppress(*_UNKNOWN):
        return pl.Series(name, values, strict=False)
    return pl.Series(name, values, dtype=pl.Object)


def roles_of(
    head: pl.DataFrame, request: Request, source: str
) -> tuple[tuple[str, ...], list[ColumnSketch]]:
    """The role of each column of a table, and what it looks like; an error if it is not clear."""
    words = frozenset(word for word, _ in request.label_of_word)
    sketches = [_sketch(column, words) for column in head.get_columns()]
    try:
        request = in_order(head.columns, request)
        if request.columns:
            request.check_columns(head.width)
            return request.columns, sketches
        return roles_by_name(head.columns, sketches, request), sketches
    except TrialFileError as problem:
        raise problem.within(source) from None


def read_frame(frame: pl.DataFrame | pl.LazyFrame, request: Request, source: str) -> Table:
    """The trials of a table with named columns; those that are not needed are not read."""
    head = frame if isinstance(frame, pl.DataFrame) else collected(frame.head(SAMPLE), source)
    if not head.height:
        raise TrialFileError(f"{source}: holds no trials")
    roles, sketches = roles_of(head, request, source)
    named = {role: name for role, name in zip(roles, head.columns, strict=True) if is_wanted(role)}
    data = collected(frame.lazy().select(list(named.values())), source)
    columns = [converted(data[name], role, request, source) for role, name in named.items()]
    chosen = ",".join(f"{role}={name}" for role, name in named.items())
    return Table(
        with_derived_columns(pl.DataFrame(columns), head.columns, roles, request),
        source,
        f"columns by name ({chosen})",
        score_name=named.get("score"),
        forensic=are_hypotheses(roles, sketches),
        unnamed=could_be_ids(head.columns, roles, sketches),
        others=tuple(name for name in head.columns if name not in named.values()),
    )


def collected(scan: pl.LazyFrame, name: str) -> pl.DataFrame:
    """The rows of a lazy frame; errors of polars name the file."""
    with polars_errors(name):
        return scan.collect()


@contextmanager
def polars_errors(name: str) -> Iterator[None]:
    """Turn errors of polars about a file into a TrialFileError."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        reason = str(problem).partition("\n")[0]
        if isinstance(problem, pl.exceptions.PanicException):  # whose text says nothing to a user
            reason = "its content contradicts its header"
        raise TrialFileError(
            f"{name}: cannot be read: {reason}; copy or write the file again"
        ) from problem


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


def converted(column: pl.Series, role: str, request: Request, source: str) -> pl.Series:
    """A column as what its role says; an error about the first value that is not."""
    if role == "score":
        return scores_in(column, request, source)
    if not is_kept(role):
        _refuse_nulls(column, source, *(_WITHOUT_SPEAKERS if role in SPEAKERS else ()))
    if role == "label":
        return labels_in(column, request, source)
    return _text(column, role, source)


def _refuse_nulls(column: pl.Series, source: str, *hint: Part, what: str = "missing") -> None:
    if column.null_count():
        raise TrialFileError(
            f"{source}: column {column.name!r} has {column.null_count()} {what} values, the "
            "first in ",
            Position("row", int(column.is_null().arg_max() or 0)),
            "; remove or repair them",
            *hint,
        )


def _text(column: pl.Series, role: str, source: str) -> pl.Series:
    try:
        return column.cast(pl.String).rename(role)
    except _UNFIT as problem:
        raise _unfit(column, role, source) from problem


def _unfit(column: pl.Series, role: str, source: str) -> TrialFileError:
    return TrialFileError(
        f"{source}: column {column.name!r} should be the {role}, but is of type {column.dtype}"
    )


def scores_in(column: pl.Series, request: Request, source: str) -> pl.Series:
    """A column as scores, all of which can be used; missing ones are NaN, if NaN can be."""
    if column.dtype == pl.String:
        texts, column = column, column.cast(pl.Float64, strict=False)
        if column.null_count() > texts.null_count():
            _refuse_nulls(column, source, what="non-numeric")
    if not column.dtype.is_numeric():
        raise _unfit(column, "score", source)
    if request.on_nan == "error":
        _refuse_nulls(column, source, *TO_DROP_NAN)
    scores = column.cast(pl.Float64).rename("score").fill_null(math.nan)
    values = scores.to_numpy()
    bad = request.unusable(values)
    if bad.any():
        row = int(np.argmax(bad))
        raise TrialFileError(
            f"{source}: column {column.name!r} has {int(bad.sum())} scores that are not finite; "
            f"the first is {values[row]} in ",
            Position("row", row),
            ". Remove or repair them",
            *(TO_DROP_NAN if np.isnan(values[row]) else ()),
        )
    return scores


def labels_in(column: pl.Series, request: Request, source: str) -> pl.Series:
    """A column as labels, all of which are known."""
    labels = as_labels(column, request, source)
    if labels.null_count():
        row = int(labels.is_null().arg_max() or 0)
        word = str(column.cast(pl.String)[row])
        raise TrialFileError(
            f"{source}: column {column.name!r}, ", Position("row", row), ": ", *unknown_label(word)
        )
    return labels


def unknown_label(word: str) -> Message:
    """The complaint about a word that is not a label."""
    return (
        f"the label {word!r} is neither target nor non-target; if it is one of them, define it: ",
        Setting("labels", "TARGET,NONTARGET"),
    )


def with_derived_columns(
    frame: pl.DataFrame, names: Sequence[str], roles: Sequence[str], request: Request
) -> pl.DataFrame:
    """The frame with copies of columns that are to be kept, but have a role as well.

    Labels and models are derived from the speakers, if the frame has none of its own.
    """
    if request.keep:
        frame = frame.with_columns(
            frame[role].cast(pl.String).rename(kept_role(name))
            for name, role in zip(names, roles, strict=False)
            if name in request.keep and role in frame.columns and not is_kept(role)
        )
    if {*SPEAKERS} <= {*frame.columns}:
        if "label" not in frame.columns:
            same = pl.col("enrol_speaker") == pl.col("test_speaker")
            frame = frame.with_columns(same.cast(pl.Int8).alias("label"))
        if "enrol" not in frame.columns:
            frame = frame.with_columns(pl.col("enrol_speaker").alias("enrol"))
    return frame


def as_labels(column: pl.Series, request: Request, source: str) -> pl.Series:
    """Labels as numbers; null for a word that is not a label.

    Raises
    ------
    TrialFileError
        If there are both 0 and -1, which mean different things in a key of three numbers.
    """
    meaning = dict(request.label_of_word)
    # A file has two or three of these words, and mostly from the start: looking for all of them
    # would take five times as long.
    for some in (column.head(_FIRST), column):
        try:
            values = some.unique()
            words = values.cast(pl.String).to_list()
        except _UNFIT as problem:
            raise _unfit(column, "label", source) from problem
        labels = pl.lit(None, pl.Int8)
        for value, word in zip(values, words, strict=True):
            if word in meaning:
                is_value = pl.first() == pl.lit(value, column.dtype)
                labels = pl.when(is_value).then(pl.lit(meaning[word], pl.Int8)).otherwise(labels)
        out = column.to_frame().with_columns(labels.alias("label"))["label"]
        if not out.null_count():
            break
    # Unless the user says otherwise, both are words for non-targets.
    if {"0", "-1"} <= {*words} & {*meaning} and meaning["0"] is meaning["-1"]:
        raise TrialFileError(
            f"{source}: labels are 1, 0 and -1, where 0 may mean that there is no trial; leave the "
            "zeros out: ",
            Setting("labels", "1,-1,0"),
            " with ",
            Setting("spoof", "omit"),
        )
    return out
