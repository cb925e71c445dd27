"""Pairs of places: what adaptation leaves of the loss, without labels and with a few."""

from __future__ import annotations

import numpy as np

from studies.field_run import (
    Cell,
    Judge,
    Options,
    Part,
    Row,
    adapted,
    counted,
    fit,
    markdown,
    pooled,
    told_shares,
    unique,
    values,
    where,
)
from studies.field_sets import CHOOSING, OTHER_PAIRS, SRE08_PAIRS, pair, random

JUDGED = 3_000_000  # non-targets, at most
COUNTS = (10, 30, 100)  # labelled scores of each class
QUICK = ["II>PP", "IP>II", "PP>PI", "PM>IP", "asvspoof dev>asvspoof eval"]


def names(options: Options) -> list[str]:
    return QUICK if options.quick else [*OTHER_PAIRS[::-1], *SRE08_PAIRS]  # the largest first


def pairs_cells(options: Options) -> list[Cell]:
    return [(name, method) for name in names(options) for method in options.methods]


def pairs_rows(options: Options, name: str, method: str) -> list[Row]:
    """The loss of a pair in thousandths of a bit, with the share told in every way."""
    train, test = pair(options.scores, name)
    judge, cal, pool = Judge(test.thinned(JUDGED)), fit(train, method), pooled(test.pool)
    before = 1000 * (judge.cllr(cal) - judge.least)
    rows = []
    for told, share in told_shares(test.share).items():
        row = adapted(cal, pool, judge, p_target=share)
        loss = 1000 * (row["cllr"] - judge.least)
        rows.append({"pair": name, "method": method, "told": told, **row})
        rows[-1] |= {"before": before, "loss": loss, "cut": 1 - loss / before}
    return rows


def pairs_table(rows: list[Row]) -> str:
    """Losses of every pair; their means, and the cuts of all pairs and of two halves of them."""
    ways, methods = unique(rows, "told"), unique(rows, "method")
    lines, summary = [], []
    for name in unique(rows, "pair"):
        cells = []
        for method in methods:
            some = where(rows, pair=name, method=method)
            losses = " / ".join(f"{row['loss']:.1f}" for row in some)
            cells += [f"{some[0]['before']:.1f}", losses, "; ".join(unique(some, "choice"))]
        lines.append([name, *cells])
    head = [f"{m}: {x}" for m in methods for x in ("as it is", " / ".join(ways), "choice")]
    for method in methods:
        for told in ways:
            sre = [row for row in where(rows, method=method, told=told) if _is_sre(row)]
            groups = {"all": sre}
            groups["II, PI, PM"] = [row for row in sre if row["pair"].endswith(CHOOSING)]
            groups["IP, PP"] = [row for row in sre if not row["pair"].endswith(CHOOSING)]
            summary += [
                [method, told, group, len(some), *_summary(some)]
                for group, some in groups.items()
                if some
            ]
    columns = ["method", "share", "pairs", "n", "as it is", "mean loss", "median cut", "least cut"]
    seconds = values([row for row in rows if "seconds" in row], "seconds")
    return "\n".join(
        [
            markdown(["pair", *head], lines),
            markdown(columns, summary),
            f"choices: {counted(rows)}; warnings: {counted(rows, 'warnings')}",
            f"{len(rows)} adaptations, {seconds.mean() if len(seconds) else 0:.2f} s each",
        ]
    )


def _is_sre(row: Row) -> bool:
    return row["pair"] in SRE08_PAIRS


def _summary(rows: list[Row]) -> list[float]:
    cuts = values(rows, "cut")
    means = [float(values(rows, key).mean()) for key in ("before", "loss")]
    return [*means, float(np.median(cuts)), float(cuts.min())]


def labelled_cells(options: Options) -> list[Cell]:
    counts = COUNTS[1:2] if options.quick else COUNTS
    return [(*cell, count) for cell in pairs_cells(options) for count in counts]


def labelled_rows(options: Options, name: str, method: str, count: int) -> list[Row]:
    """The same with so many labelled of each class, beside the unlabelled scores and alone."""
    train, test = pair(options.scores, name)
    judge, cal, pool = Judge(test.thinned(JUDGED)), fit(train, method), pooled(test.pool)
    before = 1000 * (judge.cllr(cal) - judge.least)
    rows = []
    for draw in range(options.draws):
        labels = test.drawn(random("labelled", name, count, draw), count, count)._asdict()
        told = told_shares(test.share)
        for way in ("right", "double", "alone"):
            beside = None if way == "alone" else pool
            row = adapted(cal, beside, judge, p_target=told.get(way), **labels)
            row |= {"pair": name, "method": method, "labelled": count, "draw": draw, "told": way}
            rows.append(row | {"before": before, "loss": 1000 * (row["cllr"] - judge.least)})
    return rows


def labelled_table(rows: list[Row]) -> str:
    """Mean losses over the draws, of every pair and of those of SRE 2008 together."""
    methods, counts, ways = (unique(rows, key) for key in ("method", "labelled", "told"))
    groups = {name: where(rows, pair=name) for name in unique(rows, "pair")}
    groups["SRE 2008"] = [row for row in rows if row["pair"] in SRE08_PAIRS]
    lines = []
    for name, group in groups.items():
        for method in methods:
            some = where(group, method=method)
            line: list[object] = [name, method, f"{values(some, 'before').mean():.1f}"]
            for way in ways:
                those = [where(some, told=way, labelled=count) for count in counts]
                line.append(" / ".join(f"{values(one, 'loss').mean():.1f}" for one in those))
            harms = values(some, "loss") - values(some, "before")
            line.append(f"{harms.max():+.1f}")
            lines.append(line)
    number = " / ".join(map(str, counts))
    head = ["pair", "method", "as it is", *(f"{number} labelled, {way}" for way in ways)]
    return markdown([*head, "worst draw"], lines) + f"\nchoices: {counted(rows)}"


PAIRS = Part(pairs_cells, pairs_rows, pairs_table)
LABELLED = Part(labelled_cells, labelled_rows, labelled_table)
