"""What all parts of the study of calibrations in the field share: trying, judging, printing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import llrcal
from llrcal.arrays import Array
from llrcal.errors import LlrcalError
from llrcal.evaluation.costs import cllr
from llrcal.onepass.summary import Summary
from studies.field_sets import Classes

Row = dict[str, Any]
Cell = tuple[Any, ...]
METHODS = ("smooth", "nig")
OTHERS = ("linear-gaussian", "logistic", "pav", "gaussian", "student-t", "nig bayes")
_SUMMED_UP = 1_000_000  # scores, from which on a pool is summed up once


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    scores: Path
    methods: tuple[str, ...] = METHODS
    others: tuple[str, ...] = OTHERS
    quick: bool = False
    draws: int = 5


class Part(NamedTuple):
    """One part of the study."""

    cells: Callable[[Options], list[Cell]]
    rows: Callable[..., list[Row]]
    """Of the options and a cell."""
    table: Callable[[list[Row]], str]


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
    start = time.perf_counter()
    try:
        new = llrcal.adapt(cal, pool, **given)
    except LlrcalError as refusal:
        said = f"{type(refusal).__name__}: {refusal}"
        return {"cllr": judge.cllr(cal), "choice": "refused", "warnings": [said]}, None
    seconds = time.perf_counter() - start
    known = [note.code for note in cal.report.notes]
    codes = [
        note.code
        for note in new.report.notes
        if note.severity == "warning" and note.code not in known
    ]
    return {
        "cllr": judge.cllr(new),
        "choice": new.adapted.choice if new.adapted else "",
        "warnings": codes,
        "seconds": seconds,
    }, new


def told_shares(share: float) -> dict[str, float | None]:
    """What may be said of a share."""
    return {"right": share, "half": share / 2, "double": min(2 * share, 0.8), "not told": None}


def markdown(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(_word, row)) + " |" for row in rows) + "\n"


def _word(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def unique(rows: Iterable[Row], *keys: str) -> list[Any]:
    """Values of a key, or of several together, in the order in which they come."""
    values = (tuple(row[key] for key in keys) for row in rows)
    return list(dict.fromkeys(value if len(keys) > 1 else value[0] for value in values))


def where(rows: Iterable[Row], **wanted: object) -> list[Row]:
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def values(rows: Iterable[Row], key: str) -> Any:
    return np.array([row[key] for row in rows], float)


def counted(rows: Iterable[Row], key: str = "choice") -> str:
    """How often each value of a key, or of a list, occurs: the most frequent first."""
    found: Counter[str] = Counter()
    for row in rows:
        found.update(row[key] if isinstance(row[key], list) else [row[key]])
    return ", ".join(f"{name} {count}" for name, count in found.most_common())


def worst(rows: list[Row], key: str, *names: str) -> tuple[float, str]:
    """The largest value, and where it is."""
    row = max(rows, key=lambda row: float(row[key]))
    return float(row[key]), " ".join(str(row[name]) for name in names)
