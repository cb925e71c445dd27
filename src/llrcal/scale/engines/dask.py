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

from llrcal.arrays import Array
from llrcal.errors import LlrcalError, TrialFileError
from llrcal.onepass.chunks import use_one_thread
from llrcal.scale.engines.cluster import check_versions, cluster_errors
from llrcal.scale.engines.engine import Divided, Progress, merge_values, silent
from llrcal.scale.pieces.columns import checked
from llrcal.scale.pieces.piece import Bundle, Piece, bundled, present
from llrcal.scale.spill import Spill
from llrcal.trials.request import Request

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


@dataclass(frozen=True)
class PartitionReader:
    """Reads one partition of a Dask frame, whose data exist only inside a task."""

    index: int
    name: str
    roles: tuple[tuple[str, str], ...]
    """Role and name of the columns."""
    request: Request
    frame: Any = None

    def __call__(self, columns: Sequence[str], at_a_time: int) -> Iterator[pl.DataFrame]:
        roles = [pair for pair in self.roles if pair[0] in columns or pair[0].startswith("score ")]
        wanted = self.frame[[name for _, name in roles]]
        frame = pl.DataFrame(wanted.reset_index(drop=True))
        yield checked(frame, roles, self.request, self.name)


class DaskEngine:
    """A cluster, or Dask's threads in this process if there is none."""

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
        work: Callable[[Sequence[Piece]], _Value],
        what: str,
        merge: Callable[[_Value, _Value], _Value] = merge_values,
    ) -> _Value:
        bundles = self._bundled(pieces)
        # The work is the result of a task like any other, so that Dask can send it again to a
        # worker that has lost it.
        leaves = self._leaves(bundles, work)
        values = leaves
        while len(values) > 1:
            values = [
                delayed(_merged)(merge, values[i : i + _FAN_IN])
                for i in range(0, len(values), _FAN_IN)
            ]
        with cluster_errors():
            value: _Value = self._computed(values[0], leaves, bundles, what)
        return value

    def _bundled(self, pieces: Sequence[Piece]) -> list[Bundle]:
        """Pieces of files, several per task: results may be much larger than a piece."""
        if self._client is None or self._parts:
            return bundled(pieces, len(pieces))
        threads = sum(self._client.nthreads().values())  # 0 while no worker has connected
        return bundled(pieces, _TASKS * threads or len(pieces))

    def _leaf(self, bundle: Bundle, work: Delayed) -> Delayed:
        index = partition_of(bundle[0])
        part = None if index is None else self._parts[index]
        return delayed(_done)(work, delayed(bundle, traverse=False), part)

    def _computed(
        self, root: Delayed, leaves: Sequence[Delayed], bundles: Sequence[Bundle], what: str
    ) -> Any:
        total, done = sum(piece.rows for bundle in bundles for piece in bundle), 0
        self._progress(what, done, total)
        if self._client is None:
            return _by_threads(root, leaves, bundles)
        from distributed import as_completed

        *each, last = self._client.compute([*leaves, root], optimize_graph=False)
        bundle_of = {future.key: bundle for future, bundle in zip(each, bundles, strict=True)}
        for future in as_completed(each, loop=self._client.loop):
            bundle = bundle_of[future.key]
            if future.status == "error":
                problem = future.exception()  # before cancelling discards it
                self._client.cancel([*each, last])
                with _naming(bundle[0]):
                    raise problem
            done += sum(piece.rows for piece in bundle)
            self._progress(what, done, total)
        return last.result()

    def divide(
        self,
        sides: Sequence[Spill],
        parts: int,
        work: Callable[..., tuple[_Value, pl.DataFrame | None]],
        what: str,
    ) -> Divided[_Value]:
        """Divide rows by Dask's own shuffle, then work on each part in a task."""
        self._progress(what, 0, parts)
        names = [list(side.kind.names or ()) for side in sides]
        with self._shuffling():
            frames = [self._shuffled(side, parts) for side in sides]
            task, sent = delayed(_part_done), delayed(work, traverse=False)
            tasks = [task(sent, names, each) for each in zip(*frames, strict=True)]
            if self._client is None:
                tasks = list(dask.persist(*tasks, scheduler="threads"))
            else:  # results are kept on the workers
                tasks = list(self._client.persist(tasks))
            found = computed([delayed(_without_trials)(task) for task in tasks], self._client)
        self._progress(what, parts, parts)
        pieces = [
            Piece(name=what, rows=rows, reader=PartReader(index))
            for index, (_, rows) in enumerate(found)
        ]
        values = [value for value, _ in found]
        return Divided(values, pieces, self.holding(tasks))

    def _shuffled(self, side: Spill, parts: int) -> list[Delayed]:
        """A frame for each part, with its rows from all pieces."""
        empty = _numbered(np.empty(0, side.kind), np.empty(0, np.int64))
        leaves = self._leaves(self._bundled(side.pieces), _NumberedRows(side))
        if parts == 1:
            return [delayed(pd.concat)([empty, *leaves])]
        import dask.dataframe as dd

        frame = dd.from_delayed(leaves, meta=empty, verify_meta=False)
        found: list[Delayed] = frame.set_index(
            "part", divisions=tuple(range(parts + 1))
        ).to_delayed()
        return found

    def _leaves(
        self, bundles: Sequence[Bundle], work: Callable[[Sequence[Piece]], Any]
    ) -> list[Delayed]:
        sent = delayed(work, traverse=False)
        return [self._leaf(bundle, sent) for bundle in bundles]

    @contextmanager
    def _shuffling(self) -> Iterator[None]:
        # Dask shuffles between workers only with a current client, and on disk otherwise.
        current = nullcontext() if self._client is None else self._client.as_current()
        way = "disk" if self._client is None else "p2p"
        with cluster_errors(), current, dask.config.set({"dataframe.shuffle.method": way}):
            yield


def computed(tasks: Sequence[Delayed], client: Any | None) -> list[Any]:
    """The results of tasks, computed by a cluster or by threads of this process."""
    if client is None:
        return list(dask.compute(*tasks, scheduler="threads"))
    with cluster_errors():
        return list(client.gather(client.compute(list(tasks))))


def _by_threads(root: Delayed, leaves: Sequence[Delayed], bundles: Sequence[Bundle]) -> Any:
    try:
        return dask.compute(root, scheduler="threads")[0]
    except LlrcalError:
        raise
    except Exception:  # the user's frame may raise anything, without saying where
        for leaf, bundle in zip(leaves, bundles, strict=True):
            with _naming(bundle[0]):
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
    return getattr(piece.reader, "index", None)


def _with_frame(piece: Piece, frame: Any) -> Piece:
    """The piece inside a task: with its data, and the number of its rows."""
    reader: Any = piece.reader
    rows = len(frame) if isinstance(frame, pd.DataFrame) else piece.rows
    return replace(piece, reader=replace(reader, frame=frame), rows=rows)


def _done(work: Callable[[Bundle], _Value], bundle: Bundle, frame: Any) -> _Value:
    """A task: the work on some pieces, in one thread."""
    use_one_thread()
    if frame is not None:
        bundle = tuple(_with_frame(piece, frame) for piece in bundle)
    return work(bundle)


def _merged(merge: Callable[[_Value, _Value], _Value], values: list[_Value]) -> _Value:
    return reduce(merge, values)


@dataclass(frozen=True)
class _NumberedRows:
    """The work on some pieces: their rows, each with the number of its part."""

    side: Spill

    def __call__(self, pieces: Sequence[Piece]) -> pd.DataFrame:
        rows = np.concatenate([self.side.rows_of(piece) for piece in pieces])
        return _numbered(rows, self.side.number_of(rows))


def _numbered(rows: Array, number: Array) -> pd.DataFrame:
    columns = {name: rows[name] for name in rows.dtype.names or ()}
    return pd.DataFrame({"part": number.astype(np.int64), **columns})


def _part_done(
    work: Callable[..., _Value], names: Sequence[list[str]], frames: Sequence[pd.DataFrame]
) -> _Value:
    """A task: the work on one part."""
    use_one_thread()
    every = zip(frames, names, strict=True)
    return work(*(pl.DataFrame(frame[columns].reset_index(drop=True)) for frame, columns in every))


def _without_trials(done: tuple[_Value, pl.DataFrame | None]) -> tuple[_Value, int]:
    """A task: the value of a part, and how many trials are left of it."""
    value, frame = done
    return value, 0 if frame is None else frame.height


@dataclass(frozen=True)
class PartReader:
    """Reads the trials that are left of one part, and stay on the workers."""

    index: int
    frame: Any = None

    def __call__(self, columns: Sequence[str], at_a_time: int) -> Iterator[pl.DataFrame]:
        yield present(self.frame[1], columns)
