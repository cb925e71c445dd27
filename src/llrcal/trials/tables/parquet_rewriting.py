"""Parquet files rewritten with LLRs in place of scores, a group of rows at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import IO

import polars as pl

from llrcal.arrays import Array
from llrcal.errors import LlrcalError, OptionError, TrialFileError
from llrcal.notes import warn
from llrcal.trials.nan_scores import left_out
from llrcal.trials.request import Request
from llrcal.trials.source import Source
from llrcal.trials.tables.frame_files import (
    check_parquet,
    collected,
    reading_errors,
    scan_parquet,
)
from llrcal.trials.tables.frames import SAMPLE, refuse_nulls, roles_of, rows_counted_from, scores_in
from llrcal.trials.text.lines import Answers

_OF_THE_SYSTEM = re.compile(r"\(os error \d+\)$")  # the only trace that polars leaves of one
_ROWS = 2**21  # rows that are searched at a time for one that is wrong


def rewrite_parquet(file: Source, written: IO[bytes], answers: Answers, request: Request) -> str:
    """Rewrite a Parquet file; returns how it was read."""
    return _Rewriting(file, answers, request).write(written)


def with_answers(
    frame: pl.DataFrame, name: str, answers: Mapping[str, Array], source: str
) -> pl.DataFrame:
    """The frame with LLRs in place of the scores in a column, and with the columns to add."""
    llrs, *added = (pl.Series(key, value) for key, value in answers.items())
    for column in added:
        if column.name in frame.columns:
            raise OptionError(f"{source}: has a column {column.name!r} already")
    return frame.with_columns(llrs.rename(name), *added)


class _Rewriting:
    def __init__(self, file: Source, answers: Answers, request: Request) -> None:
        self.file, self.answers, self.request = file, answers, request
        self.rows = check_parquet(file).rows
        self.scan = scan_parquet(str(file.path))
        self.name = self._score_name()
        self.left_out: list[int] = []  # of each batch: threads of polars would lose counts in a sum
        self.problem: LlrcalError | None = None

    def _score_name(self) -> str:
        head = collected(self.scan.head(SAMPLE), self.file.name)
        named = dict(self.request.named).get("score", "score")
        if not head.height and named in head.columns:
            return named
        if not head.height:
            raise TrialFileError(f"{self.file.name}: holds no trials")
        roles = roles_of(head, self.request, self.file.name)
        return head.columns[roles.index("score")]

    def write(self, written: IO[bytes]) -> str:
        empty = self._answered(collected(self.scan.head(0), self.file.name))
        try:
            self.scan.map_batches(
                self._noting_problems, streamable=True, schema=empty.schema
            ).sink_parquet(written)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, LlrcalError) as problem:
            self._find_fault()
            if _OF_THE_SYSTEM.search(str(problem)):  # most likely about the output, not the input
                raise
            with reading_errors(self.file.name):
                raise
        warn(left_out(self.file.name, sum(self.left_out), self.rows))
        return f"column {self.name!r}"

    def _noting_problems(self, frame: pl.DataFrame) -> pl.DataFrame:
        try:
            return self._answered(frame)
        except LlrcalError as problem:  # polars would turn it into an error of its own
            self.problem = problem
            raise

    def _answered(self, frame: pl.DataFrame) -> pl.DataFrame:
        column = frame[self.name]
        if self.request.on_nan == "drop":
            column = column.fill_null(float("nan"))
        refuse_nulls(column, "score", self.file.name)
        scores = scores_in(column, self.request, self.file.name)
        if self.request.on_nan == "drop" and (is_nan := scores.is_nan()).any():
            frame, scores = frame.filter(~is_nan), scores.filter(~is_nan)
            self.left_out.append(int(is_nan.sum()))
        columns = self.answers(scores.to_numpy())
        return with_answers(frame, self.name, columns, self.file.name)

    def _find_fault(self) -> None:
        """Raise what is wrong with a score, with its row in the file rather than in its group."""
        if self.problem is None:
            return
        for start in range(0, self.rows, _ROWS):
            rows = self.scan.select(self.name).slice(start, _ROWS)
            column = collected(rows, self.file.name)[self.name]
            with rows_counted_from(start):
                refuse_nulls(column, "score", self.file.name)
                scores_in(column, self.request, self.file.name)
        raise self.problem
