"""An evaluation on the terminal: its numbers, and tables of what else was asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from llrcal.cli.options import UNITS, scoring_rule
from llrcal.cli.terminal import print_lines, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from llrcal.evaluation import ByCondition, Evaluation, OperatingPoint
    from llrcal.evaluation.intervals import Interval, Intervals
    from llrcal.scoring_rule import ScoringRule


def show_evaluation(
    evaluation: Evaluation,
    points: Sequence[OperatingPoint],
    averages: Mapping[str, Sequence[OperatingPoint]],
    *,
    rules: Sequence[ScoringRule],
    forensic: bool,
    error_rates: bool,
    plain: bool,
    intervals: Intervals | None,
    divided: ByCondition | None,
) -> None:
    """Print the numbers of an evaluation, and tables of what else was asked for."""
    _show_numbers(evaluation, rules)
    _show_points(evaluation, points, averages, plain=plain)
    if forensic:
        _show_forensic(evaluation)
    if error_rates:
        _show_error_rates(evaluation)
    if divided is not None:
        show_conditions(divided, points)
    if intervals is not None:
        _show_intervals(evaluation, intervals, points)


def _show_numbers(evaluation: Evaluation, rules: Sequence[ScoringRule]) -> None:
    low, high = evaluation.rule_of_30
    print_lines(
        f"{evaluation.tar_count:,} targets, {evaluation.non_count:,} non-targets",
        f"Cllr {evaluation.cllr:.7f}  minCllr {evaluation.min_cllr:.7f}  "
        f"calibration loss {evaluation.calibration_loss:.7f} (bits)",
        *(
            f"{cost.rule} cost {cost.actual:.7f}  minimum {cost.minimum:.7f}  "
            f"calibration loss {cost.loss:.7f}"
            for cost in map(evaluation.cost, rules)
        ),
        f"EER {100 * evaluation.eer:.4f} % (ROC convex hull)",
        f"rule of 30: prior log-odds from {low:.2f} to {high:.2f}"
        if low <= high
        else "rule of 30: too few errors at any prior",
    )


def _show_points(
    evaluation: Evaluation,
    points: Sequence[OperatingPoint],
    averages: Mapping[str, Sequence[OperatingPoint]],
    *,
    plain: bool,
) -> None:
    """Detection costs at operating points, and averages of some."""

    def dcf(some: Sequence[OperatingPoint]) -> list[str]:
        return [f"{cost:.7g}" for cost in evaluation.mean_dcf(some, normalised=not plain)]

    rows: list[list[str]] = [
        [*(f"{cost:g}" for cost in (point.p_target, point.c_miss, point.c_fa)), *dcf([point])]
        for point in points
    ]
    if averages:
        rows.append([])
    for name, some in averages.items():
        what = "average" if name == "points" else f"average of {name}"
        rows.append([what, "", "", *dcf(some)])
    caption = "expected costs" if plain else "1 is the cost of deciding by the prior alone"
    print_table(("p_target", "c_miss", "c_fa", "actDCF", "minDCF"), rows, caption=caption)


def _show_forensic(evaluation: Evaluation) -> None:
    """Print forensic figures of merit, in log10 and in the words of the field."""
    from llrcal.evaluation.forensic import STRENGTHS

    figures, unit = evaluation.forensic, UNITS["log10"]
    low, high = figures.elub
    expected = figures.expected_lrs
    print_lines(
        "Forensic figures of merit (Hp: same source, Hd: different sources)",
        "devPAV: none, because the classes do not overlap"
        if math.isnan(figures.dev_pav)
        else f"devPAV {figures.dev_pav:.4f} (log10; 0 if calibrated)",
        f"ELUB: LR from {math.exp(low):.4g} to {math.exp(high):.4g}, "
        f"log10 LR from {low / unit:.3f} to {high / unit:.3f}"
        if low < high
        else "ELUB: LR 1; the LRs are no better than no evidence",
        f"mean log10 LR {expected.llr_tar / unit:.3f} under Hp, "
        f"{expected.llr_non / unit:.3f} under Hd",
        f"mean 1/LR {expected.inverse_lr_tar:.4g} under Hp, mean LR {expected.lr_non:.4g} under Hd "
        "(about 1 if calibrated)",
    )
    rates = ((strength, figures.misleading(strength)) for strength in STRENGTHS)
    print_table(
        ("strength", "same source", "rate", "different sources", "rate"),
        [
            (
                f"{strength:,.0f}",
                f"LR < {_inverse(strength)}",
                f"{100 * rate.tar:.4g} %",
                f"LR > {strength:,.0f}",
                f"{100 * rate.non:.4g} %",
            )
            for strength, rate in rates
        ],
        caption="rates of misleading evidence",
    )


def _inverse(strength: float) -> str:
    return "1" if strength == 1 else f"1/{strength:,.0f}"


def _show_error_rates(evaluation: Evaluation) -> None:
    """Print miss rates at false-alarm rates, as in reports on biometric systems."""
    from llrcal.evaluation.score_threshold import RATES

    found = evaluation.error_rates
    print_table(
        ("FMR", "false alarms", "FNMR", "misses"),
        [
            (
                f"{one.pfa:.3g}",
                f"{one.false_alarms:,}",
                f"{100 * one.pmiss:.4g} %",
                f"{one.misses:,}",
            )
            for one in found
        ],
    )
    print_lines(
        "Miss rate (FNMR) at the lowest threshold with no more false alarms than the FMR allows.",
        "By the rule of 30, a rate rests on at least 30 errors.",
    )
    if len(found) < len(RATES):
        print_lines(f"{evaluation.non_count:,} non-targets are too few for lower FMRs.")


def show_conditions(divided: ByCondition, points: Sequence[OperatingPoint]) -> None:
    """Print a row for each condition, for all trials, and for the average."""
    point, blank = points[0], [""] * (len(divided.columns) - 1)
    rows: list[list[str]] = []
    for cell, one in (*divided.cells.items(), (("(pooled)", *blank), divided.pooled)):
        costs = one.cllr, one.min_cllr, one.eer, *one.mean_dcf([point])
        rows.append([*cell, f"{one.tar_count:,}", f"{one.non_count:,}", *_costs(*costs)])
    rows.insert(-1, [])
    mean, dcf = divided.average, divided.average_at([point])
    costs = mean["cllr"], mean["min_cllr"], mean["eer"], dcf["act_dcf"][0], dcf["min_dcf"][0]
    rows.append(["(average)", *blank, "", "", *_costs(*costs)])
    numbers = ("targets", "non-targets", "Cllr", "minCllr", "EER", "actDCF", "minDCF")
    caption = (
        f"DCF at prior {point.p_target:g}, costs {point.c_miss:g} and {point.c_fa:g}, normalised; "
        "the average gives every condition the same weight"
    )
    print_table((*divided.columns, *numbers), rows, words=divided.columns, caption=caption)


def _costs(cllr: float, minimum: float, eer: float, act: float, least: float) -> list[str]:
    return [f"{cllr:.4f}", f"{minimum:.4f}", f"{100 * eer:.2f} %", f"{act:.4f}", f"{least:.4f}"]


def _show_intervals(
    evaluation: Evaluation, intervals: Intervals, points: Sequence[OperatingPoint]
) -> None:
    """Print a table of numbers with their intervals, and notes on the intervals."""
    rows = []
    for name, number, ends in _intervals(evaluation, intervals, points):
        if not math.isnan(number):  # the table above says why
            scale, unit = (100, " %") if name.startswith(("EER", "LR")) else (1, "")
            rows.append([name, *(f"{scale * value:.4f}{unit}" for value in (number, *ends))])
    print_lines(
        f"{100 * intervals.level:g} % intervals by {intervals.by}, "
        f"{intervals.replicates:,} drawn test sets"
    )
    print_table(("", "number", "from", "to"), rows, words=("",))
    print_lines(*(f"note: {note.on_command_line}" for note in intervals.notes))


def _intervals(
    evaluation: Evaluation, intervals: Intervals, points: Sequence[OperatingPoint]
) -> Iterator[tuple[str, float, Interval]]:
    from llrcal.evaluation.forensic import STRENGTHS

    overall = {"cllr": "Cllr", "min_cllr": "minCllr", "calibration_loss": "calibration loss"}
    for key, name in overall.items():
        yield name, getattr(evaluation, key), getattr(intervals, key)
    words = {"actual": "cost", "minimum": "minimum", "loss": "calibration loss"}
    for rule, ends in intervals.rules.items():
        cost = evaluation.cost(scoring_rule(rule))
        for key, word in words.items():
            yield f"{rule} {word}", getattr(cost, key), getattr(ends, key)
    yield "EER", evaluation.eer, intervals.eer
    for point, actual, least in zip(points, intervals.act_dcf, intervals.min_dcf, strict=True):
        yield f"DCF {point.name}", evaluation.bayes_error(point.prior_log_odds), actual
        yield f"minDCF {point.name}", evaluation.min_bayes_error(point.prior_log_odds), least
    for strength, (tar, non) in zip(STRENGTHS, intervals.misleading, strict=False):
        rate = evaluation.forensic.misleading(strength)
        yield f"LR < {_inverse(strength)}, same source", rate.tar, tar
        yield f"LR > {strength:,.0f}, different sources", rate.non, non
    if (forensic := intervals.forensic) is not None:
        yield "devPAV (log10)", evaluation.forensic.dev_pav, forensic.dev_pav
        expected, unit = evaluation.forensic.expected_lrs, UNITS["log10"]
        for name, llr, (low, high) in (
            ("same source", expected.llr_tar, forensic.llr_tar),
            ("different sources", expected.llr_non, forensic.llr_non),
        ):
            yield f"mean log10 LR, {name}", llr / unit, (low / unit, high / unit)
