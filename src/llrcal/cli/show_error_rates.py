"""Error-rates as reports on biometric systems state them, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.evaluation.score_threshold import ScoreThreshold


def show_error_rates(thresholds: Sequence[ScoreThreshold], non_count: int) -> None:
    """Print a table of miss rates at false-alarm rates, with the numbers of errors behind them."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from llrcal.cli.terminal import print_whole
    from llrcal.evaluation.score_threshold import RATES

    is_cut = len(thresholds) < len(RATES)

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("FMR", "false alarms", "FNMR", "misses"):
        table.add_column(name, justify="right")
    for one in thresholds:
        table.add_row(
            f"{one.pfa:.3g}", f"{one.false_alarms:,}", f"{100 * one.pmiss:.4g} %", f"{one.misses:,}"
        )
    print_whole(table)
    console = Console()
    for line in (
        "Miss rate (FNMR) at the lowest threshold with no more false alarms than the FMR allows.",
        "By the rule of 30, a rate rests on at least 30 errors.",
        *([f"{non_count:,} non-targets are too few for lower FMRs."] if is_cut else []),
    ):
        console.print(line, highlight=False, markup=False)
