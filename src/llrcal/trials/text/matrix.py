"""A matrix of scores as text, with models down the side and recordings along the top."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl

from llrcal.errors import TrialFileError
from llrcal.messages import Message, Setting
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.source import Source
from llrcal.trials.table import Table
from llrcal.trials.text.fields import has_stray_quotes
from llrcal.trials.text.parsing import tidied
from llrcal.trials.text.sniffing import Layout

_STRAY_RETURN = re.compile(rb"\r(?!\n|\Z)")


def read_matrix(source: Source, layout: Layout, request: Request) -> Table:
    """The trials of a matrix, row by row.

    If labels are needed, trials are targets whose model and recording have the same name.
    """
    rows, columns, scores = matrix_cells(source, layout, request)
    frame = pl.DataFrame(
        {
            "enrol": pl.Series(rows, dtype=pl.String).repeat_by(len(columns)).explode(),
            "test": pl.concat([pl.Series(columns, dtype=pl.String)] * len(rows)),
            "score": scores.ravel(),
        }
    )
    reading = f"{layout.reading} ({len(rows)} x {len(columns)})"
    if request.needs_label:
        if not set(rows) & set(columns):
            raise TrialFileError(
                f"{source.name}: no model has the name of a recording, so there are no targets; "
                "give a key: ",
                Setting("key", "FILE"),
            )
        same = (pl.col("enrol") == pl.col("test")).cast(pl.Int8).alias("label")
        frame = frame.with_columns(same)
        reading += ", targets where both ids are the same"
    return Table(frame, source.name, reading)


def matrix_cells(
    source: Source, layout: Layout, request: Request
) -> tuple[list[str], list[str], np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """Names of the rows, names of the columns, and the scores."""
    if b"\0" in source.content:
        raise TrialFileError(f"{source.name}: holds a NUL byte; it is not a text file")
    has_quotes = layout.quotes and b'"' in source.content  # they mean nothing after a blank
    content = tidied(source.content, replace(layout, padded=has_quotes))
    if _STRAY_RETURN.search(content):  # polars would swallow some of them
        raise TrialFileError(f"{source.name}: a row of the matrix has a carriage return in it")
    if has_quotes and (layout.torn or _is_torn(content, layout)):
        raise TrialFileError(f"{source.name}: a quotation mark in the matrix is out of place")
    try:
        frame = pl.read_csv(
            content,
            has_header=False,
            separator=layout.separator,
            quote_char='"' if layout.quotes else None,
            infer_schema=False,
        )
    except pl.exceptions.PolarsError as problem:
        raise TrialFileError(
            f"{source.name}: the rows of the matrix have different lengths"
        ) from problem
    header = layout.header or ()
    if frame.width != len(header):
        raise TrialFileError(
            f"{source.name}: the matrix has {len(header)} columns at the top and {frame.width} "
            "below"
        )
    names, *cells = (column.str.strip_chars(" ") for column in frame.get_columns())
    columns = [name.strip(" ") for name in header[1:]]
    if names.null_count() or (names == "").any() or "" in columns:
        raise TrialFileError(f"{source.name}: a row or a column of the matrix has no name")
    out = np.empty((frame.height, len(columns)))
    for j, column in enumerate(cells):
        numbers = request.as_numbers(column)
        values = numbers.to_numpy()
        bad = request.unusable(values) | numbers.is_null().to_numpy()
        if bad.any():
            i = int(np.argmax(bad))
            hint: Message = ("; repair it", *TO_DROP_NAN) if numbers.is_nan()[i] else ()
            raise TrialFileError(
                f"{source.name}: the score of {names[i]} against {columns[j]} is "
                f"{column[i]!r}, which cannot be used",
                *hint,
            )
        out[:, j] = values
    return names.to_list(), columns, out


def _is_torn(content: bytes, layout: Layout) -> bool:
    """Whether a row has a quotation mark that is out of place or unpaired."""
    lines = content.decode(errors="replace").split("\n")
    return any(has_stray_quotes(line.removesuffix("\r"), layout.separator) for line in lines)
