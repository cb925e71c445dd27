"""Scores beyond those that a calibration was trained on: when there is a word to be said."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

from llrcal.arrays import LARGEST, Floats
from llrcal.notes import Note

if TYPE_CHECKING:
    from llrcal.calibrations.calibration import Calibration

_FEW, _FEW_OF_ALL = 3, 0.01


def more_than_a_few(beyond: int, total: int) -> bool:
    """Whether more scores lie beyond than in any new set: over 3, and over 1 % of them."""
    return beyond > _FEW and beyond > _FEW_OF_ALL * total


class Beyond:
    """Counts the scores that lie beyond the training scores of a calibration, batch by batch.

    Several threads may count at the same time.
    """

    def __init__(self, calibration: Calibration) -> None:
        low, high = calibration.training_range
        # The largest doubles stand for infinite training scores, or for unknown ones.
        self._low = low if low > -LARGEST else -math.inf
        self._high = high if high < LARGEST else math.inf
        self._beyond = self.total = 0
        self._lock = threading.Lock()

    def count(self, scores: Floats) -> None:
        beyond = 0
        if scores.size and not (self._low <= scores.min() and scores.max() <= self._high):
            beyond = int(((scores < self._low) | (scores > self._high)).sum())
        with self._lock:
            self._beyond += beyond
            self.total += scores.size

    @property
    def notes(self) -> tuple[Note, ...]:
        """A warning, if they were more than a few."""
        if not more_than_a_few(self._beyond, self.total):
            return ()
        share = self._beyond / self.total
        note = Note.warning(
            "range",
            f"{self._beyond:,} of {self.total:,} scores ({100 * share:.1f} %) lie beyond the "
            f"training scores, {self._low:.4g} to {self._high:.4g}, where nothing was learned. If "
            "these trials are of another kind than those of training, do not trust their LLRs: "
            "calibrate on trials like these, or adapt to their scores: see llrcal adapt",
        )
        return (note,)
