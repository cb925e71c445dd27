"""The interface of engines, which process the pieces of a set of trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from llrcal.arrays import Floats
from llrcal.scale.counting import Pooled
from llrcal.scale.pieces.piece import Piece

if TYPE_CHECKING:
    from llrcal.scale.matching import Join, Tally

_Value = TypeVar("_Value")

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the number of trials done, and the total."""


def silent(_what: str, _done: int, _total: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class JoinedPieces:
    """Scores with labels, the engine that has them, and what did not match."""

    pieces: Sequence[Piece]
    engine: Engine
    tally: Tally


class Engine(Protocol):
    """Computes a value for every piece, and merges the values into one.

    Merging is associative and commutative to the last bit, so its order does not matter.
    """

    most_in_a_stretch: int
    """The most scores to sort at once."""

    def bundled(self, pieces: Sequence[Piece]) -> Sequence[Piece]:
        """The same trials in fewer pieces, for work whose results are costly to merge."""

    def reduce(
        self,
        pieces: Sequence[Piece],
        work: Callable[[Piece], _Value],
        merge: Callable[[_Value, _Value], _Value],
        what: str,
    ) -> _Value:
        """The value of all pieces together; ``what`` says what is being done, for progress."""

    def stretches(
        self, pieces: Sequence[Piece], cuts: Floats, *, rare_is_tar: bool
    ) -> list[Pooled]:
        """The groups of all scores, in the stretches of the axis between the cuts."""

    def joined(self, join: Join) -> JoinedPieces:
        """Scores and labels from different files, matched by the ids of the trials."""
