"""The least and the greatest score in each of some ranges of the score axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.onepass.chunks import chunks, fold_array
from llrcal.onepass.ranks import RUN


@dataclass(frozen=True)
class Ends:
    """The ends of each range; inf and -inf where it has no score."""

    least: Floats
    greatest: Floats

    @classmethod
    def of(cls, scores: Array, edges: Floats) -> Ends:
        """The ends of scores in ranges that begin at rising edges."""
        return fold_array(lambda: EndsFold(edges), scores)

    def merge(self, other: Ends) -> Ends:
        """The ends of both sets of scores together; associative and commutative."""
        return Ends(np.minimum(self.least, other.least), np.maximum(self.greatest, other.greatest))

    @property
    def next_above(self) -> Floats:
        """The smallest score from each edge on; infinite where there is none."""
        return np.minimum.accumulate(self.least[::-1])[::-1] + 0.0  # no -0.0


class EndsFold:
    """The ends of arrays in ranges that begin at rising edges."""

    def __init__(self, edges: Floats) -> None:
        self._edges = edges
        far = np.full(len(edges), np.inf)
        self.value = Ends(far, -far)

    def add(self, scores: Array) -> None:
        """Add some scores."""
        for chunk in chunks(scores, RUN):
            run = np.sort(chunk.astype(np.float64, copy=False))
            first = np.searchsorted(run, self._edges)
            after = np.append(first[1:], len(run))
            used = first < after
            least, greatest = self.value.least, self.value.greatest
            least[used] = np.minimum(least[used], run[first[used]])
            greatest[used] = np.maximum(greatest[used], run[after[used] - 1])


def edges_above(values: Floats) -> Floats:
    """The edges at which the scores above rising values begin."""
    with np.errstate(over="ignore"):  # the double after the largest is infinity
        return np.nextafter(values, np.inf)
