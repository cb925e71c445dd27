"""The cost of LLRs by a proper scoring rule, as Cllr is by the logarithmic one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RuleCost:
    """A cost and its minimum, at a prior of one half; LLRs of zero cost one."""

    rule: str
    """Name of the rule, or its exponents."""
    actual: float
    minimum: float
    """The cost after the best rising transformation."""

    @property
    def loss(self) -> float:
        """What better calibration could gain."""
        return self.actual - self.minimum

    def to_dict(self) -> dict[str, float]:
        """The numbers as plain values."""
        return {"actual": self.actual, "minimum": self.minimum, "loss": self.loss}
