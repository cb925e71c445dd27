"""Output to the terminal: progress bars, tables and warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llrcal.messages import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.progress import Progress, ProgressColumn, TaskID
    from rich.table import Table

    from llrcal.comparison import OperatingPoint
    from llrcal.evaluation import Evaluation, RuleCost
    from llrcal.scoring_rule import ScoringRule


def tell(line: str, *, err: bool = True) -> None:
    """Print a line on standard error; a name of a file in it cannot do anything to a terminal."""
    click.echo(printable(line), err=err)


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
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", table_column=None),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with _progress(*columns) as bar:
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
    with _progress() as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def byte_bar(title: str, source: str, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, called with numbers of bytes as they are done."""
    if quiet:
        yield lambda _: None
        return
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn

    try:
        total: int | None = Path(source).stat().st_size
    except (OSError, ValueError):  # a pair of files, or a bad name, which reading will report
        total = None
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with _progress(*columns) as bar:
        task = bar.add_task(title, total=total)
        yield lambda size: bar.advance(task, size)


@contextmanager
def _progress(*columns: ProgressColumn) -> Iterator[Progress]:
    """A progress bar on standard error if it is a terminal; otherwise nothing is printed."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    if console.is_terminal:
        bar.start()
    try:
        yield bar
    finally:
        if console.is_terminal:  # old versions of rich end even a disabled bar with a line
            bar.stop()


def show_evaluation(
    evaluation: Evaluation,
    points: Sequence[OperatingPoint],
    averages: Mapping[str, Sequence[OperatingPoint]],
    rules: Sequence[ScoringRule] = (),
    *,
    plain: bool = False,
) -> None:
    """Print the numbers of an evaluation, and a table of its operating points and averages."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console()
    low, high = evaluation.rule_of_30
    lines = (
        f"{evaluation.tar_count:,} targets, {evaluation.non_count:,} non-targets",
        f"Cllr {evaluation.cllr:.7f}  minCllr {evaluation.min_cllr:.7f}  "
        f"calibration loss {evaluation.calibration_loss:.7f} (bits)",
        *(_cost_line(evaluation.cost(rule)) for rule in rules),
        f"EER {100 * evaluation.eer:.4f} % (ROC convex hull)",
        f"rule of 30: prior log-odds from {low:.2f} to {high:.2f}"
        if low <= high
        else "rule of 30: too few errors at any prior",
    )
    for line in lines:
        console.print(line, highlight=False, markup=False)
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        caption="expected costs" if plain else "1 is the cost of deciding by the prior alone",
    )
    for name in ("p_target", "c_miss", "c_fa", "actDCF", "minDCF"):
        table.add_column(name, justify="right")
    for point in points:
        costs = (point.p_target, point.c_miss, point.c_fa)
        dcf = evaluation.mean_dcf([point], normalised=not plain)
        table.add_row(*(f"{cost:g}" for cost in costs), *(f"{cost:.7g}" for cost in dcf))
    if averages:
        table.add_section()
    for name, together in averages.items():
        means = evaluation.mean_dcf(together, normalised=not plain)
        what = "average" if name == "points" else f"average of {name}"
        table.add_row(what, "", "", *(f"{cost:.7g}" for cost in means))
    print_whole(table)


def _cost_line(cost: RuleCost) -> str:
    return (
        f"{cost.rule} cost {cost.actual:.7f}  minimum {cost.minimum:.7f}  "
        f"calibration loss {cost.loss:.7f}"
    )


def print_whole(table: Table) -> None:
    """Print a table in its full width, so that no number is cut off."""
    from rich.console import Console

    console = Console()
    unbounded = console.options.update(max_width=10_000)
    console.width = max(console.width, console.measure(table, options=unbounded).maximum)
    console.print(table)


@contextmanager
def score_bar(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on standard error for each pass over the scores, with scores per second."""
    if quiet:
        yield lambda _what, _done, _total: None
        return
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed / 1e6:.1f} M scores/s")

    columns = (TextColumn("{task.description}"), BarColumn(), Speed(), TimeRemainingColumn())
    with _progress(*columns) as bar:
        tasks: dict[str, TaskID] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield show
