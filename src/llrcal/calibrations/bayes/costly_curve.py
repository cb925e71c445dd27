"""Calibrations whose formula takes so long that LLRs of training scores come from series."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.calibrations.curve import Curve
from llrcal.calibrations.panels import Panels


class CostlyCurve(Curve):
    """A curve whose formula is called a few hundred times rather than for each score."""

    @abstractmethod
    def log_ratio(self, distance: Floats) -> Floats:
        """LLRs at distances from the middle, by the formula."""

    @cached_property
    def _series(self) -> Panels:
        """The formula over the training scores."""
        low, high = self.bounds.lowest_score, self.bounds.highest_score
        return Panels(self.log_ratio, self._unit, low - self._middle, high - self._middle)

    def _from_middle(self, distance: Floats) -> Floats:
        return self._series(distance)

    def _llrs(self, scores: Array) -> Floats:
        return self._series(scores.astype(np.float64, copy=False) - self._middle)

    def _turns(self, low: float, high: float) -> Floats:
        return self._searched_turns(low, high)
