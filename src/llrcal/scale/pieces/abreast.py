"""Several columns of the same trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Floats
from llrcal.errors import TrialFileError
from llrcal.scale.pieces.piece import Batch, Piece


@dataclass(frozen=True, kw_only=True)
class Abreast(Piece):
    """A piece whose scores have several columns, each of which is read as a piece of its own."""

    columns: tuple[Piece, ...]

    @classmethod
    def of(cls, columns: Sequence[Piece]) -> Piece:
        return cls(**columns[0].facts, columns=tuple(columns))

    def batches(self) -> Iterator[Batch]:
        none = np.empty((0, len(self.columns)))
        yield Batch(none, none)  # there may be no others
        for parts in zip(*(column.batches() for column in self.columns), strict=True):
            tar, non = (
                self._together(side) for side in zip(*(part.sides for part in parts), strict=True)
            )
            yield Batch(tar, non, parts[0].left_out)

    def _together(self, columns: Sequence[Floats]) -> Floats:
        if len({len(column) for column in columns}) > 1:
            raise TrialFileError(f"{self.name}: columns have different numbers of trials")
        return np.stack([column.astype(np.float64, copy=False) for column in columns]).T
