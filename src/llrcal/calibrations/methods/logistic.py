"""Linear calibration by prior-weighted logistic regression (paper, section 4.2).

LLR = A s + B minimises

    alpha/T sum_tar log(1 + e^-x) + (1 - alpha)/N sum_non log(1 + e^x),   x = LLR + logit alpha.

The criterion is convex. If a threshold separates the classes, it has no minimum: the slope would
grow without limit. Then one dummy target is added at the mean of the non-targets, and one dummy
non-target at the mean of the targets. This follows PAV's rule for the same situation, and gives the
same LLRs as PAV if each class has a single value. The slope is finite, scales with the unit of the
scores, and is positive if targets score higher, however few there are.

Brier's rule can take the place of the logarithm (:mod:`llrcal.scoring_rule`). Its criterion need
not be convex, nor need it have a minimum: its cost is bounded, and may go on falling as the slope
grows and the line becomes a decision. So the search starts from two places, the line of the
logarithmic rule and one through the medians of the classes, which no outlier can turn, or from no
line at all if both are too expensive. The better minimum is taken; and if there is none, the line
of the logarithmic rule is.

For intervals: the line is where the mean pull of the trials vanishes. So its covariance is that of
the mean pulls of both classes, between two inverses of the curvature (Huber's "sandwich"), whatever
the rule and the weight of the targets are. There are two estimates of it. One looks at the trials
alone, and holds if the line is wrong, too; but where few trials matter, it varies a lot. The other
weighs all trials by how likely the line finds them to be of a class: it varies less, and holds if
the line is right. The larger of both is taken. With few trials it is itself uncertain, and the
quantiles are those of Student's T.

95 % intervals of simulated sets of 20 + 200 and 200 + 2,000 trials held the line of all trials in
94 to 99 % of sets where the line was right; in 93 to 96 % where targets spread 3.5 times as wide as
non-targets (by the second estimate alone in 76 to 94 %); and in 84 to 96 % where targets had
Student's T with 2.5 dof (51 to 94 %, and by the first alone 72 to 96 %).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from scipy.special import expit, stdtrit

from llrcal.arrays import Floats, weighted_sum
from llrcal.calibrations.methods.linear import Linear, check_line
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import LEVEL, Uncertainty
from llrcal.densities.density import quantiles
from llrcal.fitting.logistic import LineCost, Weighted, log_odds
from llrcal.fitting.optimizer import Solution, bends_more_than, minimise
from llrcal.fitting.report import Report
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.scoring_rule import Rule, as_rule, default_cost, rule_terms

_TOLERANCE = 1e-12
_AT_MEDIANS = 2.0  # LLR of the median target at the second start, and minus that of the non-target
_WORST_START = 100.0  # where one is the cost of no line
_STEEPEST = 1024.0, 16.0  # LLRs per unit of score; or times the slope of the logarithmic rule
_FLAT = 1e-13  # least curvature, relative to those along the axes, that rounding may feign
_SETTLED = 1e-3  # length of a Newton step that a minimum may have left
_SAME = 1e-9  # relative difference between values of one minimum
SEPARABLE = Note.warning(
    "separable",
    "the classes are separable, so the criterion has no minimum: one dummy target was added at the "
    "mean of the non-targets, and one dummy non-target at the mean of the targets",
)
CONSTANT = Note.warning(
    "constant",
    "all scores are equal, so they carry no information: every LLR is zero",
)
NO_MINIMUM = Note.warning(
    "no minimum",
    "the criterion of this rule has no minimum that could be found for these scores: it goes on "
    "falling as the slope grows, or is flat. The line is that of ",
    Setting("rule", "log"),
)
Side = tuple[Floats, Floats, int]
"""Standardised scores of a class, their weights, which sum to one, and how many trials it has."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Logistic(Linear):
    """Logistic-regression calibration, or regression by Brier's rule."""

    method: ClassVar[str] = "logistic"

    rule: Annotated[
        Rule,
        "The proper scoring rule that was minimised, unless it is the logarithmic one. It takes no "
        "part in LLRs.",
    ] = "log"

    @classmethod
    def fit(cls, data: Training, *, alpha: float | str = 0.5, rule: str = "log") -> Self:
        weight, scoring = data.weight(alpha), as_rule(rule)
        common: dict[str, Any] = {
            "tar_count": data.tar_count,
            "non_count": data.non_count,
            "alpha": alpha if isinstance(alpha, str) else weight,
            "rule": scoring,
        }
        least, greatest = data.score_range
        if least == greatest:
            report = Report.closed_form(default_cost(weight, scoring), (CONSTANT,))
            return cls(**common, origin=least, slope=0.0, height=0.0, report=report)

        tar, non, origin, unit = _with_dummies(data)
        notes: tuple[Note, ...] = (SEPARABLE,) if _are_separable(data) else ()

        # In units of the smaller weight, so that a small alpha does not make gradients look small.
        rarer = min(weight, 1 - weight)
        cost = LineCost(tar, non, weight / rarer, (1 - weight) / rarer)
        solution, unit_cost = minimise(cost, np.zeros(2), tolerance=1e-12), rarer
        if scoring != "log":
            # And in units of the cost without a line, which starts are held to.
            default = default_cost(weight, scoring)
            cost = LineCost(tar, non, weight / default, (1 - weight) / default, scoring)
            line = _rule_line(cost, tar, non, solution)
            if line is None:
                notes = (*notes, NO_MINIMUM)
            else:
                solution, unit_cost = line, default
        slope, height = float(solution.point[0]) / unit, float(solution.point[1])
        check_line(slope, height)
        return cls(
            **common,
            origin=origin,
            slope=slope,
            height=height,
            report=Report.of(solution, solution.value * unit_cost, notes),
        )

    def uncertainty(self, data: Training) -> Uncertainty:
        at = data.interval_scores
        tar, non, origin, unit = _with_dummies(data)
        sides = (*tar, data.tar_count), (*non, data.non_count)
        fell_back = any(note.code == NO_MINIMUM.code for note in self.report.notes)
        return line_uncertainty(
            at,
            (at - origin) / unit,
            (self.slope * unit, self.height + self.slope * (origin - self.origin)),
            sides,
            data.weight(self.alpha),
            "log" if fell_back else self.rule,
        )


def _are_separable(data: Training) -> bool:
    tar, non = data.tar, data.non
    return non.greatest <= tar.least or tar.greatest <= non.least


def _standard_points(data: Training) -> tuple[Weighted, Weighted, float, float]:
    """Points that stand for the scores of both classes, in standard units; origin and unit."""
    sides = data.tar, data.non
    places = [side.grid.origin for side in sides]
    origin = 0.5 * places[0] + 0.5 * places[1]
    # The unit of a class of equal scores is meaningless.
    spreads = [side.grid.unit for side in sides if side.least < side.greatest]
    unit = max([abs(places[0] - places[1]), *spreads])
    check_line(1 / unit, 0.0)
    tar, non = (
        (points.values * (grid.unit / unit) + (grid.origin - origin) / unit, points.weights)
        for points, grid in ((side.points(), side.grid) for side in sides)
    )
    return tar, non, origin, unit


def _with_dummies(data: Training) -> tuple[Weighted, Weighted, float, float]:
    """The same with a dummy of each class, at the mean of the other, if they are separable."""
    tar, non, origin, unit = _standard_points(data)
    if _are_separable(data):
        tar_mean, non_mean = weighted_sum(*tar), weighted_sum(*non)
        tar, non = _with(tar, data.tar_count, non_mean), _with(non, data.non_count, tar_mean)
    return tar, non, origin, unit


def _with(points: Weighted, count: int, place: float) -> Weighted:
    """Add one score to points whose weights sum to one."""
    share = count / (count + 1)
    return np.append(points[0], place), np.append(points[1] * share, 1 - share)


def _median_line(tar: Weighted, non: Weighted, steepest: float) -> Floats:
    """A line through the medians of the classes, not steeper than that."""
    medians = [quantiles(*side, (0.5,))[0] for side in (tar, non)]
    distance = abs(medians[0] - medians[1])
    slope = 2 * _AT_MEDIANS / distance if distance > 2 * _AT_MEDIANS / steepest else steepest
    slope = math.copysign(slope, medians[0] - medians[1])
    return np.array([slope, -0.5 * slope * sum(medians)])


def _rule_line(cost: LineCost, tar: Weighted, non: Weighted, log_line: Solution) -> Solution | None:
    """The best minimum of the cost of these points, if there is one.

    The cost is one where there is no line.
    """
    steepest = max(_STEEPEST[0], _STEEPEST[1] * abs(float(log_line.point[0])))
    bound = np.array([steepest, np.inf])
    lines = (log_line.point, _median_line(tar, non, steepest))
    starts = [line for line in lines if cost(line).value <= _WORST_START]
    solutions = [
        minimise(cost, start, lower=-bound, upper=bound, tolerance=_TOLERANCE)
        for start in starts or [np.zeros(2)]
    ]
    minima = [solution for solution in solutions if _is_minimum(solution)]
    if not minima:
        return None
    # The first of those that are equal but for rounding, which is that of the logarithmic rule.
    least = min(solution.value for solution in minima)
    return next(solution for solution in minima if solution.value <= least + _SAME * abs(least))


def _is_minimum(solution: Solution) -> bool:
    """Whether a search has settled, rather than followed a slope that goes on and on.

    On such a slope gradient and curvature vanish together, and the Newton step does not.
    """
    hessian, curvatures = solution.hessian, np.diagonal(solution.hessian)
    if not solution.converged or solution.held.any() or not (curvatures > 0).all():
        return False
    # In units of the curvatures, which an outlier may drive far apart.
    units = np.sqrt(curvatures)
    if not bends_more_than(_FLAT, hessian / np.outer(units, units)):
        return False
    step = np.linalg.solve(hessian, solution.gradient)
    return bool(np.linalg.norm(step) <= _SETTLED * max(1.0, float(np.abs(solution.point).max())))


def line_uncertainty(
    at: Floats,
    standard: Floats,
    line: tuple[float, float],
    sides: tuple[Side, Side],
    alpha: float,
    rule: Rule,
) -> Uncertainty:
    """The uncertainty of ``slope * standard + height``, in the standard units of the sides."""
    odds = log_odds(alpha)
    rows = np.column_stack([standard, np.ones(len(standard))])
    both = [
        _curvature_and_variance(line, trials, alpha, rule)
        for trials in (_by_the_line(sides, line), sides)
    ]
    curvature, variance = np.array(both).swapaxes(0, 1)
    if not (np.isfinite(curvature).all() and np.isfinite(variance).all()):
        everything = np.full(len(at), np.inf)
        return Uncertainty(at, -everything, everything, lambda: 2 * (np.zeros((len(at), len(at))),))
    # In units of the curvatures, which an outlier may drive far apart.
    units = np.sqrt(np.maximum(np.einsum("sii->si", curvature), np.finfo(np.float64).tiny))
    products = units[:, :, None] * units[:, None, :]
    inverse = np.linalg.pinv(curvature / products, hermitian=True) / products
    each = np.einsum("ki,sij->skj", rows, inverse)
    variances = np.einsum("skj,skj->sk", np.einsum("ski,sij->skj", each, variance), each)
    moved, deviations = each[0], np.sqrt(np.maximum(variances.max(axis=0), 0))
    few = min(count for _, _, count in sides)
    away = -stdtrit(max(few - 1, 1), (1 - LEVEL) / 2) * deviations
    llrs = line[0] * standard + line[1]

    def effect(count: int, share: float, sign: float) -> Floats:
        pull, _ = _pull_and_bend(standard, line, odds, rule, sign)
        return np.asarray(-share / count * np.einsum("ki,li->kl", moved, rows) * pull)

    tar, non = sides
    return Uncertainty(
        at,
        llrs - away,
        llrs + away,
        lambda: (effect(tar[2], alpha, -1), effect(non[2], 1 - alpha, 1)),
    )


def _curvature_and_variance(
    line: tuple[float, float], sides: tuple[Side, Side], alpha: float, rule: Rule
) -> tuple[Floats, Floats]:
    """Those of the mean cost by slope and height, and of its gradient."""
    odds, curvature, variance = log_odds(alpha), np.zeros((2, 2)), np.zeros((2, 2))
    for (values, weights, count), share, sign in zip(
        sides, (alpha, 1 - alpha), (-1, 1), strict=True
    ):
        pull, bend = _pull_and_bend(values, line, odds, rule, sign)
        with np.errstate(over="ignore", invalid="ignore"):  # outliers, however far
            curvature += share * _moments(values, weights * bend)
            mean = _moments(values, weights * pull)[1]
            around = _moments(values, weights * pull * pull) - np.outer(mean, mean)
            variance += share**2 / max(count - 1, 1) * around
    return curvature, variance


def _by_the_line(sides: tuple[Side, Side], line: tuple[float, float]) -> tuple[Side, Side]:
    """Trials of both classes, each as likely to be of a class as the line says."""
    tar_count, non_count = (count for _, _, count in sides)
    values = np.concatenate([side[0] for side in sides])
    counts = np.concatenate([weights * count for _, weights, count in sides])
    log_odds = line[0] * values + line[1] + math.log(tar_count) - math.log(non_count)
    tar, non = (counts * expit(sign * log_odds) for sign in (1, -1))
    return (values, tar / tar.sum(), tar_count), (values, non / non.sum(), non_count)


def _pull_and_bend(
    values: Floats, line: tuple[float, float], odds: float, rule: Rule, sign: float
) -> tuple[Floats, Floats]:
    """First and second derivatives of the costs of trials of a class by their LLRs."""
    _, rise, bend = rule_terms(sign * (line[0] * values + line[1] + odds), rule)
    return sign * rise, bend


def _moments(values: Floats, weights: Floats) -> Floats:
    """Weighted sums of the squares and products of values and ones."""
    across = values * weights
    first = across.sum()
    return np.array([[weighted_sum(values, across), first], [first, weights.sum()]])
