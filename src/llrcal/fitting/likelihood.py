"""Maximum-likelihood fit of a density family to a summary of scores.

Likelihoods of flexible families have several peaks. The search starts from every start point the
family offers on a coarse set of a few hundred weighted points, until it is clear which peak each
of them climbs, and finishes the best distinct candidates on all points.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.densities.density import Density, Evaluated
from llrcal.errors import DegenerateError
from llrcal.fitting.optimizer import Solution, minimise
from llrcal.fitting.report import Report
from llrcal.onepass.summary import Points, Summary

_COARSE = 512  # points in the first search
_EXTREMES = 32  # points at either end that the coarse set keeps as they are
ROUGHLY = 1e-7  # nats per score; the first search ends where no step promises more
_ONE_PEAK = 1e-6  # nats per score; its ends, if they differ by no more, are one
_NEARBY = 0.01  # in every coordinate
_FINALISTS = 3
_MOST_STEPS = 500  # a curved ridge towards the Cauchy density may take 300, in short steps
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
    refuse_degenerate(family, scores, points)
    coarse = coarser(points)
    starts = family.starts(coarse.values, coarse.weights)
    rough = [_climb(family, coarse, start, enough=ROUGHLY) for start in starts]
    finalists = [_climb(family, points, end.point) for end in _worth_finishing(rough)]
    least = min(solution.value for solution in finalists)
    good = [solution for solution in finalists if solution.value <= least + _SAME]
    best = replace(
        min(good, key=lambda solution: (not solution.converged, solution.value)),
        iterations=sum(solution.iterations for solution in rough + finalists),
        saddles_escaped=sum(solution.saddles_escaped for solution in rough + finalists),
    )
    grid = scores.grid
    density = family.from_coordinates(best.point, origin=grid.origin, unit=grid.unit)
    log_densities = density.logpdf_from(grid.origin, points.values * grid.unit)
    density = replace(density, loglik=weighted_sum(log_densities, points.weights))
    notes = family.limits(best.point, points.tie_share)
    return density, Report.of(best, objective=-density.loglik, notes=notes)


def _climb(
    family: type[Density], points: Points, start: Floats, *, enough: float = 0.0
) -> Solution:
    """Where a search for the least mean cost, minus the log-likelihood, ends."""

    def cost(at: Floats) -> Evaluated:
        return -family.mean_loglik(at, points.values, points.weights)

    lower, upper = family.bounds(points.tie_share)
    return minimise(
        cost, start, lower=lower, upper=upper, max_iterations=_MOST_STEPS, enough=enough
    )


def _worth_finishing(solutions: list[Solution]) -> list[Solution]:
    """The best few solutions, without repetitions and without hopeless ones.

    A search that has not converged may still be on its way to the best point of all, unless
    another has already arrived at a better one. Two of them are one if their points are close, and
    also where the likelihood is: narrow peaks may be side by side.
    """
    arrived = min((s.value for s in solutions if s.converged), default=np.inf)
    kept: list[Solution] = []
    for one in sorted(solutions, key=lambda solution: solution.value):
        if not one.converged and one.value > arrived:
            continue
        for other in kept:
            away = one.point - other.point
            apart = abs(one.value - other.value) + abs(float(away @ other.hessian @ away))
            if apart <= _ONE_PEAK and (np.abs(away) <= _NEARBY).all():
                break
        else:
            kept.append(one)
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


def refuse_degenerate(family: type[Density], scores: Summary, points: Points) -> None:
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
    # The share of the least or of the greatest (or of its bin), whichever is larger.
    ends = points.weights if scores.exact is not None else scores.bins[0] / scores.count
    end_share = float(ends[[0, -1]].max())
    if end_share > family.most_tied_at_end:
        raise DegenerateError(
            f"{end_share:.0%} of the {scores.count} scores share one value, and no score lies "
            f"beyond it: the likelihood of a {family.family} density grows without bound there. "
            "Use pav or logistic"
        )
