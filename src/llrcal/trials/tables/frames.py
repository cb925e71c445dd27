"""Tables with named columns, such as frames of polars and pandas."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import polars as pl

from llrcal.errors import TrialFileError
from llrcal.trials.conventions import IDS, SPEAKERS
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.table import Table
from llrcal.trials.text.column_kinds import Look
from llrcal.trials.text.naming import could_be_ids, roles_by_name
from llrcal.trials.text.parsing import as_labels, with_derived_columns

SAMPLE = 1000
"""Rows that are looked at to tell columns apart."""
WANTED = {*IDS, *SPEAKERS, "score", "label"}
"""Roles of the columns that are read."""
_ROW = re.compile(r"(?<=\brow )\d+")
# What polars raises where it cannot do something; the second over times that are none, for one.
_UNFIT = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def is_frame(value: object) -> bool:
    """Whether a value is a table in memory, by the protocol that tables are exchanged by."""
    return isinstance(value, pl.LazyFrame) or hasattr(value, "__arrow_c_stream__")


def as_polars(value: Any) -> pl.DataFrame:
    """A polars frame of any table, without a copy where that can be.

    Raises
    ------
    TrialFileError
        If it has no columns, or two of the same name.
    """
    if isinstance(value, pl.DataFrame):
        return value
    if isinstance(value, pl.LazyFrame):
        return value.collect()
    if any(name is not None for name in getattr(getattr(value, "index", None), "names", ())):
        value = value.reset_index()  # pandas: ids may be there, and polars would drop them
    try:
        return pl.DataFrame(value)
    except (pl.exceptions.PolarsError, TypeError, ValueError) as problem:
        raise TrialFileError(
            f"the frame: is not a table with named columns: {problem}"
        ) from problem


def roles_of(frame: pl.DataFrame, request: Request, source: str) -> tuple[str, ...]:
    """The role of each column of a table.

    Raises
    ------
    TrialFileError
        If columns cannot be told apart.
    """
    if request.columns:
        if len(request.columns) != frame.width:
            raise TrialFileError(
                f"{source}: has {frame.width} columns, but {len(request.columns)} were named"
            )
        return request.columns
    return roles_by_name(frame.columns, _looks(frame, request), request, source)


def _looks(frame: pl.DataFrame, request: Request) -> list[Look]:
    words = frozenset(word for word, _ in request.label_of_word)
    return [_look(column, words) for column in frame.get_columns()]


def unnamed_ids(frame: pl.DataFrame, roles: tuple[str, ...], request: Request) -> tuple[str, ...]:
    """Columns whose names are not known, and which may well hold ids."""
    return could_be_ids(frame.columns, roles, _looks(frame, request))


def read_frame(frame: pl.DataFrame, request: Request, source: str) -> Table:
    """The trials of a table with named columns.

    Raises
    ------
    TrialFileError
        If columns cannot be told apart, or hold what cannot be used; the row is then named.
    """
    if not frame.height:
        raise TrialFileError(f"{source}: holds no trials")
    roles = roles_of(frame, request, source)
    wanted = {
        role: frame[name] for role, name in zip(roles, frame.columns, strict=True) if role in WANTED
    }
    out = {}
    for role, column in wanted.items():
        if role != "score" or request.on_nan == "error":
            refuse_nulls(column, role, source)
        out[role] = _converted(column, role, request, source)
    chosen = ",".join(f"{role}={column.name}" for role, column in wanted.items())
    label = wanted.get("label")
    return Table(
        with_derived_columns(pl.DataFrame(out)),
        source,
        f"columns by name ({chosen})",
        score_name=wanted["score"].name if "score" in wanted else None,
        forensic=label is not None and _look(label, frozenset()).forensic,
        unnamed=unnamed_ids(frame, roles, request),
    )


def _look(column: pl.Series, words: frozenset[str]) -> Look:
    head = column.drop_nulls().head(SAMPLE)
    try:
        return Look.of(head.cast(pl.String).to_list(), words)
    except _UNFIT:  # lists and the like: neither ids nor scores nor labels
        return Look.of(["[]"], frozenset())


@contextmanager
def rows_counted_from(first: int) -> Iterator[None]:
    """Complaints about part of a table, with the row that it is in all of it."""
    try:
        yield
    except TrialFileError as problem:
        message = _ROW.sub(lambda found: str(int(found.group()) + first), str(problem))
        raise TrialFileError(message) from problem


def refuse_nulls(column: pl.Series, role: str, source: str) -> None:
    """Raise a TrialFileError where values are missing."""
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        hint = f", {TO_DROP_NAN}" if role == "score" else ""
        raise TrialFileError(
            f"{source}: column {column.name!r} has {column.null_count()} missing values, the "
            f"first in row {row}; remove or repair them{hint}"
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
    """A column as scores.

    Raises
    ------
    TrialFileError
        If it does not hold numbers, or one that cannot be used.
    """
    if not column.dtype.is_numeric():
        raise TrialFileError(
            f"{source}: column {column.name!r} should be the score, but is of type {column.dtype}"
        )
    scores = column.cast(pl.Float64).rename("score").fill_null(math.nan)  # NaN as pandas has it
    values = scores.to_numpy()
    bad = request.unusable(values)
    if bad.any():
        row = int(np.argmax(bad))
        hint = f", {TO_DROP_NAN}" if np.isnan(values).any() else ""
        raise TrialFileError(
            f"{source}: column {column.name!r} has {int(bad.sum())} scores that are not finite; "
            f"the first is {values[row]} in row {row}. Remove or repair them{hint}"
        )
    return scores


def labels_in(column: pl.Series, request: Request, source: str) -> pl.Series:
    """A column as labels.

    Raises
    ------
    TrialFileError
        If a word in it is not known.
    """
    words, name = _text(column, "label", source), column.name
    labels = as_labels(words, request, source)
    if labels.null_count():
        row = int(labels.is_null().arg_max() or 0)
        raise TrialFileError(
            f"{source}: column {name!r}, row {row}: the label {words[row]!r} is neither "
            "target nor non-target; if it is one, say so: --labels TARGET,NONTARGET"
        )
    return labels
