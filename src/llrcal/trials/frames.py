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


def roles_of(head: pl.DataFrame, request: Request, source: str) -> tuple[str, ...]:
    """The role of each column of a table; an error if that is not clear."""
    return _roles(head, _sketches(head, request), request, source)


def _roles(
    head: pl.DataFrame, sketches: list[ColumnSketch], request: Request, source: str
) -> tuple[str, ...]:
    if request.columns:
        request.check_columns(head.width, source)
        return request.columns
    return roles_by_name(head.columns, sketches, request, source)


def _sketches(frame: pl.DataFrame, request: Request) -> list[ColumnSketch]:
    words = frozenset(word for word, _ in request.label_of_word)
    return [_sketch(column, words) for column in frame.get_columns()]


def read_frame(frame: pl.DataFrame | pl.LazyFrame, request: Request, source: str) -> Table:
    """The trials of a table with named columns; those that are not needed are not read."""
    head = frame if isinstance(frame, pl.DataFrame) else collected(frame.head(SAMPLE), source)
    if not head.height:
        raise TrialFileError(f"{source}: holds no trials")
    sketches = _sketches(head, request)
    roles = _roles(head, sketches, request, source)
    named = {role: name for role, name in zip(roles, head.columns, strict=True) if is_wanted(role)}
    data = collected(frame.lazy().select(list(named.values())), source)
    out = {}
    for role, name in named.items():
        if not is_kept(role) and (role != "score" or request.on_nan == "error"):
            refuse_nulls(data[name], role, source)
        convert = {"score": scores_in, "label": labels_in}.get(role)
        column = data[name]
        out[role] = convert(column, request, source) if convert else _text(column, role, source)
    chosen = ",".join(f"{role}={name}" for role, name in named.items())
    return Table(
        with_derived_columns(with_kept_columns(pl.DataFrame(out), head.columns, roles, request)),
        source,
        f"columns by name ({chosen})",
        score_name=named.get("score"),
        forensic="label" in named and _sketch(data[named["label"]], frozenset()).forensic,
        unnamed=could_be_ids(head.columns, roles, sketches),
    )


def collected(scan: pl.LazyFrame, name: str) -> pl.DataFrame:
    """The rows of a lazy frame; errors of polars name the file."""
    with reading_errors(name):
        return scan.collect()


@contextmanager
def reading_errors(name: str) -> Iterator[None]:
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
