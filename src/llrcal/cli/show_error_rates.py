"""Error-rates on the terminal, as in reports on biometric systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llrcal.cli.terminal import print_lines, print_whole, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.evaluation.score_threshold import ScoreThreshold


def show_error_rates(thresholds: Sequence[ScoreThreshold], non_count: int) -> None:
    """Print a table of miss rates at false-alarm rates, with the numbers of errors behind them."""
    from llrcal.evaluation.score_threshold import RATES

    table = table_of((), ("FMR", "false alarms", "FNMR", "misses"))
    for one in thresholds:
        table.add_row(
            f"{one.pfa:.3g}", f"{one.false_alarms:,}", f"{100 * one.pmiss:.4g} %", f"{one.misses:,}"
        )
    print_whole(table)
    print_lines(
        "Miss rate (FNMR) at the lowest threshold with no more false alarms than the FMR allows.",
        "By the rule of 30, a rate rests on at least 30 errors.",
    )
    if len(thresholds) < len(RATES):
        print_lines(f"{non_count:,} non-targets are too few for lower FMRs.")
