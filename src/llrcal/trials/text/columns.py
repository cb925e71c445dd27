"""Small text files beside trials: lists of speakers, and side information."""

from __future__ import annotations

from llrcal.errors import TrialFileError
from llrcal.trials.source import Source
from llrcal.trials.text.grammar import BLANK, COMMENT


def read_columns(path: str) -> dict[int, list[str]]:
    """The values on each line, by its number; blank lines and comments are left out.

    Columns are separated by tabs, commas, semicolons or blanks, as the first line is.

    Raises
    ------
    TrialFileError
        If it is not text, or lines have different numbers of columns.
    """
    source = Source(path)
    with source.held():
        content = source.content
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise TrialFileError(f"{path}: is not text: {problem}") from None
    lines = {
        number: line.strip(BLANK)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip(BLANK) and not line.startswith(COMMENT)
    }
    first = next(iter(lines.values()), "")
    separator = next((sign for sign in "\t,;" if sign in first), None)
    rows = {
        number: [value.strip() for value in line.split(separator)] for number, line in lines.items()
    }
    width = len(next(iter(rows.values()), []))
    for number, row in rows.items():
        if len(row) != width:
            raise TrialFileError(
                f"{path}: line {number} has {len(row)} columns, and the first {width}"
            )
    return rows
