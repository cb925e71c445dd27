"""Watching: alarms where nothing has moved, alarms where something has, and the time they take."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import llrcal
from llrcal.onepass.summary import Summary
from studies.field_run import (
    Cell,
    Judge,
    Options,
    Part,
    Row,
    counted,
    fit,
    markdown,
    unique,
    values,
    where,
)
from studies.field_sets import (
    HALVED,
    OTHER_PAIRS,
    REAL,
    SRE08_PAIRS,
    VOXCELEB,
    Classes,
    halves,
    pair,
    random,
)

JUDGED = 1_000_000  # non-targets, at most
NOISY = {name: short for name, short in OTHER_PAIRS.items() if name.startswith("speech")}
THINNED = (0.01, 0.5)  # shares of targets
SIZES = (200, 5_000)
LOSSES = (10, 20)  # thousandths of a bit, where pairs of SRE 2008 are divided


def cells(options: Options) -> list[Cell]:
    names = [(name, False) for name in HALVED] + [(name, True) for name in (*NOISY, *SRE08_PAIRS)]
    return options.sampled(
        [(*name, method, options.draws) for name in names for method in options.methods]
    )


def rows(name: str, shifted: bool, method: str, draws: int) -> list[Row]:
    """Verdicts on several draws of several sizes, with and without the share."""
    train, test = (pair if shifted else halves)(REAL, name)
    judge, cal = Judge(test.thinned(JUDGED)), fit(train, method)
    loss = 1000 * (judge.cllr(cal) - judge.least)
    found = []
    for size, draw, drawn in pools(name, test, draws, shifted=shifted):
        pool = drawn.pool
        random("order", name, draw).shuffle(pool)
        start = time.process_time()
        Summary.of(pool)
        row: Row = {"one pass": time.process_time() - start, "scores": len(pool), "loss": loss}
        row |= {"set": name, "shifted": shifted, "size": f"{size:,}" if size else "all"}
        for told in (None, drawn.share):
            start = time.process_time()
            verdict = llrcal.watch(cal, pool, p_target=told).verdict
            row["seconds"] = time.process_time() - start
            row["told"] = "told" if told else "not told"
            found.append(row | {"verdict": verdict, "alarm": verdict != "as in training"})
    return found


def pools(
    name: str, test: Classes, draws: int, *, shifted: bool
) -> Iterator[tuple[int, int, Classes]]:
    """Size, number of the draw, and scores; shares other than the natural one if alike."""
    shares = [test.share] if shifted else [test.share, *THINNED]
    for (number, share), size in itertools.product(enumerate(shares), SIZES):
        tar = max(1, round(share * size))
        if tar <= len(test.tar) and size - tar <= len(test.non):
            for draw in range(draws):
                rng = random("watch", name, size, f"{share:g}" if number else "natural", draw)
                yield size, draw, test.drawn(rng, tar, size - tar)
    yield 0, 0, test


def tables(rows: list[Row]) -> str:
    """Alarms by size where nothing has moved, and elsewhere; the time of the largest set."""
    false, true = where(rows, shifted=False), where(rows, shifted=True)
    few = [row for row in false if row["set"] in VOXCELEB]
    many = [row for row in false if row["set"] not in VOXCELEB]
    lines = [["all", "", *_alarms(false)], ["halves of 20 speakers", "", *_alarms(few)]]
    lines.append(["other halves", "", *_alarms(many)])
    lines += [
        [size, told, *_alarms(where(false, size=size, told=told))]
        for size, told in unique(false, "size", "told")
    ]
    ways = unique(true, "size", "told")
    found = []
    for group, some in _grouped(true).items():
        each = [where(some, size=size, told=told) for size, told in ways]
        alarms = [f"{sum(row['alarm'] for row in those)} of {len(those)}" for those in each]
        found.append([group, *alarms])
    most = where(rows, scores=max(row["scores"] for row in rows))
    times = [f"{values(most, key).min():.2f}" for key in ("seconds", "one pass")]
    return "\n".join(
        [
            markdown(["scores", "share", "looks", "alarms", "where"], lines),
            markdown(["pairs", *(", share ".join(way) for way in ways)], found),
            markdown(["scores", "watch, s", "one pass, s"], [[f"{most[0]['scores']:,}", *times]]),
        ]
    )


def _alarms(rows: list[Row]) -> list[object]:
    alarms = where(rows, alarm=True)
    return [len(rows), len(alarms), counted(alarms, "set")]


def _grouped(rows: list[Row]) -> dict[str, list[Row]]:
    """Pairs of SRE 2008 by what they lose, and the others."""
    sre = [row for row in rows if row["set"] not in NOISY]
    low, high = LOSSES
    parts = {
        f"SRE 2008, loss above {high}": [row for row in sre if row["loss"] > high],
        f"SRE 2008, loss {low} to {high}": [row for row in sre if low < row["loss"] <= high],
        f"SRE 2008, loss up to {low}": [row for row in sre if row["loss"] <= low],
        **{short: where(rows, set=name) for name, short in NOISY.items()},
    }
    return {name: some for name, some in parts.items() if some}


WATCH = Part(cells, rows, tables)
