"""What ``watch`` says, beside the true cost of a change: of worlds, of sunken targets, of pairs.

See :mod:`studies.field`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import llrcal
from studies.field import (
    TOLD,
    Cell,
    Judge,
    Row,
    fit,
    markdown,
    pooled,
    program,
    rounded,
    unique,
    where,
)
from studies.field_pairs import JUDGED, NAMES
from studies.field_sets import REAL, SHIFTS, SIMULATED, SRE08_PAIRS, Shift, pair, random
from studies.field_worlds import CHANGES, SHARES, TRAINING, WORLDS, judge_of, pool_of, trained
from studies.field_worlds import JUDGED as OF_EACH

SIZES, RARE = (5_000, 50_000), 0.05
DROPS = (1.0, 1.5)  # of the targets, in deviations of the non-targets
COSTLY, NEGLIGIBLE = 0.1, 0.05  # bits
VERDICTS = ("as in training", "cannot tell", "moved")


def cells(number: int) -> list[Cell]:
    """Each with the number of draws, pairs once."""
    draws = range(number)
    found: list[Cell] = [("worlds", *x) for x in itertools.product(draws, WORLDS, TRAINING)]
    found += [
        ("targets drop", *x) for x in itertools.product(draws, WORLDS, TRAINING[1:], DROPS, SIZES)
    ]
    return [*found, *(("pairs", name) for name in NAMES)]


def rows(kind: str, *how: object) -> list[Row]:
    """Verdicts of a cell."""
    found = {"worlds": worlds, "targets drop": drops, "pairs": pairs}[kind](*how)  # type: ignore[operator]
    return [row | {"kind": row.get("kind", kind)} for row in found]


def worlds(draw: int, family: str, size: int) -> Iterable[Row]:
    """All changes of a family: 5,000 independent scores, which is said."""
    cal = trained(family, size, draw)
    as_it_was = judge_of(family, "none", draw).loss(cal)
    for change, share in itertools.product(CHANGES, SHARES):
        cost = judge_of(family, change, draw).loss(cal) - as_it_was
        pool = pool_of(family, change, share, size, draw).pool
        for told, is_told in TOLD.items():
            verdict = llrcal.watch(
                cal, pool, p_target=share if is_told else None, speakers=len(pool)
            ).verdict
            yield {"told": told, "T": size, "cost": cost, "verdict": verdict, "change": change}


def drops(draw: int, family: str, size: int, drop: float, count: int) -> Iterable[Row]:
    """Targets that have dropped, hidden among twenty times as many scores."""
    cal, drawn = trained(family, size, draw), SIMULATED[family].drawn
    rng, tar = random("drop", family, size, drop, count, draw), round(RARE * count)
    pool = drawn(rng, tar, count - tar, Shift(targets=-drop)).pool
    judge = Judge(drawn(rng, OF_EACH, OF_EACH, Shift(targets=-drop)))
    cost = judge.loss(cal) - judge_of(family, "none", draw).loss(cal)
    for told, is_told in TOLD.items():
        verdict = llrcal.watch(
            cal, pool, p_target=RARE if is_told else None, speakers=count
        ).verdict
        kind = f"targets drop by {drop:g}, {count:,} scores"
        yield {"told": told, "T": size, "cost": cost, "verdict": verdict, "kind": kind}


def pairs(name: str) -> Iterable[Row]:
    """All scores of a pair; of how many people is not said."""
    train, test = pair(REAL, name)
    cal = fit(train)
    cost = Judge(test.thinned(JUDGED)).loss(cal) - Judge(train.thinned(JUDGED)).loss(cal)
    kind = "SRE 2008" if name in SRE08_PAIRS else "hard shifts" if name in SHIFTS else "other pairs"
    pool = pooled(test.pool)
    for told, is_told in TOLD.items():
        verdict = llrcal.watch(cal, pool, p_target=test.share if is_told else None).verdict
        yield {"told": told, "cost": cost, "verdict": verdict, "kind": kind, "set": name}


def tables(rows: list[Row]) -> str:
    """Verdicts by the true cost; those of worlds by change and size of training too."""
    lines, of_worlds = [], []
    for kind, told in itertools.product(unique(rows, "kind"), TOLD):
        lines.append([kind, told, *_verdicts(where(rows, kind=kind, told=told))])
    some = where(rows, kind="worlds")
    for change, told in itertools.product(CHANGES, TOLD):
        of_worlds.append([change, told, *_verdicts(where(some, change=change, told=told))])
    for size, told in itertools.product(TRAINING, TOLD):
        of_worlds.append([f"T = {size:,}", told, *_verdicts(where(some, T=size, told=told))])
    use = []
    for size in TRAINING:
        known = where(some, T=size, told="told")
        still = where(known, change="none")
        lost = [row for row in known if row["cost"] > COSTLY]
        as_is, moved = where(still, verdict=VERDICTS[0]), where(lost, verdict=VERDICTS[2])
        shares = (100 * len(as_is) / len(still), 100 * len(moved) / max(len(lost), 1))
        use.append(
            [f"{size:,}", len(still), rounded(shares[0], 0), len(lost), rounded(shares[1], 0)]
        )
    head = [*VERDICTS, f"cost above {NEGLIGIBLE:g}", "of these as in training"]
    return "\n".join(
        [
            markdown(["scores", "share", "n", *head], lines),
            markdown(["worlds", "share", "n", *head], of_worlds),
            markdown(
                ["T", "unshifted", "as in training, %", f"cost above {COSTLY:g}", "moved, %"], use
            ),
        ]
    )


def _verdicts(rows: list[Row]) -> list[int]:
    each = [len(where(rows, verdict=verdict)) for verdict in VERDICTS]
    dear = [row for row in rows if row["cost"] > NEGLIGIBLE]
    return [len(rows), *each, len(dear), len(where(dear, verdict=VERDICTS[0]))]


if __name__ == "__main__":
    program(__doc__, cells, rows, tables)
