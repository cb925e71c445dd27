"""The interface of engines, which process the pieces of a set of trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import polars as pl

from llrcal.scale.pieces.piece import Piece
from llrcal.scale.spill import Spill

_Value = TypeVar("_Value")

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the number of trials done, and the total."""


def merge_values(one: Any, other: Any) -> Any:
    """Two values as one, by their own method."""
    return one.merge(other)


def silent(_what: str, _done: int, _total: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class Divided(Generic[_Value]):
    """What was made of rows part by part: a value of each, and trials that are left of them."""

    values: list[_Value]
    """In the order of the parts."""
    pieces: Sequence[Piece]


class Engine(Protocol):
    """Computes values of some pieces at a time, and merges them into one.

    Merging is associative and commutative to the last bit, so its order does not matter.
    """

    def reduce(
        self,
        pieces: Sequence[Piece],
        work: Callable[[Sequence[Piece]], _Value],
        what: str,
        merge: Callable[[_Value, _Value], _Value] = merge_values,
    ) -> _Value:
        """The value of all pieces together; ``what`` says what is being done, for progress."""

    def divide(
        self,
        sides: Sequence[Spill],
        parts: int,
        work: Callable[..., tuple[_Value, pl.DataFrame | None]],
        what: str,
    ) -> Divided[_Value]:
        """Divide rows into parts, and work on each: on a table of each side, with rows of the part.

        The work gives a value, and perhaps a table of trials.
        """
