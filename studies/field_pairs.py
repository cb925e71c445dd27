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
from studies.field_sets import CHOOSING, OTHER_PAIRS, SRE08_PAIRS, pair

JUDGED = 3_000_000  # non-targets, at most
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


PAIRS = Part(pairs_cells, pairs_rows, pairs_table)
