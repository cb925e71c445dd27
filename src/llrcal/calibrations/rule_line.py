"""The line that minimises a proper scoring rule other than the logarithmic one.

Such a criterion need not be convex, nor need it have a minimum: a bounded cost, such as Brier's,
may go on falling as the slope grows and the line becomes a decision. So the search starts from
two places, the line of the logarithmic rule and one through the medians of the classes, which no
outlier can turn, or from no line at all if an outlier makes both too expensive. The better minimum
is taken; and if there is none, the line of the logarithmic rule is.
"""

from __future__ import annotations

import math

import numpy as np

from llrcal.arrays import Floats
from llrcal.densities.density import quantiles
from llrcal.fitting.logistic import LineCost, Weighted
from llrcal.fitting.optimizer import Solution, minimise
from llrcal.fitting.trust_region import bends_more_than
from llrcal.messages import Setting
from llrcal.notes import Note

_TOLERANCE = 1e-12
_AT_MEDIANS = 2.0  # LLR of the median target at the second start, and minus that of the non-target
_WORST_START = 100.0  # where one is the cost of no line; outliers may cost more than doubles hold
_STEEPEST = 1024.0, 16.0  # LLRs per unit of score; or times the slope of the logarithmic rule
_FLAT = 1e-13  # least curvature, relative to those along the axes, that rounding may feign
_SETTLED = 1e-3  # length of a Newton step that a minimum may have left
_SAME = 1e-9  # relative difference between values of one minimum

NO_MINIMUM = Note.warning(
    "no minimum",
    "the criterion of this rule has no minimum that could be found for these scores: it goes on "
    "falling as the slope grows, or is flat. The line is that of ",
    Setting("rule", "log"),
)


def _median_line(tar: Weighted, non: Weighted, steepest: float) -> Floats:
    """A line through the medians of the classes, not steeper than that."""
    medians = [quantiles(*side, (0.5,))[0] for side in (tar, non)]
    distance = abs(medians[0] - medians[1])
    slope = 2 * _AT_MEDIANS / distance if distance > 2 * _AT_MEDIANS / steepest else steepest
    slope = math.copysign(slope, medians[0] - medians[1])
    return np.array([slope, -0.5 * slope * sum(medians)])


def rule_line(
    cost: LineCost, tar: Weighted, non: Weighted, log_line: Solution
) -> tuple[Solution | None, tuple[Note, ...]]:
    """The best minimum of the cost of these points, if there is one, and what to know of it.

    The cost is one where there is no line.
    """
    steepest = max(_STEEPEST[0], _STEEPEST[1] * abs(float(log_line.point[0])))
    bound = np.array([steepest, np.inf])
    lines = (log_line.point, _median_line(tar, non, steepest))
    starts = [line for line in lines if cost(line).value <= _WORST_START]
    found = [
        minimise(cost, start, lower=-bound, upper=bound, tolerance=_TOLERANCE)
        for start in starts or [np.zeros(2)]
    ]
    minima = [one for one in found if _is_minimum(one)]
    if not minima:
        return None, (NO_MINIMUM,)
    # The first of those that are equal but for rounding, which is that of the logarithmic rule.
    least = min(one.value for one in minima)
    best = next(one for one in minima if one.value <= least + _SAME * abs(least))
    notes = tuple(
        Note.of(
            "several minima",
            f"the criterion has another minimum, {other.value:.6g} instead of {best.value:.6g}, "
            "where 1 is its value if all LLRs are zero: the lower one was taken",
        )
        for other in minima
        if other.value > best.value + _SAME * abs(best.value)
    )
    total = sum(one.iterations for one in found)
    saddles = sum(one.saddles_escaped for one in found)
    return best.with_totals(iterations=total, saddles_escaped=saddles), notes


def _is_minimum(solution: Solution) -> bool:
    """Whether a search has settled, rather than followed a slope that goes on and on.

    On such a slope gradient and curvature vanish together, and the Newton step does not.
    """
    hessian, curvatures = solution.hessian, np.diagonal(solution.hessian)
    if not solution.converged or solution.active or not (curvatures > 0).all():
        return False
    # In units of the curvatures, which an outlier may drive far apart.
    units = np.sqrt(curvatures)
    if not bends_more_than(_FLAT, hessian / np.outer(units, units), solution.free):
        return False
    step = np.linalg.solve(hessian, solution.gradient)
    return bool(np.linalg.norm(step) <= _SETTLED * max(1.0, float(np.abs(solution.point).max())))
