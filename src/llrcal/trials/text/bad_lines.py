"""The first line of a text file that does not have the form of the others."""

from __future__ import annotations

import math

from llrcal.errors import TrialFileError
from llrcal.messages import Message, Position, Setting
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.source import Source
from llrcal.trials.text.column_profile import NUMBER
from llrcal.trials.text.fields import has_stray_quotes, is_data, lines_of, not_utf8
from llrcal.trials.text.sniffing import Layout

SKIPPED = {"-", "kind"}


def first_bad_line(source: Source, layout: Layout, request: Request) -> TrialFileError | None:
    """The error for a file that could not be read, with the line that is wrong.

    This is slow and careful, whereas the parser is fast: it is called only if something is wrong.
    """
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        return not_utf8(source.name, problem)
    words = {word for word, _ in request.label_of_word}
    for number, line in enumerate(lines_of(text), 1):
        is_trial = number >= layout.first_line and is_data(line)
        fault = _fault(line, layout, request, words) if is_trial else ()
        if is_trial and not fault and "\r" in line:
            fault = ("has a carriage return in it",)
        if "\0" in line:
            fault = ("has a NUL byte",)
        if fault:
            return TrialFileError(f"{source.name}, ", Position("line", number), ": ", *fault)
    return None


def unknown_label(word: str) -> Message:
    """The complaint about a word that is not a label."""
    return (
        f"the label {word!r} is neither target nor non-target; if it is one of them, define it: ",
        Setting("labels", "TARGET,NONTARGET"),
    )


def _fault(line: str, layout: Layout, request: Request, words: set[str]) -> Message:
    """What is wrong with a line; empty if nothing is."""
    if layout.quotes and has_stray_quotes(line, layout.separator):
        which = "without its partner" if line.count('"') % 2 else "out of place"
        return (f"has a quotation mark {which}",)
    fields = layout.fields(line)
    if len(fields) != len(layout.roles):
        return (f"has {len(fields)} columns where {len(layout.roles)} are expected",)
    for role, field in zip(layout.roles, fields, strict=True):
        if role in SKIPPED:
            continue
        if not field:
            return (f"has no {role}",)
        if role == "score" and (fault := _fault_of_score(request.with_point(field), request)):
            return fault
        if role == "label" and field not in words:
            return unknown_label(field)
    return ()


def _fault_of_score(field: str, request: Request) -> Message:
    if not NUMBER.fullmatch(field):
        return (f"the score {field!r} is not a number; repair it, or remove the line",)
    value = float(field)
    if math.isnan(value):
        if request.on_nan != "error":
            return ()
        return ("the score is not a number (NaN); remove or repair it", *TO_DROP_NAN)
    if math.isinf(value) and "inf" not in field.lower():
        return (f"the score {field!r} is too large for a double",)
    if math.isinf(value) and not request.allow_infinite:
        return (f"the score {field!r} is infinite; only LLRs may be",)
    return ()
