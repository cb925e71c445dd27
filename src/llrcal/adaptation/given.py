"""The scores from the field, however they are given, and of how many people they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from llrcal.arrays import ArrayLike, is_number
from llrcal.calibrations.calibration import Calibration
from llrcal.errors import DegenerateError, OptionError, ScoreError
from llrcal.inputs.scores import as_scores
from llrcal.messages import Setting
from llrcal.onepass.cells import Cells
from llrcal.onepass.grid import check_spread
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

    pool: Cells
    """The unlabelled scores."""
    tar: Cells
    non: Cells
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
        summaries = [
            None if side is None else _summary(side, name, sign)
            for side, name in ((scores, "unlabelled"), (tar, "target"), (non, "non-target"))
        ]
        pool, few_tar, few_non = (
            Cells.empty() if side is None else Cells.of(side) for side in summaries
        )
        ends = [end for side in summaries if side for end in (side.least, side.greatest)]
        return cls(pool, few_tar, few_non, (min(ends), max(ends)))


def number_of_speakers(scores: object, speakers: ArrayLike | None) -> float | None:
    """Of how many speakers scores are; None if nobody says so.

    Labels are one or two for each score; speakers who have more scores than others add less.

    Raises
    ------
    OptionError
        If it is neither a number of at least 1 nor labels.
    """
    if speakers is None:
        return None
    labels = np.asarray(speakers)
    if labels.ndim:
        if not labels.size or len(labels) != _count(scores):
            raise OptionError(
                Setting("speakers"),
                " has another length than the scores; give a number, or a "
                "label (or two) for each score",
            )
        counts = np.unique(labels, return_counts=True)[1] / labels.size
        return float(1 / (counts @ counts))
    if not is_number(speakers) or not float(labels) >= 1:
        raise OptionError(
            Setting("speakers"),
            f" is {speakers!r:.50}; give the number of speakers among the "
            "scores, at least 1, or a label for each score",
        )
    return float(labels)


def _count(scores: Any) -> int:
    return scores.pooled().count if isinstance(scores, Poolable) else np.size(scores)


def _summary(scores: Unlabelled, name: str, sign: int) -> Summary:
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
    elif name == "unlabelled":
        raise DegenerateError(
            f"all {found.count:,} {name} scores equal {sign * found.least:g}: they say nothing "
            "about how the classes have moved"
        )
    return found
