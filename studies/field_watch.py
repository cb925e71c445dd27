"""Watching: alarms where nothing has moved, alarms where something has, and the time they take."""

from __future__ import annotations

import time
from collections.abc import Iterator

import llrcal
from llrcal.errors import LlrcalError
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
from studies.field_sets import HALVED, SPEECH, SRE08_PAIRS, Classes, halves, pair, random

JUDGED = 1_000_000  # non-targets, at most
NOISY = [f"speech {s} dev>speech {s} evalnoisy" for s in SPEECH]
THINNED = (0.01, 0.1, 0.5)
EVERY = 0  # the size that stands for all scores
COSTLY = 10.0  # thousandths of a bit


def cells(options: Options) -> list[Cell]:
    alike, pairs = HALVED[::-1], [*NOISY, *SRE08_PAIRS]
    if options.quick:
        alike, pairs = ["plda", "II", "asvspoof eval"], ["II>PP", "IP>II", "PP>PI"]
    names = [(name, False) for name in alike] + [(name, True) for name in pairs]
    return [(name, shifted, method) for name, shifted in names for method in options.methods]


def rows(options: Options, name: str, shifted: bool, method: str) -> list[Row]:
    """Verdicts on several draws of several sizes, with and without the share."""
    train, test = (pair if shifted else halves)(options.scores, name)
    judge, cal = Judge(test.thinned(JUDGED)), fit(train, method)
    loss = 1000 * (judge.cllr(cal) - judge.least)
    found = []
    for size, share, draw, drawn in pools(options, name, test, shifted=shifted):
        pool = drawn.pool
        random("order", name, draw).shuffle(pool)
        start = time.perf_counter()
        Summary.of(pool)
        one_pass = time.perf_counter() - start
        for told in (None, drawn.share):
            start, verdict, moved = time.perf_counter(), "", False
            try:
                seen = llrcal.watch(cal, pool, p_target=told)
                verdict, moved = seen.verdict, bool(seen.moved)
            except LlrcalError as refusal:
                verdict = f"refused: {refusal}"
            seconds = time.perf_counter() - start
            found.append(
                {
                    "set": name,
                    "shifted": shifted,
                    "method": method,
                    "size": str(size or "all"),
                    "scores": len(pool),
                    "share": share,
                    "told": "right" if told else "not told",
                    "draw": draw,
                    "loss": loss,
                    "verdict": verdict,
                    "moved": moved,
                    "seconds": seconds,
                    "one pass": one_pass,
                }
            )
    return found


def pools(
    options: Options, name: str, test: Classes, *, shifted: bool
) -> Iterator[tuple[int, str, int, Classes]]:
    """Size, share, number of the draw and scores; shares other than the natural one if alike."""
    shares = [test.share] if shifted else [test.share, *THINNED]
    for number, share in enumerate(shares):
        word = f"{share:g}" if number else "natural"
        for size in (5_000, EVERY) if shifted else (200, 5_000, EVERY):
            if number and size == EVERY:
                continue
            tar = max(1, round(share * size))
            if size and (tar > len(test.tar) or size - tar > len(test.non)):
                continue
            for draw in range(options.draws if size else 1):
                rng = random("watch", name, size, word, draw)
                yield size, word, draw, test.drawn(rng, tar, size - tar) if size else test


def table(rows: list[Row]) -> str:
    """False alarms by size and share, true ones by pair, and the time of the largest set."""
    false, true = where(rows, shifted=False), where(rows, shifted=True)
    keys = ("method", "told", "share", "size")
    lines = []
    for these in unique(false, *keys):
        some = where(false, **dict(zip(keys, these, strict=True)))
        alarms = [row for row in some if row["moved"]]
        lines.append([*these, f"{len(alarms)} of {len(some)}", counted(alarms, "set")])
    tables = [markdown([*keys, "false alarms", "where"], lines)]
    ways = unique(true, "method", "told", "size")
    lines = []
    for name in unique(true, "set"):
        some = where(true, set=name)
        line: list[object] = [name, " / ".join(f"{one:.1f}" for one in unique(some, "loss"))]
        for method, told, size in ways:
            those = where(some, method=method, told=told, size=size)
            line.append(f"{sum(row['moved'] for row in those)} of {len(those)}")
        lines.append(line)
    costly = [row for row in true if row["loss"] > COSTLY]
    line = [f"all with a loss above {COSTLY:g}", ""]
    for method, told, size in ways:
        those = where(costly, method=method, told=told, size=size)
        line.append(f"{sum(row['moved'] for row in those)} of {len(those)}")
    tables.append(markdown(["pair", "loss", *(", ".join(way) for way in ways)], [*lines, line]))
    tables.append(f"verdicts where nothing has moved: {counted(false, 'verdict')}")
    tables.append(f"verdicts elsewhere: {counted(true, 'verdict')}")
    most = max(row["scores"] for row in rows)
    large = where(rows, scores=most)
    times = [float(values(large, key).mean()) for key in ("seconds", "one pass")]
    tables.append(f"{most} scores: {times[0]:.2f} s to watch, {times[1]:.2f} s for one pass")
    return "\n".join(tables)


WATCH = Part(cells, rows, table)
