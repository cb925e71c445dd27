"""Output of the verbs: tables and JSON on standard output; notes and progress on standard error."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import click

from llrcal.messages import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from llrcal.notes import Note

_HARDLY = 1e-6  # a probability below which only that is said
_NEARLY = 0.99  # and above which
_TOLD, _CAUGHT = "llrcal.told", "llrcal.caught"  # in the context of a verb

# ------------------------------------------------------------------------ standard error


def echo_err(line: str) -> None:
    """Print a line on standard error, with control characters spelled out."""
    click.echo(printable(line), err=True)


def print_notes(notes: Iterable[Note], *, quiet: bool, lead: str = "") -> None:
    """Print notes on standard error: all of them, or only warnings if ``quiet``.

    All are among the notes of the JSON document, too.
    """
    from llrcal.notes import Severity

    for note in notes:
        _told().append(note)
        if note.severity is Severity.WARNING:
            echo_err(f"warning: {note.on_command_line}")
        elif not quiet:
            echo_err(f"{lead}{note.on_command_line}")


@contextmanager
def print_warnings() -> Iterator[None]:
    """Let llrcal's warnings be notes like others, rather than Python's warnings.

    They are printed in the end, when there are no progress bars, unless they were before.
    """
    from llrcal.errors import LlrcalWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LlrcalWarning)
        _of_verb()[_CAUGHT] = caught
        try:
            yield
        finally:  # an error may be the consequence of what was warned of
            told = _told()
            print_notes([note for note in _notes_in(caught) if note not in told], quiet=True)
            caught.clear()


def _notes_in(caught: Iterable[warnings.WarningMessage]) -> Iterator[Note]:
    from llrcal.notes import Note

    for warning in caught:
        known = getattr(warning.message, "note", None)
        yield known or Note.warning("warning", str(warning.message))


def _told() -> list[Note]:
    """The notes that the verb that is running has printed."""
    told: list[Note] = _of_verb().setdefault(_TOLD, [])
    return told


def _of_verb() -> dict[str, Any]:
    """What is kept for as long as a verb is running."""
    context = click.get_current_context(silent=True)
    return context.meta if context else {}


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[..., None]]:
    """Progress bars on standard error, if it is a terminal: one for each name it is called with.

    The other arguments are those of ``update`` in rich: completed, total, advance, description.
    """
    if quiet or not (sys.stderr and sys.stderr.isatty()):
        yield lambda *_, **__: None
        return
    tasks: dict[str, Any] = {}
    with ExitStack() as stack:

        @cache
        def bars() -> Any:  # rich is imported when there is something to show
            from rich import progress
            from rich.console import Console

            columns = (*progress.Progress.get_default_columns(), progress.TimeElapsedColumn())
            shown = progress.Progress(*columns, console=Console(stderr=True), transient=True)
            return stack.enter_context(shown)

        def show(name: str, **done: Any) -> None:
            if name not in tasks:
                tasks[name] = bars().add_task(name, total=None)
            bars().update(tasks[name], **done)

        yield show


# ---------------------------------------------------------------------- standard output


def print_lines(*lines: str) -> None:
    """Print lines on standard output, with control characters spelled out."""
    from rich.console import Console

    console = Console()
    for line in "\n".join(lines).split("\n"):
        console.print(printable(line), highlight=False, markup=False)


def cells(columns: Mapping[str, str], **values: Any) -> list[str]:
    """A row of a table: the template of each column, filled in with values."""
    return [template.format(**values) for template in columns.values()]


def print_rows(
    columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]], **settings: Any
) -> None:
    """Print a table of values: a template for each column, and no values for a line between."""
    print_table(columns, [cells(columns, **row) if row else [] for row in rows], **settings)


def print_table(
    heads: Iterable[str],
    rows: Iterable[Sequence[str]],
    *,
    words: Collection[str] = (),
    caption: str | None = None,
    styles: Mapping[str, str] | None = None,
) -> None:
    """Print a table that fits the terminal, and in which no number is cut off.

    Columns that do not fit beside the others are printed below them, with the first column again.
    Columns of ``words`` begin at the left, and may take several lines; the others are numbers. An
    empty row is a line between parts. Styles are those of rows, by what is in their first column.
    Control characters in names are spelled out.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    names, *lines = ([*map(printable, row)] for row in (heads, *rows))
    wraps = [i > 0 and name in words for i, name in enumerate(names)]
    least = [
        max(map(cell_len, " ".join(column).split() if may_wrap else column), default=0)
        for may_wrap, *column in zip(wraps, names, *filter(None, lines), strict=True)
    ]
    ends = [*accumulate(width + 2 for width in least)]
    count = max(sum(end < console.width for end in ends), 2)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name, width, may_wrap in zip(names[:count], least, wraps, strict=False):
        justify: Any = "left" if name in words else "right"
        table.add_column(Text(name), justify=justify, min_width=width, no_wrap=not may_wrap)
    for row in lines:
        if row:
            table.add_row(*map(Text, row[:count]), style=(styles or {}).get(row[0]))
        else:
            table.add_section()
    console.width = max(console.width, ends[:count][-1] + 1)
    if not names[count:]:
        table.caption = caption
    console.print(table)
    if names[count:]:
        names, *lines = ([*row[:1], *row[count:]] for row in (names, *lines))
        print_table(names, lines, words=words, caption=caption, styles=styles)


def print_json(answer: Mapping[str, Any], notes: Iterable[Note] = ()) -> None:
    """Print the answer of the verb that is running as one JSON document.

    Its notes are those that were printed before, and those that are given. docs/answers.schema.json
    is its schema. Numbers have the names and the digits that they have in Python.
    """
    verb = click.get_current_context().info_name
    every = dict.fromkeys([*_told(), *_notes_in(_of_verb().get(_CAUGHT, ())), *notes])
    document = {"verb": verb, **answer, "notes": [note.to_dict() for note in every]}
    click.echo(json.dumps(_in_json(document), indent=1, allow_nan=False))


def _in_json(value: Any) -> Any:
    """Numbers as values that JSON can represent: null for NaN, words for infinite ones."""
    if isinstance(value, Mapping):
        return {name: _in_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_in_json(one) for one in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)


def in_words(probability: float) -> str:
    """A probability, of which only the size matters where it is small or close to one."""
    if probability > _NEARLY:
        return f"above {_NEARLY:g}"
    return f"{probability:.2g}" if probability >= _HARDLY else f"below {_HARDLY:g}"
