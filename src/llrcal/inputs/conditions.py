"""The conditions of trials: one text for each, or several in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from llrcal.arrays import Array
from llrcal.errors import OptionError, ScoreError
from llrcal.messages import Position


@runtime_checkable
class WithConditions(Protocol):
    """Trials in memory, whose conditions are known."""

    @property
    def tar(self) -> Array: ...

    @property
    def non(self) -> Array: ...

    @property
    def speakers(self) -> tuple[Array, Array] | None:
        """Where known, the two speakers of each target and of each non-target trial."""

    def conditions(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Columns of text, of the targets and of the non-targets."""


def condition_texts(conditions: Any, count: int, what: str) -> Array:
    """Conditions as trials x columns of text; those that are missing (None, NaN) are empty."""
    array = np.asarray(conditions, dtype=object)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != count:
        raise ScoreError(
            f"{what} conditions have shape {np.shape(conditions)}; pass one for each of {count} "
            "trials"
        )
    return np.asarray(np.frompyfunc(_text, 1, 1)(array))


def as_conditions(conditions: Any, count: int, what: str, *, may_miss: bool = False) -> Array:
    """The condition of each trial as text; an empty one where it is missing."""
    table = condition_texts(conditions, count, what)
    if table.shape[1] != 1:
        raise ScoreError(f"{what} trials have {table.shape[1]} conditions each; join them into one")
    texts: Array = table[:, 0]
    empty = np.flatnonzero(texts == "")
    if len(empty) and not may_miss:
        raise ScoreError(
            f"{len(empty)} of {count} {what} trials have no condition; the first at ",
            Position("index", int(empty[0])),
            ". Name one, such as 'unknown'",
        )
    return texts


def both_conditions(both: Any, tar_count: int, non_count: int) -> tuple[Array, Array]:
    """The condition of each target and of each non-target trial as text; none may be missing."""
    tar, non = pair(both, "condition")
    return as_conditions(tar, tar_count, "target"), as_conditions(non, non_count, "non-target")


def pair(both: Any, name: str) -> tuple[Any, Any]:
    """Values for targets and for non-targets; an error if these are not two."""
    if not isinstance(both, tuple | list) or len(both) != 2:
        raise OptionError(f"{name} must be a pair: that of the targets and that of the non-targets")
    return both[0], both[1]


def _text(value: object) -> str:
    missing = value is None or (isinstance(value, float) and np.isnan(value))
    return "" if missing else str(value)
