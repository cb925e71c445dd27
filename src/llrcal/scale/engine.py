"""Engines, which process the pieces of a set of trials; and that of threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import polars as pl

from llrcal.onepass.chunks import each_on_threads, merged, threads
from llrcal.scale.piece import Piece, bundled
from llrcal.scale.spill import TRIALS, Partitions, Spill, SpillFile, trial_rows

_Value = TypeVar("_Value")

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the number of trials done, and the total."""


Work = Callable[[Sequence[Piece]], _Value]
"""What is made of some pieces."""
PartWork = Callable[..., tuple[_Value, pl.DataFrame | None]]
"""What is made of one part of each side: a value, and perhaps a table of trials."""
FileWork = Callable[[str, str], object]
"""What is done with a file, and where the result goes."""


def silent(_what: str, _done: int, _total: int) -> None:
    """Show no progress."""


class Engine(Protocol):
    """Computes values of some pieces at a time, and merges them into one.

    Merging is associative and commutative to the last bit, so its order does not matter.
    """

    def reduce(self, pieces: Sequence[Piece], work: Work[_Value], what: str) -> _Value:
        """The value of all pieces together; ``what`` says what is being done, for progress."""

    def divide(
        self, sides: Sequence[Spill], parts: int, work: PartWork[_Value], what: str
    ) -> tuple[list[_Value], list[Piece]]:
        """Divide rows into parts, and work on each: on a table of each side, with rows of the part.

        The values in the order of the parts, and pieces with the trials that are left of them.
        """

    def each(self, work: FileWork, places: Sequence[tuple[str, str]]) -> None:
        """Rewrite files: the work on each file, and where the new one goes."""


_BUNDLES = 16  # for each thread: few to merge, yet no thread waits long for the last


class Threads:
    """Threads of this process, each working on one piece at a time."""

    def __init__(self, progress: Progress = silent) -> None:
        self._progress = progress

    def __reduce__(self) -> tuple[type[Threads], tuple[()]]:
        return Threads, ()  # a copy shows no progress

    def reduce(self, pieces: Sequence[Piece], work: Work[_Value], what: str) -> _Value:
        total, done = sum(piece.rows for piece in pieces), 0
        values: list[_Value] = []
        self._progress(what, done, total)
        for bundle, value in each_on_threads(work, bundled(pieces, _BUNDLES * threads())):
            values = [merged(values[0], value)] if values else [value]
            done += sum(piece.rows for piece in bundle)
            self._progress(what, done, total)
        return values[0]

    def divide(
        self, sides: Sequence[Spill], parts: int, work: PartWork[_Value], what: str
    ) -> tuple[list[_Value], list[Piece]]:
        """Rows are divided into parts on disk, and worked on part by part."""
        divided = [Partitions(side, parts) for side in sides]
        for side, rows in zip(sides, divided, strict=True):
            self.reduce(side.pieces, rows.put, side.what)
        values, trials = [], SpillFile(TRIALS)
        for number in range(parts):
            self._progress(what, number, parts)
            value, frame = work(*(rows.part(number) for rows in divided))
            values.append(value)
            if frame is not None:
                trials.put(trial_rows(frame["score"].to_numpy(), frame["label"].to_numpy()))
        self._progress(what, parts, parts)
        return values, trials.pieces(what)

    def each(self, work: FileWork, places: Sequence[tuple[str, str]]) -> None:
        """One after the other: each is rewritten on several threads."""
        for done, place in enumerate(places):
            self._progress("applying", done, len(places))
            work(*place)
        self._progress("applying", len(places), len(places))
