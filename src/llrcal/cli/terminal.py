"""What people see in the terminal: progress while it works, a table when it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llrcal.comparison import Comparison


@contextmanager
def progress_bar(title: str, *, total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A bar on standard error that moves on with every word said to it."""
    if quiet:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", table_column=None),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)

        def step(word: str) -> None:
            bar.update(task, description=f"{title}: {word}", advance=1)

        yield step


@contextmanager
def counting_bar(title: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error that shows how many of a total are done."""
    if quiet:
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def show(comparison: Comparison) -> None:
    """Print the table of a comparison, the number of warnings, and the verdict."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    caption = "p...: actual detection cost at an operating point; 1 is deciding by the prior alone"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=caption)
    table.add_column("calibration", no_wrap=True)
    for name in ("Cllr", "loss", *(point.name for point in comparison.points)):
        table.add_column(name, justify="right")
    priors = [point.prior_log_odds for point in comparison.points]
    for label, candidate in comparison.candidates.items():
        ev = candidate.evaluation
        mark, style = ("*", "bold") if label == comparison.recommended else (" ", None)
        numbers = [ev.cllr, ev.calibration_loss, *ev.bayes_error(priors)]
        table.add_row(f"{mark} {label}", *(f"{number:.4f}" for number in numbers), style=style)
    raw = comparison.raw
    numbers = [raw.min_cllr, 0.0, *raw.min_bayes_error(priors)]
    table.add_row("  minimum", *(f"{number:.4f}" for number in numbers), style="dim")
    console = Console()
    console.print(table)
    console.print(comparison.verdict, highlight=False, markup=False)
    if comparison.findings:
        count = len(comparison.findings)
        console.print(f"{count} warnings: see the report.", highlight=False, markup=False)
