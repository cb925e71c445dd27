"""Text files with the scores replaced line by line, and every other byte kept."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping

import polars as pl

from llrcal.arrays import Array, Floats
from llrcal.errors import OptionError
from llrcal.notes import warn
from llrcal.trials.leaving_out import left_out
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.text.parsing import trial_blocks
from llrcal.trials.text.sniffing import Layout

Answers = Callable[[Floats], Mapping[str, Array]]
"""What to write for scores: their LLRs first, then columns to add, by name."""

_AROUND = r'[ \t"]'  # what may be around a score


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
    for block in trial_blocks(source, layout, request, [layout.roles.index("score")]):
        scores, lines = block.values["score"], block.lines
        is_number = scores.is_not_nan()
        columns = answers(scores.filter(is_number).to_numpy())
        texts = {name: request.as_text(column) for name, column in columns.items()}
        edited = _edited(block.cells.filter(is_number), [*texts.values()], layout)
        lines = lines.scatter(block.rows[is_number.to_numpy()], edited)
        header = layout.header_line - block.first
        if 0 <= header < len(lines) and lines[header]:  # or it begins the next block
            lines[header] = _header(lines[header], layout, [*texts][1:], source.name)
        if not is_number.all():
            lines = lines.scatter(block.rows[~is_number.to_numpy()], None)
            lines[-1] = lines[-1] or ""  # the last line has no end, so it is not removed
        yield str(lines.drop_nulls().str.join(end).item()).encode()
        trials, dropped = trials + len(scores), dropped + int((~is_number).sum())
    warn(left_out(source.name, dropped, trials))


def _edited(parts: pl.DataFrame, columns: list[pl.Series], layout: Layout) -> pl.Series:
    """Lines with other scores, and with further columns at their ends."""
    before, cells, after = parts
    llrs, *added = columns
    if cells.str.contains(_AROUND).any():
        llrs = cells.str.extract(f"^({_AROUND}*)") + llrs + cells.str.extract(f"({_AROUND}*)$")
    joint = layout.grammar.separator if len(layout.roles) > 1 else " "
    joined = before + llrs + after.str.strip_suffix("\r")
    for column in added:
        joined = joined + joint + column
    return joined + after.str.extract(r"(\r?)$")


def _header(line: str, layout: Layout, added: list[str], source: str) -> str:
    for name in added:
        if name in (layout.header or ()):
            raise OptionError(f"{source}: has a column {name!r} already")
    stripped = line.removesuffix("\r")
    return layout.grammar.separator.join([stripped, *added]) + line[len(stripped) :]
