"""What the training scores of a calibration looked like: a few points of each class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Self

import numpy as np
from scipy.special import xlogy

from llrcal.arrays import Counts, Floats
from llrcal.calibrations.training import Training
from llrcal.declaration import Rising, schema
from llrcal.errors import DegenerateError
from llrcal.onepass.cells import Cells
from llrcal.onepass.summary import Summary

_CELLS = 100
_MOST_READ = 4096
# Whether scores look like those of training. Chosen on simulated scores, on halves of sets by
# speaker, and on pairs of conditions of NIST SRE 2008: silent where nothing has moved.
_FEWEST = 500  # scores
_RANGES = 30  # of scores, which have the same mass under both classes together
_MOST_UNLIKE = 0.05  # nats per score
_MORE_THAN_CHANCE = 2.0  # times what chance gives, so that a few hundred scores do not alarm
_PSEUDO = 0.5  # training scores that each range has beforehand
_TINY = 1e-300  # a density where neither class is
_HALVINGS = 20  # of the interval in which the share of targets lies
_ATOM, _SEVERAL = 0.03, 3  # a larger share, and more scores in one place, are equal scores
_FEWEST_KNOWN = 20  # training scores of a class, below which nobody knows what it looks like
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

    @property
    def below(self) -> tuple[Floats, Floats]:
        """Places, in rising order, and the share of scores below each; straight in between.

        Neighbouring scores are spread over their surroundings, and equal ones are not.
        """
        scores, shares = np.array(self.scores), np.array(self.counts) / sum(self.counts)
        up_to = np.cumsum(shares)
        equal = (shares > _ATOM) & (np.array(self.counts) > _SEVERAL)
        first = np.where(equal, up_to - shares, up_to - 0.5 * shares)
        places = np.concatenate([scores, np.nextafter(scores[equal], np.inf)])
        order = np.argsort(places, kind="stable")
        return places[order], np.concatenate([first, up_to[equal]])[order]


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

    @cached_property
    def edges(self) -> Floats:
        """Between ranges of scores that have the same mass under both classes together."""
        sides = self.tar.below, self.non.below
        places = np.union1d(sides[0][0], sides[1][0])
        both = sum(np.interp(places, *side, left=0.0, right=1.0) for side in sides)
        return np.unique(np.interp(2 * np.arange(1, _RANGES) / _RANGES, both, places))

    def counted(self, scores: Floats) -> Counts:
        """How many scores lie in each of these ranges."""
        ranges = np.searchsorted(self.edges, scores, "right")
        return np.bincount(ranges, minlength=len(self.edges) + 1)

    def looks_like(self, counts: Counts) -> bool:
        """Whether scores can be of these classes, at any share, given how many lie in each range.

        Few scores can. :func:`llrcal.watch` takes a second, sees more, and tells what a change
        costs.
        """
        totals = np.array([sum(self.tar.counts), sum(self.non.counts)])
        total = int(counts.sum())
        if total < _FEWEST or totals.min() < _FEWEST_KNOWN:
            return True
        sides = self.tar.below, self.non.below
        ends = [np.interp(self.edges, *side, left=0.0, right=1.0) for side in sides]
        known = np.diff(ends, prepend=0.0, append=1.0) * totals[:, None] + _PSEUDO
        classes, seen = known / known.sum(axis=1, keepdims=True), counts / total
        share = likeliest_share(classes[0], classes[1], seen)
        shares = np.array([share, 1 - share])
        mixture = shares @ classes
        # Nats per score: a p-value would be small for any change, if only there are many scores.
        divergence = float(xlogy(seen, seen / mixture).sum())
        of_portrait = float((shares**2 / totals @ classes / mixture).sum()) / 2
        chance = len(self.edges) / (2 * total) + of_portrait
        return divergence - _MORE_THAN_CHANCE * chance < _MOST_UNLIKE


def likeliest_share(tar: Floats, non: Floats, seen: Floats) -> float:
    """The share of targets at which the likelihood, which is concave, is greatest."""
    low, high, apart = 0.0, 1.0, tar - non
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if seen @ (apart / np.maximum(non + middle * apart, _TINY)) > 0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
