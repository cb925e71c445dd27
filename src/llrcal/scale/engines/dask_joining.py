"""Scores and a key joined on a cluster: Dask's own shuffle brings equal hashes together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from dask.delayed import Delayed

from llrcal.arrays import Array
from llrcal.scale.divided import parts_of
from llrcal.scale.engines.dask import Partition
from llrcal.scale.matching import LABEL, SCORE, Hashed, Matched, Tally, matched
from llrcal.scale.pieces.columns import as_batch
from llrcal.scale.pieces.piece import Batch, Piece

_NO_LABEL = -1  # of rows with a score
EMPTY = pd.DataFrame(
    {
        "part": np.empty(0, np.int64),
        "hash": np.empty(0, np.uint64),
        "score": np.empty(0),
        "label": np.empty(0, np.int8),
    }
)
"""The rows of both sides in one table, as they are shuffled."""


@dataclass(frozen=True)
class Numbered:
    """The work on one piece: its rows with hashes, and the part that each belongs to."""

    hashed: Hashed
    bits: int

    def __call__(self, piece: Piece) -> pd.DataFrame:
        rows = self.hashed(piece)
        is_key = self.hashed.is_key
        return pd.DataFrame(
            {
                "part": parts_of(rows["hash"], self.bits).astype(np.int64),
                "hash": rows["hash"],
                "score": np.zeros(len(rows)) if is_key else rows["score"],
                "label": rows["label"] if is_key else np.full(len(rows), _NO_LABEL, np.int8),
            }
        )


def matched_part(frame: pd.DataFrame) -> Matched:
    """A task: the rows of one part, matched."""
    is_score = frame["label"].to_numpy() == _NO_LABEL
    return matched(_rows(frame[is_score], SCORE), _rows(frame[~is_score], LABEL))


def _rows(frame: pd.DataFrame, kind: np.dtype) -> Array:
    rows = np.empty(len(frame), kind)
    for name in kind.names or ():
        rows[name] = frame[name].to_numpy()
    return rows


def tally_of(part: Matched) -> Tally:
    """A task: what did not match in a part."""
    return part.tally


@dataclass(frozen=True, kw_only=True)
class MatchedPartition(Partition):
    """One part of what was joined, whose data stay on the workers."""

    def batches(self) -> Iterator[Batch]:
        part: Matched = self.frame
        columns = self.columns
        yield as_batch([part.scores], part.labels, columns.request, self.name)


def kept(tasks: Sequence[Delayed], client: Any | None) -> list[Delayed]:
    """The same tasks, done once, with their results kept on the workers."""
    import dask

    if client is None:
        return list(dask.persist(*tasks, scheduler="threads"))
    return list(client.persist(list(tasks)))
