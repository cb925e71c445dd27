"""What figures of merit in forensic science ask of LLRs, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from llrcal.arrays import Floats
from llrcal.evaluation.llrs import EvidenceSums
from llrcal.onepass.ends import Ends
from llrcal.scale.pieces.piece import Piece

_NOTHING = EvidenceSums()


@dataclass(frozen=True)
class Evidence:
    """Sums of the LRs and LLRs of both classes."""

    tar: EvidenceSums = _NOTHING
    non: EvidenceSums = _NOTHING

    def merge(self, other: Evidence) -> Evidence:
        """The sums of both sets together; associative and commutative."""
        return Evidence(self.tar.merge(other.tar), self.non.merge(other.non))


def evidence_of(piece: Piece) -> Evidence:
    """The work on one piece: add up its evidence."""
    batches = (
        Evidence(EvidenceSums.of(batch.tar), EvidenceSums.of(batch.non))
        for batch in piece.batches()
    )
    return reduce(Evidence.merge, batches, Evidence())


@dataclass(frozen=True)
class EndsOf:
    """The work on one piece: the ends of the LLRs in each stretch."""

    edges: Floats

    def __call__(self, piece: Piece) -> Ends:
        found = (
            Ends.of(side, self.edges)
            for batch in piece.batches()
            for side in batch.sides
            if len(side)
        )
        return reduce(Ends.merge, found, Ends.none(len(self.edges)))
