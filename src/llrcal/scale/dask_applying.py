"""Apply a calibration with Dask: one task per file, or per partition of a frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask.dataframe as dd
from dask.delayed import delayed

from llrcal.errors import LlrcalError, OptionError
from llrcal.onepass.chunks import use_one_thread
from llrcal.scale.applying import Each, LLRColumns, Places
from llrcal.scale.dask_engine import computed


def by_tasks(client: Any | None) -> Each:
    """Rewrite each file in a task of its own."""

    def each(work: Callable[[str, str], object], places: Places) -> None:
        sent = delayed(work, traverse=False)
        computed([delayed(_alone)(sent, *place) for place in places], client)

    return each


def _alone(work: Callable[[str, str], object], source: str, out: str) -> None:
    use_one_thread()
    work(source, out)


def frame_of_llrs(frame: Any, answers: LLRColumns, score: str) -> Any:
    """A Dask frame with its scores replaced, which happens when it is computed."""
    apply = _Apply(answers, score)
    parts = [delayed(_part)(apply, *part) for part in enumerate(frame.to_delayed())]
    head = frame.partitions[0].head(0, compute=True)
    empty = head.assign(**{score: head[score].astype("float64")})
    return dd.from_delayed(parts, meta=apply(0, empty))


def write_partitions(frame: Any, folder: Path, client: Any | None) -> None:
    """Write a Dask frame as Parquet files, one for each partition."""
    names = (str(folder / f"part-{number:05}.parquet") for number in range(frame.npartitions))
    parts = zip(frame.to_delayed(), names, strict=True)
    computed([delayed(_write)(part, name) for part, name in parts], client)


@dataclass(frozen=True)
class _Apply:
    """Gives one partition with LLRs in place of its scores, and further columns, if any."""

    answers: LLRColumns
    score: str

    def __call__(self, number: int, frame: Any) -> Any:
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


def _part(apply: _Apply, number: int, frame: Any) -> Any:
    use_one_thread()
    return apply(number, frame)


def _write(frame: Any, path: str) -> None:
    frame.to_parquet(path, index=False)
