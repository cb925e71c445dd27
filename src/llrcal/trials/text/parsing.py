"""Text files of any layout: every line is read by its grammar, or named if it does not fit.

Where nothing in the bytes of a file calls for more care, polars' parser does the same faster.
"""

from __future__ import annotations

import codecs
import math
from pathlib import Path

import numpy as np
import polars as pl

from llrcal.arrays import Bools
from llrcal.errors import TrialFileError
from llrcal.messages import Message, Position
from llrcal.trials.conventions import WANTED, is_kept, is_wanted
from llrcal.trials.frames import (
    as_labels,
    unknown_label,
    with_derived_columns,
)
from llrcal.trials.request import TO_DROP_NAN, Request
from llrcal.trials.source import Source, can_be_opened, whole_lines
from llrcal.trials.table import Table
from llrcal.trials.text.grammar import COMMENT, are_data, is_data, numbered_blocks
from llrcal.trials.text.roles import NUMBER
from llrcal.trials.text.sniffing import Layout

_ODD_BLANKS = (b"  ", b"\n ", b" \n", b" \r")  # a run of them separates two columns, not three
_NUMBER_OF_LINE = "line number"  # a column beside those of the trials; no role has this name


def read_text(source: Source, layout: Layout, request: Request) -> Table:
    """The trials of a text file."""
    is_plain, comments, is_whole = _glance(source, layout)
    frame = None
    if is_plain:
        frame = _read_fast(source, layout, request, has_comments=bool(comments))
    if frame is None:
        frame = _read_by_grammar(source, layout, request)
    left_out = f", {comments} lines that begin with # left out" if comments else ""
    cut = "" if is_whole else "; the last line has no end: is the file complete?"
    return Table(
        with_derived_columns(frame, layout.header or (), layout.roles, request),
        source.name,
        f"{layout.reading}{left_out}{cut}",
        score_name=layout.score_name,
        forensic=layout.forensic,
        unnamed=layout.unnamed,
    )


# ---------------------------------------------------------------- line by line


def _read_by_grammar(source: Source, layout: Layout, request: Request) -> pl.DataFrame:
    """The columns that have a role, or an error about the first line that does not fit."""
    places = [i for i, role in enumerate(layout.roles) if is_wanted(role)]
    parts = []
    for first, lines in numbered_blocks(source):
        rows = np.flatnonzero(trial_lines(lines, first, layout))
        cells = layout.grammar.cells(lines.gather(rows), len(layout.roles), places)
        columns = {
            layout.roles[place]: layout.grammar.values(cells.to_series(2 * i + 1))
            for i, place in enumerate(places)
        }
        parts.append(pl.DataFrame({_NUMBER_OF_LINE: rows + first, **columns}))
    frame = pl.concat(parts)
    numbers = frame[_NUMBER_OF_LINE].to_numpy()
    bad = np.zeros(len(frame), bool)
    if "label" in frame.columns:
        labels = as_labels(frame["label"], request, source.name)
        frame = frame.with_columns(labels)
    if "score" in frame.columns:
        scores, bad = scores_of(frame["score"].str.strip_chars(" \t"), request)
        frame = frame.with_columns(scores)
    for column in frame.get_columns():
        if is_kept(column.name):  # which may be empty
            frame = frame.with_columns(column.replace("", None))
        else:
            bad |= column.is_null().to_numpy()
            if column.dtype == pl.String:
                bad |= (column == "").fill_null(True).to_numpy()
    if bad.any():
        raise bad_line(int(numbers[np.argmax(bad)]), source, layout, request)
    return frame.drop(_NUMBER_OF_LINE)


def trial_lines(lines: pl.Series, first: int, layout: Layout) -> Bools:
    """Which lines hold a trial, the first of them having a number in the file."""
    are_trials = are_data(lines)
    are_trials[: max(layout.first_line - first, 0)] = False
    return are_trials


def scores_of(texts: pl.Series, request: Request) -> tuple[pl.Series, Bools]:
    """Texts as scores, and which of them cannot be used."""
    scores = request.as_numbers(texts).rename("score")
    bad = request.unusable(scores.to_numpy()) | scores.is_null().to_numpy()
    if request.allow_infinite and scores.is_infinite().any():
        bad |= (scores.is_infinite() & ~_says_infinite(texts)).fill_null(False).to_numpy()
    return scores, bad


def _says_infinite(texts: pl.Series) -> pl.Series:
    """Which numbers are written as infinite, instead of being too large for a double."""
    return texts.str.contains("(?i)inf")


def bad_line(number: int, source: Source, layout: Layout, request: Request) -> TrialFileError:
    """The error for a line that does not have the form of the others."""
    for first, lines in numbered_blocks(source):
        if number < first + len(lines) - 1 or lines[-1]:
            break
    fault = _fault(lines[number - first].removesuffix("\r"), layout, request)
    return TrialFileError(f"{source.name}, ", Position("line", number), ": ", *fault)


def _fault(line: str, layout: Layout, request: Request) -> Message:
    """What is wrong with a line."""
    if layout.grammar.has_stray_quotes(line):
        which = "without its partner" if line.count('"') % 2 else "out of place"
        return (f"has a quotation mark {which}",)
    fields = layout.grammar.split(line)
    if len(fields) != len(layout.roles):
        return (f"has {len(fields)} columns where {len(layout.roles)} are expected",)
    for role, field in zip(layout.roles, fields, strict=True):
        if role in WANTED and (fault := _fault_of_value(role, field, request)):
            return fault
    form = "has a carriage return in it" if "\r" in line else "differs from the others in its form"
    return (form,)


def _fault_of_value(role: str, field: str, request: Request) -> Message:
    if not field:
        return (f"has no {role}",)
    if role == "score":
        return _fault_of_score(request.with_point(field.strip(" \t")), request)
    return (
        unknown_label(field) if role == "label" and field not in dict(request.label_of_word) else ()
    )


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


# ---------------------------------------------------------------- all at once


def _glance(source: Source, layout: Layout) -> tuple[bool, int, bool]:
    """One pass over the bytes of a file, without parsing them.

    Returns whether polars' parser finds in them what the grammar does, the number of lines that
    begin with #, and whether the last line is terminated. The parser does not count columns that it
    skips, minds no NUL, and has its own idea of carriage returns and of quotation marks and blanks
    that are out of place.
    """
    end, grammar = source.line_end, layout.grammar
    comment = end + COMMENT.encode()
    is_plain, comments, block = end == b"\n" and not grammar.padded, 0, end
    has_others = not WANTED.issuperset(layout.roles)  # which are not read, or may be empty
    blocks = source.blocks() if source.path else [source.content]
    for number, block in enumerate(whole_lines(blocks, end, source.name)):
        if number == 0:
            block = block.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901
        if comment[-1] in block:  # far cheaper than looking for both
            comments += block.count(comment) + block.startswith(comment[-1:])
        is_plain = is_plain and not (
            b"\0" in block
            or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n"))
            or (grammar.separator == " " and b"\t" in block)
            or (grammar.quotes and b'"' in block and _has_stray_quotes(block, grammar.separator))
        )
        if is_plain and has_others:
            above = layout.first_line - 1 if number == 0 else 0  # R names no column of row names
            is_plain = not _is_ragged(block.split(end, above)[-1], layout)
    return is_plain, comments, block.endswith(end)


def _has_stray_quotes(block: bytes, separator: str) -> bool:
    """Whether a quotation mark may be out of place, or a line ends between two of them.

    Every other one opens: at the beginning of a value, or right after one that closed, which makes
    a quotation mark within the value. The others close.
    """
    array = np.frombuffer(b"\n" + block + b"\n", np.uint8)
    places = np.flatnonzero(array == ord('"'))
    edges = [ord(separator), *b'"\r\n']
    opens, closes = array[places[::2] - 1], array[places[1::2] + 1]
    before = np.searchsorted(places, np.flatnonzero(array == ord("\n")))
    are_fine = np.isin(opens, edges).all() and np.isin(closes, edges).all()
    return not are_fine or bool((before % 2).any())


def _is_ragged(block: bytes, layout: Layout) -> bool:
    """Whether a line has more or fewer columns than the layout, or blanks that are none."""
    if layout.grammar.separator == " " and any(b in b"\n" + block for b in _ODD_BLANKS):
        return True
    array = np.frombuffer(block, np.uint8)
    if not len(array):
        return False
    ends = np.flatnonzero(array == ord("\n"))
    if not block.endswith(b"\n"):
        ends = np.append(ends, len(block))
    starts = np.concatenate([[0], ends[:-1] + 1])
    is_sign = (array == ord(layout.grammar.separator)).view(np.uint8)
    signs = np.add.reduceat(is_sign, starts, dtype=np.int64)
    for i in np.flatnonzero(signs != len(layout.roles) - 1):
        line = block[starts[i] : ends[i]].decode(errors="replace").removesuffix("\r")
        if is_data(line) and len(layout.grammar.split(line)) != len(layout.roles):
            return True
    return False


def _read_fast(
    source: Source, layout: Layout, request: Request, *, has_comments: bool
) -> pl.DataFrame | None:
    """The columns that have a role; None if a line does not fit the layout."""
    frame = _parsed(source, layout, request, pl.Float64, has_comments=has_comments)
    if frame is None:
        return None
    if "label" in frame.columns:
        frame = frame.with_columns(as_labels(frame["label"], request, source.name))
    for column in frame.get_columns():
        has_empty = column.dtype == pl.String and (column == "").any()
        if not is_kept(column.name) and (column.null_count() or has_empty):
            return None
    if "score" not in frame.columns:
        return frame
    scores = frame["score"]
    if request.unusable(scores.to_numpy()).any():
        return None
    if request.allow_infinite and scores.is_infinite().any():
        texts = _parsed(source, layout, request, pl.String, has_comments=has_comments)
        if texts is None or not _says_infinite(texts["score"].filter(scores.is_infinite())).all():
            return None
    return frame


def _parsed(
    source: Source,
    layout: Layout,
    request: Request,
    score: type[pl.Float64] | type[pl.String],
    *,
    has_comments: bool,
) -> pl.DataFrame | None:
    """The columns that have a role as polars finds them; None if it finds fault with a line."""
    names = {f"column_{i + 1}": role for i, role in enumerate(layout.roles)}
    try:
        frame = pl.read_csv(
            _place(source),
            has_header=False,
            skip_lines=layout.first_line - 1,
            separator=layout.grammar.separator,
            quote_char='"' if layout.grammar.quotes else None,
            comment_prefix=COMMENT if has_comments else None,  # looking for comments takes time
            schema={n: score if role == "score" else pl.String for n, role in names.items()},
            columns=[name for name, role in names.items() if is_wanted(role)],
            decimal_comma=request.decimal == "comma",
            raise_if_empty=False,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None
    return frame.rename({column: names[column] for column in frame.columns})


def _place(source: Source) -> str | bytes:
    """A name if polars can map the file itself, else the bytes."""
    if source.path is None or not can_be_opened(source.path):
        return source.content
    return str(Path(source.path).absolute())  # polars would expand a ~ to the home of the user
