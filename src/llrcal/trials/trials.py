"""A set of trials: what every file is read into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from llrcal.arrays import Array, Floats
from llrcal.errors import ScoreError
from llrcal.inputs.scores import as_scores

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Trials:
    """Target and non-target scores, and what is known about the trials."""

    tar: Array
    non: Array
    source: str = "arrays"
    tar_speakers: Array | None = None
    """Where known, the enrolment and the test speaker of each target trial as whole numbers."""
    non_speakers: Array | None = None
    is_target: Array | None = None
    """Which trials are targets, in the order of the file; None if all targets come first."""
    ids: pl.DataFrame | None = None
    """Names of model and recording (columns ``enrol``, ``test``, ...), in the order of the file."""
    notes: tuple[str, ...] = ()
    """How the files were read, and what was done to the trials."""
    left_out: tuple[str, ...] = ()
    """Those of the notes that tell of scores that could not be used: see ``on_nan``."""
    score_name: str | None = None
    """What the file calls the column of scores, where it has names."""
    forensic: bool = False
    """Whether the labels are hypotheses (Hp and Hd): LLRs are then often common logarithms."""
    allow_infinite: bool = False
    totals: tuple[int, int] | None = None
    """How many targets and non-targets there are in all, where these are a sample of them."""

    def __post_init__(self) -> None:
        for side, name, speakers in (
            ("tar", "target", self.tar_speakers),
            ("non", "non-target", self.non_speakers),
        ):
            what = f"{self.source}: {name}"
            scores = as_scores(getattr(self, side), what, allow_infinite=self.allow_infinite)
            object.__setattr__(self, side, scores)  # lists become arrays
            if speakers is not None and speakers.shape != (len(scores), 2):
                raise ScoreError(
                    f"{self.source}: {name} speakers have shape {speakers.shape}; expected "
                    f"two columns for {len(scores)} trials"
                )

    def negated(self) -> Trials:
        """The same trials with negated scores: distances as likenesses."""
        return replace(self, tar=-self.tar, non=-self.non, source=f"{self.source} (negated)")

    def __len__(self) -> int:
        return len(self.tar) + len(self.non)

    @property
    def counts(self) -> tuple[int, int]:
        """How many targets and non-targets there are, also where these are a sample."""
        return self.totals or (len(self.tar), len(self.non))

    @property
    def has_speakers(self) -> bool:
        return self.tar_speakers is not None and self.non_speakers is not None

    @property
    def labels(self) -> Array:
        """True for each target trial, False for each non-target, in the order of the file."""
        if self.is_target is not None:
            return self.is_target
        return np.arange(len(self)) < len(self.tar)

    @property
    def scores(self) -> Floats:
        """Every score, in the order of the file."""
        if self.is_target is None:
            return np.concatenate([self.tar, self.non]).astype(np.float64, copy=False)
        out = np.empty(len(self))
        out[self.is_target], out[~self.is_target] = self.tar, self.non
        return out
