"""Rows of a Parquet file."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.scale.frames import Columns, Spoof
from llrcal.scale.piece import BATCH, PEEK, Batch, Piece
from llrcal.trials.frames import check_parquet, roles_of
from llrcal.trials.source import Source
from llrcal.trials.wish import Wish

_SAMPLE = 1000
_ROWS = 2 * BATCH


@dataclass(frozen=True, kw_only=True)
class ParquetPiece(Piece):
    """Some rows of a Parquet file."""

    path: str
    start: int
    columns: Columns

    def batches(self) -> Iterator[Batch]:
        for start in range(self.start, self.start + self.rows, BATCH):
            yield self._batch(start, min(BATCH, self.start + self.rows - start))

    def peek(self) -> Batch:
        return self._batch(self.start, min(self.rows, PEEK))

    def _batch(self, start: int, rows: int) -> Batch:
        names = [self.columns.score, self.columns.label]
        name = _part(self.path, start, rows)
        frame = _read(self.path, name, start, rows, names)
        if frame.height != rows:
            raise TrialFileError(f"{name}: has changed since it was first looked at")
        return self.columns.batch(frame, name, first_row=start)


def parquet_pieces(source: Source, wish: Wish, spoof: Spoof) -> list[Piece]:
    """The pieces of a Parquet file.

    Raises
    ------
    TrialFileError
        If the file is damaged, or its columns cannot be told apart.
    """
    path = str(source.path)
    claims = check_parquet(source)
    if not claims.rows:
        return []
    head = _read(path, source.name, 0, _SAMPLE, None)
    roles = dict(zip(roles_of(head, wish, source.name), head.columns, strict=True))
    for role in ("score", "label"):
        if role not in roles:
            raise TrialFileError(f"{source.name}: has no column of {role}s")
    columns = Columns(roles["score"], roles["label"], wish, spoof)
    return [
        ParquetPiece(
            name=_part(path, start, rows),
            rows=rows,
            path=path,
            start=start,
            columns=columns,
        )
        for start, rows in _spans(claims.groups)
    ]


def _part(path: str, start: int, rows: int) -> str:
    return f"{path}, rows {start} to {start + rows - 1}"


def _spans(groups: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Where pieces begin, and how long they are: whole groups of rows, but for large ones."""
    start = rows = 0
    for group in groups:
        if rows and rows + group > _ROWS:
            yield from _cut(start, rows)
            start, rows = start + rows, 0
        rows += group
    yield from _cut(start, rows)


def _cut(start: int, rows: int) -> Iterator[tuple[int, int]]:
    for at in range(0, rows, _ROWS):
        yield start + at, min(_ROWS, rows - at)


def _read(path: str, name: str, start: int, rows: int, columns: list[str] | None) -> pl.DataFrame:
    """Some rows, and of them only the columns that are asked for."""
    try:
        scan = pl.scan_parquet(glob.escape(str(Path(path).absolute()))).slice(start, rows)
        return (scan if columns is None else scan.select(columns)).collect()
    except pl.exceptions.PanicException as problem:
        raise TrialFileError(f"{name}: its content is not what it says") from problem
    except (pl.exceptions.PolarsError, OSError) as problem:
        first_line = str(problem).partition("\n")[0]
        raise TrialFileError(f"{name}: cannot be read: {first_line}") from problem
