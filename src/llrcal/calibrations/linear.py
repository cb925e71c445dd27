"""Calibrations of the form LLR = slope * score + offset."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.declaration import Weight
from llrcal.errors import DegenerateError


@dataclass(frozen=True, kw_only=True, repr=False)
class Linear(Calibration):
    """A linear calibration, stored as slope and height at an origin among the scores."""

    alpha: Weight
    origin: Annotated[float, "A score amid those of training, from which scores are measured."]
    slope: Annotated[float, "Rise of the LLR per unit of score."]
    height: Annotated[float, "LLR of a score at the origin: LLR = height + slope (score - origin)."]

    @property
    def offset(self) -> float:
        """LLR of a score of zero."""
        return self.height - self.slope * self.origin

    def _llrs(self, scores: Array) -> Floats:
        centred = scores.astype(np.float64, copy=False) - self.origin
        if self.slope == 0:
            return np.full(scores.shape, self.height)  # also for infinite scores
        with np.errstate(over="ignore"):  # an LLR too large for a double is infinite
            return np.asarray(self.slope * centred + self.height)

    @property
    def params(self) -> dict[str, Any]:
        return {"slope": self.slope, "offset": self.offset}


def check_line(slope: float, height: float) -> None:
    """Raise a DegenerateError if slope or height overflow.

    This happens only with extreme scores, if one of the classes has a single value.
    """
    if not (math.isfinite(slope) and math.isfinite(height)):
        raise DegenerateError(
            f"the slope {slope:.3g} or the height {height:.3g} of the line is out of range; use "
            "pav, or multiply all scores by a constant that brings them close to one"
        )
