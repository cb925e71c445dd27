"""Engines, which process the pieces of a set of trials; and that of threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import polars as pl

from llrcal.onepass.chunks import threads, use_one_thread
from llrcal.scale.piece import Bundle, Piece, bundled
from llrcal.scale.spill import TRIALS, Partitions, Spill, SpillFile, trial_rows

_Value = TypeVar("_Value")

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the number of trials done, and the total."""


def merge_values(one: Any, other: Any) -> Any:
    """Two values as one, by their own method."""
    return one.merge(other)


def silent(_what: str, _done: int, _total: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class Divided(Generic[_Value]):
    """What was made of rows part by part: a value of each, and trials that are left of them."""

    values: list[_Value]
    """In the order of the parts."""
    pieces: Sequence[Piece]


class Engine(Protocol):
    """Computes values of some pieces at a time, and merges them into one.

    Merging is associative and commutative to the last bit, so its order does not matter.
    """

    def reduce(
        self,
        pieces: Sequence[Piece],
        work: Callable[[Sequence[Piece]], _Value],
        what: str,
        merge: Callable[[_Value, _Value], _Value] = merge_values,
    ) -> _Value:
        """The value of all pieces together; ``what`` says what is being done, for progress."""

    def divide(
        self,
        sides: Sequence[Spill],
        parts: int,
        work: Callable[..., tuple[_Value, pl.DataFrame | None]],
        what: str,
    ) -> Divided[_Value]:
        """Divide rows into parts, and work on each: on a table of each side, with rows of the part.

        The work gives a value, and perhaps a table of trials.
        """


_BUNDLES = 16  # for each thread: few to merge, yet no thread waits long for the last


class Threads:
    """Threads of this process, each working on one piece at a time."""

    def __init__(self, progress: Progress = silent) -> None:
        self._progress = progress

    def reduce(
        self,
        pieces: Sequence[Piece],
        work: Callable[[Sequence[Piece]], _Value],
        what: str,
        merge: Callable[[_Value, _Value], _Value] = merge_values,
    ) -> _Value:
        total, done = sum(piece.rows for piece in pieces), 0
        merged: list[_Value] = []
        self._progress(what, done, total)
        for bundle, value in self._each(bundled(pieces, _BUNDLES * threads()), work):
            merged = [merge(merged[0], value)] if merged else [value]
            done += sum(piece.rows for piece in bundle)
            self._progress(what, done, total)
        return merged[0]

    def divide(
        self,
        sides: Sequence[Spill],
        parts: int,
        work: Callable[..., tuple[_Value, pl.DataFrame | None]],
        what: str,
    ) -> Divided[_Value]:
        """Rows are divided into parts on disk, and worked on part by part."""
        divided = [Partitions(side, parts) for side in sides]
        for side, rows in zip(sides, divided, strict=True):
            self.reduce(side.pieces, rows.put, side.what, max)
        values, trials = [], SpillFile(TRIALS)
        for number in range(parts):
            self._progress(what, number, parts)
            value, frame = work(*(rows.part(number) for rows in divided))
            values.append(value)
            if frame is not None:
                trials.put(trial_rows(frame["score"].to_numpy(), frame["label"].to_numpy()))
        self._progress(what, parts, parts)
        return Divided(values, trials.pieces(what))

    def _each(
        self, bundles: Sequence[Bundle], work: Callable[[Bundle], _Value]
    ) -> Iterable[tuple[Bundle, _Value]]:
        """Bundles and their values as they are completed; only a few are in progress at a time."""
        waiting = iter(bundles)
        with ThreadPoolExecutor(threads(), initializer=use_one_thread) as pool:
            under_way: dict[Future[_Value], Bundle] = {}
            try:
                while True:
                    while len(under_way) <= threads() and (bundle := next(waiting, None)):
                        under_way[pool.submit(work, bundle)] = bundle
                    if not under_way:
                        return
                    finished = wait(under_way, return_when=FIRST_COMPLETED).done
                    if any(future.exception() for future in finished):
                        for future in under_way:  # raise for the first pieces in order, not in time
                            future.result()
                    for done in finished:
                        yield under_way.pop(done), done.result()
            finally:
                for future in under_way:
                    future.cancel()
