"""Names for the array types used throughout the code."""

from __future__ import annotations

import math
import sys
from numbers import Integral, Real
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from llrcal.errors import OptionError
from llrcal.messages import Setting

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Array: TypeAlias = npt.NDArray[Any]
ArrayLike: TypeAlias = npt.ArrayLike

LARGEST = sys.float_info.max
"""The largest double."""


def weighted_sum(values: Floats, weights: Floats) -> float:
    """Sum of values times weights, added pairwise: bit-identical on any number of cores.

    A dot product would leave the order of summation to BLAS and its threads.
    """
    return float((values * weights).sum())


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is one real number, from any library. Booleans do not count."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is one integer, from any library. Booleans do not count."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_whole(name: str, value: object, *, least: int, most: float = math.inf) -> None:
    """Raise an OptionError if a setting is no whole number, or out of range."""
    if not is_whole(value):
        raise OptionError(Setting(name), f" is {value!r}; give a whole number")
    if not least <= value <= most:
        limit = f"{least:,} or more" if value < least else f"{most:,} or less"
        raise OptionError(Setting(name), f" is {value!r}; give {limit}")


def check_level(level: float) -> None:
    """Raise an OptionError if this is no level of an interval, the share of cases to cover."""
    if not is_number(level) or not 0 < level < 1:
        raise OptionError(f"level is {level!r:.50}; give a number strictly between 0 and 1")
