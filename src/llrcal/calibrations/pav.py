"""Non-parametric calibration by pool-adjacent-violators (paper, section 5.1).

The best rising step function on the training scores is infinite at an end where only one class has
scores. New scores may lie there, so one dummy target is added below all scores and one dummy
non-target above them (Laplace's rule of succession, as in the BOSARIS toolkit): every LLR is then
finite, and no larger than the number of training trials supports.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from scipy.special import xlogy

from llrcal.arrays import Bools, Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.curve import Steps
from llrcal.calibrations.pav_uncertainty import step_uncertainty
from llrcal.calibrations.training import Training
from llrcal.calibrations.uncertainty import Uncertainty
from llrcal.declaration import Rising, schema
from llrcal.fitting.report import Report
from llrcal.notes import Note
from llrcal.onepass.hull import Hull

DUMMIES = Note.of(
    "dummy trials",
    "LLRs are finite because one dummy target was added below all scores, and one dummy "
    "non-target above them (Laplace's rule of succession)",
)


@dataclass(frozen=True, kw_only=True, repr=False)
class PAV(Calibration):
    """A rising step function: ``llrs[i]`` for scores from ``scores[i]`` up to ``scores[i + 1]``.

    Each knot is the smallest training score of its step; scores below the first knot get the
    first value.
    """

    scores: Annotated[Rising, "Where each step begins, in strictly rising order."]
    llrs: Annotated[Rising, schema(as_many_as="scores"), "Its LLR, in strictly rising order."]

    method: ClassVar[str] = "pav"
    needs_ranks: ClassVar[bool] = True

    @classmethod
    def fit(cls, data: Training) -> Self:
        data = data.finite
        hull = data.hull
        llrs, rises = _steps(hull)
        edges = data.first_scores(np.maximum(hull.first_group - 1, 0))
        return cls(
            tar_count=data.tar_count,
            non_count=data.non_count,
            report=Report.closed_form(_mean_cost(hull), (DUMMIES,)),
            scores=tuple(edges[rises].tolist()),
            llrs=tuple(llrs[rises].tolist()),
        )

    def uncertainty(self, data: Training) -> Uncertainty:
        hull = data.finite.hull
        first = np.flatnonzero(_steps(hull)[1])
        tar, non = (np.add.reduceat(side, first) for side in (hull.tar, hull.non))
        return step_uncertainty(self._knots, self._values, tar, non)

    @property
    def params(self) -> dict[str, Any]:
        return {"scores": list(self.scores), "llrs": list(self.llrs)}

    @property
    def formula(self) -> Steps:
        return Steps(self._knots, self._values)

    def meeting(self, data: Training) -> float:
        """Where the steps reach zero; since they never fall, any place would do."""
        return self.scores[min(int(np.searchsorted(self._values, 0.0)), len(self.scores) - 1)]

    @cached_property
    def _knots(self) -> Floats:
        return np.array(self.scores)

    @cached_property
    def _values(self) -> Floats:
        return np.array(self.llrs)


def _steps(hull: Hull) -> tuple[Floats, Bools]:
    """LLRs of blocks, and which of them are above those before."""
    llrs = np.maximum.accumulate(hull.llrs)
    return llrs, np.diff(llrs, prepend=-np.inf) > 0  # different shares may round to the same LLR


def _mean_cost(hull: Hull) -> float:
    """Mean cross-entropy of the labels of all trials, dummies included, in nats."""
    total = hull.tar + hull.non
    cost = -xlogy(hull.tar, hull.tar / total) - xlogy(hull.non, hull.non / total)
    return float(cost.sum() / total.sum())
