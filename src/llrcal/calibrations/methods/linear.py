"""Calibrations of the form LLR = slope * score + offset."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from llrcal.arrays import LARGEST
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.curve import Curve, Formula
from llrcal.declaration import GREATEST_LLR, LLR, Weight
from llrcal.errors import DegenerateError


@dataclass(frozen=True, kw_only=True, repr=False)
class Linear(Calibration):
    """A linear calibration, stored as slope and height at an origin among the scores."""

    alpha: Weight
    origin: Annotated[float, "A score amid those of training, from which scores are measured."]
    slope: Annotated[float, "Rise of the LLR per unit of score."]
    height: Annotated[LLR, "LLR of a score at the origin: LLR = height + slope (score - origin)."]

    @property
    def offset(self) -> float:
        """LLR of a score of zero."""
        return self.height - self.slope * self.origin

    @property
    def formula(self) -> Formula:
        steepness = max(abs(self.slope), 1 / LARGEST)
        return Formula(lambda d: self.slope * d + self.height, self.origin, 1 / steepness)

    @cached_property
    def unbounded(self) -> Curve:
        falls = self.slope < 0 and self.bounds.eer_score is not None
        if self.bounds.policy != "none" or self.slope == 0 or falls:
            return super().unbounded
        line = Curve.line(self.slope, self.height, self.origin)
        return line.mirrored() if self.lower_is_better else line

    @property
    def params(self) -> dict[str, Any]:
        return {"slope": self.slope, "offset": self.offset}


def check_line(slope: float, height: float) -> None:
    """Raise a DegenerateError if slope or height are too large for a model file.

    This happens only with extreme scores, if one of the classes has a single value.
    """
    if not (math.isfinite(slope) and abs(height) <= GREATEST_LLR):
        raise DegenerateError(
            f"the slope {slope:.3g} or the height {height:.3g} of the line is out of range; use "
            "pav, or multiply all scores by a constant that brings them close to one"
        )
