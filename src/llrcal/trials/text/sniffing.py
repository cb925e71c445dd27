"""How a text file is to be read, judged by its beginning: one reading, or a refusal."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from llrcal.errors import TrialFileError
from llrcal.trials.conventions import role_of
from llrcal.trials.request import MATRIX, SEPARATORS, Request
from llrcal.trials.text.column_kinds import NUMBER, Look
from llrcal.trials.text.matching import fitting_conventions
from llrcal.trials.text.naming import could_be_ids, roles_by_name

COMMENT = "#"
BLANK = " \t\r"
"""Of which blank lines consist; whatever else may look blank belongs to a value."""
_LINES = 1000
_SEPARATORS = "\t,; "
_WIDE_ENCODINGS = {
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
}
# A value between quotation marks, with blanks around them, or one without any.
_QUOTED = {
    sign: re.compile(rf' *"([^"]*(?:""[^"]*)*)" *(?={sign}|\Z)|([^"{sign}]*)(?={sign}|\Z)')
    for sign in ",;"
}
_NAME_OF_SEPARATOR = {sign: name for name, sign in SEPARATORS.items()}


@dataclass(frozen=True)
class Layout:
    """The form of a text file, and the role of each of its columns."""

    separator: str
    """One character; a space stands for any run of blanks."""
    roles: tuple[str, ...]
    header: tuple[str, ...] | None
    header_line: int
    """The number of the line of the header; 0 where there is none."""
    first_line: int
    """The number of the first line with a trial."""
    reading: str
    forensic: bool = False
    padded: bool = False
    """Whether values have blanks around them that do not belong to them."""
    unnamed: tuple[str, ...] = ()
    """Columns whose names are not known, and which may well hold ids."""
    torn: bool = False
    """Whether one of the lines that were looked at has a quotation mark that is out of place.

    Two of these may look like a value that goes from one line to another, but the lines were taken
    one by one.
    """

    @property
    def is_matrix(self) -> bool:
        return self.roles == (MATRIX,)

    @property
    def quotes(self) -> bool:
        """Whether quotation marks hold a value together."""
        return self.separator in ",;"

    def index(self, role: str) -> int:
        return self.roles.index(role)

    def fields(self, line: str) -> list[str]:
        """The values on a line."""
        return _fields(line, self.separator, padded=self.padded)

    @property
    def score_name(self) -> str | None:
        """What the header calls the score."""
        return self.header[self.index("score")] if self.header and "score" in self.roles else None


def sniff(head: bytes, request: Request, source: str) -> Layout:
    """The one way to read a file that begins with ``head``.

    Raises
    ------
    TrialFileError
        If no reading fits, or more than one does; both are then named.
    """
    numbered = _sample(head, source)
    lines = [line for _, line in numbered]
    if request.separator is None:
        _refuse_decimal_commas([[line.strip()] for line in lines], source)
    readings: list[Layout] = []
    complaints: list[TrialFileError] = []
    widest = 1
    for separator, rows in _splits(lines, request):
        widest = max(widest, len(rows[0]))
        if separator != ",":
            _refuse_decimal_commas(rows[1:] or rows, source)
        try:
            readings += _readings(separator, rows, numbered, request, source)
        except TrialFileError as problem:
            complaints.append(problem)
    if len(readings) == 1:
        return readings[0]
    if readings:
        both = "; or ".join(reading.reading for reading in readings)
        raise TrialFileError(
            f"{source}: can be read in {len(readings)} ways: {both}. Say which: --columns "
            f"{','.join(readings[0].roles)} or --format NAME"
        )
    raise _ragged(numbered, request, source, wider_than=widest) or (
        complaints[0]
        if complaints
        else TrialFileError(f"{source}: its lines cannot be parted into columns")
    )


def _sample(head: bytes, source: str) -> list[tuple[int, str]]:
    """The first lines that are neither blank nor comments, with their numbers."""
    for mark, encoding in _WIDE_ENCODINGS.items():
        if head.startswith(mark):
            raise TrialFileError(f"{source}: is {encoding} text; save it as UTF-8")
    if b"\0" in head:
        raise TrialFileError(
            f"{source}: holds a NUL byte at offset {head.index(0)}; it is not a text file, or "
            "not in UTF-8"
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


def lines_of(text: str) -> list[str]:
    """The lines of a text: a lone carriage return ends one only where no line feed does."""
    if "\n" not in text:
        return text.split("\r")
    return [line.removesuffix("\r") for line in text.split("\n")]


def is_data(line: str) -> bool:
    """Whether a line is neither blank nor a comment."""
    return bool(line.strip(BLANK)) and not line.startswith(COMMENT)


def not_utf8(source: str, problem: UnicodeDecodeError) -> TrialFileError:
    """The error for bytes that are not UTF-8."""
    return TrialFileError(
        f"{source}: the byte at offset {problem.start} is not UTF-8 text; convert the file "
        "(iconv -f latin1 -t utf8, for one)"
    )


def _fields(line: str, separator: str, *, padded: bool = False) -> list[str]:
    if separator == " ":
        return [field for field in line.replace("\t", " ").split(" ") if field]
    if separator in _QUOTED and '"' in line:
        fields = _quoted_fields(line, separator, padded=padded)
        if fields:
            return fields
    fields = line.split(separator)
    return [field.strip(" ") for field in fields] if padded else fields


def has_stray_quotes(line: str, separator: str) -> bool:
    """Whether a quotation mark on a line holds no value together."""
    return separator in _QUOTED and '"' in line and not _quoted_fields(line, separator)


def _quoted_fields(line: str, separator: str, *, padded: bool = False) -> list[str]:
    """The values on a line with quotation marks; none, if one of them is out of place."""
    out, place = [], 0
    while place <= len(line):
        found = _QUOTED[separator].match(line, place)
        if not found:
            return []
        quoted, plain = found.groups()
        if quoted is not None:
            out.append(quoted.replace('""', '"'))
        else:
            out.append(plain.strip(" ") if padded else plain)
        place = found.end() + 1
    return out


def _splits(lines: Sequence[str], request: Request) -> Iterator[tuple[str, list[list[str]]]]:
    """Separators that part every line into the same number of columns, and what they give."""
    found: list[list[list[str]]] = []
    for separator in _SEPARATORS if request.separator is None else (request.separator,):
        rows = [[field.strip(" ") for field in _fields(line, separator)] for line in lines]
        width = len(rows[-1])
        if width > 1 and all(len(row) == width for row in rows) and rows not in found:
            found.append(rows)
            yield separator, rows
    if not found:
        rows = [[line.strip(BLANK)] for line in lines]
        if request.separator is not None or not any(
            c in row[0] for row in rows for c in _SEPARATORS
        ):
            yield " ", rows


def _refuse_decimal_commas(rows: Sequence[Sequence[str]], source: str) -> None:
    """Numbers such as 1,5 would be torn apart if a comma were taken for a separator."""
    for number, column in enumerate(zip(*rows, strict=True), 1):
        if Look.of(column, frozenset()).decimal_comma:
            raise TrialFileError(
                f"{source}: column {number} has numbers with a decimal comma, or the comma parts "
                "two columns; write numbers with a point, or say --separator comma"
            )


def _ragged(
    numbered: Sequence[tuple[int, str]], request: Request, source: str, *, wider_than: int
) -> TrialFileError | None:
    """The error for lines of different length: the first that differs from most."""
    best: tuple[int, int, int, int] | None = None
    for separator in _SEPARATORS if request.separator is None else (request.separator,):
        widths = [(number, len(_fields(line, separator))) for number, line in numbered]
        [(usual, share)] = Counter(width for _, width in widths).most_common(1)
        if separator == " " and wider_than > 1:  # blanks within values, where another sign parts
            continue
        if usual > wider_than and 2 * share >= len(widths) and (best is None or share > best[0]):
            odd, width = next((n, w) for n, w in widths if w != usual)
            best = (share, usual, odd, width)
    if best is None:
        return None
    _, usual, odd, width = best
    return TrialFileError(f"{source}, line {odd}: has {width} columns where most have {usual}")


def _readings(
    separator: str,
    rows: list[list[str]],
    numbered: Sequence[tuple[int, str]],
    request: Request,
    source: str,
) -> list[Layout]:
    """Every layout that the rows, parted in one way, agree with."""
    numbers = [number for number, _ in numbered[:2]]
    torn = any(has_stray_quotes(line, separator) for _, line in numbered)
    if request.convention == MATRIX or (request.convention is None and _is_matrix(rows, request)):
        if len(rows) < 2 or len(rows[0]) < 2:
            raise TrialFileError(f"{source}: holds no trials, only one edge of a matrix")
        reading, top = "a matrix of scores with ids", numbers[0]
        # The next line is the first, whatever it begins with: a # is part of a name there.
        return [Layout(separator, (MATRIX,), tuple(rows[0]), top, top + 1, reading, torn=torn)]
    words = frozenset(word for word, _ in request.label_of_word)
    below = [Look.of(column, words) for column in zip(*rows[1:], strict=True)]
    header = request.header
    if header is None:
        header = bool(request.named) or _has_header(rows[0], below, words)
    if header and not below:
        raise TrialFileError(f"{source}: holds no trials, only a header")
    names = tuple(name.strip() for name in rows[0]) if header else None
    body = rows[1:] if header else rows
    looks = below if header else [Look.of(column, words) for column in zip(*body, strict=True)]
    if names and not request.columns and (request.named or request.convention is None):
        roles = roles_by_name(names, looks, request, source)
        options = {_by_name(names, roles): roles}
    else:
        options = {str(c): c.columns for c in fitting_conventions(body, looks, request, source)}
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
            forensic="label" in roles and looks[roles.index("label")].forensic,
            padded=_is_padded(numbered, separator),
            unnamed=could_be_ids(names, roles, looks) if names else (),
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


def _has_header(first: Sequence[str], below: Sequence[Look], words: frozenset[str]) -> bool:
    """Whether the first line names the columns: it breaks their pattern, with a known name.

    Two ids side by side (``enrol test ...``) are names too, even if the pattern holds.
    """
    if any(NUMBER.fullmatch(cell.strip()) for cell in first):
        return False
    labels = {i for i, look in enumerate(below) if look.label and first[i].strip() in words}
    roles = {role_of(cell) for i, cell in enumerate(first) if i not in labels} - {None}
    breaks = any(
        look.number or (look.label and cell.strip() not in words)
        for cell, look in zip(first, below, strict=False)
    )
    return (breaks and bool(roles)) or {"enrol", "test"} <= roles


def _is_matrix(rows: Sequence[Sequence[str]], request: Request) -> bool:
    """Whether names run along the top and down the side, with nothing in the corner."""
    if len(rows) < 2 or len(rows[0]) < 3 or request.columns or request.named:
        return False
    if any(role_of(name) == "score" for name in rows[0]):  # a table whose rows have numbers
        return False
    return not rows[0][0].strip() and all(
        NUMBER.fullmatch(cell.strip()) for row in rows[1:4] for cell in row[1:]
    )
