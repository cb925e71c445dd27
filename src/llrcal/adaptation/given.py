"""The scores of the new place, however they are given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from llrcal.adaptation.move import Place
from llrcal.adaptation.objective import Evidence
from llrcal.arrays import ArrayLike
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.training import check_spread
from llrcal.errors import DegenerateError, ScoreError
from llrcal.inputs.scores import as_scores
from llrcal.onepass.cells import Cells
from llrcal.onepass.summary import Summary

# The unlabelled scores weigh as much as so many independent ones, divided by the square root of
# the share of the rarer class; and each as at most a third of one.
_TRUST, _AT_MOST = 1000.0, 1 / 3
# Labelled scores weigh a half where each class has as many as this part of the unlabelled scores
# of the rarer class, as these weigh: the more these say, the less may a few labelled ones.
_OUTVOTED = 1 / 3


@runtime_checkable
class Poolable(Protocol):
    """A set of trials whose scores can be summed up without their labels, wherever it is."""

    def pooled(self) -> Summary:
        """A summary of all scores."""

    def negated(self) -> Self:
        """The same trials with negated scores."""


Unlabelled = ArrayLike | Summary | Poolable


@dataclass(frozen=True)
class Given:
    """The scores of the new place, in the direction in which the calibration was trained."""

    scores: Summary | None
    tar: Summary | None
    non: Summary | None

    @classmethod
    def of(
        cls,
        cal: Calibration,
        scores: Unlabelled | None,
        tar: ArrayLike | None,
        non: ArrayLike | None,
    ) -> Self:
        if (tar is None) != (non is None):
            raise ScoreError("labelled scores of one class only: give both tar and non, or neither")
        if scores is None and tar is None:
            raise ScoreError("there are no scores of the new place: give scores, or tar and non")
        sign = -1 if cal.lower_is_better else 1
        return cls(
            None if scores is None else _summary(scores, "unlabelled", sign),
            None if tar is None else _summary(tar, "target", sign, may_be_equal=True),
            None if non is None else _summary(non, "non-target", sign, may_be_equal=True),
        )

    def evidence(self, place: Place, p_target: float) -> Evidence:
        pool, tar, non = (
            Cells.empty() if side is None else Cells.of(side).seen_from(place.origin, place.unit)
            for side in (self.scores, self.tar, self.non)
        )
        rarer = min(p_target, 1 - p_target)
        trust = min(_TRUST / math.sqrt(rarer), _AT_MOST * pool.count)
        few = min(tar.count, non.count)
        weight = few / (few + _OUTVOTED * trust * rarer) if few else 1.0
        log_odds = math.log(p_target) - math.log1p(-p_target)
        return Evidence(place, pool, tar, non, trust, weight, log_odds)

    @property
    def range(self) -> tuple[float, float]:
        every = [side for side in (self.scores, self.tar, self.non) if side is not None]
        return min(side.least for side in every), max(side.greatest for side in every)


def _summary(scores: Unlabelled, name: str, sign: int, *, may_be_equal: bool = False) -> Summary:
    """One of the scores, negated if they are distances."""
    if isinstance(scores, Summary):
        found = scores
    elif isinstance(scores, Poolable):
        found = (scores.negated() if sign < 0 else scores).pooled()
    else:
        values = as_scores(scores, name)
        found = Summary.of(-values if sign < 0 else values)
    if found.least < found.greatest:
        check_spread(found.grid.unit, name)
    elif not may_be_equal:
        raise DegenerateError(
            f"all {found.count:,} {name} scores equal {sign * found.least:g}: they say nothing "
            "about how the classes have moved"
        )
    return found
