"""Matrices in an HDF5 file, read in pieces, and those of their cells that are trials."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from llrcal.arrays import Array, Bools
from llrcal.trials.hdf5.container import Container, filters_of
from llrcal.trials.hdf5.pairs import Pairs

_MOST_TRIALS = 2**28  # ten gigabytes as a table
_PIECE = 2**22  # cells that are looked at at once,
_LARGEST_PIECE = 2**27  # or so many, where chunks are as large


@dataclass(frozen=True)
class Cells:
    """Some cells of a matrix, in the order of its rows, and their values."""

    rows: Array
    columns: Array
    values: Array

    def __len__(self) -> int:
        return len(self.values)

    def agree_with(self, other: Cells) -> bool:
        """Whether they are the same cells, whatever their values."""
        return np.array_equal(self.rows, other.rows) and np.array_equal(self.columns, other.columns)


def pieces(*matrices: Any) -> Iterator[slice]:
    """Matrices of one shape in pieces along their first dimension.

    Packed chunks are not cut, since each piece would have to unpack them again.
    """
    first = matrices[0]
    height, width = first.shape[0], first.shape[1] if first.ndim == 2 else 1
    chunk = max(matrix.chunks[0] if filters_of(matrix) else 1 for matrix in matrices)
    step = chunk * max(1, -(-_PIECE // (chunk * width)))
    step = min(step, max(1, _LARGEST_PIECE // width))
    for start in range(0, height, step):
        yield slice(start, min(start + step, height))


def piece_of(matrix: Any, part: slice) -> Array:
    """A piece of a matrix, in two dimensions even where MATLAB wrote a vector."""
    return np.asarray(matrix[part]).reshape(part.stop - part.start, -1)


def cells(
    file: Container,
    pairs: Pairs,
    parts: Iterator[slice],
    read: Callable[[slice], tuple[Bools, Array]],
) -> Cells:
    """The cells that ``read`` chooses in each piece of a matrix, with their values."""
    rows, columns, values = [], [], []
    count = 0
    for part in parts:
        mask, chosen = read(part)
        count += len(chosen)
        if count > _MOST_TRIALS:
            raise file.error(f"holds more than {_MOST_TRIALS:,} trials; split it")
        i, j = np.nonzero(mask)
        rows.append((i + part.start).astype(np.uint32))
        columns.append(j.astype(np.uint32))
        values.append(chosen)
    if not count:
        raise file.error("holds no trials")
    found = Cells(*(np.concatenate(parts) for parts in (rows, columns, values)))
    if not pairs.transposed:
        return found
    order = np.argsort(found.columns, kind="stable")
    return Cells(found.columns[order], found.rows[order], found.values[order])
