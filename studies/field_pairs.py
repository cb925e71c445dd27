"""Pairs of places: what adaptation leaves of a loss, without labels.

See :mod:`studies.field`.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from pathlib import Path
from typing import Any

import llrcal
from llrcal.arrays import Array
from llrcal.figures.drawing import legend_above
from llrcal.figures.style import column_figure, column_style
from llrcal.onepass.summary import Summary
from studies.field import (
    HELD,
    Cell,
    Judge,
    Row,
    adapted,
    fit,
    held,
    markdown,
    mean,
    pooled,
    program,
    rounded,
    same_bits,
    shares_told,
    unique,
    values,
    where,
)
from studies.field_sets import (
    OTHER_PAIRS,
    REAL,
    ROOT,
    SHIFTS,
    SRE08_PAIRS,
    Classes,
    pair,
)

METHODS = ("smooth", "nig", "logistic")
JUDGED = 3_000_000  # non-targets, at most
NAMES = (*SRE08_PAIRS, *SHIFTS, *OTHER_PAIRS)
FIGURE = ROOT / "docs/figures/field-losses.png"
GROUPS = {
    "SRE 2008, 20 pairs": SRE08_PAIRS,
    "four hard shifts": SHIFTS,
    "two of them, which served to choose": SHIFTS[:2],
    "the other two": SHIFTS[2:],
    **{short: (name,) for name, short in OTHER_PAIRS.items()},
}


@lru_cache(maxsize=1)
def case(name: str, method: str) -> tuple[llrcal.Calibration, Classes, Judge, Array | Summary]:
    """A calibration, all scores of the new place, its judge, and the unlabelled scores."""
    train, test = pair(REAL, name)
    return fit(train, method), test, Judge(test.thinned(JUDGED)), pooled(test.pool)


def cells(_: int) -> list[Cell]:
    return list(itertools.product(NAMES, METHODS))


def rows(name: str, method: str) -> list[Row]:
    """The loss of a pair with the share told in every way."""
    cal, test, judge, pool = case(name, method)
    found = []
    for told, share in shares_told(test.share).items():
        row = adapted(cal, pool, judge, p_target=share)
        row |= {"set": name, "method": method, "told": told, "least": judge.least}
        found.append(row)
    if method == METHODS[0] and not isinstance(pool, Summary):
        found[0]["same"] = same_bits(cal, pool, p_target=test.share)
    return found


def grouped(rows: list[Row]) -> dict[str, list[Row]]:
    found = {name: [row for row in rows if row["set"] in some] for name, some in GROUPS.items()}
    return {name: some for name, some in found.items() if some}


def tables(rows: list[Row]) -> str:
    """Mean losses, intervals, and the losses of every pair."""
    ways, smooth = unique(rows, "told"), where(rows, method=METHODS[0])
    means, intervals, each = [], [], []
    for group, some in grouped(rows).items():
        for method in METHODS:
            those = where(some, method=method)
            losses = [mean(where(those, told=told), "after") for told in ways]
            line = [mean(those, "before"), *losses, max(values(those, "harm"))]
            means.append([group, method, *map(rounded, line)])
        intervals.append([group, len(some), *held(some)])
    for name in unique(smooth, "set"):
        some = where(smooth, set=name)
        after = [rounded(row["after"]) for row in some]
        choice = ", ".join(unique(some, "choice"))
        line = [rounded(1000 * some[0]["least"]), rounded(some[0]["before"]), *after, choice]
        each.append([OTHER_PAIRS.get(name, name), *line])
    again = [row for row in rows if "same" in row]
    trust = [len(rows), sum(row["converged"] for row in rows), len(again)]
    return "\n".join(
        [
            markdown(["pairs", "method", "before", *ways, "largest rise"], means),
            markdown(["pair", "minCllr", "before", *ways, "choice"], each),
            markdown(["pairs", "n", *HELD], intervals),
            markdown(
                ["searches", "converged", "in two orders", "same bits"],
                [[*trust, sum(row["same"] for row in again)]],
            ),
        ]
    )


def draw(rows: list[Row], path: Path) -> None:
    """Losses of every set before and after, those with the largest at the top."""
    some = sorted(where(rows, method=METHODS[0], told="right"), key=lambda row: row["before"])
    untold = {row["set"]: row["after"] for row in where(rows, method=METHODS[0], told="not told")}
    at, ends = range(len(some)), ("before", "after")
    with column_style():
        figure, ax = column_figure(height=100)
        ax.hlines(at, *(values(some, end) for end in ends), color="#bbbbbb", linewidth=0.8)
        looks = {"before": ("o", "#d9730d"), "share told": ("s", "#1b3a6b")}
        entries: list[tuple[str, Any]] = []
        for (label, (marker, colour)), end in zip(looks.items(), ends, strict=True):
            (points,) = ax.plot(values(some, end), at, marker, color=colour)
            entries.append((label, points))
        last = [untold[row["set"]] for row in some]
        (points,) = ax.plot(last, at, "|", color="#555555", markersize=6)
        entries.append(("not told", points))
        ax.set_yticks(at, [OTHER_PAIRS.get(row["set"], str(row["set"])) for row in some])
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xticks([5, 10, 20, 50, 100, 200, 500, 1000, 2000])
        ax.xaxis.set_minor_formatter("")
        ax.set_xlabel("loss, thousandths of a bit")
        legend_above(ax, entries)
        figure.savefig(path, dpi=200, metadata={"Software": None})


if __name__ == "__main__":
    draw(program(__doc__, cells, rows, tables), FIGURE)
