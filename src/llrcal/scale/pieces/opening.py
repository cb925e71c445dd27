"""Files of any kind as pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.scale.pieces.columns import as_batch
from llrcal.scale.pieces.file_names import Paths, files_of
from llrcal.scale.pieces.npy import npy_pieces
from llrcal.scale.pieces.parquet import parquet_pieces
from llrcal.scale.pieces.parquet_tables import parquet_tables
from llrcal.scale.pieces.piece import Batch, Piece
from llrcal.scale.pieces.text import text_pieces
from llrcal.scale.pieces.unchanged import Stamp, watched
from llrcal.trials.npy import archive_trials, names_in_npz
from llrcal.trials.reading import read_and_join
from llrcal.trials.request import ReadOptions, Request
from llrcal.trials.source import Source, class_files
from llrcal.trials.table import Table
from llrcal.trials.table_reading import read_table, refuse_after_fork
from llrcal.trials.text.sniffing import Layout, sniff

_UNKNOWN_ROWS = 2**20  # a guess for files that are read as a whole, for the progress bar


def pieces_of(paths: Paths, request: Request) -> list[Piece]:
    """The pieces of one or more files, in the order of their names.

    Two patterns of one class each may be given as ``"TARGETS,NONTARGETS"``.

    Raises
    ------
    TrialFileError
        If a file cannot be read without guessing; the message names it.
    """
    if pair := class_files(paths):
        return list(_class_by_class(pair, request))
    names = files_of(paths)
    found = [piece for name in names for piece in _pieces(name, request)]
    if not found:
        others = f" and {len(names) - 1} more" if names[1:] else ""
        raise TrialFileError(f"{names[0]}{others}: there are no trials")
    return found


def _class_by_class(pair: tuple[str, str], request: Request) -> Iterator[Piece]:
    for paths, is_tar in zip(pair, (True, False), strict=True):
        for name in files_of(paths):
            if Source(name).kind != "npy":
                raise TrialFileError(
                    f"{name}: two files of one class each can be read in pieces only if they are "
                    "arrays (.npy)"
                )
            stamp = Stamp.of(name)
            yield from watched(npy_pieces(name, request, is_tar=is_tar), stamp)


def _pieces(name: str, request: Request) -> list[Piece]:
    source = Source(name)
    stamp = Stamp.of(name)
    return watched(_pieces_of(source, name, request), stamp)


def table_pieces(paths: Paths, request: Request) -> list[Piece]:
    """The pieces of files with scores only, or with labels only, to be joined by ids.

    Raises
    ------
    TrialFileError
        If a file cannot be read without guessing; the message names it.
    """
    return [piece for name in files_of(paths) for piece in _pieces(name, request)]


def _pieces_of(source: Source, name: str, request: Request) -> list[Piece]:
    refuse_after_fork()
    if source.path is not None and source.kind == "parquet":
        if request.needs_ids:
            return parquet_tables(source, request)
        return parquet_pieces(source, request)
    if not request.needs_label and source.kind == "npy":
        return npy_pieces(name, request, is_tar=False)
    if Path(name).stat().st_size == 0:
        raise TrialFileError(f"{name}: is empty")
    layout = _layout(source, request)
    if layout is None:
        return [
            WholePiece(
                name=name,
                rows=_UNKNOWN_ROWS,
                names_speakers=source.kind == "npz" and "tar_speakers" in names_in_npz(name),
                path=name,
                request=request,
            )
        ]
    return text_pieces(source, layout, request)


def _layout(source: Source, request: Request) -> Layout | None:
    """The layout of a text file that can be cut at any line; None for all other files."""
    if source.kind != "text" or b"\n" not in source.head:
        return None
    return sniff(source.head, request, source.name)


@dataclass(frozen=True, kw_only=True)
class WholePiece(Piece):
    """A file of any other kind, which must fit into memory as a whole."""

    path: str
    request: Request

    def batches(self) -> Iterator[Batch]:
        if not self.request.needs_label:
            scores = read_table(self.path, self.request).frame["score"].to_numpy()
            yield as_batch([scores], None, self.request, self.path)
            return
        if Source(self.path).kind == "npz":
            trials = archive_trials(self.path, self.request)
            yield Batch(trials.tar, trials.non)
            return
        frame = self._table().frame
        scores, labels = frame["score"].to_numpy(), frame["label"].to_numpy()
        yield as_batch([scores], labels, self.request, self.path)

    @property
    def has_ids(self) -> bool:
        return Source(self.path).kind != "npz"

    def ids(self) -> Iterator[pl.DataFrame]:
        for table in self.tables():
            if table.ids:
                yield table.frame.select(table.ids)

    def tables(self) -> Iterator[Table]:
        if self.request.contents == "trials":
            yield self._table()
        else:
            yield read_table(self.path, self.request)

    def _table(self) -> Table:
        options = ReadOptions(duplicates="all")  # repeated trials are looked for by the set
        return read_and_join(self.path, None, options, self.request)[0]
