"""Tables with named columns: Parquet and Arrow files, and frames of polars, pandas and others."""

from __future__ import annotations

import glob
import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from llrcal.errors import TrialFileError
from llrcal.trials.conventions import IDS, SPEAKERS
from llrcal.trials.looks import Look
from llrcal.trials.naming import could_be_ids, roles_by_name
from llrcal.trials.nan_scores import warn_of, without_nan
from llrcal.trials.parquet import Claims, DamagedError, claims_of
from llrcal.trials.source import Source
from llrcal.trials.table import Table
from llrcal.trials.text import as_labels, with_derived_columns
from llrcal.trials.wish import TO_DROP_NAN, Wish

_SAMPLE = 1000
_SCORE = 8  # bytes
_LARGEST_RATIO = 1000  # of rows, which may all be the same,
_LARGEST_SWELLING = 100  # and of what was packed, as of text
_HARMLESS = 2**26
_WANTED = {*IDS, *SPEAKERS, "score", "label"}
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


def read_frame_file(source: Source, wish: Wish) -> Table:
    """The trials of a Parquet or Arrow file; columns that are not asked for stay on disk.

    Raises
    ------
    TrialFileError
        If the file is damaged, or its columns cannot be told apart.
    """
    head = _read(source, n_rows=_SAMPLE)
    roles = roles_of(head, wish, source.name)
    wanted = [n for n, role in zip(head.columns, roles, strict=True) if role in _WANTED]
    frame = _read(source, columns=wanted)
    kept = tuple(role for role in roles if role in _WANTED)
    table = read_frame(frame, replace(wish, columns=kept, named=()), source.name)
    return replace(table, unnamed=_could_be_ids(head, roles, wish))


def score_column(source: Source, wish: Wish) -> tuple[pl.DataFrame, str]:
    """A Parquet or Arrow file with all its columns, and the name of the one with the scores.

    Rows are left out, with a warning, where the score is NaN and the wish says so.
    """
    frame = _read(source)
    table = read_frame(frame, wish, source.name)
    if table.score_name is None:
        raise TrialFileError(f"{source.name}: no column was named as the score")
    if wish.on_nan == "drop":
        _, _, said = without_nan(table, None)
        frame = frame.filter(~table.frame["score"].is_nan())
        warn_of(said)
    return frame, table.score_name


def _read(source: Source, **options: Any) -> pl.DataFrame:
    is_parquet = source.head.startswith(b"PAR1")
    read = pl.read_parquet if is_parquet else pl.read_ipc
    # Polars would look for other files if there is a * or a [ in the name.
    path = glob.escape(str(Path(source.path).absolute())) if source.path else None
    try:
        if is_parquet:
            check_parquet(source)
        else:
            count = pl.scan_ipc(path or io.BytesIO(source.content)).select(pl.len()).collect()
            _refuse_many(source, count.item())
        return read(path or source.content, **options)
    except pl.exceptions.PanicException as problem:
        raise _damaged(source, "its content is not what it says") from problem
    except (pl.exceptions.PolarsError, OSError) as problem:
        first_line = str(problem).partition("\n")[0]
        raise TrialFileError(f"{source.name}: cannot be read: {first_line}") from problem


def check_parquet(source: Source) -> Claims:
    """What a Parquet file claims to hold.

    Raises
    ------
    TrialFileError
        If it is damaged, or would take up far more room than on disk.
    """
    try:
        with _image(source) as data:
            claims = claims_of(data)
    except DamagedError as problem:
        raise _damaged(source, str(problem)) from problem
    _refuse_many(source, claims.rows)
    size = _size(source)
    if claims.unpacked > max(_HARMLESS, _LARGEST_SWELLING * size):
        raise TrialFileError(
            f"{source.name}: {size} bytes swell to {claims.unpacked}; if this is meant, write the "
            "file without compression first"
        )
    return claims


def _refuse_many(source: Source, rows: int) -> None:
    """Refuse a file that says of ever so many rows that they are all the same."""
    size = _size(source)
    if rows * _SCORE > max(_HARMLESS, _LARGEST_RATIO * size):
        raise TrialFileError(
            f"{source.name}: {size} bytes swell to {rows} rows; these are no scores"
        )


@contextmanager
def _image(source: Source) -> Iterator[bytes | mmap]:
    """The bytes of a file, where they lie."""
    if source.path is None:
        yield source.content
        return
    with (
        Path(source.path).open("rb") as file,
        mmap(file.fileno(), 0, access=ACCESS_READ) as image,
    ):
        yield image


def _size(source: Source) -> int:
    return Path(source.path).stat().st_size if source.path else len(source.content)


def _damaged(source: Source, reason: str) -> TrialFileError:
    return TrialFileError(f"{source.name}: cannot be read: {reason}; copy or write the file again")


def roles_of(frame: pl.DataFrame, wish: Wish, source: str) -> tuple[str, ...]:
    """The role of each column of a table.

    Raises
    ------
    TrialFileError
        If columns cannot be told apart.
    """
    if wish.columns:
        if len(wish.columns) != frame.width:
            raise TrialFileError(
                f"{source}: has {frame.width} columns, but {len(wish.columns)} were named"
            )
        return wish.columns
    return roles_by_name(frame.columns, _looks(frame, wish), wish, source)


def _looks(frame: pl.DataFrame, wish: Wish) -> list[Look]:
    words = frozenset(word for word, _ in wish.label_of_word)
    return [_look(column, words) for column in frame.get_columns()]


def _could_be_ids(frame: pl.DataFrame, roles: tuple[str, ...], wish: Wish) -> tuple[str, ...]:
    return could_be_ids(frame.columns, roles, _looks(frame, wish))


def read_frame(frame: pl.DataFrame, wish: Wish, source: str) -> Table:
    """The trials of a table with named columns.

    Raises
    ------
    TrialFileError
        If columns cannot be told apart, or hold what cannot be used; the row is then named.
    """
    if not frame.height:
        raise TrialFileError(f"{source}: holds no trials")
    roles = roles_of(frame, wish, source)
    wanted = {
        role: frame[name]
        for role, name in zip(roles, frame.columns, strict=True)
        if role in _WANTED
    }
    out = {}
    for role, column in wanted.items():
        if role != "score" or wish.on_nan == "error":
            refuse_nulls(column, role, source)
        out[role] = _converted(column, role, wish, source)
    chosen = ",".join(f"{role}={column.name}" for role, column in wanted.items())
    label = wanted.get("label")
    return Table(
        with_derived_columns(pl.DataFrame(out)),
        source,
        f"columns by name ({chosen})",
        score_name=wanted["score"].name if "score" in wanted else None,
        forensic=label is not None and _look(label, frozenset()).forensic,
        unnamed=_could_be_ids(frame, roles, wish),
    )


def _look(column: pl.Series, words: frozenset[str]) -> Look:
    head = column.drop_nulls().head(_SAMPLE)
    try:
        return Look.of(head.cast(pl.String).to_list(), words)
    except _UNFIT:  # lists and the like: neither ids nor scores nor labels
        return Look.of(["[]"], frozenset())


def refuse_nulls(column: pl.Series, role: str, source: str) -> None:
    """Raise a TrialFileError where values are missing."""
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        hint = f", {TO_DROP_NAN}" if role == "score" else ""
        raise TrialFileError(
            f"{source}: column {column.name!r} has {column.null_count()} missing values, the "
            f"first in row {row}; remove or repair them{hint}"
        )


def _converted(column: pl.Series, role: str, wish: Wish, source: str) -> pl.Series:
    if role == "score":
        return scores_in(column, wish, source)
    if role == "label":
        return labels_in(column, wish, source)
    return _text(column, role, source)


def _text(column: pl.Series, role: str, source: str) -> pl.Series:
    try:
        return column.cast(pl.String).rename(role)
    except _UNFIT as problem:
        raise TrialFileError(
            f"{source}: column {column.name!r} should be the {role}, but is of type {column.dtype}"
        ) from problem


def scores_in(column: pl.Series, wish: Wish, source: str) -> pl.Series:
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
    bad = wish.unusable(values)
    if bad.any():
        row = int(np.argmax(bad))
        hint = f", {TO_DROP_NAN}" if np.isnan(values).any() else ""
        raise TrialFileError(
            f"{source}: column {column.name!r} has {int(bad.sum())} scores that are not finite; "
            f"the first is {values[row]} in row {row}. Remove or repair them{hint}"
        )
    return scores


def labels_in(column: pl.Series, wish: Wish, source: str) -> pl.Series:
    """A column as labels.

    Raises
    ------
    TrialFileError
        If a word in it is not known.
    """
    words, name = _text(column, "label", source), column.name
    labels = as_labels(words, wish, source)
    if labels.null_count():
        row = int(labels.is_null().arg_max() or 0)
        raise TrialFileError(
            f"{source}: column {name!r}, row {row}: the label {words[row]!r} is neither "
            "target nor non-target; if it is one, say so: --labels TARGET,NONTARGET"
        )
    return labels
