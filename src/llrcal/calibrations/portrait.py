"""What the training scores of a calibration looked like: a few points of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np

from llrcal.calibrations.training import Training
from llrcal.declaration import Rising, schema
from llrcal.errors import DegenerateError
from llrcal.onepass.cells import Cells
from llrcal.onepass.summary import Summary

_CELLS = 100
_MOST_READ = 4096
_SOME = Annotated[float, schema(exclusiveMinimum=0, maximum=2**53)]


@dataclass(frozen=True)
class ClassPortrait:
    """The training scores of one class: up to a hundred points, which are closer in the tails.

    They are those of :class:`~llrcal.onepass.cells.Cells`.
    """

    scores: Annotated[
        Rising,
        schema(maxItems=_MOST_READ),
        "Means of neighbouring training scores, in strictly rising order, negated if lower scores "
        "are better.",
    ]
    counts: Annotated[
        tuple[_SOME, ...],
        schema(as_many_as="scores"),
        "How many training scores each of them stands for.",
    ]

    @classmethod
    def of(cls, scores: Summary) -> Self:
        """The portrait of a class, given a summary of its scores."""
        cells = Cells.of(scores, cells=_CELLS)
        return cls(tuple(cells.values.tolist()), tuple(cells.counts.tolist()))

    @property
    def cells(self) -> Cells:
        """The same points as arrays."""
        return Cells(np.array(self.scores), np.array(self.counts))


@dataclass(frozen=True)
class Portrait:
    """The training scores of both classes, in the direction of training."""

    tar: Annotated[ClassPortrait, "The target scores."]
    non: Annotated[ClassPortrait, "The non-target scores."]

    @classmethod
    def of(cls, data: Training) -> Self | None:
        """The portrait of training scores; None if they are infinite, or too far apart for bins.

        Only PAV, which asks for ranks alone, can be trained on such scores.
        """
        if not np.isfinite(data.score_range).all():
            return None
        try:
            return cls(ClassPortrait.of(data.tar), ClassPortrait.of(data.non))
        except DegenerateError:
            return None
