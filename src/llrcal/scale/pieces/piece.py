"""A piece of a set of trials: the unit of reading, on this or another machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import LlrcalError
from llrcal.trials.table import Table
from llrcal.trials.trial_set import Transform

BATCH = 2**21
"""The approximate number of trials held in memory at a time."""
PEEK = 2**15
"""The number of trials for a glance at a piece."""


@dataclass(frozen=True)
class Batch:
    """Some target and non-target scores; either may be empty."""

    tar: Array
    non: Array
    left_out: int = 0
    """The number of other trials left out at the user's request."""

    @property
    def sides(self) -> tuple[Array, Array]:
        return self.tar, self.non


NOTHING = Batch(np.empty(0), np.empty(0))


@dataclass(frozen=True, kw_only=True)
class Piece(ABC):
    """Where some trials are, and how to read them. Small enough to send to another machine."""

    name: str
    """For people: the file, and the part of it."""
    rows: int
    """The number of trials, or an estimate of it."""
    score_name: str | None = None
    """What the file calls its scores, if it has column names."""
    forensic: bool = False
    """Whether its labels are hypotheses, Hp and Hd."""
    names_speakers: bool = False
    """Whether the file names the speakers of its trials, as far as its columns tell."""

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of any piece, for one that is made from this."""
        return {one.name: getattr(self, one.name) for one in fields(Piece)}

    @abstractmethod
    def batches(self) -> Iterator[Batch]:
        """The trials, a few million at a time.

        Raises
        ------
        LlrcalError
            If they cannot be read; the message names the file.
        """

    def scores(self) -> Iterator[Sequence[Array]]:
        """The scores of both classes, in a few arrays at a time.

        If trials are left out, some of their scores may be among them.
        """
        return (batch.sides for batch in self.batches())

    @property
    def file(self) -> str:
        """The file, without the part of it."""
        return self.name

    @property
    def has_ids(self) -> bool:
        """Whether the trials have ids."""
        return False

    def ids(self) -> Iterator[pl.DataFrame]:
        """The ids of the trials as text, in columns ``enrol``, ``test`` and ``side``."""
        return iter(())

    def tables(self) -> Iterator[Table]:
        """The rows with their ids, to be joined with those of other files."""
        return iter(())

    def peek(self) -> Batch:
        """Some of the trials, for a glance."""
        first = next(iter(self.batches()), NOTHING)
        step = sum(map(len, first.sides)) // PEEK + 1  # equal, to keep the proportion
        return Batch(first.tar[::step], first.non[::step])


@dataclass(frozen=True, kw_only=True)
class Mapped(Piece):
    """A piece whose scores are transformed: negated, multiplied, calibrated."""

    piece: Piece
    transform: Transform

    @classmethod
    def of(cls, piece: Piece, transform: Transform) -> Piece:
        return cls(**piece.facts, piece=piece, transform=transform)

    def batches(self) -> Iterator[Batch]:
        for batch in self.piece.batches():
            yield self._mapped(batch)

    def peek(self) -> Batch:
        return self._mapped(self.piece.peek())

    def _mapped(self, batch: Batch) -> Batch:
        tar, non = (self._transformed(scores) if len(scores) else scores for scores in batch.sides)
        return Batch(tar, non, batch.left_out)

    def _transformed(self, scores: Array) -> Array:
        try:
            return self.transform(scores)
        except LlrcalError as problem:
            raise problem.within(self.name) from problem


@dataclass(frozen=True, kw_only=True)
class ArrayPiece(Piece):
    """Trials in memory."""

    batch: Batch

    @classmethod
    def of(cls, tar: Array, non: Array, name: str = "arrays") -> ArrayPiece:
        return cls(name=name, rows=len(tar) + len(non), batch=Batch(tar, non))

    def batches(self) -> Iterator[Batch]:
        yield self.batch


@dataclass(frozen=True, kw_only=True)
class Bundle(Piece):
    """Pieces that are read one after the other."""

    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, pieces: Sequence[Piece]) -> Piece:
        """The piece itself, if there is only one."""
        if len(pieces) == 1:
            return pieces[0]
        name = f"{pieces[0].name}, and {len(pieces) - 1} more"
        return cls(name=name, rows=sum(piece.rows for piece in pieces), pieces=tuple(pieces))

    def batches(self) -> Iterator[Batch]:
        for piece in self.pieces:
            yield from piece.batches()

    def scores(self) -> Iterator[Sequence[Array]]:
        for piece in self.pieces:
            yield from piece.scores()

    def ids(self) -> Iterator[pl.DataFrame]:
        for piece in self.pieces:
            yield from piece.ids()

    def tables(self) -> Iterator[Table]:
        for piece in self.pieces:
            yield from piece.tables()


def bundled(pieces: Sequence[Piece], most: int) -> list[Piece]:
    """The same trials in at most ``most`` pieces."""
    count = min(len(pieces), most)
    edges = [len(pieces) * i // count for i in range(count + 1)]
    return [Bundle.of(pieces[start:end]) for start, end in pairwise(edges)]
