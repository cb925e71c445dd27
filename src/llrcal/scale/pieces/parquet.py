"""Rows of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.scale.pieces.columns import checked
from llrcal.scale.pieces.piece import Piece, spans
from llrcal.trials.conventions import IDS, SPEAKERS
from llrcal.trials.frame_files import count_rows, scan_parquet
from llrcal.trials.frames import SAMPLE, collected, roles_of
from llrcal.trials.request import Request
from llrcal.trials.source import Source


@dataclass(frozen=True)
class ParquetReader:
    """Reads some rows of a Parquet file."""

    path: str
    start: int
    end: int
    roles: tuple[tuple[str, str], ...]
    """Role and name of the columns."""
    request: Request

    def __call__(self, columns: Sequence[str], at_a_time: int) -> Iterator[pl.DataFrame]:
        roles = [pair for pair in self.roles if pair[0] in columns]
        for start in range(self.start, self.end, at_a_time):
            rows = min(at_a_time, self.end - start)
            name = _part(self.path, start, start + rows)
            scan = scan_parquet(self.path).slice(start, rows)
            frame = collected(scan.select(column for _, column in roles), name)
            if frame.height != rows:
                raise TrialFileError(f"{name}: has changed since the file was opened")
            yield checked(frame, roles, self.request, name, start)


def parquet_pieces(source: Source, request: Request) -> list[Piece]:
    """The pieces of a Parquet file.

    Raises
    ------
    TrialFileError
        If the file is damaged, or its columns are missing or ambiguous.
    """
    path = str(source.path)
    rows = count_rows(source)
    if not rows:
        return []
    head = collected(scan_parquet(path).head(SAMPLE), source.name)
    names = dict(zip(roles_of(head, request, source.name), head.columns, strict=True))
    needed = {"score": request.needs_score, "label": request.needs_label}
    for role, is_needed in needed.items():
        if is_needed and role not in names:
            raise TrialFileError(
                f"{source.name}: has no column of {role}s; name it: ",
                request.setting("columns", f"{role}=NAME"),
            )
    roles = tuple((role, name) for role, name in names.items() if role in IDS or needed.get(role))
    return [
        Piece(
            name=_part(path, start, end),
            rows=end - start,
            reader=ParquetReader(path, start, end, roles, request),
            request=request,
            file=path,
            score_name=names.get("score"),
            names_speakers=set(SPEAKERS) <= set(names),
            has_ids="test" in names,
        )
        for start, end in spans(rows)
    ]


def _part(path: str, start: int, end: int) -> str:
    return f"{path}, rows {start} to {end - 1}"
