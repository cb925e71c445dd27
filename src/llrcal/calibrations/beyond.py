"""Scores beyond those that a calibration was trained on: when there is a word to be said."""

from __future__ import annotations

from llrcal.arrays import Array
from llrcal.calibrations.calibration import Calibration
from llrcal.notes import Note, Severity

_FEW, _FEW_OF_ALL = 3, 0.01


def more_than_a_few(beyond: int, total: int) -> bool:
    """Whether so many of all scores are more than any set of new scores has: over 3, and 1 %."""
    return beyond > _FEW and beyond > _FEW_OF_ALL * total


class Beyond:
    """Counts the scores that lie beyond the training scores of a calibration, batch by batch."""

    def __init__(self, calibration: Calibration) -> None:
        self._range = calibration.training_range
        self._beyond = self._total = 0

    def count(self, scores: Array) -> None:
        low, high = self._range
        self._beyond += int(((scores < low) | (scores > high)).sum())
        self._total += len(scores)

    @property
    def note(self) -> Note | None:
        """A warning, if they were more than a few."""
        if not more_than_a_few(self._beyond, self._total):
            return None
        (low, high), share = self._range, self._beyond / self._total
        return Note.of(
            "range",
            f"{self._beyond:,} of {self._total:,} scores ({100 * share:.1f} %) lie beyond the "
            f"training scores, {low:.4g} to {high:.4g}, where nothing was learned. If these trials "
            "are of another kind than those of training, do not trust their LLRs: calibrate on "
            "trials like these",
            severity=Severity.WARNING,
        )
