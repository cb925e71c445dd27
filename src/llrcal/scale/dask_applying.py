"""Apply a calibration with Dask: one task per file, or per partition of a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.dataframe as dd
from dask.delayed import delayed

from llrcal.errors import LlrcalError, OptionError
from llrcal.onepass.chunks import use_one_thread
from llrcal.scale.applying import LLRColumns
from llrcal.scale.dask_engine import computed


def frame_of_llrs(frame: Any, answers: LLRColumns, score: str) -> Any:
    """A Dask frame with its scores replaced, which happens when it is computed."""
    parts = [delayed(_part)(answers, score, *part) for part in enumerate(frame.to_delayed())]
    head = frame.partitions[0].head(0, compute=True)
    empty = head.assign(**{score: head[score].astype("float64")})
    return dd.from_delayed(parts, meta=_with_llrs(answers, score, 0, empty))


def write_partitions(frame: Any, folder: Path, client: Any | None) -> None:
    """Write a Dask frame as Parquet files, one for each partition."""
    names = (str(folder / f"part-{number:05}.parquet") for number in range(frame.npartitions))
    parts = zip(frame.to_delayed(), names, strict=True)
    computed([delayed(_write)(part, name) for part, name in parts], client)


def _part(answers: LLRColumns, score: str, number: int, frame: Any) -> Any:
    """A task: one partition, in one thread."""
    use_one_thread()
    return _with_llrs(answers, score, number, frame)


def _with_llrs(answers: LLRColumns, score: str, number: int, frame: Any) -> Any:
    """A partition with LLRs in place of its scores, and further columns, if any."""
    if score not in frame.columns:
        raise OptionError(f"partition {number} of the frame: has no column {score!r}")
    try:
        columns = answers(frame[score].to_numpy())
    except LlrcalError as problem:
        raise problem.within(f"partition {number} of the frame") from problem
    for name in list(columns)[1:]:
        if name in frame.columns:
            raise OptionError(f"the frame has a column {name!r} already")
    return frame.assign(**{score: columns.pop("llr"), **columns})


def _write(frame: Any, path: str) -> None:
    frame.to_parquet(path, index=False)
