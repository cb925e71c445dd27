"""Maximum-likelihood fit of a density family to a summary of scores.

Likelihoods of flexible families have several peaks. The search starts from every start point the
family offers on a coarse set of a few hundred weighted points, where a start costs milliseconds,
and finishes the best distinct candidates on all points.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from llrcal.arrays import Array, Floats, weighted_sum
from llrcal.densities.density import Density, Evaluated
from llrcal.errors import DegenerateError
from llrcal.fitting.optimizer import Function, Solution, minimise
from llrcal.fitting.report import Report
from llrcal.onepass.summary import Points, Summary

_COARSE = 512  # points in the first search
_EXTREMES = 32  # points at either end that the coarse set keeps as they are
_FINALISTS = 3
_SAME = 1e-9  # nats per score; among ends as close as this, a converged one is preferred

Family = TypeVar("Family", bound=Density)


def maximum_likelihood(family: type[Family], scores: Summary) -> tuple[Family, Report]:
    """The member of a family under which the scores are most likely.

    Raises
    ------
    DegenerateError
        If there are too few scores for the family, or too many equal ones: no maximum exists.
    """
    points = scores.points()
    check_spread(family, scores, points)
    lower, upper = family.bounds(points.tie_share)
    best = _search(family, points, lower, upper)
    grid = scores.grid
    density = family.from_coordinates(best.point, origin=grid.origin, unit=grid.unit)
    log_densities = density.logpdf_from(grid.origin, points.values * grid.unit)
    density = replace(density, loglik=weighted_sum(log_densities, points.weights))
    notes = family.limits(best.point, points.tie_share)
    return density, Report.of(best, objective=-density.loglik, notes=notes)


def _search(family: type[Density], points: Points, lower: Floats, upper: Floats) -> Solution:
    coarse = coarser(points)
    starts = family.starts(coarse.values, coarse.weights)
    first = [_climb(family, coarse, start, lower, upper) for start in starts]
    saddles = sum(solution.saddles_escaped for solution in first)
    iterations = sum(solution.iterations for solution in first)
    finalists = _worth_finishing(first)
    if coarse is not points:
        finalists = [_climb(family, points, end.point, lower, upper) for end in finalists]
        saddles += sum(solution.saddles_escaped for solution in finalists)
        iterations += sum(solution.iterations for solution in finalists)
    least = min(solution.value for solution in finalists)
    good = [solution for solution in finalists if solution.value <= least + _SAME]
    best = min(good, key=lambda solution: (not solution.converged, solution.value))
    return best.with_totals(iterations=iterations, saddles_escaped=saddles)


def _climb(
    family: type[Density], points: Points, start: Array, lower: Floats, upper: Floats
) -> Solution:
    return minimise(
        _mean_cost(family, points), np.clip(start, lower, upper), lower=lower, upper=upper
    )


def _mean_cost(family: type[Density], points: Points) -> Function:
    """Minus the mean log-likelihood; infinite where doubles overflow."""

    def mean_cost(at: Floats) -> Evaluated:
        with np.errstate(all="ignore"):
            here = family.mean_loglik(at, points.values, points.weights)
        sound = all(np.isfinite(part).all() for part in here)
        return -(here if sound else Evaluated.impossible(at.size))

    return mean_cost


def _worth_finishing(solutions: list[Solution]) -> list[Solution]:
    """The best few solutions, without repetitions and without hopeless ones.

    A search that has not converged may still be on its way to the best point of all, unless
    another has already arrived at a better one.
    """
    arrived = min((s.value for s in solutions if s.converged), default=np.inf)
    kept: list[Solution] = []
    for solution in sorted(solutions, key=lambda solution: solution.value):
        hopeless = not solution.converged and solution.value > arrived
        known = any(np.allclose(solution.point, other.point, atol=1e-4) for other in kept)
        if not hopeless and not known:
            kept.append(solution)
    return kept[:_FINALISTS]


def coarser(points: Points, most: int = _COARSE) -> Points:
    """A few hundred points with the same mass in each, and the extremes as they are.

    With the extremes, a density that is positive on the coarse points is so on all of them.
    """
    size = len(points.values)
    if size <= 2 * most:
        return points
    order = np.argsort(points.values, kind="stable")
    values, weights = points.values[order], points.weights[order]
    cumulative = np.cumsum(weights)
    group = np.floor(cumulative * (most / cumulative[-1] * (1 - 1e-12))).astype(np.int64)
    group += _EXTREMES
    group[:_EXTREMES] = np.arange(_EXTREMES)
    group[-_EXTREMES:] = most + _EXTREMES + np.arange(_EXTREMES)
    mass = np.bincount(group, weights).astype(np.float64)
    sums = np.bincount(group, weights * values).astype(np.float64)
    used = mass > 0
    return Points(sums[used] / mass[used], mass[used], points.tie_share)


def check_spread(family: type[Density], scores: Summary, points: Points) -> None:
    """Refuse scores for which the likelihood of a family has no maximum.

    Raises
    ------
    DegenerateError
        If too few of them differ, or too many are equal.
    """
    if scores.least == scores.greatest:
        raise DegenerateError(
            f"all {scores.count} scores equal {scores.least:g}: a {family.family} density needs "
            "scores that differ"
        )
    distinct = len(points.values)
    if distinct < family.least_distinct:
        raise DegenerateError(
            f"{distinct} distinct scores are too few for a {family.family} density, "
            f"which needs at least {family.least_distinct}"
        )
    if points.tie_share > family.most_tied:
        raise DegenerateError(
            f"{points.tie_share:.0%} of the {scores.count} scores share one value: the likelihood "
            f"of a {family.family} density grows without bound there. Use pav or logistic"
        )
    end_share = _end_share(scores, points)
    if end_share > family.most_tied_at_end:
        raise DegenerateError(
            f"{end_share:.0%} of the {scores.count} scores share one value, and no score lies "
            f"beyond it: the likelihood of a {family.family} density grows without bound there. "
            "Use pav or logistic"
        )


def _end_share(scores: Summary, points: Points) -> float:
    """Share of the scores at the least or at the greatest (or in its bin), whichever is larger."""
    if scores.exact is None:
        return float(scores.bins[0, [0, -1]].max()) / scores.count
    return float(points.weights[[0, -1]].max())
