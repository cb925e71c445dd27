"""Excel workbooks (.xlsx): one sheet, with the names of the columns in its first row."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from typing import Any

import polars as pl

from llrcal.errors import OptionError, TrialFileError
from llrcal.trials.archives import refuse_bombs
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.table import Table
from llrcal.trials.tables.frames import read_frame


def read_workbook(source: Source, request: Request) -> Table:
    """The trials of the only sheet that holds anything."""
    try:
        import openpyxl
    except ImportError:
        raise OptionError(
            f"{source.name}: this needs the package openpyxl: pip install 'llrcal[excel]'; or save "
            "the sheet as CSV"
        ) from None
    path = source.on_disk
    try:
        with zipfile.ZipFile(path) as archive:
            refuse_bombs(archive, path)
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        sheets = {sheet.title: _rows(sheet) for sheet in book.worksheets}
        book.close()
    except TrialFileError:
        raise
    except Exception as problem:  # damaged archives and XML fail in many ways
        raise TrialFileError(f"{source.name}: cannot be read as a workbook: {problem}") from problem
    filled = {title: rows for title, rows in sheets.items() if rows}
    if len(filled) != 1:
        found = f"trials may be in {', '.join(filled)}" if filled else "every sheet is empty"
        raise TrialFileError(
            f"{source.name}: {found}; save the sheet with the trials as a file of its own"
        )
    [(title, rows)] = filled.items()
    table = read_frame(_frame(rows, source.name), request, source.name)
    return replace(table, reading=f"sheet {title!r}, {table.reading}")


def _rows(sheet: Any) -> list[tuple[Any, ...]]:
    """The rows that hold anything."""
    rows = (tuple(row) for row in sheet.iter_rows(values_only=True))
    return [row for row in rows if any(value is not None for value in row)]


def _frame(rows: list[tuple[Any, ...]], name: str) -> pl.DataFrame:
    """Rows below their names as a frame; columns of mixed types become text."""
    header, *body = rows
    names = [f"column {i + 1}" if cell is None else str(cell) for i, cell in enumerate(header)]
    if len(set(names)) < len(names):
        raise TrialFileError(f"{name}: two columns have the same name")
    columns = []
    for i, title in enumerate(names):
        values: list[Any] = [row[i] if i < len(row) else None for row in body]
        are_numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        texts = [None if v is None else str(v) for v in values]
        columns.append(pl.Series(title, list(map(float, values)) if are_numbers else texts))
    return pl.DataFrame(columns)
