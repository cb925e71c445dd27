"""Rows of a Parquet file with their ids: scores, or labels, to be joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from llrcal.scale.pieces.columns import labels_of
from llrcal.scale.pieces.parquet import columns_by_role, spans
from llrcal.scale.pieces.piece import BATCH, Batch, Piece
from llrcal.trials.conventions import IDS
from llrcal.trials.frame_files import collected, count_rows, scan_parquet
from llrcal.trials.frames import (
    refuse_nulls,
    rows_counted_from,
    scores_in,
)
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.table import Table


@dataclass(frozen=True, kw_only=True)
class ParquetTablePiece(Piece):
    """Some rows of a Parquet file."""

    path: str
    start: int
    roles: tuple[tuple[str, str], ...]
    """Role and name of the columns."""
    request: Request

    def batches(self) -> Iterator[Batch]:
        raise NotImplementedError  # there are no trials until the rows are joined

    @property
    def file(self) -> str:
        return self.path

    @property
    def has_ids(self) -> bool:
        return True

    def ids(self) -> Iterator[pl.DataFrame]:
        for table in self.tables():
            yield table.frame.select(table.ids)

    def tables(self) -> Iterator[Table]:
        for start in range(self.start, self.start + self.rows, BATCH):
            rows = min(BATCH, self.start + self.rows - start)
            columns = [name for _, name in self.roles]
            scan = scan_parquet(self.path).slice(start, rows).select(columns)
            with rows_counted_from(start):
                yield self._table(collected(scan, self.path))

    def _table(self, frame: pl.DataFrame) -> Table:
        found = []
        for role, name in self.roles:
            column = frame[name].alias(role)
            if role != "score" or self.request.on_nan == "error":
                refuse_nulls(column, role, self.path)
            if role == "score":
                column = scores_in(column.fill_null(float("nan")), self.request, self.path)
            elif role == "label":
                column = pl.Series(role, labels_of(column, self.request, self.path))
            else:
                column = column.cast(pl.String)
            found.append(column)
        return Table(pl.DataFrame(found), self.path, "columns by name")


def parquet_tables(source: Source, request: Request) -> list[Piece]:
    """The pieces of a Parquet file with scores only, or with labels only.

    Raises
    ------
    TrialFileError
        If the file is damaged, or its columns are ambiguous.
    """
    path = str(source.path)
    rows = count_rows(source)
    if not rows:
        return []
    names = columns_by_role(source, request)
    wanted = "score" if request.needs_score else "label"
    return [
        ParquetTablePiece(
            name=f"{path}, rows {start} to {start + rows - 1}",
            rows=rows,
            path=path,
            start=start,
            roles=tuple((role, names[role]) for role in (*IDS, wanted) if role in names),
            score_name=names.get("score"),
            request=request,
        )
        for start, rows in spans(rows)
    ]
