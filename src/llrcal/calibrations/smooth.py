"""Smooth calibration: a rising spline that needs no tuning.

A penalised logistic regression gives the log-likelihood-ratio as a rising spline of the score. How
stiff it should be is not chosen but averaged over: :mod:`llrcal.fitting.stiffness` has the
criterion and the evidence. Knots are even on the scale of ranks, :mod:`llrcal.onepass.rank_scale`,
so that both tails are resolved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.fields import Fields
from llrcal.calibrations.logistic import CONSTANT
from llrcal.calibrations.training import Training, check_spread
from llrcal.fitting.report import Report
from llrcal.fitting.rising_spline import Knots, RisingSpline
from llrcal.fitting.stiffness import averaged_spline
from llrcal.scoring_rule import LOG

_KNOTS = 31
# Beyond the knots, where next to no score of one class is left, the shape is an assumption. This
# share of the rise there counts as a standard deviation; benchmarks/intervals.py tells what for.
_GUESSED = 0.25


@dataclass(frozen=True, kw_only=True, repr=False)
class Smooth(Calibration):
    """A rising spline with quadratic pieces, given by its slopes at the knots."""

    scores: tuple[float, ...]
    """The knots; a single one if all training scores are equal."""
    first: float
    """LLR at the first knot."""
    slopes: tuple[float, ...]
    deviations: tuple[float, ...]
    """Of the LLR a posteriori: at the least training score, the knots, and the greatest score."""

    method: ClassVar[str] = "smooth"

    @classmethod
    def fit(cls, data: Training) -> Self:
        common: dict[str, Any] = {"tar_count": data.tar_count, "non_count": data.non_count}
        ordered = data.in_order  # which refuses infinite scores
        least, greatest = data.score_range
        if least == greatest:
            report = Report.closed_form(LOG.default_cost(data.empirical_alpha), (CONSTANT,))
            return cls(
                **common,
                report=report,
                scores=(least,),
                first=0.0,
                slopes=(0.0,),
                deviations=(0.0,) * 3,
            )
        check_spread(greatest - least, "training")
        knots, ranks = ordered.evenly_spaced(_KNOTS)
        spline = averaged_spline(ordered.cells(), knots, ranks)
        parts = {
            f"stiffness {part.stiffness:g}": (
                part.weight,
                Report.of(part.solution, spline.cost),
            )
            for part in spline.parts
        }
        return cls(
            **common,
            report=Report.joint(parts),
            scores=tuple(knots.tolist()),
            first=spline.first,
            slopes=tuple(spline.slopes.tolist()),
            deviations=tuple(spline.deviations(_between(data.score_range, knots)).tolist()),
        )

    @property
    def params(self) -> dict[str, Any]:
        return {
            "scores": list(self.scores),
            "llrs": self._spline.at_knots.tolist(),
            "slopes": list(self.slopes),
        }

    @cached_property
    def _spline(self) -> RisingSpline:
        return RisingSpline(Knots(np.array(self.scores)), self.first, np.array(self.slopes))

    def _llrs(self, scores: Array) -> Floats:
        return self._spline(scores)

    def _deviations(self, scores: Floats) -> Floats:
        ends = self.bounds.lowest_score, self.bounds.highest_score
        known = np.interp(scores, _between(ends, np.array(self.scores)), self.deviations)
        seen = np.clip(scores, *ends).ravel()
        beyond = self._llrs(seen) - self._llrs(np.clip(seen, self.scores[0], self.scores[-1]))
        return np.hypot(known, _GUESSED * beyond.reshape(scores.shape))

    def to_model(self) -> dict[str, Any]:
        return {
            "scores": list(self.scores),
            "first": self.first,
            "slopes": list(self.slopes),
            "deviations": list(self.deviations),
        }

    @classmethod
    def from_model(cls, model: Fields, **common: Any) -> Self:
        scores = model.rising("scores")
        return cls(
            scores=scores,
            first=model.number("first"),
            slopes=model.not_negatives("slopes", len(scores)),
            deviations=model.not_negatives("deviations", len(scores) + 2),
            **common,
        )


def _between(ends: tuple[float, float], knots: Floats) -> Floats:
    """The knots, with the least and the greatest training score around them."""
    low, high = ends
    return np.concatenate([[min(low, knots[0])], knots, [max(high, knots[-1])]])
