"""Text files of any layout: read by polars at full speed, or refused with the bad line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import polars as pl

from llrcal.errors import TrialFileError
from llrcal.messages import Setting
from llrcal.trials.conventions import SPEAKERS, is_kept, is_wanted, kept_role
from llrcal.trials.request import Request
from llrcal.trials.source import Source, can_be_opened
from llrcal.trials.table import Table
from llrcal.trials.text.bad_lines import first_bad_line
from llrcal.trials.text.byte_checks import ByteChecks
from llrcal.trials.text.fields import COMMENT
from llrcal.trials.text.sniffing import Layout

FIRST = 2**15
"""Trials whose labels are likely to be those of all."""
_BLOCK = 2**20
_BLANKS = re.compile(rb"[ \t]+()")
_BLANKS_OUTSIDE_QUOTES = re.compile(rb'[ \t]+()|("[^"]*")')
_EDGES = re.compile(rb"^ (?!#)| (?=\r?$)", re.MULTILINE)  # what follows a blank is no comment
_BLANK_LINES = re.compile(rb"^[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_NO_DATA = re.compile(rb"^(?:[ \t]*\r?|%b[^\n]*)(?:\n|\Z)" % COMMENT.encode(), re.MULTILINE)


def read_text(source: Source, layout: Layout, request: Request) -> Table:
    """The trials of a text file."""
    checks = ByteChecks.of(source, layout)
    if checks.has_fault or layout.torn:
        raise _unreadable(source, layout, request)
    frame = None
    has_odd_blanks = layout.padded or (layout.separator == " " and checks.has_tabs)
    if not has_odd_blanks:
        skip = layout.first_line - 1
        comment = COMMENT if checks.comments else None  # looking for comments takes time
        frame = _frame(_input(source), layout, request, source.name, skip=skip, comment=comment)
    if frame is None:  # perhaps there are just too many blanks
        frame = _frame(tidied(source.content, layout), layout, request, source.name)
    if frame is None or _overflows(frame, source, layout, request):
        raise _unreadable(source, layout, request)
    frame = with_kept_columns(frame, layout.header or (), layout.roles, request)
    return Table(
        with_derived_columns(frame),
        source.name,
        f"{layout.reading}{checks}",
        score_name=layout.score_name,
        forensic=layout.forensic,
        unnamed=layout.unnamed,
    )


def _unreadable(source: Source, layout: Layout, request: Request) -> TrialFileError:
    return first_bad_line(source, layout, request) or TrialFileError(
        f"{source.name}: cannot be read as {layout.reading}"
    )


def with_derived_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with labels and models derived from the speakers, if it has none of its own."""
    if set(SPEAKERS) <= set(frame.columns):
        if "label" not in frame.columns:
            same = pl.col("enrol_speaker") == pl.col("test_speaker")
            frame = frame.with_columns(same.cast(pl.Int8).alias("label"))
        if "enrol" not in frame.columns:
            frame = frame.with_columns(pl.col("enrol_speaker").alias("enrol"))
    return frame


def with_kept_columns(
    frame: pl.DataFrame, names: Sequence[str], roles: Sequence[str], request: Request
) -> pl.DataFrame:
    """The frame with copies of those columns that are to be kept, but have a role as well."""
    copies = [
        frame[role].cast(pl.String).rename(kept_role(name))
        for name, role in zip(names, roles, strict=False)
        if name in request.keep and role in frame.columns and not is_kept(role)
    ]
    return frame.with_columns(copies)


def as_labels(words: pl.Series, request: Request, source: str) -> pl.Series:
    """Labels as numbers; null for a word that is not a label.

    Raises
    ------
    TrialFileError
        If there are both 0 and -1, which mean different things in a key of three numbers.
    """
    words = words.rename("label")
    meaning = dict(request.label_of_word)
    # Unless the user says otherwise, both are words for non-targets.
    are_same = "0" in meaning and meaning["0"] is meaning.get("-1")
    if are_same and all((words == number).any() for number in ("0", "-1")):
        raise TrialFileError(
            f"{source}: labels are 1, 0 and -1, where 0 may mean that there is no trial; leave the "
            "zeros out: ",
            Setting("labels", "1,-1,0"),
            " with ",
            Setting("spoof", "omit"),
        )
    # A file has two or three of these words, and mostly from the start: looking for all of them
    # would take five times as long.
    for some in (words.head(FIRST), words):
        used = some.unique()
        used = used.filter(used.is_in(list(meaning)))
        labels = labelled(words, used, [meaning[word] for word in used])
        if not labels.null_count():
            break
    return labels


def labelled(column: pl.Series, values: pl.Series, numbers: Iterable[int]) -> pl.Series:
    """The numbers that belong to values, in place of these; null in place of any other value."""
    labels = pl.lit(None, pl.Int8)
    for value, number in zip(values, numbers, strict=True):
        is_value = pl.col("label") == pl.lit(value, column.dtype)
        labels = pl.when(is_value).then(pl.lit(number, pl.Int8)).otherwise(labels)
    return column.to_frame("label").with_columns(labels.alias("label")).to_series()


def _input(source: Source) -> str | bytes:
    """A name if polars can map the file itself, else the bytes."""
    if b"\n" in source.head:
        if source.path is None or not can_be_opened(source.path):
            return source.content
        return str(Path(source.path).absolute())  # polars would expand a ~ to the home of the user
    return source.content.replace(b"\r", b"\n")


def tidied(content: bytes, layout: Layout) -> bytes:
    """The trials without blank lines and comments, and with no blanks but those between columns.

    Without the blanks before it, a value that begins with # would look like a comment. A matrix has
    no comments.
    """
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    content = content.split(b"\n", layout.first_line - 1)[-1]
    return b"".join(_tidied_block(block, layout) for block in _blocks(content, layout))


def _blocks(content: bytes, layout: Layout) -> Iterator[bytes]:
    """Whole lines, not too many at once, since a substitution holds all its pieces in memory."""
    start = 0
    while start < len(content):
        end = content.find(b"\n", start + _BLOCK) + 1 or len(content)
        is_open = layout.quotes and content.count(b'"', start, end) % 2 == 1
        while is_open and end < len(content):  # a line may end inside quotation marks
            last, end = end, content.find(b"\n", end) + 1 or len(content)
            is_open = content.count(b'"', last, end) % 2 == 0
        yield content[start:end]
        start = end


def _tidied_block(content: bytes, layout: Layout) -> bytes:
    left_out = _BLANK_LINES if layout.is_matrix else _NO_DATA
    if layout.separator == " ":
        blanks = _BLANKS_OUTSIDE_QUOTES if layout.quotes else _BLANKS
        content = _EDGES.sub(b"", blanks.sub(_as_one, content))
        return left_out.sub(b"", content)
    patterns = [rb'(?P<kept>"[^"]*")'] if layout.quotes else []
    patterns.append(left_out.pattern)
    if layout.padded:
        sign = re.escape(layout.separator.encode())
        patterns += [rb" *(?P<sign>%b) *" % sign, rb"^ +", rb" +(?=\r?$)"]

    def replaced(match: re.Match[bytes]) -> bytes:
        return match.group(match.lastgroup) if match.lastgroup else b""

    return re.sub(b"|".join(patterns), replaced, content, flags=re.MULTILINE)


def _as_one(blanks: re.Match[bytes]) -> bytes:
    return b" " if blanks.group(1) is not None else blanks.group()


def _frame(
    source: str | bytes,
    layout: Layout,
    request: Request,
    name: str,
    *,
    skip: int = 0,
    comment: str | None = None,
) -> pl.DataFrame | None:
    """The columns that have a role; None if a line does not fit the layout."""
    names = {f"column_{i + 1}": role for i, role in enumerate(layout.roles)}
    wanted = [name for name, role in names.items() if is_wanted(role)]
    try:
        frame = pl.read_csv(
            source,
            has_header=False,
            skip_lines=skip,
            separator=layout.separator,
            quote_char='"' if layout.quotes else None,
            comment_prefix=comment,
            schema={n: pl.Float64 if role == "score" else pl.String for n, role in names.items()},
            columns=wanted,
            decimal_comma=request.decimal == "comma",
            raise_if_empty=False,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None
    frame = frame.rename({column: names[column] for column in frame.columns})
    if "label" in frame.columns:
        frame = frame.with_columns(as_labels(frame["label"], request, name))
    return None if _is_faulty(frame, request) else frame


def _overflows(frame: pl.DataFrame, source: Source, layout: Layout, request: Request) -> bool:
    """Whether an infinite score was written as a number that is too large for a double."""
    if not request.allow_infinite or "score" not in frame.columns:
        return False  # or infinite scores have been refused
    if not frame["score"].is_infinite().any():
        return False
    return first_bad_line(source, layout, request) is not None


def _is_faulty(frame: pl.DataFrame, request: Request) -> bool:
    """Whether a value is missing, is not a label, or is a number that cannot be used."""
    needed = [column for column in frame.get_columns() if not is_kept(column.name)]
    if any(column.null_count() or _has_empty(column) for column in needed):
        return True
    if "score" not in frame.columns:
        return False
    return bool(request.unusable(frame["score"].to_numpy()).any())


def _has_empty(column: pl.Series) -> bool:
    """Whether there is an empty text, which polars reads as null unless it is quoted."""
    return column.dtype == pl.String and bool((column == "").any())
