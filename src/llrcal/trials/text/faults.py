"""The first line of a text file that does not hold what it should."""

from __future__ import annotations

import math

from llrcal.errors import TrialFileError
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.source import Source
from llrcal.trials.text.column_kinds import NUMBER
from llrcal.trials.text.sniffing import (
    Layout,
    has_stray_quotes,
    is_data,
    lines_of,
    not_utf8,
)

SKIPPED = {"-", "kind"}


def first_fault(source: Source, layout: Layout, request: Request) -> TrialFileError:
    """The error for a file that could not be read, with the number of the line at fault.

    Slow and careful, where the reading itself is fast: it is only asked when something is wrong.
    """
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        return not_utf8(source.name, problem)
    words = {word for word, _ in request.label_of_word}
    for number, line in enumerate(lines_of(text), 1):
        is_trial = number >= layout.first_line and is_data(line)
        fault = _fault(line, layout, request, words) if is_trial else None
        if is_trial and not fault and "\r" in line:
            fault = "has a carriage return in it"
        if "\0" in line:
            fault = "has a NUL byte"
        if fault:
            return TrialFileError(f"{source.name}, line {number}: {fault}")
    return TrialFileError(f"{source.name}: cannot be read as {layout.reading}")


def _fault(line: str, layout: Layout, request: Request, words: set[str]) -> str | None:
    if has_stray_quotes(line, layout.separator):
        which = "without its partner" if line.count('"') % 2 else "out of place"
        return f"has a quotation mark {which}"
    fields = layout.fields(line)
    if len(fields) != len(layout.roles):
        return f"has {len(fields)} columns where {len(layout.roles)} are expected"
    for role, field in zip(layout.roles, fields, strict=True):
        if role in SKIPPED:
            continue
        if not field:
            return f"has no {role}"
        if role == "score":
            fault = _fault_of_score(field, request)
            if fault:
                return fault
        if role == "label" and field not in words:
            return (
                f"the label {field!r} is neither target nor non-target; if it is one, say so: "
                "--labels TARGET,NONTARGET"
            )
    return None


def _fault_of_score(field: str, request: Request) -> str | None:
    if not NUMBER.fullmatch(field):
        return f"the score {field!r} is not a number"
    value = float(field)
    if math.isnan(value):
        if request.on_nan == "drop":
            return None
        return f"the score is not a number (NaN); remove or repair it, {TO_DROP_NAN}"
    if math.isinf(value) and "inf" not in field.lower():
        return f"the score {field!r} is too large for a double"
    if math.isinf(value) and not request.allow_infinite:
        return f"the score {field!r} is infinite; only LLRs may be"
    return None
