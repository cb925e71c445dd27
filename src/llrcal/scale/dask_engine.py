"""Dask: frames as trials, and an engine that processes pieces on a cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from operator import itemgetter
from pydoc import locate
from typing import Any, TypeVar

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
from dask.delayed import Delayed, delayed

from llrcal.arrays import Array
from llrcal.errors import ClusterError, LlrcalError, OptionError, TrialFileError
from llrcal.messages import Setting
from llrcal.onepass.chunks import merged, use_one_thread
from llrcal.scale.columns import checked
from llrcal.scale.engine import FileWork, PartWork, Progress, Work, silent
from llrcal.scale.piece import Bundle, Piece, bundled, present
from llrcal.scale.spill import Spill
from llrcal.trials.conventions import SPEAKERS, role_of
from llrcal.trials.frames import SAMPLE, as_polars
from llrcal.trials.request import Request
from llrcal.trials.text.roles import ColumnSketch, are_hypotheses

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
_ROWS = 2**20  # assumed length of a partition, for the progress bar: Dask does not know it


# --------------------------------------------------------------------------------- frames


@dataclass(frozen=True)
class PartitionReader:
    """Reads a table that Dask has: a partition of a frame, or trials that were joined."""

    part: Any
    """The task that makes the table; inside a task of ours, the table itself."""
    name: str
    roles: tuple[tuple[str, str], ...] = ()
    """Role and name of the columns; none if they have been checked."""
    request: Request | None = None

    def __call__(self, columns: Sequence[str], at_a_time: int) -> Iterator[pl.DataFrame]:
        with naming(self.name):
            table = self._table
            if self.request is None:
                frame = present(table, columns)
            else:
                roles = [(role, name) for role, name in self.roles if role.split()[0] in columns]
                frame = as_polars(table[[name for _, name in roles]].reset_index(drop=True))
                frame = checked(frame, roles, self.request, self.name)
        yield frame

    @property
    def _table(self) -> Any:
        if isinstance(self.part, Delayed):  # there is no cluster
            return self.part.compute(scheduler="synchronous")
        return self.part

    @property
    def forensic(self) -> bool:
        """Whether its labels are hypotheses, Hp and Hd."""
        words = self._table[dict(self.roles)["label"]].iloc[:SAMPLE].astype(str)
        return are_hypotheses(["label"], [ColumnSketch.of(words.tolist(), frozenset())])


def names_hypotheses(pieces: Sequence[Piece]) -> bool:
    """The work on the first partition of a frame: whether its labels are hypotheses."""
    reader: Any = pieces[0].reader
    with naming(reader.name):
        return bool(reader.forensic)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Add the name of a partition or a URL to errors that the user's frame or fsspec raises."""
    try:
        yield
    except LlrcalError:
        raise
    except Exception as problem:  # the user's frame may raise anything
        reason = f"{type(problem).__name__}: {problem}"
        raise TrialFileError(f"{name}: cannot be read: {reason}") from problem


def dask_frame(trials: Any) -> Any:
    """A frame of Dask as it is; Parquet files, given by URLs for fsspec, as one."""
    if isinstance(trials, dd.DataFrame):
        return trials
    with naming(str(trials)):
        return dd.read_parquet(trials)


def frame_pieces(
    trials: Any, scores: Sequence[str], label: str | None, request: Request
) -> list[Piece]:
    """The partitions of a frame, or of Parquet files that fsspec knows, as pieces.

    There may be several columns of scores. Without a column of labels, these are not needed.
    """
    frame = dask_frame(trials)
    names = [*scores, *([] if label is None else [label])]
    check_frame_columns(frame, names)
    roles = ["score", *(f"score {number}" for number in range(1, len(scores))), "label"]
    by_role = tuple(zip(roles, names, strict=False))
    return [
        Piece(
            name=(name := f"partition {number} of the frame"),
            rows=_ROWS,
            reader=PartitionReader(part, name, by_role, request),
            request=request,
            score_name=scores[0],
            names_speakers=set(SPEAKERS) <= {role_of(str(name)) for name in frame.columns},
        )
        for number, part in enumerate(frame[names].to_delayed())
    ]


def check_frame_columns(frame: Any, columns: Iterable[str]) -> None:
    """Refuse columns that a frame does not have, and name those that it has."""
    for column in columns:
        if column not in frame.columns:
            known = ", ".join(map(str, frame.columns))
            raise OptionError(f"there is no column {column!r}; there are {known}")


# ------------------------------------------------------------------------------- the engine


class DaskEngine:
    """A cluster: tasks for some pieces each, and a tree of tasks that merge the results."""

    _address: str

    def __init__(self, client: Any, progress: Progress = silent) -> None:
        self._client = client
        self._progress = progress
        check_versions(client)

    def __getstate__(self) -> dict[str, Any]:
        """The address: a copy connects again, and shows no progress."""
        return {"_address": self._client.scheduler.address, "_progress": silent}

    @cached_property
    def _client(self) -> Any:
        from distributed import get_client

        return get_client(self._address)

    def reduce(self, pieces: Sequence[Piece], work: Work[_Value], what: str) -> _Value:
        bundles = self._bundled(pieces)
        leaves = values = _tasks(bundles, work)
        while len(values) > 1:
            values = [
                delayed(reduce)(merged, values[i : i + _FAN_IN])
                for i in range(0, len(values), _FAN_IN)
            ]
        with cluster_errors():
            value: _Value = self._computed(values[0], leaves, bundles, what)
        return value

    def _bundled(self, pieces: Sequence[Piece]) -> list[Bundle]:
        """Pieces of files, several per task: results may be much larger than a piece."""
        threads = sum(self._client.nthreads().values())  # 0 while no worker has connected
        in_files = not isinstance(pieces[0].reader, PartitionReader)
        return bundled(pieces, _TASKS * threads * in_files or len(pieces))

    def _computed(
        self, root: Delayed, leaves: Sequence[Delayed], bundles: Sequence[Bundle], what: str
    ) -> Any:
        from distributed import as_completed

        rows = [sum(piece.rows for piece in bundle) for bundle in bundles]
        total, done = sum(rows), 0
        self._progress(what, done, total)
        *each, last = self._client.compute([*leaves, root], optimize_graph=False)
        number_of = {future.key: number for number, future in enumerate(each)}
        for future in as_completed(each, loop=self._client.loop):
            number = number_of[future.key]
            if future.status == "error":
                problem = future.exception()  # before cancelling discards it
                self._client.cancel([*each, last])
                if not isinstance(bundles[number][0].reader, PartitionReader):
                    raise problem
                with naming(bundles[number][0].name):
                    raise problem
            done += rows[number]
            self._progress(what, done, total)
        return last.result()

    def each(self, work: FileWork, places: Sequence[tuple[str, str]]) -> None:
        """Each file in a task of its own."""
        sent = delayed(work, traverse=False)
        computed([delayed(_alone)(sent, *place) for place in places], self._client)

    def divide(
        self, sides: Sequence[Spill], parts: int, work: PartWork[_Value], what: str
    ) -> tuple[list[_Value], list[Piece]]:
        """Divide rows by Dask's own shuffle, then work on each part in a task."""
        self._progress(what, 0, parts)
        names = [list(side.kind.names or ()) for side in sides]
        # Dask shuffles between workers only with a current client.
        way = dask.config.set({"dataframe.shuffle.method": "p2p"})
        with cluster_errors(), self._client.as_current(), way:
            frames = [self._shuffled(side, parts) for side in sides]
            sent = delayed(work, traverse=False)
            tasks = [delayed(_part_done)(sent, names, f) for f in zip(*frames, strict=True)]
            tasks = self._client.persist(tasks)  # trials stay on the workers
            found = computed([delayed(_without_trials)(task) for task in tasks], self._client)
        self._progress(what, parts, parts)
        pieces = [
            Piece(name=what, rows=rows, reader=PartitionReader(delayed(itemgetter(1))(task), what))
            for task, (_, rows) in zip(tasks, found, strict=True)
        ]
        return [value for value, _ in found], pieces

    def _shuffled(self, side: Spill, parts: int) -> list[Delayed]:
        """A frame for each part, with its rows from all pieces."""
        empty = _numbered(np.empty(0, side.kind), np.empty(0, np.int64))
        leaves = _tasks(self._bundled(side.pieces), partial(_numbered_rows, side))
        if parts == 1:
            return [delayed(pd.concat)([empty, *leaves])]
        frame = dd.from_delayed(leaves, meta=empty, verify_meta=False)
        found: list[Delayed] = frame.set_index(
            "part", divisions=tuple(range(parts + 1))
        ).to_delayed()
        return found


def _alone(work: FileWork, source: str, out: str) -> None:
    """A task: the work on a file, in one thread."""
    use_one_thread()
    work(source, out)


def _tasks(bundles: Sequence[Bundle], work: Work[Any]) -> list[Delayed]:
    """A task for each bundle, which has the table of a partition before it starts."""
    # The work is the result of a task like any other, so that Dask can send it again to a worker
    # that has lost it.
    sent = delayed(work, traverse=False)
    found = []
    for bundle in bundles:
        reader, part = bundle[0].reader, None
        if isinstance(reader, PartitionReader):
            part, bundle = reader.part, (_with_part(bundle[0], None),)  # noqa: PLW2901
        found.append(delayed(_done)(sent, delayed(bundle, traverse=False), part))
    return found


def _with_part(piece: Piece, part: Any) -> Piece:
    reader: Any = piece.reader
    return replace(piece, reader=replace(reader, part=part))


def _done(work: Work[_Value], bundle: Bundle, part: Any) -> _Value:
    """A task: the work on some pieces, in one thread."""
    use_one_thread()
    return work(bundle if part is None else [_with_part(bundle[0], part)])


def computed(tasks: Sequence[Delayed], client: Any) -> list[Any]:
    """The results of tasks, computed by a cluster."""
    with cluster_errors():
        return list(client.gather(client.compute(list(tasks))))


def _numbered_rows(side: Spill, pieces: Sequence[Piece]) -> pd.DataFrame:
    """The work on some pieces: their rows, each with the number of its part."""
    rows = np.concatenate([side.rows_of(piece) for piece in pieces])
    return _numbered(rows, side.number_of(rows))


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


# ------------------------------------------------------------------------ whether it can work


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """So many processes on this machine.

    Raises
    ------
    ClusterError
        If one of them does not start.
    """
    from distributed import LocalCluster

    with dask.config.set(KEEP_MEMORY):
        try:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=50,  # errors are raised here; do not log them as well
            )
        except Exception as problem:  # there is no end to what may go wrong with a process
            raise ClusterError(
                f"a worker was killed, or failed, while it started ({problem}), perhaps for want "
                "of memory; start again, or with fewer: ",
                Setting("workers"),
            ) from problem
        with cluster:
            yield cluster


PATIENCE = 10
"""Seconds to wait for a scheduler, and for the first of its workers."""


def check_answers(address: str) -> None:
    """Refuse an address where no Dask scheduler answers, or one that no worker has connected to.

    Raises
    ------
    ClusterError
        If so. A client would wait for ever, in either case.
    """
    try:
        count = asyncio.run(_workers(address))
    except (OSError, ValueError, TimeoutError) as problem:
        reason = str(problem) or f"it has not spoken for {PATIENCE} seconds"
        raise ClusterError(f"no Dask scheduler answers at {address}: {reason}") from problem
    if not count:
        raise ClusterError(
            f"no worker has connected to the Dask scheduler at {address} within {PATIENCE} "
            "seconds; start some"
        )


async def _workers(address: str) -> int:
    """How many workers a scheduler has, once it has some."""
    from distributed import Security
    from distributed.core import rpc

    secured = Security().get_connection_args("client")
    async with rpc(address, timeout=PATIENCE / 2, connection_args=secured) as scheduler:
        found = await asyncio.wait_for(scheduler.identity(), PATIENCE)
        for _ in range(10 * PATIENCE):
            if found["workers"]:
                break
            await asyncio.sleep(0.1)
            found = await asyncio.wait_for(scheduler.identity(), PATIENCE)
    return len(found["workers"])


def check_versions(client: Any) -> None:
    """Refuse workers with other versions than those here, whose numbers may be others, too.

    Raises
    ------
    ClusterError
        If there are any.
    """
    for name in ("llrcal.version.__version__", "numpy.__version__", "polars.__version__"):
        package, here = name.partition(".")[0], locate(name)
        with cluster_errors():
            others = client.run(locate, name)  # a function that every worker has
        for worker, version in sorted(others.items()):
            if version != here:
                has = f"has {package} {version}" if version else f"does not have {package}"
                raise ClusterError(
                    f"the Dask worker {worker} {has}, and here is {package} {here}; "
                    "install the same version"
                )


@contextmanager
def cluster_errors() -> Iterator[None]:
    """Turn errors that Dask raises over a cluster into ours."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except LlrcalError:
        raise
    except KilledWorker as problem:
        raise ClusterError(
            "workers were killed again and again over the same piece, perhaps for want of memory: "
            f"{problem.task}"
        ) from problem
    except (CommClosedError, CancelledError, asyncio.CancelledError, TimeoutError) as problem:
        raise ClusterError(
            f"the Dask scheduler does not answer any more ({type(problem).__name__}); start again"
        ) from problem
