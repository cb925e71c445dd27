"""Scores that are spread over chunks, threads and machines."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl

import llrcal
from llrcal import ScoreError, TrialFileError
from llrcal.arrays import Floats
from llrcal.onepass.grid import Grid
from llrcal.onepass.summary import Summary
from llrcal.trials.request import Request
from llrcal.trials.rewriting import rewrite
from tests import beyond_memory
from tests.hostile.case import Answered, Case, Refused, Section

SCORES = np.random.default_rng(8).standard_t(4, 200_000)


def summaries(parts: list[Floats]) -> Summary:
    grid = Grid.of(SCORES)
    first, *others = (Summary.of(part, grid) for part in parts)
    for other in others:
        first = first.merge(other)
    return first


def points(parts: list[Floats]) -> Any:
    found = summaries(parts).points()
    return found.values, found.weights


def check_whole(answer: Any) -> None:
    for mine, whole in zip(answer, points([SCORES]), strict=True):
        assert mine.tobytes() == whole.tobytes()


def in_any_order() -> Any:
    parts = np.array_split(np.random.default_rng(9).permutation(SCORES), 23)
    return points([np.asarray(part) for part in parts])


def threads() -> Any:
    answers = []
    for count in ("1", "3", "16"):
        with mock.patch.dict(os.environ, LLRCAL_THREADS=count):
            every = llrcal.fit_all(SCORES[:50_000] + 2, SCORES, methods=["logistic", "nig", "pav"])
            ev = llrcal.evaluate(SCORES[:50_000] + 2, SCORES)
            models = [str(calibration.to_model()) for calibration in every.values()]
            answers.append((models, ev.cllr.hex(), ev.min_cllr.hex(), ev.eer.hex()))
    return answers


def check_threads(answers: Any) -> None:
    assert answers[0] == answers[1] == answers[2]


def replaced() -> Any:
    """Another file of the same length takes the place of one of two, before the second pass."""
    for name in ("a.parquet", "b.parquet"):
        frame = pl.DataFrame({"score": SCORES[:2000], "label": [True, False] * 1000})
        frame.write_parquet(name)

    def progress(what: str, done: int, _: int) -> None:
        if what == "counting" and not done:
            shutil.copy("b.parquet", "c.parquet")
            Path("c.parquet").replace("b.parquet")

    return beyond_memory.evaluate(["a.parquet", "b.parquet"], progress=progress)


def changed(name: str, change: Callable[[Path], None]) -> Callable[[], Any]:
    """A file is rewritten, and changed once its first scores have been read."""

    def run() -> Any:
        frame = pl.DataFrame({"score": SCORES})
        frame.write_csv(name) if name.endswith("txt") else frame.write_parquet(name)

        def answers(scores: Floats) -> dict[str, Floats]:
            if len(scores):
                change(Path(name))
            return {"llr": scores}

        try:
            return rewrite(name, "out", answers, Request("scores"))
        finally:
            assert not Path("out").exists()

    return run


def overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"3" * 1000)


def cut_off(path: Path) -> None:
    os.truncate(path, 10_000)


class Writer:
    """Non-target scores that, once they are asked for, write to the target scores."""

    def __init__(self, tar: Floats) -> None:
        self.tar, self.asked = tar, 0

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        self.asked += 1
        if self.asked == 2:  # when the target scores have been checked
            self.tar[7] = np.nan
        return SCORES


def written_to(count: int, method: Any) -> Callable[[], Any]:
    def run() -> Any:
        tar = SCORES[:count] + 2
        return llrcal.fit(tar, Writer(tar), method=method)

    return run


CASES = (
    Case(
        "a file that is replaced between two passes over it",
        replaced,
        Refused(TrialFileError, "has changed while it was read", "b.parquet", "start again"),
        "Refused: trials of both would be mixed.",
        "numbers that belong to neither",
    ),
    *(
        Case(
            f"a {kind} file that is {what} while LLRs are put in the place of its scores",
            changed(f"scores.{ending}", change),
            Refused(TrialFileError, "has changed while it was read", ending, "start again"),
            "Refused; nothing is written.",
            elsewhere,
        )
        for kind, ending, what, change, elsewhere in (
            ("text", "txt", "overwritten", overwrite, "lines of both"),
            ("text", "txt", "cut off", cut_off, ""),
            ("Parquet", "parquet", "overwritten", overwrite, "polars: PanicException"),
            ("Parquet", "parquet", "cut off", cut_off, "polars: the system ends the process"),
        )
    ),
    Case(
        "partitions of any size, in any order",
        in_any_order,
        Answered(check_whole),
        "Summaries add up integers: the same bits as in one piece.",
        "sums of doubles differ in the last bits with the partitioning",
    ),
    Case(
        "empty partitions",
        lambda: points([SCORES[:0], SCORES[:150_000], SCORES[:0], SCORES[150_000:]]),
        Answered(check_whole),
        "They change nothing.",
    ),
    Case(
        "another number of threads",
        threads,
        Answered(check_threads),
        "The same bits for models and metrics.",
    ),
    *(
        Case(
            f"{words} in memory that is written to during a fit of {method}",
            written_to(count, method),
            Refused(ScoreError, "change while they are read", "scores", "pass a copy"),
            "Refused: the scores had been checked before.",
            "a model of no scores at all",
        )
        for words, count, method in (
            ("a NaN among 150,000 scores", 150_000, "nig"),
            ("a NaN among 100 scores", 100, "pav"),
        )
    ),
)

SECTION = Section(
    "H",
    "Scores in many places",
    "Answers do not depend on how scores were spread over chunks, threads or machines.",
    CASES,
)
