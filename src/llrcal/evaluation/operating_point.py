"""An operating point: a prior and two costs."""

from __future__ import annotations

from dataclasses import dataclass

from llrcal.errors import OptionError
from llrcal.evaluation.bayes_error import effective_prior_log_odds


@dataclass(frozen=True)
class OperatingPoint:
    """The prior of a target trial, and the costs of the two errors."""

    p_target: float
    c_miss: float = 1.0
    c_fa: float = 1.0

    def __post_init__(self) -> None:
        x = effective_prior_log_odds(self.p_target, self.c_miss, self.c_fa)  # checks the values
        if x.ndim:
            raise OptionError("an operating point has one prior and two costs; make several points")

    @property
    def prior_log_odds(self) -> float:
        """Prior log-odds with the costs folded in."""
        return float(effective_prior_log_odds(self.p_target, self.c_miss, self.c_fa))

    @property
    def name(self) -> str:
        """A short name: ``p0.01``, or ``p0.01-miss10-fa1`` if the costs are not both one."""
        prior = f"p{self.p_target:g}"
        if self.c_miss == self.c_fa == 1:
            return prior
        return f"{prior}-miss{self.c_miss:g}-fa{self.c_fa:g}"


DEFAULT_POINTS = tuple(OperatingPoint(p) for p in (0.001, 0.01, 0.1, 0.5))
