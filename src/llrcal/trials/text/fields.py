"""Lines of a text file, and the values on them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llrcal.errors import TrialFileError
from llrcal.messages import Position

COMMENT = "#"
BLANK = " \t\r"
"""The characters of blank lines; any other white space belongs to a value."""
# A value between quotation marks, with blanks around them, or one without any.
_QUOTED = {
    sign: re.compile(rf' *"([^"]*(?:""[^"]*)*)" *(?={sign}|\Z)|([^"{sign}]*)(?={sign}|\Z)')
    for sign in ",;\t"
}
_OUTSIDE_QUOTES = re.compile(r'("[^"]*")|[ \t]+')
_QUOTED[" "] = re.compile(r'"([^"]*(?:""[^"]*)*)"(?= |\Z)|([^" ]+)(?= |\Z)')


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


def fields_of(line: str, separator: str, *, quotes: bool, padded: bool = False) -> list[str]:
    """The values on a line, perhaps in quotes; with ``padded``, without the blanks around them."""
    if quotes and '"' in line:
        fields = _quoted_fields(line, separator, padded=padded)
        if fields:
            return fields
    if separator == " ":
        return [field for field in line.replace("\t", " ").split(" ") if field]
    fields = line.split(separator)
    return [field.strip(" ") for field in fields] if padded else fields


def may_quote(lines: Sequence[str], separator: str) -> bool:
    """Whether quotation marks enclose values, rather than being part of them.

    They do in files with commas and semicolons, if they are not out of place. After tabs and
    blanks, only if there are some on every line, and all of them do: R quotes every text, or none.
    """
    if separator in ",;":
        return True
    return all('"' in line and not has_stray_quotes(line, separator) for line in lines)


def has_stray_quotes(line: str, separator: str) -> bool:
    """Whether a quotation mark on a line does not enclose a value."""
    return '"' in line and not _quoted_fields(line, separator)


def _quoted_fields(line: str, separator: str, *, padded: bool = False) -> list[str]:
    """The values on a line with quotation marks; none if one of these is out of place."""
    out, place = [], 0
    if separator == " ":
        line = _OUTSIDE_QUOTES.sub(lambda found: found.group(1) or " ", line).strip(" ")
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
