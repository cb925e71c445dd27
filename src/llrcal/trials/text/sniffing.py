"""The layout of a text file, found from its beginning: one reading, or an error."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from llrcal.errors import TrialFileError
from llrcal.messages import Position
from llrcal.trials.conventions import role_of
from llrcal.trials.request import MATRIX, SEPARATORS, Request
from llrcal.trials.text.column_profile import NUMBER, ColumnProfile
from llrcal.trials.text.fields import (
    fields_of,
    has_stray_quotes,
    is_data,
    lines_of,
    may_quote,
    not_utf8,
)
from llrcal.trials.text.roles_by_convention import fitting_conventions
from llrcal.trials.text.roles_by_name import could_be_ids, roles_by_name
from llrcal.trials.text.splitting import ragged, refuse_decimal_commas, splits

_LINES = 1000
_WIDE_ENCODINGS = {
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
}
_NAME_OF_SEPARATOR = {sign: name for name, sign in SEPARATORS.items()}


@dataclass(frozen=True)
class Layout:
    """The form of a text file, and the roles of its columns."""

    separator: str
    """One character; a space stands for any run of blanks."""
    roles: tuple[str, ...]
    header: tuple[str, ...] | None
    header_line: int
    """The number of the line with the header; 0 if there is none."""
    first_line: int
    """The number of the first line with a trial."""
    reading: str
    forensic: bool = False
    padded: bool = False
    """Whether there are blanks around values that do not belong to them."""
    unnamed: tuple[str, ...] = ()
    """Columns with unknown names that may well hold ids."""
    quotes: bool = False
    """Whether values may be quoted."""
    torn: bool = False
    """Whether one of the first lines has a quotation mark that is out of place.

    Two of these may look like a value that spans several lines, but lines were split one by one.
    """

    @property
    def is_matrix(self) -> bool:
        return self.roles == (MATRIX,)

    def index(self, role: str) -> int:
        return self.roles.index(role)

    def fields(self, line: str) -> list[str]:
        """The values on a line."""
        return fields_of(line, self.separator, quotes=self.quotes, padded=self.padded)

    @property
    def score_name(self) -> str | None:
        """The name of the column of scores, if there is a header."""
        return self.header[self.index("score")] if self.header and "score" in self.roles else None


def sniff(head: bytes, request: Request, source: str) -> Layout:
    """The one way to read a file that begins with ``head``; an error if there is not just one."""
    if head.startswith(b'{\n "format": "llrcal '):
        raise TrialFileError(f"{source}: is a model of llrcal, not a file of scores or labels")
    numbered = _sample(head, source)
    lines = [line for _, line in numbered]
    if request.separator is None and request.decimal == "point":
        refuse_decimal_commas([[line.strip()] for line in lines], source)
    readings: list[Layout] = []
    complaints: list[TrialFileError] = []
    widest = 1
    for separator, rows in splits(lines, request):
        widest = max(widest, len(rows[0]))
        if separator != "," and request.decimal == "point":
            refuse_decimal_commas(rows[1:] or rows, source)
        try:
            readings += _readings(separator, rows, numbered, request, source)
        except TrialFileError as problem:
            complaints.append(problem)
    if len(readings) == 1:
        return readings[0]
    if readings:
        both = "; or ".join(reading.reading for reading in readings)
        raise TrialFileError(
            f"{source}: can be read in {len(readings)} ways: {both}. Choose one: ",
            request.setting("columns", ",".join(readings[0].roles)),
            " or ",
            request.setting("convention", "NAME"),
        )
    raise ragged(numbered, request, source, wider_than=widest) or (
        complaints[0]
        if complaints
        else TrialFileError(f"{source}: the lines cannot be split into columns")
    )


def _sample(head: bytes, source: str) -> list[tuple[int, str]]:
    """The first lines that are neither blank nor comments, with their numbers."""
    for mark, encoding in _WIDE_ENCODINGS.items():
        if head.startswith(mark):
            raise TrialFileError(f"{source}: is {encoding} text; save it as UTF-8")
    if b"\0" in head:
        raise TrialFileError(
            f"{source}: holds a NUL byte at ",
            Position("offset", head.index(0)),
            "; it is not a text file, or not in UTF-8",
        )
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise not_utf8(source, problem) from problem
    lines = (pair for pair in enumerate(lines_of(text), 1) if is_data(pair[1]))
    out = list(islice(lines, _LINES))
    if not out:
        raise TrialFileError(f"{source}: holds no trials; it is empty, or has only comments")
    return out


def _readings(
    separator: str,
    rows: list[list[str]],
    numbered: Sequence[tuple[int, str]],
    request: Request,
    source: str,
) -> list[Layout]:
    """Every layout that agrees with the rows, given one way to split them."""
    numbers = [number for number, _ in numbered[:2]]
    quotes = may_quote([line for _, line in numbered], separator)
    torn = quotes and any(has_stray_quotes(line, separator) for _, line in numbered)
    if request.convention == MATRIX or (request.convention is None and _is_matrix(rows, request)):
        if len(rows) < 2 or len(rows[0]) < 2:
            raise TrialFileError(f"{source}: holds no trials, only one row or column of a matrix")
        reading, top = "a matrix of scores with ids", numbers[0]
        # Data begins on the next line, even if that begins with #, which is then part of a name.
        above = tuple(rows[0])
        return [
            Layout(separator, (MATRIX,), above, top, top + 1, reading, quotes=quotes, torn=torn)
        ]
    words = frozenset(word for word, _ in request.label_of_word)
    below = [ColumnProfile.of(column, words) for column in zip(*rows[1:], strict=True)]
    header = request.header
    if header is None:
        header = bool(request.named) or _has_header(rows[0], below, words)
    if header and not below:
        raise TrialFileError(f"{source}: holds no trials, only a header")
    names = tuple(name.strip() for name in rows[0]) if header else None
    body = rows[1:] if header else rows
    profiles = (
        below if header else [ColumnProfile.of(column, words) for column in zip(*body, strict=True)]
    )
    if names and not request.columns and (request.named or request.convention is None):
        roles = roles_by_name(names, profiles, request, source)
        options = {_by_name(names, roles): roles}
    else:
        options = {str(c): c.columns for c in fitting_conventions(body, profiles, request, source)}
    return [
        Layout(
            separator,
            roles,
            names,
            numbers[0] if header else 0,
            numbers[1] if header else numbers[0],
            f"{reading}, separated by {_NAME_OF_SEPARATOR[separator]}"
            if len(roles) > 1
            else reading,
            forensic="label" in roles and profiles[roles.index("label")].forensic,
            padded=_is_padded(numbered, separator),
            unnamed=could_be_ids(names, roles, profiles) if names else (),
            quotes=quotes,
            torn=torn,
        )
        for reading, roles in options.items()
    ]


def _is_padded(numbered: Sequence[tuple[int, str]], separator: str) -> bool:
    if separator == " ":
        return False
    ends = (f" {separator}", f"{separator} ")
    return any(
        line != line.strip(" ") or ends[0] in line or ends[1] in line for _, line in numbered
    )


def _by_name(names: Sequence[str], roles: Sequence[str]) -> str:
    chosen = [f"{role}={name}" for role, name in zip(roles, names, strict=True) if role != "-"]
    return f"columns by name ({','.join(chosen)})"


def _has_header(
    first: Sequence[str], below: Sequence[ColumnProfile], words: frozenset[str]
) -> bool:
    """Whether the first line names the columns: it breaks their pattern and has a known name.

    ``enrol`` and ``test`` together are names as well, even if the pattern holds.
    """
    if any(NUMBER.fullmatch(cell.strip()) for cell in first):
        return False
    labels = {i for i, profile in enumerate(below) if profile.label and first[i].strip() in words}
    roles = {role_of(cell) for i, cell in enumerate(first) if i not in labels} - {None}
    breaks = any(
        profile.number or (profile.label and cell.strip() not in words)
        for cell, profile in zip(first, below, strict=False)
    )
    return (breaks and bool(roles)) or {"enrol", "test"} <= roles


def _is_matrix(rows: Sequence[Sequence[str]], request: Request) -> bool:
    """Whether there are names along the top and down the side, and nothing in the corner."""
    if len(rows) < 2 or len(rows[0]) < 3 or request.columns or request.named:
        return False
    if any(role_of(name) == "score" for name in rows[0]):  # a table with numbered rows
        return False
    return not rows[0][0].strip() and all(
        NUMBER.fullmatch(cell.strip()) for row in rows[1:4] for cell in row[1:]
    )
