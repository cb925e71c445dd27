"""Training on trials in pieces."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.training import Training, check_spread
from llrcal.onepass.ranks import Groups
from llrcal.onepass.summary import Summary
from llrcal.scale.passes import Passes


class StreamedTraining(Training):
    """What methods ask of training scores, worked out in passes over pieces of them."""

    def __init__(self, passes: Passes) -> None:
        self._passes = passes
        self.tar_count = passes.survey.tar.count
        self.non_count = passes.survey.non.count

    @cached_property
    def tar(self) -> Summary:
        summary = self._passes.summaries[0]
        check_spread(summary.grid, "target")
        return summary

    @cached_property
    def non(self) -> Summary:
        summary = self._passes.summaries[1]
        check_spread(summary.grid, "non-target")
        return summary

    @cached_property
    def finite(self) -> Training:
        return self  # infinite scores are refused by who reads them

    @cached_property
    def groups(self) -> Groups:
        return self._passes.groups

    @cached_property
    def score_range(self) -> tuple[float, float]:
        sides = self._passes.survey.sides
        least, greatest = min(s.least for s in sides), max(s.greatest for s in sides)
        return least + 0.0, greatest + 0.0  # of 0 and -0, 0

    def _shares_in_order(self) -> tuple[Floats, Floats]:
        if self._is_summarised or self._passes.rare is not None:
            return super()._shares_in_order()
        # Groups that are pooled do not tell. So many targets below all non-targets, and so many
        # above all of them, make for the same order.
        higher = self._passes.pooled.higher / (self.tar_count * self.non_count)
        return np.array([1 - higher, 0.0, higher]), np.array([0.0, 1.0, 0.0])

    def _next_above(self, values: Floats) -> Floats:
        return self._passes.next_above(values)
