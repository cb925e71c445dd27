"""The scores from the field, however they are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from llrcal.arrays import ArrayLike
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.training import check_spread
from llrcal.errors import DegenerateError, ScoreError
from llrcal.inputs.scores import as_scores
from llrcal.onepass.cells import Cells
from llrcal.onepass.summary import Summary


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
    """The scores from the field, in the direction in which the calibration was trained."""

    pool: Cells | None
    """The unlabelled scores."""
    tar: Cells | None
    non: Cells | None
    range: tuple[float, float]
    """Least and greatest of them all."""

    @classmethod
    def of(
        cls,
        cal: Calibration,
        scores: Unlabelled | None,
        tar: ArrayLike | None = None,
        non: ArrayLike | None = None,
    ) -> Self:
        if (tar is None) != (non is None):
            raise ScoreError("labelled scores of one class only: give both tar and non, or neither")
        if scores is None and tar is None:
            raise ScoreError("there are no scores from the field: give scores, or tar and non")
        sign = -1 if cal.lower_is_better else 1
        pool = None if scores is None else _summary(scores, "unlabelled", sign)
        few_tar, few_non = (
            None if side is None else _summary(side, name, sign, may_be_equal=True)
            for side, name in ((tar, "target"), (non, "non-target"))
        )
        every = [side for side in (pool, few_tar, few_non) if side is not None]
        return cls(
            None if pool is None else Cells.of(pool),
            None if few_tar is None else Cells.of(few_tar),
            None if few_non is None else Cells.of(few_non),
            (min(side.least for side in every), max(side.greatest for side in every)),
        )


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
