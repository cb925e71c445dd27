"""Frames of Dask, and Parquet files that fsspec knows, as trials: each partition is a piece."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

import dask.dataframe as dd

from llrcal.errors import OptionError
from llrcal.scale.engines.dask import DaskEngine, PartitionReader
from llrcal.scale.pieces.piece import Piece
from llrcal.scale.trials_in_pieces import TrialsInPieces
from llrcal.trials.conventions import SPEAKERS, role_of
from llrcal.trials.request import Request

_ROWS = 2**20  # assumed length of a partition, for the progress bar: Dask does not know it


def is_frame(trials: Any) -> bool:
    """Whether these are a frame of Dask."""
    return isinstance(trials, dd.DataFrame)


def is_remote(trials: Any) -> bool:
    """Whether files are given by URLs for fsspec, rather than by names."""
    first = trials if isinstance(trials, str | PathLike) else next(iter(trials), "")
    return "://" in str(first)


def opened_frame(
    trials: Any, scores: Sequence[str], label: str | None, request: Request, engine: DaskEngine
) -> TrialsInPieces:
    """The trials of a frame, with one or more columns of scores; without labels if None."""
    frame = trials if is_frame(trials) else dd.read_parquet(trials)
    names = [*scores, *([] if label is None else [label])]
    check_frame_columns(frame, names)
    parts = frame[names].to_delayed()
    roles = ["score", *(f"score {number}" for number in range(1, len(scores))), "label"]
    pieces = [
        Piece(
            name=(name := f"partition {index} of the frame"),
            rows=_ROWS,
            reader=PartitionReader(index, name, tuple(zip(roles, names, strict=False)), request),
            request=request,
            score_name=scores[0],
            names_speakers=set(SPEAKERS) <= {role_of(str(name)) for name in frame.columns},
        )
        for index in range(len(parts))
    ]
    return TrialsInPieces.of(pieces, engine.holding(parts), "the frame")


def check_frame_columns(frame: Any, columns: Iterable[str]) -> None:
    """Refuse columns that a frame does not have, and name those that it has."""
    for column in columns:
        if column not in frame.columns:
            known = ", ".join(map(str, frame.columns))
            raise OptionError(f"there is no column {column!r}; there are {known}")
