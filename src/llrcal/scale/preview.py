"""A sample of the trials for figures: taken evenly from all pieces, with the extremes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from llrcal.arrays import Array
from llrcal.scale.engines.engine import Engine
from llrcal.scale.pieces.piece import Piece
from llrcal.trials.trials import Trials

MOST = 2**19
"""The approximate size of the sample of a class."""


def preview(
    pieces: Sequence[Piece], engine: Engine, counts: tuple[int, int], source: str
) -> Trials:
    """A sample of the trials, with the total counts."""
    steps = [count // MOST + 1 for count in counts]
    taken = engine.reduce(pieces, _Taker(*steps), _Taken.merge, "sampling for figures")
    return Trials(
        np.sort(np.concatenate(taken.tar)),
        np.sort(np.concatenate(taken.non)),
        source,
        totals=counts,
        allow_infinite=True,
    )


@dataclass(frozen=True)
class _Taken:
    tar: tuple[Array, ...] = ()
    non: tuple[Array, ...] = ()

    def merge(self, other: _Taken) -> _Taken:
        return _Taken(self.tar + other.tar, self.non + other.non)


@dataclass(frozen=True)
class _Taker:
    """The work on one piece."""

    tar_step: int
    non_step: int

    def __call__(self, piece: Piece) -> _Taken:
        return reduce(_Taken.merge, self._each(piece), _Taken())

    def _each(self, piece: Piece) -> Iterator[_Taken]:
        for batch in piece.batches():
            yield _Taken((_some(batch.tar, self.tar_step),), (_some(batch.non, self.non_step),))


def _some(scores: Array, step: int) -> Array:
    if step == 1 or not len(scores):
        return scores
    return np.concatenate([scores[::step], [scores.min(), scores.max()]])
