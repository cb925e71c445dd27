"""Text files of any layout: every line is read by its grammar, or named if it does not fit.

Where nothing in the bytes of a file calls for more care, polars' parser does the same faster.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import TrialFileError
from llrcal.messages import Message, Position
from llrcal.trials.conventions import WANTED, is_wanted
from llrcal.trials.frames import (
    as_labels,
    unknown_label,
    with_derived_columns,
)
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.source import Source, whole_lines
from llrcal.trials.table import Table
from llrcal.trials.text.grammar import COMMENT, are_data, numbered_blocks
from llrcal.trials.text.roles import NUMBER
from llrcal.trials.text.sniffing import Layout

_ODD = "odd line"  # a column beside those of the trials; no role has this name


def read_text(source: Source, layout: Layout, request: Request) -> Table:
    """The trials of a text file."""
    comments, is_whole, frame = _read_fast(source, layout, request)
    if frame is None:
        places = [i for i, role in enumerate(layout.roles) if is_wanted(role)]
        blocks = trial_blocks(source, layout, request, places)
        frame = _labelled(pl.concat(block.values for block in blocks), request, source.name)
    left_out = f", {comments} lines that begin with # left out" if comments else ""
    cut = "" if is_whole else "; the last line has no end: is the file complete?"
    return Table(
        with_derived_columns(frame, layout.header or (), layout.roles, request),
        source.name,
        f"{layout.reading}{left_out}{cut}",
        score_name=layout.score_name,
        forensic=layout.forensic,
        unnamed=layout.unnamed,
        others=tuple(
            name
            for name, role in zip(layout.header or (), layout.roles, strict=False)
            if not is_wanted(role)
        ),
    )


def _labelled(frame: pl.DataFrame, request: Request, source: str) -> pl.DataFrame:
    if "label" not in frame.columns:
        return frame
    return frame.with_columns(as_labels(frame["label"], request, source))


# ---------------------------------------------------------------- line by line


class TrialBlock(NamedTuple):
    """Some lines of a text file, and what those of them hold that are trials."""

    first: int
    """The number of the first line in the file."""
    lines: pl.Series
    rows: Array
    """Which of the lines hold a trial."""
    table: pl.DataFrame
    """What stands on these, in columns: see :meth:`Grammar.table`."""
    values: pl.DataFrame
    """Those of the columns that are read, by role, as what they are."""


def trial_blocks(
    source: Source, layout: Layout, request: Request, places: Sequence[int]
) -> Iterator[TrialBlock]:
    """Some columns of a text file, block by block; an error names the first line that is wrong."""
    grammar, roles = layout.grammar, [layout.roles[place] for place in places]
    faults = [pl.col([role for role in roles if role in WANTED]).is_null()]
    if "label" in roles:
        faults.append(~pl.col("label").is_in([word for word, _ in request.label_of_word]))
    for first, lines in numbered_blocks(source):
        are_trials = are_data(lines)
        are_trials[: max(layout.first_line - first, 0)] = False
        rows = np.flatnonzero(are_trials)
        table = grammar.table(lines.gather(rows), len(layout.roles))
        texts = {role: table.to_series(place) for role, place in zip(roles, places, strict=True)}
        if request.on_nan != "error" and "score" in texts:  # what is empty is not a number
            texts["score"] = texts["score"].replace("", "nan")
        values = pl.DataFrame(texts).select(pl.when(pl.all() != "").then(pl.all()))
        if "score" in roles:
            score = request.score_in(pl.col("score").str.strip_chars(" \t"))
            values = values.with_columns(score)
        bad = values.select(pl.any_horizontal(faults)).to_series()
        if bad.any():
            row = int(rows[bad.arg_max() or 0])
            fault = _fault(lines[row].removesuffix("\r"), layout, request)
            raise TrialFileError(f"{source.name}, ", Position("line", first + row), ": ", *fault)
        yield TrialBlock(first, lines, rows, table, values)


def _fault(line: str, layout: Layout, request: Request) -> Message:
    """What is wrong with a line."""
    if layout.grammar.has_stray_quotes(line):
        which = "without its partner" if line.count('"') % 2 else "out of place"
        return (f"has a quotation mark {which}",)
    fields = layout.grammar.split(line)
    if len(fields) != len(layout.roles):
        return (f"has {len(fields)} columns where {len(layout.roles)} are expected",)
    for role, field in zip(layout.roles, fields, strict=True):
        if role in WANTED and not field:
            return (f"has no {role}",)
        if role == "label" and field not in dict(request.label_of_word):
            return unknown_label(field)
        if role == "score" and (fault := _fault_of_score(field.strip(" \t"), request)):
            return fault
    form = "has a carriage return in it" if "\r" in line else "differs from the others in its form"
    return (form,)


def _fault_of_score(field: str, request: Request) -> Message:
    text = request.with_point(field)
    if not NUMBER.fullmatch(text):
        return (f"the score {text!r} is not a number; repair it, or remove the line",)
    value = float(text)
    if math.isnan(value) and request.on_nan == "error":
        return ("the score is not a number (NaN); remove or repair it", *TO_DROP_NAN)
    if math.isinf(value) and "inf" not in text.lower():
        return (f"the score {text!r} is too large for a double",)
    if math.isinf(value) and not request.allow_infinite:
        return (f"the score {text!r} is infinite; only LLRs may be",)
    return ()


# ---------------------------------------------------------------- all at once


def _read_fast(
    source: Source, layout: Layout, request: Request
) -> tuple[int, bool, pl.DataFrame | None]:
    """The number of lines that begin with #, whether the last line has an end, and the trials.

    There is no frame if polars' parser may not find what the grammar does. It minds no NUL, and has
    its own idea of carriage returns, and of quotation marks and blanks that are out of place.
    """
    end, grammar = source.line_end, layout.grammar
    comment = end + COMMENT.encode()
    is_plain, comments, quoted, block = end == b"\n" and not grammar.padded, 0, False, end
    # From memory: a file that is cut off while it is mapped would end the process.
    content = source.content
    for number, block in enumerate(whole_lines(source.blocks(), end, source.name)):
        if number == 0:
            block = block.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901
        if comment[-1] in block:  # far cheaper than looking for both
            comments += block.count(comment) + block.startswith(comment[-1:])
        quoted = quoted or (grammar.quotes and b'"' in block)
        is_plain = is_plain and not (
            b"\0" in block
            or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n"))
            or (grammar.separator == " " and b"\t" in block)
        )
    frame = None
    if is_plain:
        prefix = COMMENT if comments else None  # looking for comments takes time
        frame = _scanned(source, content, layout, request, prefix, quoted=quoted)
    return comments, block.endswith(end), frame


def _scanned(
    source: Source,
    content: bytes,
    layout: Layout,
    request: Request,
    comment: str | None,
    *,
    quoted: bool,
) -> pl.DataFrame | None:
    """The trials as polars finds them; None if there is anything wrong with a line."""
    roles, separator = layout.roles, layout.grammar.separator
    # The parser is fast at numbers, but does not say which were written as infinite.
    score = pl.String if request.allow_infinite or request.decimal == "comma" else pl.Float64
    scan = pl.scan_csv(
        content,
        has_header=False,
        skip_lines=layout.first_line - 1,
        separator=separator,
        quote_char='"' if layout.grammar.quotes else None,
        comment_prefix=comment,
        schema={str(i): score if role == "score" else pl.String for i, role in enumerate(roles)},
        raise_if_empty=False,
    )
    # Columns that are not asked for, polars does not count: this asks for all of them.
    is_odd = pl.any_horizontal(pl.all().is_null())
    if separator != " ":  # values may be empty, but there are none at the end of a short line
        is_odd &= pl.last().is_null()
    if quoted:
        is_odd |= pl.any_horizontal(pl.col(pl.String).str.contains('^$|["\n]'))
    columns = {role: pl.col(str(i)) for i, role in enumerate(roles) if is_wanted(role)}
    if "score" in columns:
        columns["score"] = request.score_in(columns["score"])
    try:
        frame = scan.select(is_odd.alias(_ODD), **columns).collect()
    except pl.exceptions.PolarsError:
        return None
    if frame.drop_in_place(_ODD).any():
        return None
    frame = _labelled(frame, request, source.name)
    return None if any(c.null_count() for c in frame if c.name in WANTED) else frame
