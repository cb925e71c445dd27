"""Forensic figures of merit on the terminal, in log10 and in the words of the field."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from llrcal.cli.terminal import print_lines, print_whole, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llrcal.evaluation.forensic import Forensic


def show_forensic(figures: Forensic) -> None:
    """Print figures of merit, and a table of the rates of misleading evidence."""
    from llrcal.evaluation.forensic import STRENGTHS

    print_lines(*_lines(figures))
    names = ("strength", "same source", "rate", "different sources", "rate")
    table = table_of((), names, "rates of misleading evidence")
    for strength in STRENGTHS:
        rate = figures.misleading(strength)
        table.add_row(
            f"{strength:,.0f}",
            "LR < 1" if strength == 1 else f"LR < 1/{strength:,.0f}",
            f"{100 * rate.tar:.4g} %",
            f"LR > {strength:,.0f}",
            f"{100 * rate.non:.4g} %",
        )
    print_whole(table)


def _lines(figures: Forensic) -> Iterator[str]:
    yield "Forensic figures of merit (Hp: same source, Hd: different sources)"
    if math.isnan(figures.dev_pav):
        yield "devPAV: none, because the classes do not overlap"
    else:
        yield f"devPAV {figures.dev_pav:.4f} (log10; 0 if calibrated)"
    low, high = figures.elub
    yield (
        f"ELUB: LR from {math.exp(low):.4g} to {math.exp(high):.4g}, "
        f"log10 LR from {low / math.log(10):.3f} to {high / math.log(10):.3f}"
        if low < high
        else "ELUB: LR 1; the LRs are no better than no evidence"
    )
    expected = figures.expected_lrs
    yield (
        f"mean log10 LR {expected.llr_tar / math.log(10):.3f} under Hp, "
        f"{expected.llr_non / math.log(10):.3f} under Hd"
    )
    yield (
        f"mean 1/LR {expected.inverse_lr_tar:.4g} under Hp, mean LR {expected.lr_non:.4g} under Hd "
        "(about 1 if calibrated)"
    )
