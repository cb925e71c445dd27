"""What all parts of the study of calibrations in the field share: trying, judging, printing.

    python -m studies.field_PART [--cells N] [--draws N] [--processes N] [--rows FILE]

PART is one of

pairs      loss on shifted pairs of places, adapted without labels
labelled   the same with a few labelled scores, beside the others and alone
worlds     families of densities of known truth, changed in eight ways
unshifted  harm and false alarms where nothing has moved
watch      verdicts where the truth is known, and on pairs

They need NumPy, SciPy and llrcal, and for the real sets ``shared/scores``. All is seeded. Without
options, a part may take an hour: ``--cells`` tries so many of its cases, drawn at random.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

import llrcal
from llrcal.arrays import Array
from llrcal.errors import LlrcalError
from llrcal.evaluation.costs import cllr
from llrcal.onepass.summary import Summary
from studies.field_sets import Classes, random

Row = dict[str, Any]
Cell = tuple[Any, ...]
TOLD = {"told": True, "not told": False}
LIMIT = 0.02  # bits above both the old calibration and none
_SUMMED_UP = 1_000_000  # scores, from which on a pool is summed up once


@dataclass(frozen=True)
class Judge:
    """Labelled scores of the place where a calibration is to be used."""

    test: Classes

    def cllr(self, cal: llrcal.Calibration) -> float:
        return cllr(*(cal.without_warnings(side) for side in self.test))

    def loss(self, cal: llrcal.Calibration) -> float:
        """In bits."""
        return self.cllr(cal) - self.least

    @cached_property
    def least(self) -> float:
        return float(llrcal.evaluate(*self.test).min_cllr)


def fit(train: Classes, method: str = "smooth") -> llrcal.Calibration:
    name: Any = method
    return llrcal.fit(*train, method=name)


def pooled(scores: Array) -> Array | Summary:
    """Scores as they are given: millions of them are summed up once, not for every call."""
    return Summary.of(scores) if len(scores) > _SUMMED_UP else scores


def adapted(
    cal: llrcal.Calibration, pool: Array | Summary | None, judge: Judge, **given: Any
) -> Row:
    """One adaptation: losses in thousandths of a bit, and whether intervals of Cllr hold."""
    before = judge.cllr(cal)
    try:
        new = llrcal.adapt(cal, pool, **given)
    except LlrcalError as refusal:
        sys.exit(f"{type(refusal).__name__}: {refusal}")
    after, what = judge.cllr(new), new.adapted
    if what is None:
        raise TypeError("not adapted")
    row: Row = {"before": 1000 * (before - judge.least), "after": 1000 * (after - judge.least)}
    row |= {"harm": 1000 * (after - before), "excess": after - max(before, 1.0)}
    said = {note.code for note in new.report.notes}
    row["converged"] = new.report.converged and "not converged" not in said
    row["choice"] = what.choice
    for name, interval, truth in (
        ("before", what.cllr_before, before),
        ("after", what.cllr, after),
    ):
        row[f"held {name}"] = bool(interval.low <= truth <= interval.high)
        row[f"width {name}"] = interval.high - interval.low
    return row


def same_bits(cal: llrcal.Calibration, pool: Array, **given: Any) -> bool:
    """Whether adapting to the same scores in two orders has the same answer."""
    orders = (pool, random("order", len(pool)).permutation(pool))
    one, other = (llrcal.adapt(cal, order, **given).adapted for order in orders)
    return one == other


def shares_told(share: float) -> dict[str, float | None]:
    """What may be said of a share."""
    return {"right": share, "half": share / 2, "double": min(2 * share, 0.8), "not told": None}


def program(
    about: str | None,
    cells: Callable[[int], list[Cell]],
    rows: Callable[..., list[Row]],
    tables: Callable[[list[Row]], str],
) -> list[Row]:
    """Read the command line, try the cells of so many draws, and print tables."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--cells", type=int, help="how many to try, instead of all")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--rows", type=Path, help="a file for all rows, as JSON")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    every, found = cells(given.draws), list[Row]()
    if given.cells and given.cells < len(every):
        kept = random("cells").choice(len(every), given.cells, replace=False)
        every = [every[number] for number in sorted(kept)]
    with Pool(given.processes) as pool:
        for number, some in enumerate(pool.imap(partial(_rows_of, rows), every), 1):
            found += some
            print(f"\r{number} of {len(every)} cells", end="", file=sys.stderr, flush=True)
    if given.rows:
        given.rows.write_text(json.dumps(found, indent=0) + "\n")
    print(tables(found))
    return found


def _rows_of(rows: Callable[..., list[Row]], cell: Cell) -> list[Row]:
    return rows(*cell)


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows) + "\n"


def rounded(value: float, digits: int = 1) -> str:
    """Without a minus before a zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"


def unique(rows: Iterable[Row], key: str) -> list[Any]:
    """Values of a key in the order in which they come."""
    return list(dict.fromkeys(row[key] for row in rows))


def where(rows: Iterable[Row], **wanted: object) -> list[Row]:
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def groups(rows: list[Row], *keys: str) -> dict[str, list[Row]]:
    """All rows, and those of each value of each key, by names such as ``T: 1,000``."""
    found = {"all": rows}
    for key in keys:
        every = unique(rows, key)
        for value in every if isinstance(every[0], str) else sorted(every):
            shown = value if isinstance(value, str) else f"{value:,}"
            found[f"{key}: {shown}"] = where(rows, **{key: value})
    return found


def values(rows: Iterable[Row], key: str) -> Any:
    return np.array([row[key] for row in rows], float)


def mean(rows: Iterable[Row], key: str) -> float:
    return float(values(rows, key).mean())


def held(rows: list[Row]) -> list[object]:
    """How often intervals of Cllr hold, before and after, in per cent, and their median widths."""
    both = ("before", "after")
    holds = [rounded(100 * mean(rows, f"held {name}"), 0) for name in both]
    return [*holds, *(rounded(float(np.median(values(rows, f"width {name}"))), 3) for name in both)]


HELD = ("holds before, %", "holds after, %", "median width before", "median width after")
