"""Lines of a text file, split into columns in every way that fits them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from llrcal.errors import TrialFileError
from llrcal.messages import Position, Setting
from llrcal.trials.conventions import role_of
from llrcal.trials.request import Request
from llrcal.trials.text.column_profile import NUMBER, ColumnProfile
from llrcal.trials.text.fields import BLANK, fields_of, may_quote

_SEPARATORS = "\t,; "


def splits(lines: Sequence[str], request: Request) -> Iterator[tuple[str, list[list[str]]]]:
    """Separators that split every line into the same number of columns, and the columns."""
    found: list[list[list[str]]] = []
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


def _rows(lines: Sequence[str], separator: str, request: Request) -> list[list[str]]:
    """The values on each line, numbers with a point."""
    quotes = may_quote(lines, separator)
    rows = (fields_of(line, separator, quotes=quotes) for line in lines)
    return [[request.with_point(field.strip(" ")) for field in fields] for fields in rows]


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


def refuse_decimal_commas(rows: Sequence[Sequence[str]], source: str) -> None:
    """Refuse numbers such as 1,5, which would be split if the comma were the separator."""
    for number, column in enumerate(zip(*rows, strict=True), 1):
        if ColumnProfile.of(column, frozenset()).decimal_comma:
            raise TrialFileError(
                f"{source}: column {number} has numbers with a decimal comma, or two columns "
                "separated by a comma; choose ",
                Setting("decimal", "comma"),
                " or ",
                Setting("separator", "comma"),
            )


def ragged(
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
