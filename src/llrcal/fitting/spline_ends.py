"""How far the average of rising splines may be from the truth, downwards and upwards.

Three things are uncertain about the spline of one stiffness:

- its mean log slope, which is Gaussian a posteriori: values further out are more uncertain, and
  more so outwards than inwards. What the spread trials hold back counts outwards, too: they keep
  slopes finite, but nobody observed them;
- the rest of it, whose variance follows from the posterior. A straight line needs less, since the
  numbers of targets and non-targets are given and not drawn (Prentice and Pyke, *Biometrika* 66,
  1979). The more pliable a spline, the more of that is left, for what it gets wrong of the shape;
- beyond the outermost knots, the random walk of the log slope, which goes on.

An average of estimates that vary together deviates as the mean of their deviations, each of which
includes its distance from the average (Buckland, Burnham and Augustin, *Biometrics* 53, 1997).
Constants were chosen on simulated scores, of which docs/smooth.md tells.
"""

from __future__ import annotations

import numpy as np

from llrcal.arrays import Floats
from llrcal.fitting.stiffness import Averaged, Part

_HELD_BACK = 2.0  # times what the spread trials do to first order
_SHARPER = 3.0  # power of the weights, else intervals of straight lines are too wide
_STRAIGHT = 100.0  # the stiffness at which a spline counts as half a line, half a curve
_WIDTHS = (0.95, 0.9)  # factors of the distances, of a curve and of a line
_MOST = 20.0  # steps of a logarithm: more than any trials can tell


def distances_of_ends(average: Averaged, scores: Floats, *, times: float) -> tuple[Floats, Floats]:
    """How far below and above the values the ends of their intervals lie.

    The intervals are as probable as ``times`` standard deviations around the mean of a Gaussian.
    """
    mean = average.first + (average.knots.basis(scores) * average.slopes).sum(axis=1)
    weights = np.array([part.weight for part in average.parts]) ** _SHARPER
    ends = [_ends(average, part, scores, mean, times) for part in average.parts]
    below, above = (weights[:, None, None] * ends).sum(axis=0) / weights.sum()
    return below, above


def _ends(average: Averaged, part: Part, scores: Floats, mean: Floats, times: float) -> Floats:
    """How far one spline allows the mean to be off, downwards and upwards."""
    at = average.knots.at
    basis = average.knots.basis(scores)
    values, jacobian = part.values(basis), part.jacobian(basis)
    straight = part.stiffness / (part.stiffness + _STRAIGHT)
    by_level = (jacobian * part.level.effect).sum(axis=1)
    variance = np.einsum("ki,ij,kj->k", jacobian, part.covariance, jacobian)
    variance -= (by_level * part.level.deviation) ** 2 + straight * average.odds_variance
    even = times**2 * (np.maximum(variance, 0) + (values - mean) ** 2)
    level = times * part.level.deviation
    held_back = _HELD_BACK * max(part.level.pull, 0.0)
    of_level = _scaled(by_level, inwards=level, outwards=level + held_back)
    walk = times / np.sqrt(part.stiffness)
    beyond = values - part.values(average.knots.basis(np.clip(scores, at[0], at[-1])))
    of_walk = _scaled(beyond, inwards=walk, outwards=walk)
    width = (1 - straight) * _WIDTHS[0] + straight * _WIDTHS[1]
    return np.asarray(width * np.sqrt(even + of_level**2 + of_walk**2))


def _scaled(rise: Floats, *, inwards: float, outwards: float) -> Floats:
    """How far a rise moves downwards and upwards if its logarithm falls or rises by so much."""
    less = rise * np.expm1(-min(inwards, _MOST))
    more = rise * np.expm1(min(outwards, _MOST))
    return np.array([-np.minimum(less, more), np.maximum(less, more)])
