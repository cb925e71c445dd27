"""The least and the greatest score in each of some stretches of the score axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.onepass.chunks import chunks, map_parts
from llrcal.onepass.ranks import RUN


@dataclass(frozen=True)
class Ends:
    """The ends of each stretch; inf and -inf where it has no score."""

    least: Floats
    greatest: Floats

    @classmethod
    def none(cls, count: int) -> Ends:
        return cls(np.full(count, np.inf), np.full(count, -np.inf))

    @classmethod
    def of(cls, scores: Array, edges: Floats) -> Ends:
        """The ends of scores in stretches that begin at rising edges."""

        def found(part: Array) -> Ends:
            runs = (np.sort(chunk.astype(np.float64, copy=False)) for chunk in chunks(part, RUN))
            return reduce(Ends.merge, (_of_sorted(run, edges) for run in runs), nothing)

        nothing = cls.none(len(edges))
        return reduce(Ends.merge, map_parts(found, scores), nothing)

    def merge(self, other: Ends) -> Ends:
        """The ends of both sets of scores together; associative and commutative."""
        return Ends(np.minimum(self.least, other.least), np.maximum(self.greatest, other.greatest))


def _of_sorted(run: Floats, edges: Floats) -> Ends:
    first = np.searchsorted(run, edges)
    after = np.append(first[1:], len(run))
    used = first < after
    ends = Ends.none(len(edges))
    ends.least[used], ends.greatest[used] = run[first[used]], run[after[used] - 1]
    return ends
