"""Lines of a text file, and the values on them."""

from __future__ import annotations

import re

from llrcal.errors import TrialFileError
from llrcal.messages import Position

COMMENT = "#"
BLANK = " \t\r"
"""The characters of blank lines; any other white space belongs to a value."""
# A value between quotation marks, with blanks around them, or one without any.
_QUOTED = {
    sign: re.compile(rf' *"([^"]*(?:""[^"]*)*)" *(?={sign}|\Z)|([^"{sign}]*)(?={sign}|\Z)')
    for sign in ",;"
}


def lines_of(text: str) -> list[str]:
    """The lines of a text: carriage returns end them only if there are no line feeds at all."""
    if "\n" not in text:
        return text.split("\r")
    return [line.removesuffix("\r") for line in text.split("\n")]


def is_data(line: str) -> bool:
    """Whether a line is neither blank nor a comment."""
    return bool(line.strip(BLANK)) and not line.startswith(COMMENT)


def not_utf8(source: str, problem: UnicodeDecodeError) -> TrialFileError:
    """The error for bytes that are not UTF-8."""
    return TrialFileError(
        f"{source}: the byte at ",
        Position("offset", problem.start),
        " is not UTF-8 text; convert the file, for example with iconv -f latin1 -t utf8",
    )


def fields_of(line: str, separator: str, *, padded: bool = False) -> list[str]:
    """The values on a line; with ``padded``, without the blanks around them."""
    if separator == " ":
        return [field for field in line.replace("\t", " ").split(" ") if field]
    if separator in _QUOTED and '"' in line:
        fields = _quoted_fields(line, separator, padded=padded)
        if fields:
            return fields
    fields = line.split(separator)
    return [field.strip(" ") for field in fields] if padded else fields


def has_stray_quotes(line: str, separator: str) -> bool:
    """Whether a quotation mark on a line does not enclose a value."""
    return separator in _QUOTED and '"' in line and not _quoted_fields(line, separator)


def _quoted_fields(line: str, separator: str, *, padded: bool = False) -> list[str]:
    """The values on a line with quotation marks; none if one of these is out of place."""
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
