"""Files of any kind as pieces."""

from __future__ import annotations

import filecmp
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from llrcal.errors import ScoreError, TrialFileError
from llrcal.files.names import Paths, files_of
from llrcal.files.overwriting import opened_input
from llrcal.scale.columns import checked
from llrcal.scale.piece import Piece, present, spans
from llrcal.scale.text import text_pieces
from llrcal.trials.conventions import IDS, SPEAKERS
from llrcal.trials.frame_files import counted
from llrcal.trials.frames import SAMPLE, collected, roles_of
from llrcal.trials.npy import floats_of, read_npy, shape_of_npy
from llrcal.trials.parquet import ParquetFile
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.table_reading import read_table, refuse_after_fork
from llrcal.trials.text.roles import are_hypotheses
from llrcal.trials.text.sniffing import Layout, sniff


def _read_scores(
    path: str,
    start: int,
    end: int,
    is_tar: bool,
    request: Request,
    columns: Sequence[str],
    at_a_time: int,
) -> Iterator[pl.DataFrame]:
    """Read some scores of an array in a file, all of one class."""
    for first in range(start, end, at_a_time):
        part = read_npy(path, first, min(first + at_a_time, end))
        frame = pl.DataFrame({"score": floats_of(part, path)})
        frame = checked(frame, [("score", "score")], request, path, first)
        yield present(frame.with_columns(label=pl.lit(int(is_tar), pl.Int8)), columns)


def npy_pieces(path: str, request: Request, *, is_tar: bool) -> list[Piece]:
    """The pieces of an array on disk."""
    shape = shape_of_npy(path)
    if len(shape) != 1:
        raise ScoreError(f"{path}: scores have shape {shape}; pass a one-dimensional array")
    return [
        Piece(
            name=f"{path}, from score {start:,}",
            rows=end - start,
            reader=partial(_read_scores, path, start, end, is_tar, request),
            request=request,
            file=path,
        )
        for start, end in spans(shape[0])
    ]


def _read_rows(
    file: ParquetFile,
    start: int,
    end: int,
    roles: tuple[tuple[str, str], ...],
    request: Request,
    columns: Sequence[str],
    at_a_time: int,
) -> Iterator[pl.DataFrame]:
    """Read some rows of a Parquet file, given the role and the name of its columns."""
    wanted = [pair for pair in roles if pair[0] in columns]
    for first in range(start, end, at_a_time):
        rows = min(at_a_time, end - first)
        name = _part(file.fingerprint.path, first, first + rows)
        names = [column for _, column in wanted]
        frame = collected(file.slice(first, rows, names).select(names), name)
        yield checked(frame, wanted, request, name, first)


def parquet_pieces(source: Source, request: Request) -> list[Piece]:
    """The pieces of a Parquet file.

    Raises
    ------
    TrialFileError
        If the file is damaged, or its columns are missing or ambiguous.
    """
    path = str(source.path)
    _, rows = counted(source)
    if not rows:
        return []
    file = ParquetFile(opened_input(path))
    head = collected(file.head(SAMPLE), source.name)
    roles, sketches = roles_of(head, request, source.name)
    names = dict(zip(roles, head.columns, strict=True))
    needed = {"score": request.needs_score, "label": request.needs_label}
    for role, is_needed in needed.items():
        if is_needed and role not in names:
            raise TrialFileError(
                f"{source.name}: has no column of {role}s; name it: ",
                request.setting("columns", f"{role}=NAME"),
            )
    known = {*IDS, *SPEAKERS}
    chosen = tuple(
        (role, name) for role, name in names.items() if role in known or needed.get(role)
    )
    return [
        Piece(
            name=_part(path, start, end),
            rows=end - start,
            reader=partial(_read_rows, file, start, end, chosen, request),
            request=request,
            file=path,
            score_name=names.get("score"),
            forensic=are_hypotheses(roles, sketches),
            names_speakers=set(SPEAKERS) <= set(names),
            has_ids="test" in names,
        )
        for start, end in spans(rows)
    ]


def _part(path: str, start: int, end: int) -> str:
    return f"{path}, rows {start} to {end - 1}"


_UNKNOWN_ROWS = 2**20  # a guess for files that are read as a whole, for the progress bar


def pieces_of(paths: Paths, request: Request, nontargets: Paths | None = None) -> list[Piece]:
    """The pieces of one or more files, in the order of their names.

    If ``nontargets`` are given, the files hold the scores of one class each.

    Raises
    ------
    TrialFileError
        If a file cannot be read without guessing; the message names it.
    """
    if nontargets is not None:
        return list(_class_by_class((paths, nontargets), request))
    found, names = table_pieces(paths, request), files_of(paths)
    if not found:
        others = f" and {len(names) - 1} more" if names[1:] else ""
        raise TrialFileError(f"{names[0]}{others}: there are no trials")
    return found


def _class_by_class(classes: tuple[Paths, Paths], request: Request) -> Iterator[Piece]:
    for paths, is_tar in zip(classes, (True, False), strict=True):
        for name in files_of(paths):
            if Source(name).kind != "npy":
                raise TrialFileError(
                    f"{name}: files of one class each can be read in pieces only if they are "
                    "arrays (.npy)"
                )
            if any(filecmp.cmp(tar, name, False) for tar in files_of(classes[0]) if not is_tar):
                raise TrialFileError(f"{name}: targets and non-targets have the same scores")
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
    fingerprint = opened_input(name)
    with fingerprint.held():
        pieces = cut()
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
        table = read_table(name, request)  # for the names of its columns
        return [
            Piece(
                name=name,
                rows=_UNKNOWN_ROWS,
                reader=partial(_read_whole, name, request),
                request=request,
                file=name,
                score_name=table.score_name,
                forensic=table.forensic,
                names_speakers=set(SPEAKERS) <= set(table.frame.columns),
                has_ids=table.has("test"),
            )
        ]
    return text_pieces(source, layout, request)


def _layout(source: Source, request: Request) -> Layout | None:
    """The layout of a text file that can be cut at any line; None for all other files."""
    if source.kind != "text" or b"\n" not in source.head:
        return None
    return sniff(source, request)


def _read_whole(
    path: str, request: Request, columns: Sequence[str], _at_a_time: int
) -> Iterator[pl.DataFrame]:
    """Read a file of any other kind, which must fit into memory as a whole."""
    yield present(read_table(path, request).frame, columns)
