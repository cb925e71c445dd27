"""Smooth calibration: a rising spline that needs no tuning.

A penalised logistic regression gives the log-likelihood-ratio as a rising spline of the score. How
stiff it should be is not chosen but averaged over: :mod:`llrcal.fitting.stiffness` has the
criterion and the evidence. Knots are even on the scale of ranks, :mod:`llrcal.onepass.rank_scale`,
so that both tails are resolved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from scipy.special import expit

from llrcal.arrays import Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.curve import Formula
from llrcal.calibrations.methods.logistic import CONSTANT
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import TIMES, Uncertainty
from llrcal.declaration import LLR, NotNegative, Rising, schema
from llrcal.fitting.expected_labels import ENOUGH, expected_trials
from llrcal.fitting.levels import on_levels
from llrcal.fitting.report import Report
from llrcal.fitting.rising_spline import Knots
from llrcal.fitting.stiffness import Averaged, averaged_spline, distances_of_ends
from llrcal.onepass.grid import check_spread
from llrcal.onepass.rank_scale import Ordered
from llrcal.scoring_rule import default_cost

_KNOTS = 31


@dataclass(frozen=True, kw_only=True, repr=False)
class Smooth(Calibration):
    """A rising spline with quadratic pieces, given by its slopes at the knots."""

    scores: Annotated[
        Rising,
        "The knots, in strictly rising order; a single one if all training scores are equal.",
    ]
    first: Annotated[LLR, "LLR at the first knot."]
    slopes: Annotated[
        tuple[NotNegative, ...],
        schema(as_many_as="scores"),
        "Rise of the LLR per unit of score at each knot.",
    ]

    method: ClassVar[str] = "smooth"

    @classmethod
    def fit(cls, data: Training) -> Self:
        common: dict[str, Any] = {"tar_count": data.tar_count, "non_count": data.non_count}
        least, greatest = data.score_range
        if least == greatest:
            report = Report.closed_form(default_cost(data.weight("empirical")), (CONSTANT,))
            return cls(**common, report=report, scores=(least,), first=0.0, slopes=(0.0,))
        check_spread(greatest - least, "training")
        spline = data.cached(_averaged)
        parts = {
            f"stiffness {part.stiffness:g}": (part.weight, Report.of(part.solution, spline.cost))
            for part in spline.parts
        }
        return cls(
            **common,
            report=Report.joint(parts),
            scores=tuple(spline.knots.at.tolist()),
            first=spline.first,
            slopes=tuple(spline.slopes.tolist()),
        )

    @property
    def params(self) -> dict[str, Any]:
        return {
            "scores": list(self.scores),
            "llrs": self._plain_llrs(np.array(self.scores)).tolist(),
            "slopes": list(self.slopes),
        }

    @cached_property
    def _knots(self) -> Knots:
        """By their distances from the first."""
        at = np.array(self.scores)
        return Knots(at - at[0])

    @property
    def formula(self) -> Formula:
        knots, slopes = self._knots, np.array(self.slopes)
        return Formula(
            lambda distance: self.first + knots.rises(slopes, distance),
            self.scores[0],
            knots.range or 1.0,
            knots.at,
        )

    def _plain_llrs(self, scores: Floats) -> Floats:
        return self.formula.llrs(scores - self.scores[0])

    def uncertainty(self, data: Training) -> Uncertainty:
        at = data.interval_scores
        llrs = self._plain_llrs(at)
        spline = data.cached(_averaged)
        below, above = distances_of_ends(spline, at, times=TIMES)

        def influence() -> tuple[Floats, Floats]:
            covariance = spline.covariance(at)
            p = expit(llrs + np.log(data.tar_count) - np.log(data.non_count))
            return covariance * (1 - p), -covariance * p

        return Uncertainty(at, llrs - below, llrs + above, influence)


def _averaged(data: Training) -> Averaged:
    """A rising spline through the labelled scores.

    Where few trials are guided by expected labels, its parts are those of the trials alone: what
    nobody has seen makes intervals no narrower.
    """
    ordered = Ordered.of(data.tar.finely_in_order(), data.non.finely_in_order())
    cells, (knots, ranks) = ordered.cells(), ordered.evenly_spaced(_KNOTS)
    alone = averaged_spline(cells, knots, ranks)
    both = data.tar, data.non
    if min(side.count for side in both) >= ENOUGH:
        return alone
    if any(on_levels(side.points(), side.count) for side in both):
        return alone  # which have no density to expect labels from
    expected = expected_trials(cells, data.eer_score)
    if expected is None:
        return alone
    guided = averaged_spline(cells, knots, ranks, expected)
    return replace(guided, parts=alone.parts)
