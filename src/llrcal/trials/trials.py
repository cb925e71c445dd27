"""A set of trials: what every file is read into."""

from __future__ import annotations

from dataclasses import dataclass

from llrcal.arrays import Array
from llrcal.errors import ScoreError
from llrcal.scores import as_scores


@dataclass(frozen=True)
class Trials:
    """Target and non-target scores.

    ``tar_speakers`` and ``non_speakers``, where known, hold the enrolment and the test speaker
    of each trial as whole numbers, in two columns.
    """

    tar: Array
    non: Array
    source: str = "arrays"
    tar_speakers: Array | None = None
    non_speakers: Array | None = None

    def __post_init__(self) -> None:
        for name, scores, speakers in (
            ("target", self.tar, self.tar_speakers),
            ("non-target", self.non, self.non_speakers),
        ):
            as_scores(scores, f"{self.source}: {name}")
            if speakers is not None and speakers.shape != (len(scores), 2):
                raise ScoreError(
                    f"{self.source}: {name} speakers have shape {speakers.shape}; expected "
                    f"two columns for {len(scores)} trials"
                )

    @property
    def has_speakers(self) -> bool:
        return self.tar_speakers is not None and self.non_speakers is not None
