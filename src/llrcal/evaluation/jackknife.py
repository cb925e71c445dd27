"""Intervals by a jackknife over groups of speakers, for trials of which only counts are known.

The trials are counted once more for each group, without those in which anybody of the group takes
part. With G groups and theta_g the number without the g-th, the variance is

    (G - 1) / G * sum over g of (theta_g - mean theta)^2,

and intervals are those of Student's t with G - 1 degrees of freedom. A trial of two speakers is
left out with the group of either, so that the numbers are like U-statistics of degree two, for
which this variance is on the safe side (Arvesen, Annals of Mathematical Statistics 40, 1969; Efron
and Stein, Annals of Statistics 9, 1981). Costs are taken on a logarithmic scale and rates on that
of log-odds, on which their distributions are closer to Gaussian ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import stdtrit

from llrcal.arrays import Array, Floats
from llrcal.evaluation.bootstrap import Progress, Replicates, unheard
from llrcal.evaluation.measures import PLAIN, Interval, Scale
from llrcal.evaluation.statistics import Statistic

GROUPS = "group of speakers"
"""What is left out."""


def left_out(
    whole: Statistic, groups: Sequence[Callable[[], Statistic]], progress: Progress = unheard
) -> Replicates:
    """The numbers of a set of trials, and those without each group."""
    rows = []
    for done, one in enumerate(groups, 1):
        rows.append(one().actual)
        progress(done, len(groups))
    drawn = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    tar_count, non_count = (int(side.counts.sum()) for side in whole.sides)
    counts = tar_count, non_count
    return Replicates(whole.actual, drawn, counts, GROUPS, counts, whole.whole)


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def jackknife(
    without: Floats,
    numbers: Floats,
    level: float,
    limits: Interval = (-math.inf, math.inf),
    scale: Scale = PLAIN,
) -> tuple[Floats, Floats]:
    """Intervals of numbers, given those without each group (rows).

    Numbers that have no place on a scale, such as rates of zero, are taken as they are.
    """

    def ends(scale: Scale) -> tuple[Array, Array]:
        moved, middle = scale.there(without), scale.there(numbers)
        groups = len(without)
        variance = (groups - 1) / groups * np.square(moved - moved.mean(axis=0)).sum(axis=0)
        reach = float(stdtrit(groups - 1, (1 + level) / 2)) * np.sqrt(variance)
        return scale.back(middle - reach), scale.back(middle + reach)

    found = np.where(np.isfinite(ends(scale)).all(axis=0), ends(scale), ends(PLAIN))
    low, high = np.where(np.isnan(found), np.array(limits)[:, None], np.clip(found, *limits))
    return low, high
