"""A comparison on the terminal: its table, the verdict in a box, and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from llrcal.cli.show_conditions import show_conditions
from llrcal.cli.terminal import print_lines, print_whole, table_of
from llrcal.comparison.tables import gravest_first, shown

if TYPE_CHECKING:
    from rich.table import Table

    from llrcal.comparison import Comparison

_MOST_WARNINGS = 5


def show(comparison: Comparison) -> None:
    """Print the table of a comparison, the verdict, and the gravest warnings."""
    console = Console()
    print_whole(_table(comparison))
    by = comparison.candidates[comparison.recommended].by
    if by is not None:
        console.print(Text(f"{shown(comparison.recommended)}, by condition:"))
        show_conditions(by, comparison.points)
    console.print(_box(comparison))
    warnings, others = gravest_first(comparison)
    for note in warnings[:_MOST_WARNINGS]:
        console.print(Text(f"warning: {shown(note.on_command_line, limit=500)}"), highlight=False)
    more = len(warnings[_MOST_WARNINGS:]) + others
    if more:
        words = "1 more note" if more == 1 else f"{more} more notes"
        print_lines(f"{words}: see the report.")


def _table(comparison: Comparison) -> Table:
    ranked = {"range": "mean error", "points": "at points", "cllr": "Cllr"}
    caption = (
        "p...: actual detection cost at an operating point; 1 is deciding by the prior alone\n"
        f"{ranked[comparison.criterion.name]}: the {comparison.criterion.words}"
    )
    names = [ranked[comparison.criterion.name]]
    names += ["95 % interval"] if comparison.ranking.intervals else []
    names += [] if comparison.criterion.name == "cllr" else ["Cllr"]
    names += ["loss", *(point.name for point in comparison.points)]
    table = table_of(["calibration"], names, caption)
    chosen = comparison.verdict.recommended if comparison.verdict.fit else None
    for label in comparison.candidates:
        mark, style = ("*", "bold") if label == chosen else (" ", None)
        table.add_row(Text(f"{mark} {shown(label)}"), *_cells(comparison, label), style=style)
    table.add_row("  minimum", *_least(comparison), style="dim")
    return table


def _cells(comparison: Comparison, label: str) -> list[str]:
    ranking, ev = comparison.ranking, comparison.candidates[label].evaluation
    cells = [f"{ranking.values[label]:.4f}"]
    if label in ranking.intervals:
        low, high = ranking.intervals[label]
        cells.append(f"{low:.4f} to {high:.4f}")
    numbers = [] if comparison.criterion.name == "cllr" else [ev.cllr]
    numbers += [ev.calibration_loss, *ev.bayes_error(_priors(comparison))]
    return [*cells, *(f"{number:.4f}" for number in numbers)]


def _least(comparison: Comparison) -> list[str]:
    """The least that any calibration of these scores can reach."""
    raw = comparison.raw
    cells = [f"{comparison.criterion.least(raw):.4f}"]
    if comparison.ranking.intervals:
        cells.append("")
    numbers = [] if comparison.criterion.name == "cllr" else [raw.min_cllr]
    numbers += [0.0, *raw.min_bayes_error(_priors(comparison))]
    return [*cells, *(f"{number:.4f}" for number in numbers)]


def _priors(comparison: Comparison) -> list[float]:
    return [point.prior_log_odds for point in comparison.points]


def _box(comparison: Comparison) -> Panel:
    """The verdict, in a red frame if no calibration is fit for use."""
    verdict = comparison.verdict
    words = Group(
        Text(shown(verdict.headline, limit=500), style="bold"),
        Text(shown(verdict.basis, limit=2000)),
    )
    if verdict.fit:
        return Panel(words, title="Verdict", title_align="left", box=box.ROUNDED)
    title = Text(" NOT FIT FOR USE ", style="bold white on red")
    return Panel(words, title=title, title_align="left", box=box.DOUBLE, border_style="bold red")
