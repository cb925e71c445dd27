"""The grammar of a text file: how it is cut into lines, and a line into values.

Whatever looks at text goes by it: sniffing, reading, the naming of bad lines, and rewriting.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import polars as pl

from llrcal.arrays import Bools
from llrcal.errors import TrialFileError
from llrcal.messages import Position
from llrcal.trials.source import Source, whole_lines

COMMENT = "#"
BLANK = " \t\r"
"""The characters of blank lines; any other white space belongs to a value."""

_WIDE = 100  # columns; for many more, the automaton that polars builds is too large
_UNEVEN = r"\t|  |^ | $"  # blanks that are not one space between two values
_BLOCK = 2**21  # bytes; larger ones are no faster, and take many times as much memory


@dataclass(frozen=True)
class Grammar:
    """How a line is split into values."""

    separator: str
    """One character; a space stands for any run of blanks."""
    quotes: bool = False
    """Whether quotation marks enclose values, rather than being part of them."""
    padded: bool = False
    """Whether there are blanks around values that do not belong to them."""

    @classmethod
    def of(cls, lines: Sequence[str], separator: str) -> Self:
        """The grammar of lines whose separator is known.

        In files with commas and semicolons, quotation marks enclose values. After tabs and blanks,
        only if there are some on every line, and all of them do: R quotes every text, or none.
        """
        ends = (f" {separator}", f"{separator} ")
        padded = separator != " " and any(
            line != line.strip(" ") or ends[0] in line or ends[1] in line for line in lines
        )
        quoting = cls(separator, quotes=True, padded=padded)
        if separator in ",;" or all(
            '"' in line and not quoting.has_stray_quotes(line) for line in lines
        ):
            return quoting
        return replace(quoting, quotes=False)

    def split(self, line: str) -> list[str]:
        """The values on a line; one whose quotation marks are out of place is split as it is."""
        cells = self._quoted_cells(line) if self.quotes and '"' in line else []
        if cells:
            return [self._value(cell) for cell in cells]
        if self.separator == " ":
            return [field for field in line.replace("\t", " ").split(" ") if field]
        fields = line.split(self.separator)
        return [field.strip(" ") for field in fields] if self.padded else fields

    def has_stray_quotes(self, line: str) -> bool:
        """Whether a quotation mark on a line does not enclose a value."""
        return self.quotes and '"' in line and not self._quoted_cells(line)

    def _quoted_cells(self, line: str) -> list[str]:
        """The values on a line as they stand there; none if a quotation mark is out of place."""
        if self.separator == " ":
            line = line.strip(" \t")
        cell, joint = re.compile(self._cell), re.compile(self._joint)
        out, place = [], 0
        while found := cell.match(line, place):
            out.append(found.group())
            if found.end() == len(line):
                return out
            if not (between := joint.match(line, found.end())):
                break
            place = between.end()
        return []

    def _value(self, cell: str) -> str:
        inner = cell.strip(" ")
        if inner.startswith('"'):
            return inner[1:-1].replace('""', '"')
        return inner if self.padded else cell

    def table(self, lines: pl.Series, width: int) -> pl.DataFrame:
        """The values on lines, in so many columns; nulls where a line has another form."""
        lines = lines.str.strip_suffix("\r")
        if self.quotes and lines.str.contains('"', literal=True).any():
            return self._with_quotes(lines, width)
        plain = lines
        if self.separator == " ":
            if lines.str.contains(_UNEVEN).any():
                plain = lines.str.replace_all("[ \t]+", " ").str.strip_chars(" ")
        elif self.padded:
            padding = f" *{self.separator} *"
            plain = lines.str.replace_all(padding, self.separator).str.strip_chars(" ")
        values = plain.str.split(self.separator)
        is_good = (values.list.len() == width) & ~lines.str.contains("\r", literal=True)
        columns = [values.list.get(i, null_on_oob=True).alias(str(i)) for i in range(width)]
        return pl.DataFrame(columns).select(pl.when(is_good).then(pl.all()))

    def _with_quotes(self, lines: pl.Series, width: int) -> pl.DataFrame:
        """The same, where quotation marks enclose some values."""
        names = dict.fromkeys(map(str, range(width)), pl.String)
        more = f"(?:{self.separator}(?:{self._cell})){{{width - 1}}}"
        if (
            not self.padded
            and width < _WIDE
            and lines.str.contains(f"^(?:{self._cell}){more}$").all()
        ):  # as polars has it, which is much faster
            text = "\n".join(lines).encode()
            found = pl.read_csv(text, has_header=False, separator=self.separator, schema=names)
            return found.fill_null("")
        rows = (
            [self._value(cell) for cell in self._quoted_cells(line)]
            if '"' in line
            else self.split(line)
            for line in lines
        )
        bad = [None] * width
        good = [row if len(row) == width and "\r" not in "".join(row) else bad for row in rows]
        return pl.DataFrame(good, schema=names, orient="row")

    @property
    def _cell(self) -> str:
        """What a value looks like, with quotation marks and the blanks around these."""
        quoted = r'(?:"[^"\r\n]*")+'
        if self.separator == " ":
            return rf'{quoted}|[^" \t\r\n]+' if self.quotes else r"[^ \t\r\n]+"
        if self.quotes:
            return rf' *{quoted} *|[^"{self.separator}\r\n]*'
        return rf"[^{self.separator}\r\n]*"

    @property
    def _joint(self) -> str:
        return r"[ \t]+" if self.separator == " " else self.separator


def are_data(lines: pl.Series) -> Bools:
    """Which lines are neither blank nor comments."""
    blank = lines.str.strip_chars(BLANK) == ""
    return np.asarray(~(blank | lines.str.starts_with(COMMENT)).to_numpy())


def numbered_blocks(source: Source) -> Iterator[tuple[int, pl.Series]]:
    """The lines of a text file, many at a time, with the number of the first of them.

    An error if there are two kinds of ends of lines, NUL bytes, or bytes that are not UTF-8.

    Joined by the end of a line, the lines of a block are its text; the last is empty unless the
    file ends without an end of line.
    """
    number, done = 1, 0
    end = source.line_end
    for block in whole_lines(source.blocks(), end, source.name, at_least=_BLOCK):
        start = len(codecs.BOM_UTF8) * (number == 1 and block.startswith(codecs.BOM_UTF8))
        if end == b"\r" and b"\n" in block:
            raise TrialFileError(
                f"{source.name}: some lines end in a carriage return, others do not"
            )
        if 0 in block:
            line = number + block.count(end, 0, block.index(0))
            raise TrialFileError(f"{source.name}, ", Position("line", line), ": has a NUL byte")
        try:
            lines = decoded(block[start:], done + start).split(end.decode())
        except TrialFileError as problem:
            raise problem.within(source.name) from None
        yield number, pl.Series("line", lines, pl.String)
        number, done = number + len(lines) - 1, done + len(block)


def decoded(content: bytes, offset: int = 0) -> str:
    """Bytes as text; an error if they are not UTF-8, with the place in the file."""
    try:
        return content.decode()
    except UnicodeDecodeError as problem:
        raise TrialFileError(
            "the byte at ",
            Position("offset", offset + problem.start),
            " is not UTF-8 text; convert the file, for example with iconv -f latin1 -t utf8",
        ) from problem
