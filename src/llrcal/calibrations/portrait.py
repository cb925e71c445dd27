"""What the training scores of a calibration looked like: a few points of each class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple, Self

import numpy as np
from scipy.special import xlogy

from llrcal.arrays import Array, Floats
from llrcal.calibrations.training import Training
from llrcal.declaration import Rising, schema
from llrcal.errors import DegenerateError
from llrcal.onepass.cells import Cells
from llrcal.onepass.summary import Summary

_CELLS = 100
_MOST_READ = 4096
# Whether scores look like those of training. Chosen on simulated scores, on halves of sets by
# speaker, and on pairs of conditions of NIST SRE 2008: silent where nothing has moved.
FEWEST = 500
"""Scores that are looked at at all."""
_SAMPLE = 5000  # scores that are looked at at most
_RANGES = 30  # of scores, which have the same mass under both classes together
_MOST_UNLIKE = 0.05  # nats per score
_MORE_THAN_CHANCE = 2.0  # times what chance gives, so that a few hundred scores do not alarm
_PSEUDO = 0.5  # training scores that each range has beforehand
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

    @cached_property
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


class Ranges(NamedTuple):
    """Ranges of scores, and how many of each class lie there."""

    edges: Floats
    """Inner ones."""
    tar: Floats
    non: Floats
    """Shares of both classes."""
    tar_count: float
    non_count: float

    def unlike(self, sample: Array) -> float:
        """How far scores are from any mixture of both classes, beyond what chance gives.

        Kullback-Leibler divergence, in nats per score. A p-value would be small for any change, if
        only there are many scores.
        """
        cells = np.searchsorted(self.edges, sample, "right")
        seen = np.bincount(cells, minlength=len(self.tar)) / len(sample)
        share = self._share(seen)
        mixture = share * self.tar + (1 - share) * self.non
        tar, non = share**2 / self.tar_count, (1 - share) ** 2 / self.non_count
        of_portrait = float(((tar * self.tar + non * self.non) / mixture).sum()) / 2
        chance = len(self.edges) / (2 * len(sample)) + of_portrait
        return float(xlogy(seen, seen / mixture).sum()) - _MORE_THAN_CHANCE * chance

    def _share(self, seen: Floats) -> float:
        """The share of targets at which the likelihood, which is concave, is greatest."""
        low, high, apart = 0.0, 1.0, self.tar - self.non
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            if seen @ (apart / (self.non + middle * apart)) > 0:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)


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
    def ranges(self) -> Ranges:
        """Ranges of scores that have the same mass under both classes together."""
        sides = self.tar.below, self.non.below
        places = np.union1d(sides[0][0], sides[1][0])
        both = sum(np.interp(places, *side, left=0.0, right=1.0) for side in sides)
        edges = np.unique(np.interp(2 * np.arange(1, _RANGES) / _RANGES, both, places))
        shares = (
            np.diff(np.interp(edges, *side, left=0.0, right=1.0), prepend=0.0, append=1.0)
            for side in sides
        )
        counts = sum(self.tar.counts), sum(self.non.counts)
        tar, non = (
            (share * count + _PSEUDO) / (count + _PSEUDO * len(share))
            for share, count in zip(shares, counts, strict=True)
        )
        return Ranges(edges, tar, non, *counts)

    def looks_like(self, scores: Array, *, lower_is_better: bool = False) -> bool:
        """Whether scores can be of these classes, at any share; so can few scores.

        It takes a fraction of a millisecond. :func:`llrcal.watch` takes a second, sees more, and
        tells what a change costs.
        """
        flat = scores.reshape(-1)
        known = min(self.ranges.tar_count, self.ranges.non_count)
        if flat.size < FEWEST or known < _FEWEST_KNOWN:
            return True
        sample = flat[:: -(-flat.size // _SAMPLE)]
        return self.ranges.unlike(-sample if lower_is_better else sample) < _MOST_UNLIKE
