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
    fit,
    markdown,
    mean,
    pooled,
    rounded,
    told_shares,
    unique,
    values,
    where,
)
from studies.field_sets import OTHER_PAIRS, REAL, SRE08_PAIRS, pair, random

JUDGED = 3_000_000  # non-targets, at most
COUNTS = (10, 30, 100)  # labelled scores of each class
SRE = "SRE 2008, 20 pairs"
NOTICED = 1.0  # thousandth of a bit
OFTENER = 5  # times as many draws of labels for a pair whose mean loss has a row of its own


def cells(options: Options) -> list[Cell]:
    names = [*SRE08_PAIRS, *OTHER_PAIRS]
    return options.sampled([(name, method) for name in names for method in options.methods])


def _grouped(rows: list[Row]) -> dict[str, list[Row]]:
    """The rows of all pairs of SRE 2008 together, and of every other pair."""
    found = {SRE: [row for row in rows if row["pair"] in SRE08_PAIRS]}
    found |= {short: where(rows, pair=name) for name, short in OTHER_PAIRS.items()}
    return {name: some for name, some in found.items() if some}


def pairs_rows(name: str, method: str) -> list[Row]:
    """The loss of a pair in thousandths of a bit, with the share told in every way."""
    train, test = pair(REAL, name)
    judge, cal, pool = Judge(test.thinned(JUDGED)), fit(train, method), pooled(test.pool)
    before = 1000 * (judge.cllr(cal) - judge.least)
    rows = []
    for told, share in told_shares(test.share).items():
        row = adapted(cal, pool, judge, p_target=share)
        loss = 1000 * (row["cllr"] - judge.least)
        rows.append({"pair": name, "method": method, "told": told, **row})
        rows[-1] |= {"before": before, "loss": loss, "cut": 100 * (1 - loss / before)}
    return rows


def pairs_tables(rows: list[Row]) -> str:
    """Mean losses, by how much they are cut, and those of every pair."""
    ways, methods = unique(rows, "told"), unique(rows, "method")
    means, cuts, each = [], [], []
    for group, found in _grouped(rows).items():
        for method in methods:
            some = where(found, method=method)
            losses = [rounded(mean(where(some, told=told), "loss")) for told in ways]
            means.append([group, method, rounded(mean(some, "before")), *losses])
    for method in methods:
        for told in ways:
            of_sre = where(_grouped(rows)[SRE], method=method, told=told)
            cut = values(of_sre, "cut")
            worse = sum(row["loss"] > row["before"] + NOTICED for row in of_sre)
            line = [rounded(x, 0) for x in (float(np.median(cut)), cut.min())]
            cuts.append([method, told, *line, worse])
    for name in unique(rows, "pair"):
        some = where(rows, pair=name, method=methods[0])
        losses = [rounded(row["loss"]) for row in some]
        choice = ", ".join(unique(some, "choice"))
        each.append([OTHER_PAIRS.get(name, name), rounded(some[0]["before"]), *losses, choice])
    head = ["pairs", "method", "as it is", *ways]
    cut_head = ["method", "share told", "median cut, %", "least cut, %", "pairs made worse"]
    return "\n".join(
        [
            markdown(head, means),
            markdown(cut_head, cuts),
            markdown(["pair", "as it is", *ways, "choice"], each),
        ]
    )


def labelled_cells(options: Options) -> list[Cell]:
    times = dict.fromkeys(OTHER_PAIRS, OFTENER)
    return [(*cell, options.draws * times.get(cell[0], 1)) for cell in cells(options)]


def labelled_rows(name: str, method: str, draws: int) -> list[Row]:
    """The same with none and some labelled of each class, beside unlabelled scores and alone."""
    train, test = pair(REAL, name)
    judge, cal, pool = Judge(test.thinned(JUDGED)), fit(train, method), pooled(test.pool)
    before = 1000 * (judge.cllr(cal) - judge.least)
    told = told_shares(test.share)
    rows = []
    for count in (0, *COUNTS):
        for draw in range(draws if count else 1):
            labels = test.drawn(random("labelled", name, count, draw), count, count)._asdict()
            for way in ("right", "double", "alone") if count else ("right", "double"):
                beside = None if way == "alone" else pool
                given = labels if count else {}
                row = adapted(cal, beside, judge, p_target=told.get(way), **given)
                row |= {"pair": name, "method": method, "labelled": count, "told": way}
                rows.append(row | {"before": before, "loss": 1000 * (row["cllr"] - judge.least)})
    return rows


_BESIDE = {
    "right": "unlabelled, share right",
    "double": "unlabelled, share double",
    "alone": "nothing",
}


def labelled_tables(rows: list[Row]) -> str:
    """Mean losses over the draws, and how often labels make it worse."""
    lines, worse = [], []
    counts = unique(rows, "labelled")
    for group, found in _grouped(rows).items():
        for way, beside in _BESIDE.items():
            some = where(found, told=way)
            losses = [where(some, labelled=count) for count in counts]
            cells = [rounded(mean(those, "loss")) if those else "" for those in losses]
            lines.append([group, beside, rounded(mean(found, "before")), *cells])
    without = {row["pair"]: row["loss"] for row in where(rows, told="right", labelled=0)}
    for count in counts[1:]:
        some = where(rows, told="right", labelled=count)
        rise = np.array([row["loss"] - without[row["pair"]] for row in some])
        over = values(some, "loss") - values(some, "before")
        line = [(rise < -NOTICED).sum(), (rise > NOTICED).sum(), rounded(rise.max())]
        worse.append([count, len(some), *line, rounded(over.max())])
    head = ["pairs", "beside the labelled", "as it is", *map(str, counts)]
    count_head = ["labelled", "draws", "better", "worse", "largest rise", "over as it is"]
    return "\n".join([markdown(head, lines), markdown(count_head, worse)])


PAIRS = Part(cells, pairs_rows, pairs_tables)
LABELLED = Part(labelled_cells, labelled_rows, labelled_tables)
