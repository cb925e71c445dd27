"""One of the calibrations that are compared."""

from __future__ import annotations

from dataclasses import dataclass

from llrcal.calibrations import Calibration
from llrcal.calibrations.methods import is_bayes
from llrcal.evaluation import Evaluation
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.intervals import Intervals
from llrcal.scoring_rule import LOG, ScoringRule


@dataclass(frozen=True)
class Candidate:
    """A calibration and its test results."""

    label: str
    calibration: Calibration
    evaluation: Evaluation
    intervals: Intervals | None
    replicates: Replicates | None = None
    """Its numbers in drawn test sets, which are the same sets for all candidates."""

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
        return is_bayes(self.calibration)

    @property
    def adapted(self) -> bool:
        """Whether it has seen the test scores, though not their labels."""
        return self.calibration.adapted is not None


def rule_of(calibration: Calibration) -> ScoringRule | None:
    """The scoring rule of a calibration, if it is not the logarithmic one."""
    rule: ScoringRule = getattr(calibration, "rule", LOG)
    return None if rule == LOG else rule
