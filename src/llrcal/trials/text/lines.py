"""Text files with the scores replaced line by line, and every other byte kept."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import polars as pl

from llrcal.arrays import Array, Bools, Floats
from llrcal.errors import OptionError
from llrcal.notes import warn
from llrcal.trials.leaving_out import left_out
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.text.grammar import numbered_blocks
from llrcal.trials.text.parsing import bad_line, scores_of, trial_lines
from llrcal.trials.text.sniffing import Layout

Answers = Callable[[Floats], Mapping[str, Array]]
"""What to write for scores: their LLRs first, then columns to add, by name."""

_AROUND = ' \t"'  # what may be around a score


def rewritten(
    source: Source, layout: Layout, request: Request, answers: Answers
) -> Iterator[bytes]:
    """The content of a text file, block by block, with ``answers`` in place of the scores.

    Lines whose score is NaN are left out if the request says so, with a warning in the end.
    """
    end = source.line_end.decode()
    trials, dropped = 0, 0
    if source.head.startswith(codecs.BOM_UTF8):
        yield codecs.BOM_UTF8
    for first, lines in numbered_blocks(source):
        rows = np.flatnonzero(trial_lines(lines, first, layout))
        edited, is_number, added = _edited(lines.gather(rows), layout, request, answers)
        if edited is None:
            number = first + int(rows[np.argmin(is_number)])
            raise bad_line(number, source, layout, request)
        lines = lines.scatter(rows[is_number], edited)  # noqa: PLW2901
        header = layout.header_line - first
        if added and 0 <= header < len(lines) and lines[header]:  # or it begins the next block
            lines[header] = _header(lines[header], layout, added, source.name)
        lines = _without(lines, rows[~is_number])  # noqa: PLW2901
        yield str(lines.str.join(end).item()).encode()
        trials, dropped = trials + len(rows), dropped + int((~is_number).sum())
    warn(left_out(source.name, dropped, trials))


def _edited(
    lines: pl.Series, layout: Layout, request: Request, answers: Answers
) -> tuple[pl.Series | None, Bools, list[str]]:
    """Lines with other scores, which of them have a score, and the names of columns to add.

    None if a line cannot be read; then the second says which of them can.
    """
    place = layout.roles.index("score")
    parts = layout.grammar.cells(lines, len(layout.roles), [place])
    texts = layout.grammar.values(parts.to_series(1)).str.strip_chars(" \t")
    scores, bad = scores_of(texts, request)
    if bad.any():
        return None, ~bad, []
    is_number = ~np.isnan(scores.to_numpy())
    if not is_number.all():
        chosen = pl.Series(is_number)
        parts, texts, scores = parts.filter(chosen), texts.filter(chosen), scores.filter(chosen)
    before, cells, after = parts
    columns = answers(scores.to_numpy())
    llrs, *added = (request.as_text(column) for column in columns.values())
    if cells.str.len_bytes().sum() > texts.str.len_bytes().sum():
        start = cells.str.len_chars() - cells.str.strip_chars_start(_AROUND).str.len_chars()
        end = cells.str.strip_chars_end(_AROUND).str.len_chars()
        llrs = cells.str.slice(0, start) + llrs + cells.str.slice(end)
    joint = layout.grammar.separator if len(layout.roles) > 1 else " "
    joined = before + llrs + after.str.strip_suffix("\r")
    for column in added:
        joined = joined + joint + column
    return joined + after.str.extract(r"(\r?)$"), is_number, list(columns)[1:]


def _header(line: str, layout: Layout, added: list[str], source: str) -> str:
    for name in added:
        if name in (layout.header or ()):
            raise OptionError(f"{source}: has a column {name!r} already")
    stripped = line.removesuffix("\r")
    return layout.grammar.separator.join([stripped, *added]) + line[len(stripped) :]


def _without(lines: pl.Series, gone: Array) -> pl.Series:
    """The lines without some; the last line has no end, so it is emptied rather than removed."""
    if not len(gone):
        return lines
    is_kept = np.ones(len(lines), bool)
    is_kept[gone] = False
    if not is_kept[-1]:
        is_kept[-1] = True
        lines = lines.scatter(len(lines) - 1, "")
    return lines.filter(pl.Series(is_kept))
