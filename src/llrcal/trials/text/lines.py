"""Text files with the scores replaced line by line, and every other byte kept."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from llrcal.arrays import Array, Floats
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

_AROUND_A_SCORE = r'^([ \t"]*)(.*?)([ \t"]*)$'


def rewritten(
    source: Source, layout: Layout, request: Request, answers: Answers
) -> Iterator[bytes]:
    """The content of a text file, block by block, with ``answers`` in place of the scores.

    Lines whose score is NaN are left out if the request says so, with a warning in the end.
    """
    editor = _Editor(source, layout, request, answers)
    end = source.line_end.decode()
    trials, dropped = 0, 0
    if source.head.startswith(codecs.BOM_UTF8):
        yield codecs.BOM_UTF8
    for number, lines in numbered_blocks(source):
        edited, found, gone = editor.edited(lines, number)
        yield str(edited.str.join(end).item()).encode()
        trials, dropped = trials + found, dropped + gone
    warn(left_out(source.name, dropped, trials))


@dataclass(frozen=True)
class _Editor:
    source: Source
    layout: Layout
    request: Request
    answers: Answers

    def edited(self, lines: pl.Series, first: int) -> tuple[pl.Series, int, int]:
        """The lines with other scores, the number of trials, and how many of these are left out.

        ``first`` is the number of the first line.
        """
        layout, request = self.layout, self.request
        rows = np.flatnonzero(trial_lines(lines, first, self.source, layout))
        place = layout.roles.index("score")
        before, cells, after = layout.grammar.cells(lines.gather(rows), len(layout.roles), [place])
        texts = layout.grammar.values(cells).str.strip_chars(" \t")
        scores, bad = scores_of(texts, request)
        values = scores.to_numpy()
        if bad.any():
            number = first + int(rows[np.argmax(bad)])
            raise bad_line(number, self.source, layout, request)
        is_number = ~np.isnan(values)
        kept, gone = rows[is_number], rows[~is_number]
        if len(gone):
            before, cells, after, texts = (
                part.filter(pl.Series(is_number)) for part in (before, cells, after, texts)
            )
        columns = {
            name: request.as_text(column)
            for name, column in self.answers(values[is_number]).items()
        }
        llrs, *added = columns.values()
        if not cells.equals(texts):  # there are blanks or quotation marks around some
            around = cells.str.extract_groups(_AROUND_A_SCORE).struct.unnest()
            llrs = around.to_series(0) + llrs + around.to_series(2)
        joint = layout.grammar.separator if len(layout.roles) > 1 else " "
        joined = before + llrs + after.str.strip_suffix("\r")
        for column in added:
            joined = joined + joint + column
        lines = lines.scatter(kept, joined + after.str.extract(r"(\r?)$"))
        header = layout.header_line - first
        if added and 0 <= header < len(lines) and lines[header]:  # or it begins the next block
            lines = lines.scatter(header, self._header(lines[header], list(columns)[1:]))
        if len(gone):
            lines = _without(lines, gone)
        return lines, len(rows), len(gone)

    def _header(self, line: str, added: list[str]) -> str:
        for name in added:
            if name in (self.layout.header or ()):
                raise OptionError(f"{self.source.name}: has a column {name!r} already")
        stripped = line.removesuffix("\r")
        separator = self.layout.grammar.separator
        return separator.join([stripped, *added]) + line[len(stripped) :]


def _without(lines: pl.Series, gone: Array) -> pl.Series:
    """The lines without some; the last line has no end, so it is emptied rather than removed."""
    is_kept = np.ones(len(lines), bool)
    is_kept[gone] = False
    if not is_kept[-1]:
        is_kept[-1] = True
        lines = lines.scatter(len(lines) - 1, "")
    return lines.filter(pl.Series(is_kept))
