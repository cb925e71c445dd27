"""A score file and its key, one after the other with a line of percent signs between them.

What comes out must be what a loop over both finds, and the order of the key is of no account.
"""

from __future__ import annotations

from typing import Any

from fuzz.harness import answer, as_file, require, same_numbers
from llrcal.inputs.labels import Label
from llrcal.trials.reading import read_trials
from llrcal.trials.request import Request
from llrcal.trials.table import Table
from llrcal.trials.table_reading import read_table
from llrcal.trials.trials import Trials

MARK = b"%%%%\n"
_LENIENT = {"missing": "skip", "unknown": "skip", "spoof": "nontarget"}


def check(data: bytes) -> None:
    """Join two files, strictly and leniently."""
    first, _, second = data.partition(MARK)
    paths = as_file(first, "scores"), as_file(second, "key")
    scores = answer(read_table, paths[0], Request("scores"))
    key = answer(read_table, paths[1], Request("key"))
    if scores is None or key is None:
        require(answer(read_trials, *paths) is None, "trials from what cannot be read")
        return
    strict = answer(read_trials, *paths)
    lenient = {
        duplicates: answer(read_trials, *paths, duplicates=duplicates, **_LENIENT)
        for duplicates in ("first", "all")
    }
    for trials in lenient.values():
        if strict is not None:
            require(_same(strict, trials), "what is strictly right is not so leniently")
    ids = [role for role in scores.ids if role in key.ids]
    if ids and lenient["first"] is not None:
        expected = slow_join(scores, key, ids)
        found = lenient["first"]
        require(same_numbers(found.scores, [score for score, _ in expected]), "other scores")
        require(found.labels.tolist() == [label for _, label in expected], "other labels")


def slow_join(scores: Table, key: Table, ids: list[str]) -> list[tuple[float, bool]]:
    """The first score of each trial that the key knows, and whether it is a target."""
    labels: dict[Any, int] = {}
    for *names, label in key.frame.select(*ids, "label").rows():
        labels.setdefault(tuple(names), label)
    out: dict[Any, tuple[float, bool]] = {}
    for row in scores.frame.rows(named=True):
        trial = tuple(row[role] for role in ids)
        if trial in labels:
            whole = tuple(row[role] for role in scores.ids)
            out.setdefault(whole, (row["score"], labels[trial] == Label.TARGET))
    return list(out.values())


def _same(one: Trials, other: Trials | None) -> bool:
    return (
        other is not None
        and same_numbers(one.scores, other.scores)
        and one.labels.tolist() == other.labels.tolist()
    )
