"""Files of any kind as pieces."""

from __future__ import annotations

import filecmp
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl

from llrcal.errors import ScoreError, TrialFileError
from llrcal.files.names import Paths, files_of
from llrcal.files.overwriting import opened_input
from llrcal.scale import piece
from llrcal.scale.columns import checked
from llrcal.scale.piece import Piece, present, spans
from llrcal.scale.text import text_pieces
from llrcal.trials.conventions import IDS, SPEAKERS, are_counts
from llrcal.trials.frame_files import refuse_many_rows
from llrcal.trials.frames import SAMPLE, roles_of
from llrcal.trials.npy import floats_of, read_npy, shape_of_npy
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


@contextmanager
def _arrow_file(path: str) -> Iterator[Any]:
    """A Parquet file, which is not mapped: one that is cut off meanwhile would end the process."""
    from pyarrow import ArrowException, OSFile
    from pyarrow.parquet import ParquetFile

    try:
        with OSFile(path) as file:
            yield ParquetFile(file)
    except (ArrowException, OSError) as problem:
        raise TrialFileError(
            f"{path}: cannot be read: {problem}; copy or write the file again"
        ) from problem


def _read_rows(
    path: str,
    start: int,
    groups: range,
    roles: tuple[tuple[str, str], ...],
    request: Request,
    columns: Sequence[str],
    at_a_time: int,
) -> Iterator[pl.DataFrame]:
    """Read some groups of rows of a Parquet file, given the role and the name of its columns."""
    wanted = [pair for pair in roles if pair[0] in columns]
    names = [name for _, name in wanted]
    with _arrow_file(path) as file:
        for batch in file.iter_batches(at_a_time, [*groups], names):
            part = f"{path}, rows {start} to {start + batch.num_rows - 1}"
            yield checked(pl.DataFrame(batch), wanted, request, part, start)
            start += batch.num_rows


def parquet_pieces(source: Source, request: Request) -> list[Piece]:
    """The pieces of a Parquet file.

    Raises
    ------
    TrialFileError
        If the file is damaged, or its columns are missing or ambiguous.
    """
    path = source.name
    with _arrow_file(path) as file:
        about = file.metadata
        rows = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
        head = pl.DataFrame(next(file.iter_batches(SAMPLE), file.schema_arrow.empty_table()))
    refuse_many_rows(source, sum(rows))
    if not sum(rows):
        return []
    roles, sketches = roles_of(head, request, source.name)
    names = dict(zip(roles, head.columns, strict=True))
    needed = {"score": request.needs_score, "label": request.needs_label}
    for role, is_needed in needed.items():
        if is_needed and role not in names and not are_counts(head.columns):
            raise TrialFileError(
                f"{source.name}: has no column of {role}s; name it: ",
                request.setting("columns", f"{role}=NAME"),
            )
    known = {*IDS, *SPEAKERS}
    chosen = tuple(
        (role, name) for role, name in names.items() if role in known or needed.get(role)
    )
    ends = [0, *accumulate(rows)]
    return [
        Piece(
            name=f"{path}, rows {ends[groups.start]} to {ends[groups.stop] - 1}",
            rows=ends[groups.stop] - ends[groups.start],
            reader=partial(_read_rows, path, ends[groups.start], groups, chosen, request),
            request=request,
            file=path,
            score_name=names.get("score"),
            forensic=are_hypotheses(roles, sketches),
            names_speakers=set(SPEAKERS) <= set(names),
            has_ids="test" in names,
            is_counted=are_counts(head.columns),
        )
        for groups in _together(ends)
    ]


def _together(ends: Sequence[int]) -> Iterator[range]:
    """Groups of rows that make a piece, given where each group ends."""
    first = 0
    for group in range(1, len(ends)):
        if ends[group] - ends[first] >= piece.ROWS or group == len(ends) - 1:
            yield range(first, group)
            first = group


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


def hold_counts(paths: Paths) -> bool:
    """Whether these files, or the first of them, hold counted trials."""
    with suppress(TrialFileError):  # which are known by their names, whatever else is not clear
        first = files_of(paths)[0]
        if Path(first).is_file():
            pieces = table_pieces(first, Request("scores", joins=False))
            return any(piece.is_counted for piece in pieces)
    return False


def _watched(name: str, cut: Callable[[], list[Piece]]) -> Iterator[Piece]:
    """The pieces of a file, which must stay what it was before it was cut."""
    fingerprint = opened_input(name)
    with fingerprint.held():
        pieces = cut()
    return (replace(piece, fingerprint=fingerprint) for piece in pieces)


def _pieces_of(name: str, request: Request) -> list[Piece]:
    refuse_after_fork()
    source = Source(name)
    if source.path is not None and source.kind == "parquet" and find_spec("pyarrow"):
        return parquet_pieces(source, request)
    if not request.needs_label and source.kind == "npy":
        return npy_pieces(name, request, is_tar=False)
    if Path(name).stat().st_size == 0:
        raise TrialFileError(f"{name}: is empty")
    layout = _layout(source, request)
    if layout is None:
        table = read_table(name, request, counted=True)  # for the names of its columns
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
                is_counted=table.is_counted,
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
