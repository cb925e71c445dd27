"""A comparison in the terminal: its table, the verdict in a box, and what to be warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from llrcal.cli.show_conditions import show_conditions
from llrcal.cli.terminal import print_whole
from llrcal.comparison.tables import gravest_first, shown

if TYPE_CHECKING:
    from llrcal.comparison import Comparison, LearningCurve

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
        console.print(f"{words}: see the report.", highlight=False, markup=False)


def show_learning_curve(curve: LearningCurve) -> None:
    """Print what a learning curve says about the number of trials."""
    Console().print(curve.verdict, highlight=False, markup=False)


def _table(comparison: Comparison) -> Table:
    by_cllr = comparison.criterion.name == "cllr"
    ranked = {"range": "mean error", "points": "at points", "cllr": "Cllr"}
    caption = (
        "p...: actual detection cost at an operating point; 1 is deciding by the prior alone\n"
        f"{ranked[comparison.criterion.name]}: the {comparison.criterion.words}"
    )
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=caption)
    table.add_column("calibration", no_wrap=True)
    table.add_column(ranked[comparison.criterion.name], justify="right")
    if comparison.ranking.intervals:
        table.add_column("95 % interval", justify="right", no_wrap=True)
    names = ["loss", *(point.name for point in comparison.points)]
    for name in names if by_cllr else ["Cllr", *names]:
        table.add_column(name, justify="right")
    for label in comparison.candidates:
        mark, style = ("*", "bold") if _is_recommended(comparison, label) else (" ", None)
        table.add_row(Text(f"{mark} {shown(label)}"), *_cells(comparison, label), style=style)
    table.add_row("  minimum", *_least(comparison), style="dim")
    return table


def _is_recommended(comparison: Comparison, label: str) -> bool:
    verdict = comparison.verdict
    return verdict.fit and label == verdict.recommended


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
    """The least that any calibration of these scores could have."""
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
    """The verdict: other words, another frame and another colour where nothing is fit."""
    verdict = comparison.verdict
    words = Group(
        Text(shown(verdict.headline, limit=500), style="bold"),
        Text(shown(verdict.basis, limit=2000)),
    )
    if verdict.fit:
        return Panel(words, title="Verdict", title_align="left", box=box.ROUNDED)
    title = Text(" NOT FIT FOR USE ", style="bold white on red")
    return Panel(words, title=title, title_align="left", box=box.DOUBLE, border_style="bold red")
