"""An evaluation by condition on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llrcal.cli.terminal import print_whole, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llrcal.evaluation import ByCondition, Evaluation, OperatingPoint


def show_conditions(divided: ByCondition, points: Sequence[OperatingPoint]) -> None:
    """Print a row for each condition, for all trials, and for the average."""
    point = points[0]
    costs = (point.p_target, point.c_miss, point.c_fa)
    caption = (
        f"DCF at prior {point.p_target:g}, costs {point.c_miss:g} and {point.c_fa:g}, normalised; "
        "the average gives every condition the same weight"
    )
    names = ("targets", "non-targets", "Cllr", "minCllr", "EER", "actDCF", "minDCF")
    table = table_of(divided.columns, names, caption)
    blank = [""] * (len(divided.columns) - 1)

    def row(cell: Sequence[str], one: Evaluation) -> None:
        counts = f"{one.tar_count:,}", f"{one.non_count:,}"
        dcf = one.act_dcf(*costs), one.min_dcf(*costs)
        table.add_row(*cell, *counts, *_numbers(one.cllr, one.min_cllr, one.eer, *dcf))

    for cell, one in divided.cells.items():
        row(cell, one)
    table.add_section()
    row(["(pooled)", *blank], divided.pooled)
    mean, at_point = divided.average, divided.average_at([point])
    dcf = at_point["act_dcf"][0], at_point["min_dcf"][0]
    numbers = _numbers(mean["cllr"], mean["min_cllr"], mean["eer"], *dcf)
    table.add_row("(average)", *blank, "", "", *numbers)
    print_whole(table)


def _numbers(cllr: float, minimum: float, eer: float, act: float, least: float) -> list[str]:
    return [f"{cllr:.4f}", f"{minimum:.4f}", f"{100 * eer:.2f} %", f"{act:.4f}", f"{least:.4f}"]
