"""The number that calibrations are ranked by: at operating points, over the range, or Cllr."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from llrcal.arrays import Floats
from llrcal.comparison.judged_range import CURVE
from llrcal.errors import OptionError
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.operating_points import OperatingPoint
from llrcal.messages import Setting

CriterionName = Literal["points", "range", "cllr"]
CRITERIA: tuple[CriterionName, ...] = get_args(CriterionName)
# The columns of drawn numbers that each is the mean of, and of the least possible.
_ACTUAL = {"points": "act_dcf", "range": "mean_error", "cllr": "cllr"}
_LEAST = {"points": "min_dcf", "range": "least_mean_error", "cllr": "min_cllr"}


@dataclass(frozen=True)
class Criterion:
    """A number of an evaluation, which is one for decisions by the prior alone. Less is better.

    ``points``
        Mean normalised Bayes error at the operating points.
    ``range``
        The same over a range of prior log-odds, which the test scores can tell something about.
    ``cllr``
        Cllr, in bits.
    """

    name: CriterionName
    points: tuple[OperatingPoint, ...]
    range: tuple[float, float]

    @property
    def words(self) -> str:
        """What it is, for people."""
        if self.name == "cllr":
            return "Cllr"
        if self.name == "range":
            low, high = self.range
            return f"mean Bayes error over prior log-odds {low:.1f} to {high:.1f}"
        *others, last = (point.name for point in self.points)
        if not others:
            return f"Bayes error at {last}"
        return f"mean Bayes error at {', '.join(others)} and {last}"

    def value(self, evaluation: Evaluation) -> float:
        """What LLRs cost as they are."""
        if self.name == "cllr":
            return evaluation.cllr
        return float(np.mean(evaluation.bayes_error(self._priors)))

    def least(self, raw: Evaluation) -> float:
        """What the best rising calibration of some scores would cost."""
        if self.name == "cllr":
            return raw.min_cllr
        return float(np.mean(raw.min_bayes_error(self._priors)))

    def drawn(self, replicates: Replicates) -> Floats:
        """The value in every drawn set."""
        return np.asarray(replicates.drawn[_ACTUAL[self.name]].mean(axis=1))

    def least_drawn(self, replicates: Replicates) -> Floats:
        """The least possible value in every drawn set."""
        return np.asarray(replicates.drawn[_LEAST[self.name]].mean(axis=1))

    def grain(self, tar_count: int, non_count: int) -> float:
        """What one error of each class amounts to: no drawn set knows of errors never made."""
        if self.name == "cllr":
            return 0.0
        x = self._priors
        miss = float(np.exp(np.maximum(x, 0)).mean()) / tar_count
        false_alarm = float(np.exp(np.maximum(-x, 0)).mean()) / non_count
        return float(np.hypot(miss, false_alarm))

    @property
    def _priors(self) -> Floats:
        if self.name == "range":
            return np.linspace(*self.range, CURVE)
        return np.array([point.prior_log_odds for point in self.points])


def checked_criterion(name: str | None, *, asked_for_points: bool) -> CriterionName:
    """The criterion of this name; without one, that which goes with what was asked for."""
    if name is None:
        return "points" if asked_for_points else "range"
    if name == "points" and not asked_for_points:
        raise OptionError(
            "the criterion is the error at operating points, but none was asked for: give some (",
            Setting("points"),
            ")",
        )
    for known in CRITERIA:
        if name == known:
            return known
    raise OptionError(f"criterion is {name!r}; choose one of {', '.join(CRITERIA)}")
