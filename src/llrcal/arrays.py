"""Names for the array types used throughout the code."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Array: TypeAlias = NDArray[Any]

__all__ = [
    "Array",
    "ArrayLike",
    "Bools",
    "Counts",
    "Floats",
    "is_number",
    "weighted_sum",
    "weighted_sums",
]


def weighted_sum(values: Floats, weights: Floats) -> float:
    """Sum of values times weights, added pairwise: bit-identical on any number of cores.

    A dot product would leave the order of summation to BLAS and its threads.
    """
    return float((values * weights).sum())


def weighted_sums(rows: Sequence[Floats], weights: Floats) -> list[float]:
    """The weighted sum of each row, with the same bits, in one go."""
    sums: list[float] = (np.array(rows) * weights).sum(axis=1).tolist()
    return sums


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is one real number, from any library. Booleans do not count."""
    return isinstance(value, Real) and not isinstance(value, bool)
