"""The numbers of an evaluation on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llrcal.cli.terminal import print_lines, print_whole, table_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from llrcal.evaluation import Evaluation, OperatingPoint, RuleCost
    from llrcal.scoring_rule import ScoringRule


def show_evaluation(
    evaluation: Evaluation,
    points: Sequence[OperatingPoint],
    averages: Mapping[str, Sequence[OperatingPoint]],
    rules: Sequence[ScoringRule] = (),
    *,
    plain: bool = False,
) -> None:
    """Print the numbers of an evaluation, and a table of its operating points and averages."""
    low, high = evaluation.rule_of_30
    print_lines(
        f"{evaluation.tar_count:,} targets, {evaluation.non_count:,} non-targets",
        f"Cllr {evaluation.cllr:.7f}  minCllr {evaluation.min_cllr:.7f}  "
        f"calibration loss {evaluation.calibration_loss:.7f} (bits)",
        *(_cost_line(evaluation.cost(rule)) for rule in rules),
        f"EER {100 * evaluation.eer:.4f} % (ROC convex hull)",
        f"rule of 30: prior log-odds from {low:.2f} to {high:.2f}"
        if low <= high
        else "rule of 30: too few errors at any prior",
    )
    caption = "expected costs" if plain else "1 is the cost of deciding by the prior alone"
    table = table_of((), ("p_target", "c_miss", "c_fa", "actDCF", "minDCF"), caption)
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
