"""The layout of a text file, found from its beginning: one reading, or an error."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from llrcal.errors import TrialFileError
from llrcal.messages import Position, Setting
from llrcal.trials.conventions import role_of
from llrcal.trials.request import SEPARATORS, Request
from llrcal.trials.text.grammar import BLANK, Grammar, decoded, is_data, lines_of
from llrcal.trials.text.roles import (
    NUMBER,
    ColumnSketch,
    could_be_ids,
    fitting_conventions,
    roles_by_name,
)

_LINES = 1000  # decide the layout; each line of the file is then held to it
_SEPARATORS = "\t,; "
_NAME_OF_SEPARATOR = {sign: name for name, sign in SEPARATORS.items()}
_WIDE_ENCODINGS = {
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
}

Rows = list[list[str]]
"""The values on each line."""


@dataclass(frozen=True)
class Layout:
    """The form of a text file, and the roles of its columns."""

    grammar: Grammar
    roles: tuple[str, ...]
    header: tuple[str, ...] | None
    header_line: int
    """The number of the line with the header; 0 if there is none."""
    first_line: int
    """The number of the first line with a trial."""
    reading: str
    forensic: bool = False
    unnamed: tuple[str, ...] = ()
    """Columns with unknown names that may well hold ids."""

    @property
    def score_name(self) -> str | None:
        """The name of the column of scores, if there is a header."""
        if self.header is None or "score" not in self.roles:
            return None
        return self.header[self.roles.index("score")]


def sniff(head: bytes, request: Request, source: str) -> Layout:
    """The one way to read a file that begins with ``head``; an error if there is not just one."""
    if head.startswith(b'{\n "format": "llrcal '):
        raise TrialFileError(f"{source}: is a model of llrcal, not a file of scores or labels")
    numbered = _sample(head, source)
    lines = [line for _, line in numbered]
    if request.separator is None and request.decimal == "point":
        _refuse_decimal_commas([[line.strip()] for line in lines], source)
    readings: list[Layout] = []
    complaints: list[TrialFileError] = []
    widest = 1
    for separator, rows in _splits(lines, request):
        widest = max(widest, len(rows[0]))
        if separator != "," and request.decimal == "point":
            _refuse_decimal_commas(rows[1:] or rows, source)
        try:
            readings += _readings(Grammar.of(lines, separator), rows, numbered, request, source)
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
    raise _ragged(numbered, request, source, wider_than=widest) or (
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
    text = decoded(head, source).removeprefix("\ufeff")
    lines = (pair for pair in enumerate(lines_of(text), 1) if is_data(pair[1]))
    out = list(islice(lines, _LINES))
    if not out:
        raise TrialFileError(f"{source}: holds no trials; it is empty, or has only comments")
    return out


def _splits(lines: Sequence[str], request: Request) -> Iterator[tuple[str, Rows]]:
    """Separators that split every line into the same number of columns, and the columns."""
    found: list[Rows] = []
    split = {separator: _rows(lines, separator, request) for separator in _candidates(request)}
    if not any(_is_even(rows) for rows in split.values()):
        words = frozenset(word for word, _ in request.label_of_word)
        for separator, rows in split.items():
            if separator != "," and _lacks_a_name(rows, words):
                rows[0].insert(0, "")
    for separator, rows in split.items():
        if _is_even(rows) and rows not in found:
            found.append(rows)
            yield separator, rows
    if not found:
        rows = [[line.strip(BLANK)] for line in lines]
        if request.separator is not None or not any(
            c in row[0] for row in rows for c in _SEPARATORS
        ):
            yield " ", rows


def _is_even(rows: Sequence[Sequence[str]]) -> bool:
    width = len(rows[-1])
    return width > 1 and all(len(row) == width for row in rows)


def _candidates(request: Request) -> str:
    if request.separator is not None:
        return request.separator
    return _SEPARATORS.replace(",", "") if request.decimal == "comma" else _SEPARATORS


def _rows(lines: Sequence[str], separator: str, request: Request) -> Rows:
    """The values on each line, numbers with a point."""
    grammar = Grammar.of(lines, separator)
    return [
        [request.with_point(field.strip(" ")) for field in grammar.split(line)] for line in lines
    ]


def _lacks_a_name(rows: Sequence[Sequence[str]], words: frozenset[str]) -> bool:
    """Whether the first line names all columns but one, as R does if the rows have names.

    Not for commas: there, it would be a decimal one, and R leaves no name out.
    """
    first, *others = rows
    return (
        bool(others)
        and all(len(row) == len(first) + 1 for row in others)
        and any(role_of(cell) for cell in first if cell not in words)
        and not any(NUMBER.fullmatch(cell) for cell in first)
    )


def _refuse_decimal_commas(rows: Sequence[Sequence[str]], source: str) -> None:
    """Refuse numbers such as 1,5, which would be split if the comma were the separator."""
    for number, column in enumerate(zip(*rows, strict=True), 1):
        if ColumnSketch.of(column, frozenset()).decimal_comma:
            raise TrialFileError(
                f"{source}: column {number} has numbers with a decimal comma, or two columns "
                "separated by a comma; choose ",
                Setting("decimal", "comma"),
                " or ",
                Setting("separator", "comma"),
            )


def _ragged(
    numbered: Sequence[tuple[int, str]], request: Request, source: str, *, wider_than: int
) -> TrialFileError | None:
    """The error for lines with different numbers of columns: the first that is unusual."""
    best: tuple[int, int, int, int] | None = None
    numbers, lines = zip(*numbered, strict=True)
    for separator in _candidates(request):
        rows = _rows(lines, separator, request)
        widths = list(zip(numbers, map(len, rows), strict=True))
        [(usual, share)] = Counter(width for _, width in widths).most_common(1)
        if separator == " " and wider_than > 1:  # blanks within values of another separator
            continue
        if usual > wider_than and 2 * share >= len(widths) and (best is None or share > best[0]):
            odd, width = next((n, w) for n, w in widths if w != usual)
            best = (share, usual, odd, width)
    if best is None:
        return None
    _, usual, odd, width = best
    return TrialFileError(
        f"{source}, ",
        Position("line", odd),
        f": has {width} columns where most have {usual}",
    )


def _readings(
    grammar: Grammar,
    rows: Rows,
    numbered: Sequence[tuple[int, str]],
    request: Request,
    source: str,
) -> list[Layout]:
    """Every layout that agrees with the rows, given one way to split them."""
    numbers = [number for number, _ in numbered[:2]]
    words = frozenset(word for word, _ in request.label_of_word)
    sketches = [ColumnSketch.of(column, words) for column in zip(*rows[1:], strict=True)]
    header = request.header
    if header is None:
        header = bool(request.named) or _has_header(rows[0], sketches, words)
    if header and not sketches:
        raise TrialFileError(f"{source}: holds no trials, only a header")
    names = tuple(name.strip() for name in rows[0]) if header else None
    body = rows[1:] if header else rows
    if not header:
        sketches = [ColumnSketch.of(column, words) for column in zip(*body, strict=True)]
    if names and not request.columns and (request.named or request.convention is None):
        roles = roles_by_name(names, sketches, request, source)
        options = {_by_name(names, roles): roles}
    else:
        options = {str(c): c.columns for c in fitting_conventions(body, sketches, request, source)}
    separated = f", separated by {_NAME_OF_SEPARATOR[grammar.separator]}" if rows[0][1:] else ""
    return [
        Layout(
            grammar,
            roles,
            names,
            numbers[0] if header else 0,
            numbers[1] if header else numbers[0],
            reading + separated,
            forensic="label" in roles and sketches[roles.index("label")].forensic,
            unnamed=could_be_ids(names, roles, sketches) if names else (),
        )
        for reading, roles in options.items()
    ]


def _by_name(names: Sequence[str], roles: Sequence[str]) -> str:
    chosen = [f"{role}={name}" for role, name in zip(roles, names, strict=True) if role != "-"]
    return f"columns by name ({','.join(chosen)})"


def _has_header(first: Sequence[str], below: Sequence[ColumnSketch], words: frozenset[str]) -> bool:
    """Whether the first line names the columns: it breaks their pattern and has a known name.

    ``enrol`` and ``test`` together are names as well, even if the pattern holds.
    """
    if any(NUMBER.fullmatch(cell.strip()) for cell in first):
        return False
    labels = {i for i, sketch in enumerate(below) if sketch.label and first[i].strip() in words}
    roles = {role_of(cell) for i, cell in enumerate(first) if i not in labels} - {None}
    breaks = any(
        sketch.number or (sketch.label and cell.strip() not in words)
        for cell, sketch in zip(first, below, strict=False)
    )
    return (breaks and bool(roles)) or {"enrol", "test"} <= roles
