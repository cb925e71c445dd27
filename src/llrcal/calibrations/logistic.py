"""Linear calibration by prior-weighted logistic regression (paper, section 4.2).

LLR = A s + B minimises

    alpha/T sum_tar log(1 + e^-x) + (1 - alpha)/N sum_non log(1 + e^x),   x = LLR + logit alpha.

The criterion is convex. If a threshold separates the classes, it has no minimum: the slope would
grow without limit. Then one dummy target is added at the mean of the non-targets, and one dummy
non-target at the mean of the targets. This follows PAV's rule for the same situation, and gives the
same LLRs as PAV if each class has a single value. The slope is finite, scales with the unit of the
scores, and is positive if targets score higher, however few there are.

Other proper scoring rules can take the place of the logarithm (:mod:`llrcal.scoring_rule`). Their
line is searched for from this one (:mod:`llrcal.calibrations.rule_line`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from llrcal.arrays import Floats, weighted_sum
from llrcal.calibrations.line_uncertainty import line_uncertainty
from llrcal.calibrations.methods.linear import Linear, check_line
from llrcal.calibrations.rule_line import NO_MINIMUM, rule_line
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.declaration import Stored, schema
from llrcal.fitting.logistic import LineCost, Weighted
from llrcal.fitting.optimizer import minimise
from llrcal.fitting.report import Report
from llrcal.notes import Note
from llrcal.onepass.summary import Summary
from llrcal.scoring_rule import GREATEST, LEAST, LOG, RuleLike, ScoringRule

_Exponent = Annotated[float, schema(minimum=LEAST, maximum=GREATEST)]
_RuleForm = Literal["log", "brier", "boosting"] | tuple[_Exponent, _Exponent]
SEPARABLE = Note.warning(
    "separable",
    "the classes are separable, so the criterion has no minimum: one dummy target was added at the "
    "mean of the non-targets, and one dummy non-target at the mean of the targets",
)
CONSTANT = Note.warning(
    "constant",
    "all scores are equal, so they carry no information: every LLR is zero",
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Logistic(Linear):
    """Logistic-regression calibration, or regression by another proper scoring rule."""

    method: ClassVar[str] = "logistic"

    rule: Annotated[
        ScoringRule,
        Stored(form=_RuleForm, read=ScoringRule.of, write=lambda rule: rule.plain),
        "The proper scoring rule that was minimised, unless it is the logarithmic one: a name, or "
        "the exponents a and b of its weights. It takes no part in LLRs.",
    ] = LOG

    @classmethod
    def fit(cls, data: Training, *, alpha: float | str = 0.5, rule: RuleLike = "log") -> Self:
        weight, scoring = data.weight(alpha), ScoringRule.of(rule)
        tar, non = data.tar, data.non
        common: dict[str, Any] = {
            "tar_count": data.tar_count,
            "non_count": data.non_count,
            "alpha": alpha if isinstance(alpha, str) else weight,
            "rule": scoring,
        }
        if min(tar.least, non.least) == max(tar.greatest, non.greatest):
            report = Report.closed_form(_entropy(weight, scoring), (CONSTANT,))
            return cls(**common, origin=tar.least + 0.0, slope=0.0, height=0.0, report=report)

        tar_points, non_points, origin, unit = _both(data)
        notes: tuple[Note, ...] = (SEPARABLE,) if _are_separable(data) else ()

        # In units of the smaller weight, so that a small alpha does not make gradients look small.
        rarer = min(weight, 1 - weight)
        cost = LineCost(tar_points, non_points, weight / rarer, (1 - weight) / rarer)
        solution, unit_cost = minimise(cost, np.zeros(2), tolerance=1e-12), rarer
        if scoring != LOG:
            # And in units of the cost without a line, which starts are held to.
            default = scoring.default_cost(weight)
            shares = weight / default, (1 - weight) / default
            cost = LineCost(tar_points, non_points, *shares, scoring)
            line, more = rule_line(cost, tar_points, non_points, solution)
            notes += more
            if line is not None:
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
        at = data.places
        if len(at) == 1:
            return Uncertainty.none(at, np.full(1, self.height))
        tar, non, origin, unit = _both(data)
        sides = (*tar, data.tar_count), (*non, data.non_count)
        fell_back = any(note.code == NO_MINIMUM.code for note in self.report.notes)
        return line_uncertainty(
            at,
            (at - origin) / unit,
            (self.slope * unit, self.height + self.slope * (origin - self.origin)),
            sides,
            data.weight(self.alpha),
            LOG if fell_back else self.rule,
        )


def _are_separable(data: Training) -> bool:
    tar, non = data.tar, data.non
    return non.greatest <= tar.least or tar.greatest <= non.least


def _both(data: Training) -> tuple[Weighted, Weighted, float, float]:
    """Points of both classes in standard units, with dummies if necessary; origin and unit."""
    tar, non = data.tar, data.non
    origin = 0.5 * tar.grid.origin + 0.5 * non.grid.origin
    # The unit of a class of equal scores is meaningless.
    spreads = [side.grid.unit for side in (tar, non) if side.least < side.greatest]
    unit = max([abs(tar.grid.origin - non.grid.origin), *spreads])
    check_line(1 / unit, 0.0)
    tar_points, non_points = (standardised(side, origin, unit) for side in (tar, non))
    if _are_separable(data):
        tar_mean, non_mean = weighted_sum(*tar_points), weighted_sum(*non_points)
        tar_points = _with_dummy(tar_points, tar.count, non_mean)
        non_points = _with_dummy(non_points, non.count, tar_mean)
    return tar_points, non_points, origin, unit


def standardised(scores: Summary, origin: float, unit: float) -> tuple[Floats, Floats]:
    """Points that stand for scores, seen from an origin in a unit, and their weights."""
    points, grid = scores.points(), scores.grid
    return points.values * (grid.unit / unit) + (grid.origin - origin) / unit, points.weights


def _with_dummy(points: tuple[Floats, Floats], count: int, place: float) -> tuple[Floats, Floats]:
    """Add one score to points whose weights sum to one."""
    values, weights = points
    share = count / (count + 1)
    return np.append(values, place), np.append(weights * share, 1 - share)


def _entropy(weight: float, rule: ScoringRule) -> float:
    """The criterion if every LLR is zero."""
    if rule == LOG:
        return float(-weight * np.log(weight) - (1 - weight) * np.log1p(-weight))
    return rule.default_cost(weight)
