"""Part of an array on disk, of one class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from llrcal.errors import ScoreError
from llrcal.scale.pieces.piece import Piece, present, spans
from llrcal.trials.leaving_out import refuse_nan
from llrcal.trials.npy import floats_of, read_npy
from llrcal.trials.request import Request


@dataclass(frozen=True)
class NpyReader:
    """Reads some scores of an array in a file, all of one class."""

    path: str
    start: int
    end: int
    is_tar: bool
    request: Request

    def __call__(self, columns: Sequence[str], at_a_time: int) -> Iterator[pl.DataFrame]:
        for start in range(self.start, self.end, at_a_time):
            # Copied, not memory-mapped: mapped pages would stay in memory.
            part = np.array(read_npy(self.path)[start : min(start + at_a_time, self.end)])
            scores = floats_of(part, self.path)
            checked = scores
            if self.request.on_nan == "drop":
                checked = np.where(np.isnan(scores), 0, scores)
            try:
                refuse_nan(checked, self.path, "the", self.request)
            except ScoreError as problem:
                raise problem.moved(index=start) from problem
            labels = np.full(len(scores), int(self.is_tar), np.int8)
            yield present(pl.DataFrame({"score": scores, "label": labels}), columns)


def npy_pieces(path: str, request: Request, *, is_tar: bool) -> list[Piece]:
    """The pieces of an array on disk."""
    array = read_npy(path)
    if array.ndim != 1:
        raise ScoreError(f"{path}: scores have shape {array.shape}; pass a one-dimensional array")
    return [
        Piece(
            name=f"{path}, from score {start:,}",
            rows=end - start,
            reader=NpyReader(path, start, end, is_tar, request),
            request=request,
            file=path,
        )
        for start, end in spans(len(array))
    ]
