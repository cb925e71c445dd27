"""Names for the array types that the code speaks of."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Array: TypeAlias = NDArray[Any]

__all__ = ["Array", "ArrayLike", "Bools", "Counts", "Floats", "weighted_sum"]


def weighted_sum(values: Floats, weights: Floats) -> float:
    """Sum of values times weights: pairwise, and the same bits on any number of cores.

    A dot product would leave the order of summation to BLAS and its threads.
    """
    return float((values * weights).sum())
