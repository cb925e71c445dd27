"""Part of an array on disk, of one class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from llrcal.errors import ScoreError
from llrcal.scale.pieces.columns import as_batch
from llrcal.scale.pieces.piece import BATCH, PEEK, Batch, Piece
from llrcal.trials.nan_scores import refuse_nan
from llrcal.trials.npy import floats_of, read_npy
from llrcal.trials.request import Request

_ROWS = 2 * BATCH


@dataclass(frozen=True, kw_only=True)
class NpyPiece(Piece):
    """Some scores of an array in a file, all of one class."""

    path: str
    start: int
    is_tar: bool
    request: Request

    def batches(self) -> Iterator[Batch]:
        for start in range(self.start, self.start + self.rows, BATCH):
            yield self._batch(start, min(start + BATCH, self.start + self.rows))

    def peek(self) -> Batch:
        return self._batch(self.start, self.start + min(self.rows, PEEK))

    def _batch(self, start: int, end: int) -> Batch:
        # Copied, not memory-mapped: mapped pages would stay in memory.
        scores = floats_of(np.array(read_npy(self.path)[start:end]), self.path)
        checked = scores
        if self.request.on_nan == "drop":
            checked = np.where(np.isnan(scores), 0, scores)
        try:
            refuse_nan(checked, self.path, "the", self.request)
        except ScoreError as problem:
            raise problem.moved(index=start) from problem
        labels = np.full(len(scores), int(self.is_tar), np.int8)
        return as_batch([scores], labels, self.request, self.path)


def npy_pieces(path: str, request: Request, *, is_tar: bool) -> list[Piece]:
    """The pieces of an array on disk."""
    request = replace(request, spoof="error")  # all of one class, of which none is a spoof
    array = read_npy(path)
    if array.ndim != 1:
        raise ScoreError(f"{path}: scores have shape {array.shape}; pass a one-dimensional array")
    return [
        NpyPiece(
            name=f"{path}, from score {start:,}",
            rows=min(_ROWS, len(array) - start),
            path=path,
            start=start,
            is_tar=is_tar,
            request=request,
        )
        for start in range(0, len(array), _ROWS)
    ]
