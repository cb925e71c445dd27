"""What labels to expect of scores, where trials are too few to tell: those of two densities.

With ten targets, labels alone say little. Scores say more: where they are dense, how widely they
scatter, which way they lean. So each class gets normal-inverse-Gaussian densities with their
parameters integrated out, as the method ``nig`` with ``bayes=True`` has them, but from a few
hundred draws. They tell how probable a target is at each score. Trials with such labels, as if they
had been seen, guide the spline that is fitted to the trials themselves: a catalytic prior (Huang,
Stein, Rubin and Kou, *PNAS* 117, 2020). They are worth fewer trials the more there are of the rarer
class, and none from a hundred on.

All of it is the same, but for rounding, if scores change their unit or origin, and if the classes
change places and the scores their signs.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp

from llrcal.arrays import Floats
from llrcal.densities.mixture import with_elsewhere
from llrcal.densities.nig import NIG
from llrcal.fitting.likelihood import ROUGHLY
from llrcal.fitting.posterior import Target, mirrored_draws
from llrcal.onepass.rank_scale import LabelledCells
from llrcal.onepass.summary import Points

ENOUGH = 100
"""Trials of the rarer class that need no guidance."""
_WORTH = 20.0  # trials of the rarer class
_MOST_TIED = 0.4  # share of a class in one place; from a half on it has no density, or no quartiles
_SEARCHES = np.array([[0.0, -0.5, v, 0.4] for v in (-0.4, 0.0, 0.4)])


def expected_trials(cells: LabelledCells, eer_score: float) -> Floats | None:
    """So many targets, and so many non-targets, to be expected at the scores of both classes.

    They are for fewer than ``ENOUGH`` trials of a class. None if scores do not tell its density.

    Parameters
    ----------
    cells
        The scores of both classes; those of the targets come first in the answer.
    eer_score
        The score from which outwards log-likelihood-ratios are made to rise.
    """
    totals = np.array([cells.tar_counts.sum(), cells.non_counts.sum()])
    rarer = float(totals.min())
    scores = np.concatenate([cells.tar_scores, cells.non_scores])
    tar = _log_densities(cells.tar_scores, cells.tar_counts, scores)
    non = _log_densities(cells.non_scores, cells.non_counts, scores)
    if tar is None or non is None:
        return None
    llrs = _rising(tar - non, scores, eer_score)
    shares = np.concatenate([cells.tar_counts / totals[0], cells.non_counts / totals[1]])
    worth = _WORTH * (1 - rarer / ENOUGH) / rarer * totals[:, None]
    return np.asarray(worth * shares * expit([llrs, -llrs]))


def _log_densities(own: Floats, counts: Floats, scores: Floats) -> Floats | None:
    """Log predictive densities of a class at some scores; None if the class does not tell."""
    count = float(counts.sum())
    shares = counts / count
    if shares.max() > _MOST_TIED:
        return None
    middle = np.cumsum(shares) - 0.5 * shares
    left, median, right = np.interp([0.25, 0.5, 0.75], middle, own)
    unit = float(right - left)
    points = Points((own - median) / unit, shares, float(shares.max()))
    target = Target(NIG, points, count, most=len(own))
    z = (scores - median) / unit
    with np.errstate(over="ignore", invalid="ignore"):  # of draws that are worth nothing
        rough = [target.climb(target.points, row, enough=ROUGHLY) for row in _SEARCHES]
        mode = target.climb(target.points, min(rough, key=lambda solution: solution.value).point)
        rows, weights = mirrored_draws(target, mode)
        logs = logsumexp(target.logpdfs(rows, target.standard(z)), b=weights[:, None], axis=0)
    if not np.isfinite(logs).all():
        return None
    logs -= np.log(target.spread)
    logs = with_elsewhere(logs, z, 1 / (count + 2))
    return np.asarray(logs - np.log(unit))


def _rising(llrs: Floats, scores: Floats, start: float) -> Floats:
    """The running extreme outward from a score."""
    out = llrs.copy()
    order = np.argsort(scores, kind="stable")
    for side, extreme in (
        (order[scores[order] >= start], np.maximum),
        (order[scores[order] <= start][::-1], np.minimum),
    ):
        out[side] = extreme.accumulate(out[side])
    return out
