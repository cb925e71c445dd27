"""The Dask engine: one task for each piece, and a tree of tasks that merge the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar

import dask
import numpy as np
import pandas as pd
import polars as pl
from dask.delayed import Delayed, delayed

from llrcal.arrays import Floats
from llrcal.errors import LlrcalError, TrialFileError
from llrcal.onepass.chunks import use_one_thread
from llrcal.scale.counting import Pooled, Stretch
from llrcal.scale.engines.cluster import check_versions, cluster_errors
from llrcal.scale.engines.engine import JoinedPieces, Progress, silent
from llrcal.scale.matching import Join, Tally
from llrcal.scale.pieces.abreast import Abreast
from llrcal.scale.pieces.columns import Columns
from llrcal.scale.pieces.piece import Batch, Mapped, Piece, bundled

_Value = TypeVar("_Value")

KEEP_MEMORY = {
    f"distributed.nanny.pre-spawn-environ.{name}": 2**28
    for name in ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")
}
"""Configuration of Dask for workers that keep freed memory for the next chunk.

By default they return every freed megabyte to the system, and a pass takes twice as long.
"""

_FAN_IN = 8  # values that one task merges
_TASKS = 8  # for each thread of a cluster: enough to balance slow and fast tasks


@dataclass(frozen=True, kw_only=True)
class Partition(Piece):
    """One partition of a Dask frame, whose data exist only inside a task."""

    index: int
    columns: Columns
    frame: Any = None

    def batches(self) -> Iterator[Batch]:
        wanted = self.frame[self.columns.names]
        frame = pl.DataFrame(wanted.reset_index(drop=True))
        return self.columns.batches(frame, self.name)


class DaskEngine:
    """A cluster, or Dask's threads in this process if there is none."""

    most_in_a_stretch = 2**22

    def __init__(
        self, client: Any | None, parts: Sequence[Delayed] = (), progress: Progress = silent
    ) -> None:
        self._client = client
        self._parts = parts
        self._progress = progress
        if client is not None:
            check_versions(client)

    def holding(self, parts: Sequence[Delayed]) -> DaskEngine:
        """The same cluster, which holds the parts of a frame."""
        return DaskEngine(self._client, parts, self._progress)

    def reduce(
        self,
        pieces: Sequence[Piece],
        work: Callable[[Piece], _Value],
        merge: Callable[[_Value, _Value], _Value],
        what: str,
    ) -> _Value:
        pieces = self.bundled(pieces)
        # The work is the result of a task like any other, so that Dask can send it again to a
        # worker that has lost it.
        leaves = self._leaves(pieces, work)
        values = leaves
        while len(values) > 1:
            values = [
                delayed(_merged)(merge, values[i : i + _FAN_IN])
                for i in range(0, len(values), _FAN_IN)
            ]
        with cluster_errors():
            value: _Value = self._computed(values[0], leaves, pieces, what)
        return value

    def bundled(self, pieces: Sequence[Piece]) -> Sequence[Piece]:
        """Pieces of files, several per task: results may be much larger than a piece."""
        if self._client is None or self._parts:
            return pieces
        threads = sum(self._client.nthreads().values())  # 0 while no worker has connected
        return bundled(pieces, _TASKS * threads or len(pieces))

    def _leaf(self, piece: Piece, work: Delayed) -> Delayed:
        index = partition_of(piece)
        part = None if index is None else self._parts[index]
        return delayed(_done)(work, delayed(piece, traverse=False), part)

    def _computed(
        self, root: Delayed, leaves: Sequence[Delayed], pieces: Sequence[Piece], what: str
    ) -> Any:
        total, done = sum(piece.rows for piece in pieces), 0
        self._progress(what, done, total)
        if self._client is None:
            return _by_threads(root, leaves, pieces)
        from distributed import as_completed

        *each, last = self._client.compute([*leaves, root], optimize_graph=False)
        piece_of = {future.key: piece for future, piece in zip(each, pieces, strict=True)}
        for future in as_completed(each, loop=self._client.loop):
            piece = piece_of[future.key]
            if future.status == "error":
                problem = future.exception()  # before cancelling discards it
                self._client.cancel([*each, last])
                with _naming(piece):
                    raise problem
            done += piece.rows
            self._progress(what, done, total)
        return last.result()

    def stretches(
        self, pieces: Sequence[Piece], cuts: Floats, *, rare_is_tar: bool
    ) -> list[Pooled]:
        """Divide scores into stretches by Dask's own shuffle, then pool each in a task."""
        with self._shuffling():
            leaves = self._leaves(pieces, _NumberedByStretch(cuts))
            parts = _brought_together(leaves, _EMPTY, "stretch", len(cuts) + 1)
            each = [delayed(_pooled)(part, rare_is_tar) for part in parts]
            self._progress("sorting", 0, len(each))
            return computed(each, self._client)

    def joined(self, join: Join) -> JoinedPieces:
        """Divide both sides by hashes with Dask's own shuffle, then match each part in a task."""
        from llrcal.scale.engines import dask_joining as joining

        total = sum(piece.rows for piece in (*join.scores, *join.key))
        self._progress("joining", 0, total)
        with self._shuffling():
            leaves = [
                *self._leaves(join.key, joining.Numbered(join.of_key, join.bits)),
                *self._leaves(join.scores, joining.Numbered(join.of_scores, join.bits)),
            ]
            parts = _brought_together(leaves, joining.EMPTY, "part", 2**join.bits)
            tasks = joining.kept([delayed(joining.matched_part)(p) for p in parts], self._client)
            tallies = computed([delayed(joining.tally_of)(task) for task in tasks], self._client)
        self._progress("joining", total, total)
        tally = reduce(Tally.merge, tallies)
        pieces = [
            joining.MatchedPartition(
                name=join.source,
                rows=max(tally.rows // len(tasks), 1),
                score_name=join.scores[0].score_name,
                forensic=join.key[0].forensic,
                index=index,
                columns=Columns("score", "label", join.request),
            )
            for index in range(len(tasks))
        ]
        return JoinedPieces(pieces, self.holding(tasks), tally)

    def _leaves(self, pieces: Sequence[Piece], work: Callable[[Piece], Any]) -> list[Delayed]:
        sent = delayed(work, traverse=False)
        return [self._leaf(piece, sent) for piece in pieces]

    @contextmanager
    def _shuffling(self) -> Iterator[None]:
        # Dask shuffles between workers only with a current client, and on disk otherwise.
        current = nullcontext() if self._client is None else self._client.as_current()
        way = "disk" if self._client is None else "p2p"
        with cluster_errors(), current, dask.config.set({"dataframe.shuffle.method": way}):
            yield


def _brought_together(
    leaves: Sequence[Delayed], empty: pd.DataFrame, by: str, count: int
) -> list[Delayed]:
    """A frame for each number in a column, with its rows from all frames."""
    import dask.dataframe as dd

    frame = dd.from_delayed(leaves, meta=empty, verify_meta=False)
    parts: list[Delayed] = frame.set_index(by, divisions=tuple(range(count + 1))).to_delayed()
    return parts


def computed(tasks: Sequence[Delayed], client: Any | None) -> list[Any]:
    """The results of tasks, computed by a cluster or by threads of this process."""
    if client is None:
        return list(dask.compute(*tasks, scheduler="threads"))
    with cluster_errors():
        return list(client.gather(client.compute(list(tasks))))


def _by_threads(root: Delayed, leaves: Sequence[Delayed], pieces: Sequence[Piece]) -> Any:
    try:
        return dask.compute(root, scheduler="threads")[0]
    except LlrcalError:
        raise
    except Exception:  # the user's frame may raise anything, without saying where
        for leaf, piece in zip(leaves, pieces, strict=True):
            with _naming(piece):
                dask.compute(leaf, scheduler="threads")
        raise


@contextmanager
def _naming(piece: Piece) -> Iterator[None]:
    """Add the name of the partition to errors that the user's frame raises."""
    try:
        yield
    except LlrcalError:
        raise
    except Exception as problem:
        if partition_of(piece) is None:
            raise
        reason = f"{type(problem).__name__}: {problem}"
        raise TrialFileError(f"{piece.name}: cannot be read: {reason}") from problem


def partition_of(piece: Piece) -> int | None:
    """The number of the partition of a frame that a piece represents; None for files."""
    if isinstance(piece, Mapped):
        return partition_of(piece.piece)
    if isinstance(piece, Abreast):
        return partition_of(piece.columns[0])
    return piece.index if isinstance(piece, Partition) else None


def _with_frame(piece: Piece, frame: Any) -> Piece:
    """The piece inside a task: with its data, and the number of its rows."""
    if isinstance(piece, Mapped):
        inner = _with_frame(piece.piece, frame)
        return replace(piece, piece=inner, rows=inner.rows)
    if isinstance(piece, Abreast):
        return replace(piece, columns=tuple(_with_frame(one, frame) for one in piece.columns))
    return replace(piece, frame=frame, rows=len(frame)) if isinstance(piece, Partition) else piece


def _done(work: Callable[[Piece], _Value], piece: Piece, frame: Any) -> _Value:
    """A task: the work on one piece, in one thread."""
    use_one_thread()
    return work(_with_frame(piece, frame))


def _merged(merge: Callable[[_Value, _Value], _Value], values: list[_Value]) -> _Value:
    return reduce(merge, values)


_EMPTY = pd.DataFrame(
    {"stretch": np.empty(0, np.int64), "score": np.empty(0), "target": np.empty(0, bool)}
)


@dataclass(frozen=True)
class _NumberedByStretch:
    """The work on one piece: its scores, each with the number of its stretch."""

    cuts: Floats

    def __call__(self, piece: Piece) -> pd.DataFrame:
        frames = [
            pd.DataFrame(
                {
                    "stretch": np.searchsorted(self.cuts, scores, side="right"),
                    "score": scores.astype(np.float64, copy=False),
                    "target": np.full(len(scores), is_tar),
                }
            )
            for batch in piece.batches()
            for scores, is_tar in ((batch.tar, True), (batch.non, False))
        ]
        return pd.concat([_EMPTY, *frames])


def _pooled(frame: pd.DataFrame, rare_is_tar: bool) -> Pooled:
    scores, is_tar = frame["score"].to_numpy(), frame["target"].to_numpy()
    return Stretch((scores[is_tar],), (scores[~is_tar],)).pooled(rare_is_tar=rare_is_tar)
