"""Parquet and Arrow files: looked at before they are unpacked, and read as far as is needed."""

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
from llrcal.trials.nan_scores import warn_of, without_nan
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.table import Table
from llrcal.trials.tables.frames import SAMPLE, WANTED, read_frame, roles_of, unnamed_ids
from llrcal.trials.tables.parquet import Claims, DamagedError, claims_of

_SCORE = 8  # bytes
_LARGEST_RATIO = 1000  # of rows, which may all be the same,
_LARGEST_SWELLING = 100  # and of what was packed, as of text
_HARMLESS = 2**26


def read_frame_file(source: Source, request: Request) -> Table:
    """The trials of a Parquet or Arrow file; columns that are not asked for stay on disk.

    Raises
    ------
    TrialFileError
        If the file is damaged, or its columns cannot be told apart.
    """
    head = _read(source, n_rows=SAMPLE)
    roles = roles_of(head, request, source.name)
    wanted = [n for n, role in zip(head.columns, roles, strict=True) if role in WANTED]
    frame = _read(source, columns=wanted)
    kept = tuple(role for role in roles if role in WANTED)
    table = read_frame(frame, replace(request, columns=kept, named=()), source.name)
    return replace(table, unnamed=unnamed_ids(head, roles, request))


def score_column(source: Source, request: Request) -> tuple[pl.DataFrame, str]:
    """A Parquet or Arrow file with all its columns, and the name of the one with the scores.

    Rows are left out, with a warning, where the score is NaN and the request says so.
    """
    frame = _read(source)
    table = read_frame(frame, request, source.name)
    if table.score_name is None:
        raise TrialFileError(f"{source.name}: no column was named as the score")
    if request.on_nan == "drop":
        _, _, said = without_nan(table, None)
        frame = frame.filter(~table.frame["score"].is_nan())
        warn_of(said)
    return frame, table.score_name


def scan_parquet(path: str) -> pl.LazyFrame:
    """A Parquet file that is read when it is needed."""
    return pl.scan_parquet(_plain(path))


def collected(scan: pl.LazyFrame, name: str) -> pl.DataFrame:
    """What a scan finds.

    Raises
    ------
    TrialFileError
        If the file, which is named, is damaged.
    """
    with saying_what(name):
        return scan.collect()


@contextmanager
def saying_what(name: str) -> Iterator[None]:
    """Errors of polars about a file, as ours."""
    try:
        yield
    except pl.exceptions.PanicException as problem:
        raise _damaged(name, "its content is not what it says") from problem
    except (pl.exceptions.PolarsError, OSError) as problem:
        first_line = str(problem).partition("\n")[0]
        raise TrialFileError(f"{name}: cannot be read: {first_line}") from problem


def _read(source: Source, **options: Any) -> pl.DataFrame:
    is_parquet = source.head.startswith(b"PAR1")
    read = pl.read_parquet if is_parquet else pl.read_ipc
    path = _plain(source.path) if source.path else None
    with saying_what(source.name):
        if is_parquet:
            check_parquet(source)
        else:
            count = pl.scan_ipc(path or io.BytesIO(source.content)).select(pl.len()).collect()
            _refuse_many(source, count.item())
        return read(path or source.content, **options)


def _plain(path: str) -> str:
    """A name in which polars sees no pattern, even if there is a * or a [ in it."""
    return glob.escape(str(Path(path).absolute()))


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
        raise _damaged(source.name, str(problem)) from problem
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


def _damaged(name: str, reason: str) -> TrialFileError:
    return TrialFileError(f"{name}: cannot be read: {reason}; copy or write the file again")
