"""Text files with the scores replaced line by line, and every other byte kept."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from llrcal.arrays import Array, Floats
from llrcal.errors import OptionError, TrialFileError
from llrcal.messages import Position
from llrcal.notes import warn
from llrcal.trials.nan_scores import left_out
from llrcal.trials.request import Request
from llrcal.trials.source import Source, whole_lines
from llrcal.trials.text.bad_lines import first_bad_line
from llrcal.trials.text.fields import BLANK, COMMENT, not_utf8
from llrcal.trials.text.sniffing import Layout

Answers = Callable[[Floats], Mapping[str, Array]]
"""What to write for scores: their LLRs first, then columns to add, by name."""

_BLOCK = 2**21  # bytes; larger ones are no faster, and take many times as much memory
_WIDE = 100  # columns; for many more, the automaton that polars builds is too large


def rewritten(
    source: Source, layout: Layout, request: Request, answers: Answers
) -> Iterator[bytes]:
    """The content of a text file, block by block, with ``answers`` in place of the scores.

    Lines whose score is NaN are left out if the request says so, with a warning in the end.
    """
    editor = _Editor(source, layout, request, answers)
    end = source.line_end
    number, done = 1, 0
    trials, dropped = 0, 0
    for block in whole_lines(source.blocks(), end, source.name, at_least=_BLOCK):
        if number == 1 and block.startswith(codecs.BOM_UTF8):
            yield codecs.BOM_UTF8
            block = block.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901
            done = len(codecs.BOM_UTF8)
        try:
            text = block.decode()
        except UnicodeDecodeError as problem:
            raise not_utf8(source.name, problem).moved(offset=done) from problem
        lines = pl.Series("line", text.split(end.decode()), pl.String)
        edited, found, gone = editor.edited(lines, number)
        yield str(edited.str.join(end.decode()).item()).encode()
        number, done = number + len(lines) - 1, done + len(block)
        trials, dropped = trials + found, dropped + gone
    warn(left_out(source.name, dropped, trials))


def rewritten_matrix(source: Source, layout: Layout, request: Request, llrs: Floats) -> bytes:
    """The content of a matrix with ``llrs`` in its cells, row by row."""
    end = source.line_end.decode()
    lines = source.content.decode().split(end)
    places = [i for i in range(layout.header_line, len(lines)) if lines[i].strip(BLANK)]
    for i, row in zip(places, llrs, strict=True):
        lines[i], count = _with_cells(lines[i], layout.separator, request.as_text(row).to_list())
        if count != 1 + len(row):
            raise TrialFileError(
                f"{source.name}, ",
                Position("line", i + 1),
                f": has {count} cells where {1 + len(row)} are expected",
            )
    return end.join(lines).encode()


def _with_cells(line: str, separator: str, texts: list[str]) -> tuple[str, int]:
    """A row of a matrix with other numbers after its name, and how many cells it has."""
    sign = re.escape(separator)
    cell = r"[^ \t\r]+" if separator == " " else rf'(?:^|(?<={sign}))(?:(?:"[^"]*")+|[^{sign}]*)'
    left = iter([None, *texts])  # the name stays

    def replaced(match: re.Match[str]) -> str:
        found, text = match.group(), next(left, None)
        return found if text is None else found.replace(found.strip(' "\r'), text, 1)

    return re.subn(cell, replaced, line)


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
        rows = np.flatnonzero(self._is_data(lines, first))
        parts = _parts(lines.gather(rows), self.layout)
        scores = self.request.as_numbers(parts["score"])
        values = scores.to_numpy()
        bad = self.request.unusable(values) | scores.is_null().to_numpy()
        bad |= (_has_quote(parts["open"]) != _has_quote(parts["close"])).fill_null(True).to_numpy()
        if bad.any():  # or there is no number at all
            raise self._fault(first + int(rows[np.argmax(bad)]))
        is_nan = np.isnan(values)
        kept, gone = rows[~is_nan], rows[is_nan]
        if len(gone):
            parts, values = parts.filter(~is_nan), values[~is_nan]
        columns = {
            name: self.request.as_text(column) for name, column in self.answers(values).items()
        }
        llrs, *added = columns.values()
        body = parts["after"].str.strip_suffix("\r")
        edited: list[pl.Series | pl.Expr]
        edited = [parts["before"], parts["open"], llrs, parts["close"], body]
        joint = pl.lit(self.layout.separator if len(self.layout.roles) > 1 else " ")
        for column in added:
            edited += [joint, column]
        edited.append(parts["after"].str.extract(r"(\r?)$"))
        lines = lines.scatter(kept, pl.select(pl.concat_str(edited)).to_series())
        header = self.layout.header_line - first
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
        return self.layout.separator.join([stripped, *added]) + line[len(stripped) :]

    def _is_data(self, lines: pl.Series, first: int) -> Array:
        """Which lines hold a trial, not being blank, a comment or the header."""
        blank = lines.str.strip_chars(BLANK) == ""
        is_data = ~(blank | lines.str.starts_with(COMMENT)).to_numpy()
        header = self.layout.header_line - first
        if 0 <= header < len(lines):
            is_data[header] = False
        return is_data

    def _fault(self, number: int) -> TrialFileError:
        return first_bad_line(self.source, self.layout, self.request) or TrialFileError(
            f"{self.source.name}, ",
            Position("line", number),
            ": does not have the form of the others",
        )


def _without(lines: pl.Series, gone: Array) -> pl.Series:
    """The lines without some; the last line has no end, so it is emptied rather than removed."""
    is_kept = np.ones(len(lines), bool)
    is_kept[gone] = False
    if not is_kept[-1]:
        is_kept[-1] = True
        lines = lines.scatter(len(lines) - 1, "")
    return lines.filter(pl.Series(is_kept))


def _has_quote(edges: pl.Series) -> pl.Series:
    return edges.str.contains('"', literal=True)


def _parts(lines: pl.Series, layout: Layout) -> pl.DataFrame:
    """What the pattern finds in each line, by the names of its groups; nulls if it fails."""
    pattern = _pattern(layout)
    if len(layout.roles) <= _WIDE:
        return lines.str.extract_groups(pattern).struct.unnest()
    wide = re.compile(pattern)
    found = (wide.match(line) for line in lines)
    rows = [match.groups() if match else (None,) * wide.groups for match in found]
    return pl.DataFrame(rows, schema=dict.fromkeys(wide.groupindex, pl.String), orient="row")


def _pattern(layout: Layout) -> str:
    """A regular expression for a line with all its columns.

    It separates what comes before the score, the blanks and quotation marks on both sides of it,
    the score itself, and the rest. At each character there is only one way to go on, which is fast.
    """
    place = layout.index("score")
    left = len(layout.roles) - 1 - place
    if layout.separator == " ":
        field, opening, closing = r"[^ \t\r\n]+", "", ""
        score = field
        if layout.quotes:
            score, opening, closing = r'[^" \t\r\n]+', '"?', '"?'
            field = rf'(?:(?:"[^"\r\n]*")+|{score})'
        before = rf"[ \t]*(?:{field}[ \t]+){{{place}}}"
        after = rf"(?:[ \t]+{field}){{{left}}}[ \t]*"
    else:
        sign = re.escape(layout.separator)
        blanks = " *" if layout.separator == "\t" else r"[ \t]*"  # as polars skips them
        field, opening, closing = rf"[^{sign}\r\n]*", blanks, " *"
        if layout.quotes:
            quoted = r'"[^"\r\n]*"'
            field = rf'(?: *(?:{quoted})+ *|[^"{sign}\r\n]*)'
            opening, closing = f' *"?{blanks}', ' *"? *'
        before, score = rf"(?:{field}{sign}){{{place}}}", rf'[^"{sign} \t\r\n]*'
        after = rf"(?:{sign}{field}){{{left}}}"
    return (
        rf"^(?P<before>{before})(?P<open>{opening})(?P<score>{score})(?P<close>{closing})"
        rf"(?P<after>{after}\r?)$"
    )
