"""Who does the work: threads of this process, unless somebody else is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

import numpy as np

from llrcal.arrays import Floats
from llrcal.onepass.chunks import alone, threads
from llrcal.scale.counting import Parter, Pooled, Stretch
from llrcal.scale.pieces.piece import Piece

_Value = TypeVar("_Value")

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many trials are done, and of how many."""


def silent(_what: str, _done: int, _total: int) -> None:
    """No progress is shown."""


class Engine(Protocol):
    """Works out a value of every piece, and merges them into one.

    Merging is associative and commutative to the last bit, so that it may be done in any order.
    """

    most_in_a_stretch: int
    """Scores that there is room to sort together."""

    def reduce(
        self,
        pieces: Sequence[Piece],
        work: Callable[[Piece], _Value],
        merge: Callable[[_Value, _Value], _Value],
        what: str,
    ) -> _Value:
        """The value of all pieces together; ``what`` tells people what is being done."""

    def stretches(
        self, pieces: Sequence[Piece], cuts: Floats, *, rare_is_tar: bool
    ) -> list[Pooled]:
        """The groups of all scores, in stretches of the axis that are parted by some cuts."""


class Threads:
    """Threads of this process, each with a piece of its own."""

    most_in_a_stretch = 2**24

    def __init__(self, progress: Progress = silent) -> None:
        self._progress = progress

    def reduce(
        self,
        pieces: Sequence[Piece],
        work: Callable[[Piece], _Value],
        merge: Callable[[_Value, _Value], _Value],
        what: str,
    ) -> _Value:
        total, done = sum(piece.rows for piece in pieces), 0
        merged: list[_Value] = []
        self._progress(what, done, total)
        for piece, value in self._each(pieces, work):
            merged = [merge(merged[0], value)] if merged else [value]
            done += piece.rows
            self._progress(what, done, total)
        return merged[0]

    def stretches(
        self, pieces: Sequence[Piece], cuts: Floats, *, rare_is_tar: bool
    ) -> list[Pooled]:
        """One pass for each stretch, since there is room for one at a time."""
        edges = [-np.inf, *cuts.tolist()]
        found = []
        for number, (low, high) in enumerate(zip(edges, [*edges[1:], None], strict=True), 1):
            what = f"sorting, part {number} of {len(edges)}"
            stretch = self.reduce(pieces, Parter(low, high), Stretch.merge, what)
            found.append(stretch.pooled(rare_is_tar=rare_is_tar))
        return found

    def _each(
        self, pieces: Sequence[Piece], work: Callable[[Piece], _Value]
    ) -> Iterable[tuple[Piece, _Value]]:
        """Pieces and their values as they are done, never more than a few under way."""
        waiting = iter(pieces)
        with ThreadPoolExecutor(threads(), initializer=alone) as pool:
            under_way: dict[Future[_Value], Piece] = {}
            try:
                while True:
                    while len(under_way) <= threads() and (piece := next(waiting, None)):
                        under_way[pool.submit(work, piece)] = piece
                    if not under_way:
                        return
                    finished = wait(under_way, return_when=FIRST_COMPLETED).done
                    if any(future.exception() for future in finished):
                        for future in under_way:  # the first in order is told of, not in time
                            future.result()
                    for done in finished:
                        yield under_way.pop(done), done.result()
            finally:
                for future in under_way:
                    future.cancel()
