"""A piece of a set of trials: what one reader reads at a time, here or on another machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from llrcal.arrays import Array
from llrcal.calibrations.calibration import Calibration
from llrcal.errors import LlrcalError

BATCH = 2**21
"""Trials that are held at a time, about."""
PEEK = 2**15
"""Trials that are enough to get an idea."""


@dataclass(frozen=True)
class Batch:
    """Some target and some non-target scores; either may be none."""

    tar: Array
    non: Array
    left_out: int = 0
    """Trials beside these that were dropped, as the user asked."""

    @property
    def sides(self) -> tuple[Array, Array]:
        return self.tar, self.non


NOTHING = Batch(np.empty(0), np.empty(0))


@dataclass(frozen=True, kw_only=True)
class Piece(ABC):
    """Where some trials are, and how to read them. It is small, and goes to whoever reads it."""

    name: str
    """For people: the file, and the part of it."""
    rows: int
    """How many trials there are, or about as many."""

    @abstractmethod
    def batches(self) -> Iterator[Batch]:
        """The trials, a few million at a time.

        Raises
        ------
        LlrcalError
            If they cannot be read; the message names the file.
        """

    def peek(self) -> Batch:
        """Some of the trials, to get an idea of all."""
        first = next(iter(self.batches()), NOTHING)
        step = sum(map(len, first.sides)) // PEEK + 1  # the same, or shares would change
        return Batch(first.tar[::step], first.non[::step])


@dataclass(frozen=True, kw_only=True)
class Mapped(Piece):
    """A piece whose scores are turned into something else: negated, multiplied, calibrated."""

    piece: Piece
    factor: float = 1.0
    calibration: Calibration | None = None

    @classmethod
    def of(
        cls, piece: Piece, *, factor: float = 1.0, calibration: Calibration | None = None
    ) -> Piece:
        """The piece itself, where nothing is to be done."""
        if factor == 1 and calibration is None:
            return piece
        return cls(
            name=piece.name, rows=piece.rows, piece=piece, factor=factor, calibration=calibration
        )

    def batches(self) -> Iterator[Batch]:
        for batch in self.piece.batches():
            yield self._mapped(batch)

    def peek(self) -> Batch:
        return self._mapped(self.piece.peek())

    def _mapped(self, batch: Batch) -> Batch:
        tar, non = (self._answers(scores) if len(scores) else scores for scores in batch.sides)
        return Batch(tar, non, batch.left_out)

    def _answers(self, scores: Array) -> Array:
        try:
            answers = scores if self.calibration is None else self.calibration(scores)
        except LlrcalError as problem:
            raise type(problem)(f"{self.name}: {problem}") from problem
        return answers if self.factor == 1 else answers * self.factor


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
        """The piece itself, where there is but one."""
        if len(pieces) == 1:
            return pieces[0]
        name = f"{pieces[0].name}, and {len(pieces) - 1} more"
        return cls(name=name, rows=sum(piece.rows for piece in pieces), pieces=tuple(pieces))

    def batches(self) -> Iterator[Batch]:
        for piece in self.pieces:
            yield from piece.batches()


def bundled(pieces: Sequence[Piece], most: int) -> list[Piece]:
    """The same trials in no more than so many pieces."""
    count = min(len(pieces), most)
    edges = [len(pieces) * i // count for i in range(count + 1)]
    return [Bundle.of(pieces[start:end]) for start, end in pairwise(edges)]
