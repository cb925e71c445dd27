"""Intervals of an evaluation on the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from llrcal.cli.terminal import print_lines, print_whole, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from llrcal.evaluation import Evaluation, OperatingPoint
    from llrcal.evaluation.intervals import Intervals
    from llrcal.evaluation.percentiles import Interval

    Row = tuple[str, float, Interval]


def show_intervals(
    evaluation: Evaluation, intervals: Intervals, points: Sequence[OperatingPoint]
) -> None:
    """Print a table of numbers with their intervals, and notes on the intervals."""
    table = table_of([""], ["number", "from", "to"])
    table.title_style = ""
    table.title = (
        f"{100 * intervals.level:g} % intervals by {intervals.by}, "
        f"{intervals.replicates:,} drawn test sets"
    )
    for name, number, ends in _rows(evaluation, intervals, points):
        if math.isnan(number):  # the table above says why
            continue
        scale, unit = (100, " %") if name.startswith(("EER", "LR")) else (1, "")
        table.add_row(name, *(f"{scale * value:.4f}{unit}" for value in (number, *ends)))
    print_whole(table)
    print_lines(*(f"note: {note.on_command_line}" for note in intervals.notes))


def _rows(
    evaluation: Evaluation, intervals: Intervals, points: Sequence[OperatingPoint]
) -> Iterator[Row]:
    from llrcal.cli.options import UNITS, scoring_rule
    from llrcal.evaluation.forensic import STRENGTHS

    yield "Cllr", evaluation.cllr, intervals.cllr
    yield "minCllr", evaluation.min_cllr, intervals.min_cllr
    yield "calibration loss", evaluation.calibration_loss, intervals.calibration_loss
    for rule, ends in intervals.rules.items():
        cost = evaluation.cost(scoring_rule(rule))
        yield f"{rule} cost", cost.actual, ends.actual
        yield f"{rule} minimum", cost.minimum, ends.minimum
        yield f"{rule} calibration loss", cost.loss, ends.loss
    yield "EER", evaluation.eer, intervals.eer
    for point, actual, least in zip(points, intervals.act_dcf, intervals.min_dcf, strict=True):
        yield f"DCF {point.name}", evaluation.bayes_error(point.prior_log_odds), actual
        yield f"minDCF {point.name}", evaluation.min_bayes_error(point.prior_log_odds), least
    for strength, (tar, non) in zip(STRENGTHS, intervals.misleading, strict=False):
        rate = evaluation.forensic.misleading(strength)
        below = "1" if strength == 1 else f"1/{strength:,.0f}"
        yield f"LR < {below}, same source", rate.tar, tar
        yield f"LR > {strength:,.0f}, different sources", rate.non, non
    if (forensic := intervals.forensic) is not None:
        yield "devPAV (log10)", evaluation.forensic.dev_pav, forensic.dev_pav
        expected, unit = evaluation.forensic.expected_lrs, UNITS["log10"]
        for name, llr, (low, high) in (
            ("same source", expected.llr_tar, forensic.llr_tar),
            ("different sources", expected.llr_non, forensic.llr_non),
        ):
            yield f"mean log10 LR, {name}", llr / unit, (low / unit, high / unit)
