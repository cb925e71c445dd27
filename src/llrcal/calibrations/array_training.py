"""Training scores in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from llrcal.arrays import LARGEST, Array, Floats
from llrcal.calibrations.dependence import Dependence
from llrcal.calibrations.intervals import By, Effects
from llrcal.calibrations.training import Training, check_spread
from llrcal.errors import DegenerateError, changed_scores
from llrcal.inputs.scores import as_scores, check_classes, check_finite
from llrcal.inputs.speakers import Speakers, both_speakers
from llrcal.notes import Note
from llrcal.onepass.chunks import map_parts
from llrcal.onepass.elub import Ranked
from llrcal.onepass.ranks import Groups, SortedRuns, groups, next_above
from llrcal.onepass.summary import Summary, Surveyed

ONE_SPEAKER = Note.warning(
    "one speaker",
    "all trials are of one speaker, so nothing is known about others: intervals treat trials as "
    "independent, and are too narrow",
)


class ArrayTraining(Training):
    """Training scores in memory."""

    def __init__(
        self,
        tar: Any,
        non: Any,
        *,
        lower_is_better: bool = False,
        speakers: Speakers | None = None,
    ) -> None:
        check_classes(tar, non)
        # As given, so that errors show the distances rather than the negated ones.
        self._given_tar = as_scores(tar, "target", allow_infinite=True)
        self._given_non = as_scores(non, "non-target", allow_infinite=True)
        self._tar, self._non = self._given_tar, self._given_non
        if lower_is_better:
            self._tar, self._non = -self._tar, -self._non
        self.tar_count = len(self._tar)
        self.non_count = len(self._non)
        self._dependence: Dependence | None = None
        if speakers is not None:
            who = both_speakers(speakers, self.tar_count, self.non_count)
            self._dependence = Dependence(self._tar, self._non, *who)

    def inflation(self, scores: Floats, effects: Effects) -> tuple[Floats | float, By]:
        if self._dependence is not None:
            factor = self._dependence.inflation(scores, *effects())
            if factor is not None:
                return factor, "speaker"
        return super().inflation(scores, effects)

    @property
    def unused_speakers(self) -> Iterator[Note]:
        if self._dependence is not None and self._dependence.count < 2:
            yield ONE_SPEAKER

    @cached_property
    def tar(self) -> Summary:
        return _summary(self._tar, self._given_tar, "target")

    @cached_property
    def non(self) -> Summary:
        return _summary(self._non, self._given_non, "non-target")

    @cached_property
    def finite(self) -> Training:
        if np.isfinite(self.score_range).all():
            return self
        wide = (scores.astype(np.float64) for scores in (self._tar, self._non))
        return ArrayTraining(*(np.clip(scores, -LARGEST, LARGEST) for scores in wide))

    @cached_property
    def groups(self) -> Groups:
        return groups(self._tar, self._non)

    def ranked(self, llrs: Callable[[Array], Floats]) -> tuple[Ranked, Ranked]:
        tar, non = (SortedRuns.of(llrs(scores)) for scores in (self._tar, self._non))
        return Ranked(tar.count, tar.below), Ranked(non.count, non.below)

    @property
    def _larger(self) -> Array:
        return self._non if self.tar_count <= self.non_count else self._tar

    def _next_above(self, values: Floats) -> Floats:
        return next_above(self._larger, values)

    @cached_property
    def score_range(self) -> tuple[float, float]:
        """Least and greatest score of both classes together.

        They are taken from what has already been computed, except if the last group consists of
        scores of the larger class: groups do not contain the greatest of those.
        """
        if self._is_summarised:
            sides = self.tar, self.non
            least = min(side.least for side in sides)
            return least + 0.0, max(side.greatest for side in sides) + 0.0  # -0.0 becomes 0.0
        low, above = self.groups.low, self.groups.excludes_low
        greatest = max(map_parts(np.max, self._larger)) if above[-1] else low[-1]
        if not low[0] <= greatest:
            raise changed_scores()
        return float(low[0]), float(greatest) + 0.0


def _summary(scores: Array, given: Array, name: str) -> Summary:
    """Summary of finite scores; whether they are follows from it, without another pass."""
    try:
        # An invalid unit is refused.
        with np.errstate(over="ignore", invalid="ignore"):
            surveyed = Surveyed(scores)
        check_spread(surveyed.grid.unit, name)
        summary = surveyed.summary
    except DegenerateError:
        check_finite(given, name)
        raise
    if not np.isfinite([summary.least, summary.greatest]).all():
        check_finite(given, name)
        raise changed_scores(name)
    return summary
