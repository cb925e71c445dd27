"""Parquet and Arrow files: checked before they are unpacked, and read only as far as needed."""

from __future__ import annotations

import glob
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.notes import warn
from llrcal.trials.conventions import is_wanted
from llrcal.trials.nan_scores import without_nan
from llrcal.trials.request import Request
from llrcal.trials.source import Source, can_be_opened
from llrcal.trials.table import Table
from llrcal.trials.tables.frames import SAMPLE, read_frame, roles_of, unnamed_ids
from llrcal.trials.tables.parquet import Claims, DamagedError, claims_of

_SCORE = 8  # bytes
_LARGEST_RATIO = 1000  # of rows to file, in bytes: they may all be the same
_LARGEST_EXPANSION = 100  # of compressed data, as for text
_HARMLESS = 2**26


def read_frame_file(source: Source, request: Request) -> Table:
    """The trials of a Parquet or Arrow file; columns that are not needed stay on disk."""
    head = _read(source, n_rows=SAMPLE)
    roles = roles_of(head, request, source.name)
    wanted = [n for n, role in zip(head.columns, roles, strict=True) if is_wanted(role)]
    frame = _read(source, columns=wanted)
    kept = tuple(role for role in roles if is_wanted(role))
    table = read_frame(frame, replace(request, columns=kept, named=()), source.name)
    return replace(table, unnamed=unnamed_ids(head, roles, request))


def score_column(source: Source, request: Request) -> tuple[pl.DataFrame, str]:
    """A Parquet or Arrow file with all its columns, and the name of the one with the scores.

    Rows whose score is NaN are left out with a warning if the request says so.
    """
    frame = _read(source)
    table = read_frame(frame, request, source.name)
    if request.on_nan == "drop":
        _, _, notes = without_nan(table, None)
        frame = frame.filter(~table.frame["score"].is_nan())
        warn(notes)
    return frame, str(table.score_name)


def scan_parquet(path: str) -> pl.LazyFrame:
    """A Parquet file, to be read lazily."""
    if not can_be_opened(path):
        raise TrialFileError(
            f"{path}: the name is not valid UTF-8, so the file cannot be read in pieces; rename it"
        )
    return pl.scan_parquet(_plain(path))


def collected(scan: pl.LazyFrame, name: str) -> pl.DataFrame:
    """The rows of a lazy frame; errors name the file."""
    with reading_errors(name):
        return scan.collect()


@contextmanager
def reading_errors(name: str) -> Iterator[None]:
    """Turn errors of polars about a file into a TrialFileError."""
    try:
        yield
    except pl.exceptions.PanicException as problem:
        raise _damaged(name, "its content contradicts its header") from problem
    except (pl.exceptions.PolarsError, OSError) as problem:
        first_line = str(problem).partition("\n")[0]
        raise TrialFileError(f"{name}: cannot be read: {first_line}") from problem


def _read(source: Source, **options: Any) -> pl.DataFrame:
    is_parquet = source.head.startswith(b"PAR1")
    read = pl.read_parquet if is_parquet else pl.read_ipc
    path = _plain(source.path) if source.path and can_be_opened(source.path) else None
    with reading_errors(source.name):
        if is_parquet:
            check_parquet(source)
        else:
            count = pl.scan_ipc(path or io.BytesIO(source.content)).select(pl.len()).collect()
            _refuse_many(source, count.item())
        return read(path or source.content, **options)


def _plain(path: str) -> str:
    """A name that polars does not take for a pattern, even with a * or a [ in it."""
    return glob.escape(str(Path(path).absolute()))


def check_parquet(source: Source) -> Claims:
    """What a Parquet file claims to hold; refused if it is damaged, or would expand too far."""
    try:
        with _image(source) as data:
            claims = claims_of(data)
    except DamagedError as problem:
        raise _damaged(source.name, str(problem)) from problem
    _refuse_many(source, claims.rows)
    size = _size(source)
    if claims.unpacked > max(_HARMLESS, _LARGEST_EXPANSION * size):
        raise TrialFileError(
            f"{source.name}: {size} bytes expand to {claims.unpacked}; if this is intended, write "
            "the file without compression first"
        )
    return claims


def _refuse_many(source: Source, rows: int) -> None:
    """Refuse a file that claims far more rows than it can hold, unless all are the same."""
    size = _size(source)
    if rows * _SCORE > max(_HARMLESS, _LARGEST_RATIO * size):
        raise TrialFileError(
            f"{source.name}: {size} bytes expand to {rows} rows; these cannot be scores"
        )


@contextmanager
def _image(source: Source) -> Iterator[bytes | mmap]:
    """The bytes of a file, mapped if possible."""
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


def _damaged(name: str, reason: str) -> TrialFileError:
    return TrialFileError(f"{name}: cannot be read: {reason}; copy or write the file again")
