"""Text files with the scores replaced: other columns, header, comments and blank lines stay."""

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


def rewritten(
    source: Source, layout: Layout, request: Request, answers: Answers
) -> Iterator[bytes]:
    """The content of a text file, block by block, with ``answers`` in place of the scores.

    Lines whose score is NaN are left out if the request says so, with a warning in the end.
    """
    end, place = source.line_end.decode(), layout.roles.index("score")
    trials, dropped = 0, 0
    if source.head.startswith(codecs.BOM_UTF8):
        yield codecs.BOM_UTF8
    for block in trial_blocks(source, layout, request, [place]):
        scores, lines = block.values["score"], block.lines
        is_number = scores.is_not_nan()
        columns = answers(scores.filter(is_number).to_numpy())
        llrs, *added = (request.as_number(column).alias(name) for name, column in columns.items())
        table = block.table.filter(is_number).with_columns(llrs.alias(str(place)), *added)
        rows = block.rows[is_number.to_numpy()]
        old = lines.gather(rows)
        lines = lines.scatter(rows, _written(table, old, layout) + old.str.extract(r"(\r?)$"))
        header = layout.header_line - block.first
        if 0 <= header < len(lines) and lines[header]:  # or it begins the next block
            names = [column.name for column in added]
            lines[header] = _header(lines[header], layout, names, source.name)
        if not is_number.all():
            lines = lines.scatter(block.rows[~is_number.to_numpy()], None)
            lines[-1] = lines[-1] or ""  # the last line has no end, so it is not removed
        yield str(lines.drop_nulls().str.join(end).item()).encode()
        trials, dropped = trials + len(scores), dropped + int((~is_number).sum())
    warn(left_out(source.name, dropped, trials))


def _written(table: pl.DataFrame, old: pl.Series, layout: Layout) -> pl.Series:
    """A table as lines; all text is quoted where some was."""
    quoted = layout.grammar.quotes and old.str.contains('"', literal=True).any()
    text = table.write_csv(
        include_header=False,
        separator=_joint(layout),
        quote_style="non_numeric" if quoted else "never",
    )
    return pl.Series(text.split("\n")[:-1], dtype=pl.String)


def _joint(layout: Layout) -> str:
    return layout.grammar.separator if len(layout.roles) > 1 else " "


def _header(line: str, layout: Layout, added: list[str], source: str) -> str:
    for name in added:
        if name in (layout.header or ()):
            raise OptionError(f"{source}: has a column {name!r} already")
    stripped = line.removesuffix("\r")
    return _joint(layout).join([stripped, *added]) + line[len(stripped) :]
