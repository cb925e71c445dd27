"""The layout of a text file, found from its beginning: one reading, or an error."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from llrcal.errors import TrialFileError
from llrcal.messages import Position, Setting
from llrcal.trials.conventions import role_of
from llrcal.trials.request import SEPARATORS, Request
from llrcal.trials.source import Source
from llrcal.trials.text.grammar import BLANK, COMMENT, Grammar, decoded
from llrcal.trials.text.roles import (
    NUMBER,
    ColumnSketch,
    Rows,
    Sketches,
    are_hypotheses,
    could_be_ids,
    fitting_conventions,
    in_order,
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


Split = tuple[Grammar, list[list[str]]]
"""A grammar, and the values on each line by it."""


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
    score_name: str | None = None
    """The name of the column of scores, if there is a header."""
    forensic: bool = False
    unnamed: tuple[str, ...] = ()
    """Columns with unknown names that may well hold ids."""


def sniff(source: Source, request: Request) -> Layout:
    """The one way to read a text file; an error if there is not just one."""
    try:
        return _the_one_layout(_sample(source.head, source.line_end), request)
    except TrialFileError as problem:
        raise problem.within(source.name) from None


def _the_one_layout(numbered: list[tuple[int, str]], request: Request) -> Layout:
    numbers, lines = zip(*numbered, strict=True)
    splits = _splits(lines, request)
    even = _even(lines, splits, request)
    if request.decimal == "point":
        alone = [] if request.separator else [(" ", [[line.strip()] for line in lines])]
        for sign, rows in (*alone, *((g.separator, rows[1:] or rows) for g, rows in even)):
            if sign != ",":
                _refuse_decimal_commas(rows)
    readings: list[Layout] = []
    complaints: list[TrialFileError] = []
    for grammar, rows in even:
        try:
            readings += _readings(grammar, rows, numbers, request)
        except TrialFileError as problem:
            complaints.append(problem)
    if len(readings) == 1:
        return readings[0]
    if readings:
        both = "; or ".join(reading.reading for reading in readings)
        raise TrialFileError(
            f"can be read in {len(readings)} ways: {both}. Choose one: ",
            request.setting("columns", ",".join(readings[0].roles)),
            " or ",
            request.setting("convention", "NAME"),
        )
    widest = max((len(rows[0]) for _, rows in even), default=1)
    complaints.append(TrialFileError("the lines cannot be split into columns"))
    raise _ragged(splits, numbers, wider_than=widest) or complaints[0]


def _sample(head: bytes, end: bytes) -> list[tuple[int, str]]:
    """The first lines that are neither blank nor comments, with their numbers."""
    if head.startswith(b'{\n "format": "llrcal '):
        raise TrialFileError("is a model of llrcal, not a file of scores or labels")
    for mark, encoding in _WIDE_ENCODINGS.items():
        if head.startswith(mark):
            raise TrialFileError(f"is {encoding} text; save it as UTF-8")
    if b"\0" in head:
        raise TrialFileError(
            "holds a NUL byte at ",
            Position("offset", head.index(0)),
            "; it is not a text file, or not in UTF-8",
        )
    text = decoded(head).removeprefix("\ufeff")
    lines = enumerate(text.split(end.decode()), 1)
    data = ((n, line) for n, line in lines if line.strip(BLANK) and not line.startswith(COMMENT))
    out = [(number, line.removesuffix("\r")) for number, line in islice(data, _LINES)]
    if not out:
        raise TrialFileError("holds no trials; it is empty, or has only comments")
    return out


def _splits(lines: Sequence[str], request: Request) -> list[Split]:
    """The values on each line, numbers with a point, by each separator that is possible."""
    signs = request.separator or _SEPARATORS.replace("," * (request.decimal == "comma"), "")
    grammars = [Grammar.of(lines, sign) for sign in signs]
    return [
        (g, [[request.with_point(field.strip(" ")) for field in g.split(line)] for line in lines])
        for g in grammars
    ]


def _even(lines: Sequence[str], splits: list[Split], request: Request) -> list[Split]:
    """Those that give every line the same number of columns, each in another way."""
    if not any(_is_even(rows) for _, rows in splits):
        words = frozenset(word for word, _ in request.label_of_word)
        for grammar, rows in splits:
            if grammar.separator != "," and _lacks_a_name(rows, words):
                rows[0].insert(0, "")
    even = [
        (grammar, rows)
        for place, (grammar, rows) in enumerate(splits)
        if _is_even(rows) and all(rows != others for _, others in splits[:place])
    ]
    is_one = not any(sign in line.strip(BLANK) for line in lines for sign in _SEPARATORS)
    if not even and (is_one or request.separator is not None):
        return [(Grammar.of(lines, " "), [[line.strip(BLANK)] for line in lines])]
    return even


def _is_even(rows: Rows) -> bool:
    width = len(rows[-1])
    return width > 1 and all(len(row) == width for row in rows)


def _lacks_a_name(rows: Rows, words: frozenset[str]) -> bool:
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


def _refuse_decimal_commas(rows: Rows) -> None:
    """Refuse numbers such as 1,5, which would be split if the comma were the separator."""
    for number, column in enumerate(zip(*rows, strict=True), 1):
        if {"with comma", "maybe comma"} <= ColumnSketch.of(column, frozenset()):
            raise TrialFileError(
                f"column {number} has numbers with a decimal comma, or two columns "
                "separated by a comma; choose ",
                Setting("decimal", "comma"),
                " or ",
                Setting("separator", "comma"),
            )


def _ragged(
    splits: list[Split], numbers: Sequence[int], *, wider_than: int
) -> TrialFileError | None:
    """The error for lines with different numbers of columns: the first that is unusual."""
    best, error = 0, None
    for grammar, rows in splits:
        widths = [len(row) for row in rows]
        [(usual, share)] = Counter(widths).most_common(1)
        if grammar.separator == " " and wider_than > 1:  # blanks within values of another separator
            continue
        if usual > wider_than and 2 * share >= len(widths) and share > best:
            odd, width = next((n, w) for n, w in zip(numbers, widths, strict=True) if w != usual)
            where = Position("line", odd)
            fault = f": has {width} columns where most have {usual}"
            best, error = share, TrialFileError(where, fault)
    return error


def _readings(
    grammar: Grammar, rows: list[list[str]], numbers: Sequence[int], request: Request
) -> list[Layout]:
    """Every layout that agrees with the rows, given one way to split them."""
    words = frozenset(word for word, _ in request.label_of_word)

    def sketches_of(body: Rows) -> list[ColumnSketch]:
        return [ColumnSketch.of(column, words) for column in zip(*body, strict=True)]

    sketches = sketches_of(rows[1:])
    header = request.header
    if header is None:
        header = bool(request.named) or _has_header(rows[0], sketches, words)
    if header and not sketches:
        raise TrialFileError("holds no trials, only a header")
    names = tuple(name.strip() for name in rows[0]) if header else ()
    request = in_order(names, request)
    if not header:
        sketches = sketches_of(rows)
    if names and not request.columns and (request.named or request.convention is None):
        roles = roles_by_name(names, sketches, request)
        chosen = [f"{role}={name}" for role, name in zip(roles, names, strict=True) if role != "-"]
        options = {f"columns by name ({','.join(chosen)})": roles}
    else:
        found = fitting_conventions(rows[bool(header) :], sketches, request)
        options = {str(convention): convention.columns for convention in found}
    separated = f", separated by {_NAME_OF_SEPARATOR[grammar.separator]}" if rows[0][1:] else ""
    return [
        Layout(
            grammar,
            roles,
            names or None,
            numbers[0] if header else 0,
            numbers[bool(header)],
            reading + separated,
            score_name=dict(zip(roles, names, strict=False)).get("score"),
            forensic=are_hypotheses(roles, sketches),
            unnamed=could_be_ids(names, roles, sketches) if names else (),
        )
        for reading, roles in options.items()
    ]


def _has_header(first: Sequence[str], below: Sketches, words: frozenset[str]) -> bool:
    """Whether the first line names the columns: it breaks their pattern and has a known name.

    ``enrol`` and ``test`` together are names as well, even if the pattern holds.
    """
    if any(NUMBER.fullmatch(cell.strip()) for cell in first):
        return False
    below = below or [ColumnSketch()] * len(first)  # nothing is
    cells = list(zip(map(str.strip, first), below, strict=True))
    roles = {role_of(cell) for cell, sketch in cells if "label" not in sketch or cell not in words}
    breaks = any("number" in s or ("label" in s and cell not in words) for cell, s in cells)
    return (breaks and bool(roles - {None})) or {"enrol", "test"} <= roles
