"""Costs of LLRs by a scoring rule, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from llrcal.arrays import Array
from llrcal.evaluation.costs import cost
from llrcal.onepass.sums import ExactSum
from llrcal.scale.pieces.piece import Piece
from llrcal.scoring_rule import ScoringRule


@dataclass(frozen=True)
class Costs:
    """Sums of the costs of both classes."""

    tar: ExactSum
    non: ExactSum

    def merge(self, other: Costs) -> Costs:
        """The sums of both sets together; associative and commutative."""
        return Costs(self.tar.merge(other.tar), self.non.merge(other.non))


@dataclass(frozen=True)
class CostsBy:
    """The work on one piece: add up the costs of its LLRs."""

    rule: ScoringRule

    def __call__(self, piece: Piece) -> Costs:
        batches = (
            Costs(self._of_class(batch.tar, -1.0), self._of_class(batch.non, 1.0))
            for batch in piece.batches()
        )
        return reduce(Costs.merge, batches, Costs(ExactSum(), ExactSum()))

    def _of_class(self, llrs: Array, sign: float) -> ExactSum:
        return cost(llrs, sign, self.rule) if len(llrs) else ExactSum()
