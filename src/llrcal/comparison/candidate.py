"""One of the calibrations that are compared."""

from __future__ import annotations

import math
from dataclasses import dataclass

from llrcal.calibrations import Calibration
from llrcal.calibrations.methods import is_bayes
from llrcal.comparison.looks import FUSION
from llrcal.evaluation import ByCondition, Evaluation
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.intervals import Intervals
from llrcal.fusion import Fused
from llrcal.method_table import TABLE
from llrcal.scoring_rule import LOG, ScoringRule


@dataclass(frozen=True)
class Candidate:
    """A calibration and its test results."""

    label: str
    calibration: Calibration | Fused
    """A fusion, of one system or several, where systems are compared."""
    evaluation: Evaluation
    replicates: Replicates | None = None
    """Its numbers in drawn test sets, which are the same sets for all candidates."""
    intervals: Intervals | None = None
    """95 % intervals of its numbers, if test sets were drawn."""
    by: ByCondition | None = None
    """Its evaluation by condition, if that was asked for."""

    @property
    def method(self) -> str:
        """The name of its method."""
        return FUSION if isinstance(self.calibration, Fused) else self.calibration.method

    @property
    def of_score(self) -> Calibration | None:
        """The calibration, if it is one of the score that figures show."""
        return None if isinstance(self.calibration, Fused) else self.calibration

    @property
    def description(self) -> str:
        """What it is, in words."""
        if isinstance(self.calibration, Fused):
            return f"a weighted sum of the scores of {', '.join(self.calibration.names)}"
        return TABLE[self.calibration.method].description

    @property
    def parameters(self) -> float:
        """How many numbers it learned."""
        if isinstance(self.calibration, Fused):
            return len(self.calibration.lines[0].weights)
        found = TABLE[self.calibration.method].parameters
        return math.inf if found is None else found

    @property
    def alpha(self) -> float | str | None:
        """The weight of a linear calibration; None for the others."""
        return getattr(self.calibration, "alpha", None)

    @property
    def rule(self) -> ScoringRule | None:
        """The scoring rule that was minimised, if it is not the logarithmic one."""
        return rule_of(self.calibration)

    @property
    def bayes(self) -> bool:
        """Whether its parameters are integrated out."""
        return self.of_score is not None and is_bayes(self.of_score)

    @property
    def adapted(self) -> bool:
        """Whether it has seen the test scores, though not their labels."""
        return self.of_score is not None and self.of_score.adapted is not None


def rule_of(calibration: Calibration | Fused) -> ScoringRule | None:
    """The scoring rule of a calibration, if it is not the logarithmic one."""
    rule: ScoringRule = getattr(calibration, "rule", LOG)
    return None if rule == LOG else rule
