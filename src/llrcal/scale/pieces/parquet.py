"""Rows of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from llrcal.arrays import Array
from llrcal.errors import TrialFileError
from llrcal.scale.pieces.columns import Columns
from llrcal.scale.pieces.piece import BATCH, PEEK, Batch, Piece
from llrcal.trials.conventions import IDS, SPEAKERS
from llrcal.trials.frame_files import collected, count_rows, scan_parquet
from llrcal.trials.frames import SAMPLE, roles_of
from llrcal.trials.request import Request
from llrcal.trials.source import Source

_ROWS = 2 * BATCH


@dataclass(frozen=True, kw_only=True)
class ParquetPiece(Piece):
    """Some rows of a Parquet file."""

    path: str
    start: int
    columns: Columns
    id_columns: tuple[tuple[str, str], ...] = ()
    """Role and name of the columns with trial ids."""

    def batches(self) -> Iterator[Batch]:
        for start, rows in self._spans():
            yield from self._batches(start, rows)

    def scores(self) -> Iterator[Sequence[Array]]:
        for start, rows in self._spans():
            frame = self._rows(start, rows, [self.columns.score])
            yield self.columns.scores(frame, _part(self.path, start, rows), first_row=start)

    def peek(self) -> Batch:
        return next(self._batches(self.start, min(self.rows, PEEK)))

    @property
    def file(self) -> str:
        return self.path

    @property
    def has_ids(self) -> bool:
        return bool(self.id_columns)

    def ids(self) -> Iterator[pl.DataFrame]:
        columns = [pl.col(name).cast(pl.String).alias(role) for role, name in self.id_columns]
        for start, rows in self._spans():
            yield self._rows(start, rows, columns)

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Start and number of rows of each batch."""
        end = self.start + self.rows
        return ((start, min(BATCH, end - start)) for start in range(self.start, end, BATCH))

    def _batches(self, start: int, rows: int) -> Iterator[Batch]:
        frame = self._rows(start, rows, self.columns.names)
        return self.columns.batches(frame, _part(self.path, start, rows), first_row=start)

    def _rows(self, start: int, rows: int, columns: Sequence[str | pl.Expr]) -> pl.DataFrame:
        name = _part(self.path, start, rows)
        frame = collected(scan_parquet(self.path).slice(start, rows).select(columns), name)
        if frame.height != rows:
            raise TrialFileError(f"{name}: has changed since the file was opened")
        return frame


def columns_by_role(source: Source, request: Request) -> dict[str, str]:
    """The names of the columns that hold what is asked for.

    Raises
    ------
    TrialFileError
        If one that is needed is missing or ambiguous.
    """
    head = collected(scan_parquet(str(source.path)).head(SAMPLE), source.name)
    roles = dict(zip(roles_of(head, request, source.name), head.columns, strict=True))
    for role, needed in (("score", request.needs_score), ("label", request.needs_label)):
        if needed and role not in roles:
            raise TrialFileError(
                f"{source.name}: has no column of {role}s; name it: ",
                request.setting("columns", f"{role}=NAME"),
            )
    return roles


def parquet_pieces(source: Source, request: Request) -> list[Piece]:
    """The pieces of a Parquet file.

    Raises
    ------
    TrialFileError
        If the file is damaged, or its columns are ambiguous.
    """
    path = str(source.path)
    rows = count_rows(source)
    if not rows:
        return []
    roles = columns_by_role(source, request)
    columns = Columns(roles["score"], roles["label"] if request.needs_label else None, request)
    id_columns = tuple((role, roles[role]) for role in IDS if role in roles and "test" in roles)
    return [
        ParquetPiece(
            name=_part(path, start, rows),
            rows=rows,
            path=path,
            start=start,
            columns=columns,
            id_columns=id_columns,
            score_name=columns.score,
            names_speakers=set(SPEAKERS) <= set(roles),
        )
        for start, rows in spans(rows)
    ]


def _part(path: str, start: int, rows: int) -> str:
    return f"{path}, rows {start} to {start + rows - 1}"


def spans(rows: int) -> Iterator[tuple[int, int]]:
    """Start and number of rows of each piece."""
    for start in range(0, rows, _ROWS):
        yield start, min(_ROWS, rows - start)
