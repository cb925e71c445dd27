"""Files of any kind as pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.scale.pieces.file_names import Paths, files_of
from llrcal.scale.pieces.npy import npy_pieces
from llrcal.scale.pieces.parquet import parquet_pieces
from llrcal.scale.pieces.piece import Piece, present
from llrcal.scale.pieces.text import text_pieces
from llrcal.scale.pieces.unchanged import FileFingerprint
from llrcal.trials.npy import archive_trials, names_in_npz
from llrcal.trials.reading import read_and_join
from llrcal.trials.request import ReadOptions, Request
from llrcal.trials.source import Source, class_files
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
    found, names = table_pieces(paths, request), files_of(paths)
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
            yield from _watched(name, partial(npy_pieces, name, request, is_tar=is_tar))


def table_pieces(paths: Paths, request: Request) -> list[Piece]:
    """The pieces of files with scores only, or with labels only, to be joined by ids.

    Raises
    ------
    TrialFileError
        If a file cannot be read without guessing; the message names it.
    """
    every = (_watched(name, partial(_pieces_of, name, request)) for name in files_of(paths))
    return [piece for pieces in every for piece in pieces]


def _watched(name: str, cut: Callable[[], list[Piece]]) -> Iterator[Piece]:
    """The pieces of a file, which must stay what it was before it was cut."""
    fingerprint = FileFingerprint.of(name)
    pieces = cut()
    fingerprint.check()
    return (replace(piece, fingerprint=fingerprint) for piece in pieces)


def _pieces_of(name: str, request: Request) -> list[Piece]:
    refuse_after_fork()
    source = Source(name)
    if source.path is not None and source.kind == "parquet":
        return parquet_pieces(source, request)
    if not request.needs_label and source.kind == "npy":
        return npy_pieces(name, request, is_tar=False)
    if Path(name).stat().st_size == 0:
        raise TrialFileError(f"{name}: is empty")
    layout = _layout(source, request)
    if layout is None:
        archive = source.kind == "npz"
        return [
            Piece(
                name=name,
                rows=_UNKNOWN_ROWS,
                reader=WholeReader(name, request),
                request=request,
                names_speakers=archive and "tar_speakers" in names_in_npz(name),
                has_ids=not archive,
            )
        ]
    return text_pieces(source, layout, request)


def _layout(source: Source, request: Request) -> Layout | None:
    """The layout of a text file that can be cut at any line; None for all other files."""
    if source.kind != "text" or b"\n" not in source.head:
        return None
    return sniff(source.head, request, source.name)


@dataclass(frozen=True)
class WholeReader:
    """Reads a file of any other kind, which must fit into memory as a whole."""

    path: str
    request: Request

    def __call__(self, columns: Sequence[str], at_a_time: int) -> Iterator[pl.DataFrame]:
        if self.request.contents != "trials":
            yield present(read_table(self.path, self.request).frame, columns)
        elif Source(self.path).kind == "npz":
            trials = archive_trials(self.path, self.request)
            yield from Piece.of_arrays(trials.tar, trials.non).read(columns)
        else:
            options = ReadOptions(duplicates="all")  # repeated trials are looked for by the set
            table = read_and_join(self.path, None, options, self.request)[0]
            yield present(table.frame, columns)
