"""Output to the terminal: notes, warnings, progress bars and tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llrcal.messages import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.progress import Progress, ProgressColumn, TaskID
    from rich.table import Table

    from llrcal.notes import Note


def tell(line: str, *, err: bool = True) -> None:
    """Print a line on standard error, with control characters spelled out."""
    click.echo(printable(line), err=err)


def say(notes: Iterable[Note], *, quiet: bool, lead: str = "") -> None:
    """Print notes on standard error: all of them, or only warnings if ``quiet``."""
    from llrcal.notes import Severity

    for note in notes:
        if note.severity is Severity.WARNING:
            tell(f"warning: {note.on_command_line}")
        elif not quiet:
            tell(f"{lead}{note.on_command_line}")


@contextmanager
def printed_warnings() -> Iterator[None]:
    """Print llrcal's warnings on standard error, one line each, rather than as Python does."""
    from llrcal.errors import LlrcalWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LlrcalWarning)
        yield
    for warning in caught:
        tell(f"warning: {warning.message}")


@contextmanager
def progress_bar(title: str, *, total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error that advances whenever it is called with a step."""
    if quiet:
        yield lambda _: None
        return
    from rich.progress import MofNCompleteColumn, TimeElapsedColumn

    with _progress(MofNCompleteColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task(title, total=total)

        def advance(step: str) -> None:
            bar.update(task, description=f"{title}: {step}", advance=1)

        yield advance


@contextmanager
def counting_bar(title: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, called with the number done and the total."""
    if quiet:
        yield lambda _done, _total: None
        return
    from rich.progress import TaskProgressColumn, TimeRemainingColumn

    with _progress(TaskProgressColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def byte_bar(title: str, source: str, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, called with numbers of bytes as they are done."""
    if quiet:
        yield lambda _: None
        return
    from rich.progress import DownloadColumn, TransferSpeedColumn

    try:
        total: int | None = Path(source).stat().st_size
    except (OSError, ValueError):  # a pair of files, or a bad name, which reading will report
        total = None
    with _progress(DownloadColumn(), TransferSpeedColumn()) as bar:
        task = bar.add_task(title, total=total)
        yield lambda size: bar.advance(task, size)


@contextmanager
def score_bar(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on standard error for each pass over the scores, with scores per second."""
    if quiet:
        yield lambda _what, _done, _total: None
        return
    from rich.progress import ProgressColumn, Task, TimeRemainingColumn
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed / 1e6:.1f} M scores/s")

    with _progress(Speed(), TimeRemainingColumn()) as bar:
        tasks: dict[str, TaskID] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield show


@contextmanager
def _progress(*columns: ProgressColumn) -> Iterator[Progress]:
    """A progress bar on standard error if it is a terminal; otherwise nothing is printed."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    first = TextColumn("{task.description}"), BarColumn()
    hidden = not console.is_terminal
    bar = Progress(*first, *columns, console=console, transient=True, disable=hidden)
    if console.is_terminal:
        bar.start()
    try:
        yield bar
    finally:
        if console.is_terminal:  # old versions of rich end even a disabled bar with a line
            bar.stop()


def table_of(words: Sequence[str], numbers: Sequence[str], caption: str | None = None) -> Table:
    """A table to add rows to: columns of words, then columns of numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=caption)
    for name in words:
        table.add_column(name)
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def print_whole(table: Table) -> None:
    """Print a table in its full width, so that no number is cut off."""
    from rich.console import Console

    console = Console()
    unbounded = console.options.update(max_width=10_000)
    console.width = max(console.width, console.measure(table, options=unbounded).maximum)
    console.print(table)


def print_lines(*lines: str) -> None:
    """Print lines on standard output, as they are."""
    from rich.console import Console

    console = Console()
    for line in lines:
        console.print(line, highlight=False, markup=False)
