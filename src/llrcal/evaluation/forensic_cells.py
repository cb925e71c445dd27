"""Intervals of devPAV and of mean LLRs, from drawn test sets.

In a cell (:mod:`llrcal.evaluation.cells`), the LLRs of a class are taken to reach as far as those
of the whole set, which is at most a tenth of a nat near zero.

ELUB and mean LRs have no intervals. One or two misleading LRs decide them, and perhaps one that is
not in the set, so that resampling cannot find it. Intervals of 95 % held the mean ELUB of as many
trials in 88 % of the cases at best, and the mean 1/LR of targets in 61 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation.cells import InCells, edges_of
from llrcal.evaluation.dev_pav import dev_pav
from llrcal.evaluation.forensic import Forensic
from llrcal.evaluation.percentiles import Interval, interval
from llrcal.onepass.ends import Ends
from llrcal.onepass.hull import Hull


@dataclass(frozen=True)
class ForensicIntervals:
    """Intervals of forensic figures of merit, each from its lower to its upper end."""

    dev_pav: Interval
    """In log10, of drawn sets whose classes overlap; NaN if those of the set itself do not."""
    llr_tar: Interval
    """The interval of the mean LLR of the targets (Hp), in nats."""
    llr_non: Interval

    def to_dict(self) -> dict[str, Any]:
        """The intervals as plain values, with the names of :meth:`Forensic.to_dict`."""
        tar, non = ([end / math.log(10) for end in ends] for ends in (self.llr_tar, self.llr_non))
        return {
            "dev_pav": list(self.dev_pav),
            "expected": {"log10_lr_tar": tar, "log10_lr_non": non},
        }


@dataclass(frozen=True)
class ForensicCells:
    """Trials in cells: their numbers are those of :class:`ForensicIntervals`, in that order."""

    edges: Floats
    tar: InCells
    """Its means are those of LLRs."""
    non: InCells
    reach: tuple[Ends, Ends]
    """The least and the greatest LLR of each class in each cell."""

    @classmethod
    def of(cls, tar: Array, non: Array) -> ForensicCells:
        edges = edges_of(tar, non)
        tar_in, non_in = (InCells.of(side, edges, [np.array]) for side in (tar, non))
        return cls(edges, tar_in, non_in, (Ends.of(tar, edges), Ends.of(non, edges)))

    def metrics(self, tar: Counts, non: Counts) -> Floats:
        with np.errstate(invalid="ignore"):  # infinite LLRs on both sides have no mean
            means = [
                float((side.means[0][counts > 0] * counts[counts > 0]).sum() / counts.sum())
                for side, counts in ((self.tar, tar), (self.non, non))
            ]
        return np.array([self._dev_pav(tar, non), *means])

    def _dev_pav(self, tar: Counts, non: Counts) -> float:
        used = np.flatnonzero(tar + non)
        hull = Hull.pool(tar[used], non[used])
        first = used[hull.first_group]
        last = used[np.append(hull.first_group[1:], len(used)) - 1]
        (least_tar, most_tar), (least_non, most_non) = (
            (np.where(counts > 0, ends.least, np.inf), np.where(counts > 0, ends.greatest, -np.inf))
            for ends, counts in zip(self.reach, (tar, non), strict=True)
        )
        least, most = np.minimum(least_tar, least_non), np.maximum(most_tar, most_non)
        return dev_pav(hull, Ends(least[first], most[last]))

    @staticmethod
    def intervals(drawn: Floats, actual: Forensic, level: float) -> ForensicIntervals:
        """Intervals of numbers in drawn sets (rows), around those of the set itself."""
        expected = actual.expected_lrs
        numbers = actual.dev_pav, expected.llr_tar, expected.llr_non
        least = 0.0, -np.inf, -np.inf
        found = (
            _around(column, number, end, level)
            for column, number, end in zip(drawn.T, numbers, least, strict=True)
        )
        return ForensicIntervals(*found)


def _around(drawn: Floats, number: float, least: float, level: float) -> Interval:
    """The interval of drawn numbers, shifted until their mean is the number of the set itself."""
    drawn = drawn[~np.isnan(drawn)]
    if math.isnan(number) or not len(drawn):
        return math.nan, math.nan
    bias = drawn.mean() - number if math.isfinite(number) else 0.0
    shifted = drawn - (bias if math.isfinite(bias) else 0.0)
    (found,) = interval(np.maximum(shifted, least)[:, None], level)
    return found
