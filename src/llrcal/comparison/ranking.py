"""Calibrations in the order of their errors, and how sure that order is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from llrcal.comparison.criterion import Criterion
from llrcal.comparison.differences import LEAST_DRAWS, Difference, differences
from llrcal.evaluation.bootstrap import Replicates
from llrcal.evaluation.intervals import Interval, centred_band, pairs


@dataclass(frozen=True)
class Ranking:
    """Calibrations by the criterion, the best first."""

    criterion: Criterion
    values: Mapping[str, float]
    intervals: Mapping[str, Interval]
    """95 % intervals of the values; none without drawn sets."""
    others: Mapping[str, Difference]
    """Those that are not the best, where they can be compared with it."""
    draws: str
    """What was drawn, in words; empty where there is nothing to go by."""

    @classmethod
    def of(
        cls,
        criterion: Criterion,
        values: Mapping[str, float],
        drawn: Mapping[str, Replicates | None],
        *,
        grain: float = 0.0,
    ) -> Ranking:
        """Calibrations by the value of a criterion, and their numbers in drawn sets, if any."""
        values = dict(sorted(values.items(), key=lambda item: item[1]))
        enough = {
            label: found
            for label, found in drawn.items()
            if found is not None and len(found) >= LEAST_DRAWS
        }
        if len(enough) < len(values):
            return cls(criterion, values, {}, {}, "")
        numbers = {label: criterion.drawn(found) for label, found in enough.items()}
        intervals = {
            label: pairs(centred_band(numbers[label][:, None], np.array([value])))[0]
            for label, value in values.items()
        }
        first = next(iter(enough.values()))
        draws = f"{len(first):,} draws of the test {first.by}s"
        return cls(criterion, values, intervals, differences(values, numbers, grain=grain), draws)

    @property
    def best(self) -> str:
        return next(iter(self.values))

    @property
    def equals(self) -> tuple[str, ...]:
        return tuple(label for label, other in self.others.items() if not other.is_seen)

    def described(self, label: str) -> str:
        """The number of a calibration, with its interval."""
        text = f"{self.values[label]:.4f}"
        if label in self.intervals:
            low, high = self.intervals[label]
            text += f" (95 % interval {low:.4f} to {high:.4f})"
        return text
