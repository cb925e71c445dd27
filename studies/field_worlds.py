"""Families of known truth, changed in eight ways: what adaptation gains, and its intervals.

See :mod:`studies.field`. It also runs with older versions of llrcal.
"""

from __future__ import annotations

import itertools
from functools import lru_cache

import llrcal
from studies.field import (
    HELD,
    LIMIT,
    TOLD,
    Cell,
    Judge,
    Row,
    adapted,
    fit,
    groups,
    held,
    markdown,
    mean,
    program,
    rounded,
    same_bits,
    values,
)
from studies.field_sets import SIMULATED, Classes, Shift, random

WORLDS = ("gaussian", "gamma", "bimodal targets", "student-t", "logistic", "bounded")
"""The first three served to choose constants, by other draws of them."""
CHANGES = {
    "none": Shift(),
    "shift": Shift(1.2),
    "scale": Shift(0.3, 1.5),
    "noise added": Shift(noise=0.8),
    "distance": Shift(0.5, distance=0.6),
    "targets sink": Shift(targets=-1.4),
    "codec that clips": Shift(-0.5, clipped=True),
    "another share": Shift(),
}
TIMES = 4  # as many targets as told, at most four in five, if the share is another
SHARES = (0.02, 0.1, 0.5)
TRAINING = (30, 300, 3_000)  # targets, with ten times as many non-targets
POOL, JUDGED = 5_000, 20_000  # scores; and of each class


def cells(draws: int) -> list[Cell]:
    """Draws come first, so that the first of them is a study of its own."""
    names = (range(draws), WORLDS, TRAINING, CHANGES, SHARES, TOLD)
    return list(itertools.product(*names))


@lru_cache(maxsize=2)
def trained(family: str, size: int, draw: int) -> llrcal.Calibration:
    rng = random("world", family, size, draw)
    return fit(SIMULATED[family].drawn(rng, size, 10 * size))


@lru_cache(maxsize=16)
def judge_of(family: str, change: str, draw: int) -> Judge:
    rng = random("world", family, change, draw)
    return Judge(SIMULATED[family].drawn(rng, JUDGED, JUDGED, CHANGES[change]))


def pool_of(family: str, change: str, share: float, *names: object) -> Classes:
    rng = random("pool", family, change, share, *names)
    share = min(TIMES * share, 0.8) if change == "another share" else share
    tar = round(share * POOL)
    return SIMULATED[family].drawn(rng, tar, POOL - tar, CHANGES[change])


def rows(draw: int, family: str, size: int, change: str, share: float, told: str) -> list[Row]:
    """One world."""
    cal, judge = trained(family, size, draw), judge_of(family, change, draw)
    pool = pool_of(family, change, share, size, draw).pool
    p_target = share if TOLD[told] else None
    row = adapted(cal, pool, judge, p_target=p_target)
    row |= {"change": change, "family": family, "T": size, "share": share, "told": told}
    if not draw and size == TRAINING[1] and share == SHARES[1]:
        row["same"] = same_bits(cal, pool, p_target=p_target)
    return [row]


def tables(rows: list[Row]) -> str:
    """Losses, intervals, and whether searches converged."""
    lines, intervals = [], []
    for name, some in groups(rows, "change", "family", "T", "share", "told").items():
        before, after = mean(some, "before"), mean(some, "after")
        above = sum(row["excess"] > LIMIT for row in some)
        cut = rounded(100 * (1 - after / before), 0)
        line = [len(some), rounded(before), rounded(after), cut, rounded(max(values(some, "harm")))]
        chosen = [
            rounded(100 * sum(row["choice"] == choice for row in some) / len(some), 0)
            for choice in ("as it was", "order")
        ]
        most = rounded(max(values(some, "excess")), 3)
        lines.append([name, *line, above, rounded(100 * above / len(some)), most, *chosen])
        intervals.append([name, len(some), *held(some)])
    head = ["", "n", "before", "after", "cut, %", "largest rise", f"above both by {LIMIT:g}"]
    head += ["of all, %", "most above both", "left as it was, %", "order alone, %"]
    again = [row for row in rows if "same" in row]
    trust = ["all", len(rows), sum(row["converged"] for row in rows), len(again)]
    return "\n".join(
        [
            markdown(head, lines),
            markdown(["", "n", *HELD], intervals),
            markdown(
                ["", "searches", "converged", "in two orders", "same bits"],
                [[*trust, sum(row["same"] for row in again)]],
            ),
        ]
    )


if __name__ == "__main__":
    program(__doc__, cells, rows, tables)
