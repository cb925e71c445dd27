"""What all parts of the study of calibrations in the field share: trying, judging, printing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import llrcal
from llrcal.arrays import Array
from llrcal.errors import LlrcalError
from llrcal.evaluation.costs import cllr
from llrcal.onepass.summary import Summary
from studies.field_sets import Classes, random

Row = dict[str, Any]
Cell = tuple[Any, ...]
METHODS = (
    *("smooth", "nig", "linear-gaussian", "logistic", "pav", "gaussian", "student-t", "nig bayes"),
)
CHOICES = ("as it was", "in between", "moved", "no evidence")
_SUMMED_UP = 1_000_000  # scores, from which on a pool is summed up once


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    methods: tuple[str, ...]
    cells: int | None
    draws: int

    def sampled(self, cells: list[Cell]) -> list[Cell]:
        """As many cells as were asked for, drawn at random, in their order."""
        if self.cells is None or self.cells >= len(cells):
            return cells
        kept = random("cells").choice(len(cells), self.cells, replace=False)
        return [cells[number] for number in sorted(kept)]


class Part(NamedTuple):
    """One part of the study."""

    cells: Callable[[Options], list[Cell]]
    rows: Callable[..., list[Row]]
    """Of a cell."""
    tables: Callable[[list[Row]], str]


@dataclass(frozen=True)
class Judge:
    """Labelled scores of the place where a calibration is to be used."""

    test: Classes

    def cllr(self, cal: llrcal.Calibration) -> float:
        return cllr(*(cal.without_warnings(side) for side in self.test))

    @cached_property
    def least(self) -> float:
        return float(llrcal.evaluate(*self.test).min_cllr)


def fit(train: Classes, method: str) -> llrcal.Calibration:
    name: Any
    name, _, bayes = method.partition(" ")
    return llrcal.fit(*train, method=name, bayes=bool(bayes))


def pooled(scores: Array) -> Array | Summary:
    """Scores as they are given: millions of them are summed up once, not for every call."""
    return Summary.of(scores) if len(scores) > _SUMMED_UP else scores


def adapted(
    cal: llrcal.Calibration, pool: Array | Summary | None, judge: Judge, **given: Any
) -> Row:
    """One adaptation: its Cllr where it is judged, what was chosen, what was warned of."""
    row, _ = adaptation(cal, pool, judge, **given)
    return row


def adaptation(
    cal: llrcal.Calibration, pool: Array | Summary | None, judge: Judge, **given: Any
) -> tuple[Row, llrcal.Calibration | None]:
    """The same, and the calibration; None if it was refused."""
    try:
        new = llrcal.adapt(cal, pool, **given)
    except LlrcalError as refusal:
        said = f"{type(refusal).__name__}: {refusal}"
        return {"cllr": judge.cllr(cal), "choice": "refused", "warnings": [said]}, None
    known = [note.code for note in cal.report.notes]
    codes = [
        note.code
        for note in new.report.notes
        if note.severity == "warning" and note.code not in known
    ]
    choice = new.adapted.choice if new.adapted else ""
    return {"cllr": judge.cllr(new), "choice": choice, "warnings": codes}, new


def told_shares(share: float) -> dict[str, float | None]:
    """What may be said of a share."""
    return {"right": share, "half": share / 2, "double": min(2 * share, 0.8), "not told": None}


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows) + "\n"


def rounded(value: float, digits: int = 1) -> str:
    """Without a minus before a zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"


def thousandths(value: float) -> str:
    return rounded(1000 * value)


def unique(rows: Iterable[Row], *keys: str) -> list[Any]:
    """Values of a key, or of several together, in the order in which they come."""
    values = (tuple(row[key] for key in keys) for row in rows)
    return list(dict.fromkeys(value if len(keys) > 1 else value[0] for value in values))


def where(rows: Iterable[Row], **wanted: object) -> list[Row]:
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def groups(rows: list[Row], *keys: str, order: Sequence[str]) -> dict[str, list[Row]]:
    """All rows, and those of each value of each key, by names such as ``T: 1,000``.

    Numbers are sorted, and words are in their order. A key with a single value is left out.
    """
    found = {"all": rows}
    for key in keys:
        every = unique(rows, key)
        words = isinstance(every[0], str)
        for value in sorted(every, key=order.index if words else None):
            if len(every) > 1:
                shown = value if words else f"{value:,}"
                found[f"{key}: {shown}"] = where(rows, **{key: value})
    return found


def values(rows: Iterable[Row], key: str) -> Any:
    return np.array([row[key] for row in rows], float)


def mean(rows: Iterable[Row], key: str) -> float:
    return float(values(rows, key).mean())


def counted(rows: Iterable[Row], key: str) -> str:
    """How often each value of a key occurs, the most frequent first."""
    found = Counter(row[key] for row in rows)
    return ", ".join(f"{name} {count}" for name, count in found.most_common())


def by_harm(rows: Iterable[Row]) -> list[Row]:
    """The most harmful first."""
    return sorted(rows, key=lambda row: -float(row["harm"]))
