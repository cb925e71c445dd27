"""Apply a calibration with Dask: one task per file, or per partition of a frame."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask.dataframe as dd
from dask.delayed import Delayed, delayed

from llrcal.errors import LlrcalError, OptionError
from llrcal.onepass.chunks import use_one_thread
from llrcal.scale.applying import Calibrated, Each, Places, Rewriter
from llrcal.scale.engines.dask import computed


def by_tasks(client: Any | None) -> Each:
    """Rewrite each file in a task of its own."""

    def each(rewriter: Rewriter, places: Places) -> None:
        sent = delayed(rewriter, traverse=False)
        computed([delayed(_rewritten)(sent, *place) for place in places], client)

    return each


def _rewritten(rewriter: Rewriter, source: str, out: str) -> None:
    use_one_thread()
    rewriter(source, out)


@dataclass(frozen=True)
class LLRFrame:
    """A Dask frame with LLRs in place of scores."""

    parts: tuple[Delayed, ...]
    empty: Any
    """A frame with the same columns and no rows."""

    @classmethod
    def of(cls, frame: Any, answers: Calibrated, score: str) -> LLRFrame:
        """The frame with its scores replaced, which happens when it is computed."""
        applied = _Applied(answers, score)
        parts = (delayed(applied)(part, number) for number, part in enumerate(frame.to_delayed()))
        head = frame.partitions[0].head(0, compute=True)
        empty = head.assign(**{score: head[score].astype("float64")})
        return cls(tuple(parts), applied.assigned(empty, 0))

    def frame(self) -> Any:
        """As a Dask frame."""
        return dd.from_delayed(self.parts, meta=self.empty)

    def write(self, folder: Path, client: Any | None) -> None:
        """As Parquet files, one for each partition."""
        names = (str(folder / f"part-{number:05}.parquet") for number in range(len(self.parts)))
        written = [
            delayed(_write)(part, name) for part, name in zip(self.parts, names, strict=True)
        ]
        computed(written, client)


@dataclass(frozen=True)
class _Applied:
    """A task: the LLRs of one partition."""

    answers: Calibrated
    score: str

    def __call__(self, frame: Any, number: int) -> Any:
        use_one_thread()
        return self.assigned(frame, number)

    def assigned(self, frame: Any, number: int) -> Any:
        """The partition with LLRs in place of its scores, and further columns, if any."""
        if self.score not in frame.columns:
            raise OptionError(f"partition {number} of the frame: has no column {self.score!r}")
        try:
            columns = self.answers(frame[self.score].to_numpy())
        except LlrcalError as problem:
            raise problem.within(f"partition {number} of the frame") from problem
        for name in list(columns)[1:]:
            if name in frame.columns:
                raise OptionError(f"the frame has a column {name!r} already")
        return frame.assign(**{self.score: columns.pop("llr"), **columns})


def _write(frame: Any, path: str) -> None:
    frame.to_parquet(path, index=False)
