"""Pool-adjacent-violators, and the ROC convex hull that it draws (paper, section 5.1).

PAV on 0/1 labels and the convex hull of the ROC are the same thing: each block that PAV pools is
an edge of the hull, whose slope is the likelihood-ratio of the block.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.onepass.ranks import Groups


@dataclass(frozen=True)
class Hull:
    """Blocks of groups with rising target share; ``tar`` and ``non`` count each block's scores."""

    tar: Counts
    non: Counts
    first_group: Counts
    """Index of the group with which each block begins."""

    @classmethod
    def of(cls, pooled: Groups) -> Hull:
        return cls.pool(pooled.tar, pooled.non)

    @classmethod
    def pool(cls, tar: Counts, non: Counts) -> Hull:
        """Pool groups, given in rising order of score, until the target share rises strictly."""
        from scipy.optimize import isotonic_regression  # a third of the time of all imports

        total = (tar + non).astype(np.float64)
        blocks = isotonic_regression(tar / total, weights=total).blocks
        starts = np.asarray(blocks[:-1], np.int64)
        hull = cls(np.add.reduceat(tar, starts), np.add.reduceat(non, starts), starts)
        # SciPy compares rounded means; where rounding hides a tie, integers decide.
        while (violates := ~hull._rises()).any():
            keep = np.concatenate([[True], ~violates])
            starts = hull.first_group[keep]
            hull = cls(np.add.reduceat(tar, starts), np.add.reduceat(non, starts), starts)
        return hull

    def _rises(self) -> Array:
        """Whether each block has a larger target share than the one before, exactly."""
        exact = object if max(self.tar.max(), self.non.max()) > 2**31 else np.int64
        tar, non = self.tar.astype(exact), self.non.astype(exact)
        return np.asarray(tar[1:] * non[:-1] > tar[:-1] * non[1:], bool)

    @cached_property
    def llrs(self) -> Floats:
        """Log-likelihood-ratio of each block, -inf and inf at the ends where a class is missing."""
        with np.errstate(divide="ignore"):
            ratio = np.log(self.tar) - np.log(self.non)
        offset: float = np.log(self.tar.sum()) - np.log(self.non.sum())
        return np.asarray(ratio - offset, np.float64)

    @cached_property
    def misses(self) -> Counts:
        """Misses at each vertex: targets in the blocks below a threshold between two blocks."""
        return np.concatenate([[0], np.cumsum(self.tar)])

    @cached_property
    def false_alarms(self) -> Counts:
        """False alarms at each vertex: non-targets in the blocks above the threshold."""
        return np.concatenate([np.cumsum(self.non[::-1])[::-1], [0]])

    @property
    def pmiss(self) -> Floats:
        return np.asarray(self.misses / self.misses[-1], np.float64)

    @property
    def pfa(self) -> Floats:
        return np.asarray(self.false_alarms / self.false_alarms[0], np.float64)

    def best_vertex(self, prior_log_odds: Array) -> Counts:
        """Vertex with the least Bayes error at each prior log-odds."""
        return np.searchsorted(self.llrs, -np.asarray(prior_log_odds), side="left")
