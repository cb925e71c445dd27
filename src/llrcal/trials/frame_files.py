"""Files of tables: Parquet and Arrow, and workbooks of Excel."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import IO, Any

import polars as pl
from polars.io.plugins import register_io_source

from llrcal.arrays import Array
from llrcal.errors import LlrcalError, OptionError, TrialFileError
from llrcal.notes import warn
from llrcal.trials.frames import (
    SAMPLE,
    collected,
    polars_errors,
    roles_of,
    rows_counted_from,
    scores_in,
)
from llrcal.trials.leaving_out import left_out
from llrcal.trials.npy import check_archive
from llrcal.trials.request import Request
from llrcal.trials.source import Source, refuse_swelling
from llrcal.trials.text.lines import Answers

_SCORE = 8  # bytes
_LARGEST_RATIO = 1000  # of scores to file, in bytes: they may all be the same
_ROWS = 2**20  # rows that are rewritten at a time


def rewrite_frame_file(file: Source, written: IO[bytes], answers: Answers, request: Request) -> str:
    """Write a Parquet or Arrow file again with ``answers`` in place of its scores, rows by rows.

    Returns how it was read. Rows whose score is NaN are left out if the request says so.
    """
    scan, rows = counted(file)
    name = _score_name(scan, request, file.name)
    problems: list[LlrcalError] = []
    dropped = 0

    def answered(frame: pl.DataFrame) -> pl.DataFrame:
        nonlocal dropped
        scores = scores_in(frame[name], request, file.name)
        if request.on_nan == "drop" and (is_nan := scores.is_nan()).any():
            frame, scores = frame.filter(~is_nan), scores.filter(~is_nan)
            dropped += int(is_nan.sum())
        return _with_answers(frame, name, answers(scores.to_numpy()), file.name)

    def parts(*_: Any) -> Iterator[pl.DataFrame]:
        try:
            for start in range(0, rows, _ROWS):
                frame = collected(scan.slice(start, _ROWS), file.name)
                with rows_counted_from(start):
                    yield answered(frame)
        except LlrcalError as problem:  # polars would turn it into an error of its own
            problems.append(problem)
            raise

    lazy = register_io_source(parts, schema=answered(collected(scan.head(0), file.name)).schema)
    try:
        (lazy.sink_parquet if file.kind == "parquet" else lazy.sink_ipc)(written)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, LlrcalError):
        if problems:
            raise problems[0] from None
        raise
    warn(left_out(file.name, dropped, rows))
    return f"column {name!r}"


def _score_name(scan: pl.LazyFrame, request: Request, source: str) -> str:
    head = collected(scan.head(SAMPLE), source)
    named = dict(request.named).get("score", "score")
    if not head.height and named in head.columns:
        return named
    if not head.height:
        raise TrialFileError(f"{source}: holds no trials")
    return head.columns[roles_of(head, request, source)[0].index("score")]


def _with_answers(
    frame: pl.DataFrame, name: str, answers: Mapping[str, Array], source: str
) -> pl.DataFrame:
    """The frame with LLRs in place of the scores in a column, and with the columns to add."""
    llrs, *added = (pl.Series(key, value) for key, value in answers.items())
    for column in added:
        if column.name in frame.columns:
            raise OptionError(f"{source}: has a column {column.name!r} already")
    return frame.with_columns(llrs.rename(name), *added)


def counted(source: Source) -> tuple[pl.LazyFrame, int]:
    """A file to be read lazily, and the number of its rows."""
    with polars_errors(source.name):
        read = pl.scan_parquet if source.kind == "parquet" else pl.scan_ipc
        # Of bytes: a file that is cut off while polars maps it would end the process.
        scan = read(io.BytesIO(source.content))
        rows = int(scan.select(pl.len()).collect().item())
    refuse_many_rows(source, rows)
    return scan, rows


def refuse_many_rows(source: Source, rows: int) -> None:
    """Refuse a file that claims far more rows than it can hold, unless all are the same."""
    hint = f"{rows} rows of this size cannot be scores"
    refuse_swelling(source.name, source.size, rows * _SCORE, _LARGEST_RATIO, hint)


# ---------------------------------------------------------------- Excel


def sheet_as_text(source: Source, request: Request) -> tuple[Source, Request]:
    """The only sheet of a workbook that holds anything as CSV, each row a line; and how to read it.

    Above the names of columns, rows with one cell alone are titles, and left out.
    """
    sheets = {title: rows for title, rows in _sheets(source).items() if any(rows)}
    if len(sheets) != 1:
        found = f"trials may be in {', '.join(sheets)}" if sheets else "every sheet is empty"
        raise TrialFileError(
            f"{source.name}: {found}; save the sheet with the trials as a file of its own"
        )
    [(title, rows)] = sheets.items()
    filled = [len(row) - row.count("") for row in rows]
    start = next(i for i, count in enumerate(filled) if count > (max(filled) > 1))
    text = io.StringIO()
    rows[:start] = [[]] * start
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    name = f"{source.name}, sheet {title!r}" + " below its title" * any(filled[:start])
    as_csv = replace(request, separator=",", header=True, decimal="point")
    return Source(name, text.getvalue().encode()), as_csv


def _sheets(source: Source) -> dict[str, list[list[str]]]:
    """The rows of each sheet of a workbook as text; those without a value are empty."""
    path = source.on_disk
    try:
        import openpyxl

        with zipfile.ZipFile(path) as archive:
            check_archive(archive, path)
        return {
            sheet.title: [
                ["" if cell is None else " ".join(str(cell).split("\n")) for cell in row]
                if row.count(None) < len(row)
                else []
                for row in sheet.iter_rows(values_only=True)
            ]
            for sheet in openpyxl.load_workbook(path, data_only=True).worksheets
        }
    except ImportError:
        raise OptionError(
            f"{source.name}: this needs the package openpyxl: pip install 'llrcal[excel]'; or save "
            "the sheet as CSV"
        ) from None
    except TrialFileError:
        raise
    except Exception as problem:  # damaged archives and XML fail in many ways
        raise TrialFileError(f"{source.name}: cannot be read as a workbook: {problem}") from problem
