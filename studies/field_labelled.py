"""A few labelled scores: what they leave of a loss, beside unlabelled ones and alone.

See :mod:`studies.field`.
"""

from __future__ import annotations

from studies.field import (
    Cell,
    Row,
    adapted,
    markdown,
    mean,
    program,
    rounded,
    shares_told,
    unique,
    values,
    where,
)
from studies.field_pairs import NAMES, case, grouped
from studies.field_sets import OTHER_PAIRS, SRE08_PAIRS, random

COUNTS = (0, 10, 30, 100)  # of each class
OFTENER = 4  # times as many draws for a pair whose mean loss has a row of its own
BESIDE = {"right": "share told right", "double": "share told double", "alone": "labelled alone"}


def cells(draws: int) -> list[Cell]:
    return [(x, draws * (1 if x in SRE08_PAIRS else OFTENER)) for x in NAMES]


def rows(name: str, draws: int) -> list[Row]:
    """Every number of labelled scores, on several draws of them."""
    cal, test, judge, pool = case(name, "smooth")
    told, found = shares_told(test.share), []
    for count in COUNTS:
        for draw in range(draws if count else 1):
            labels = test.drawn(random("labelled", name, count, draw), count, count)._asdict()
            for way in BESIDE:
                if way == "alone" and not count:
                    continue
                beside, given = None if way == "alone" else pool, labels if count else {}
                row = adapted(cal, beside, judge, p_target=told.get(way), **given)
                found.append(row | {"set": name, "labelled": count, "way": way})
    return found


def tables(rows: list[Row]) -> str:
    """Mean losses over the draws: of groups of pairs, and of every pair."""
    means, each = [], []
    for group, some in grouped(rows).items():
        for way, beside in BESIDE.items():
            means.append([group, beside, *_losses(where(some, way=way))])
    for name in unique(rows, "set"):
        losses = _losses(where(rows, set=name, way="right"))
        each.append([OTHER_PAIRS.get(name, name), *losses])
    return "\n".join(
        [
            markdown(["pairs", "given", "before", *map(str, COUNTS), "largest rise"], means),
            markdown(["pair", "before", *map(str, COUNTS), "largest rise"], each),
        ]
    )


def _losses(rows: list[Row]) -> list[str]:
    """The loss of each set is a mean over draws; that of a group, over its sets."""
    found = []
    for count in COUNTS:
        sets = [where(rows, set=name, labelled=count) for name in unique(rows, "set")]
        means = [mean(some, "after") for some in sets if some]
        found.append(rounded(sum(means) / len(means)) if means else "")
    before = [where(rows, set=name)[0]["before"] for name in unique(rows, "set")]
    return [rounded(sum(before) / len(before)), *found, rounded(max(values(rows, "harm")))]


if __name__ == "__main__":
    program(__doc__, cells, rows, tables)
