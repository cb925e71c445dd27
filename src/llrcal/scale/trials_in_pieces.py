"""A set of trials that is never in memory as a whole: pieces, and an engine to process them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from llrcal.arrays import Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.training import Training
from llrcal.errors import ScoreError
from llrcal.evaluation.llrs import LLRs
from llrcal.notes import Note
from llrcal.onepass.summary import Summary
from llrcal.scale.engine import Engine
from llrcal.scale.folds import KeepFold, SideFold, fold_pieces
from llrcal.scale.joining import refuse_repeated
from llrcal.scale.passes import Passes, completed, glance, plan_for, tell_left_out
from llrcal.scale.piece import Piece, with_transform
from llrcal.scale.speakers import Who, find_speakers
from llrcal.scale.streamed import SpeakersInPieces, StreamedLLRs
from llrcal.trials.trials import Transform, Trials, TrialSet

PREVIEW = 2**19
"""The approximate number of scores of a class that figures are drawn from."""


@dataclass(frozen=True)
class TrialsInPieces(TrialSet):
    """Trials in files or on a cluster, as :func:`llrcal.open_trials` opens them."""

    pieces: tuple[Piece, ...]
    engine: Engine
    source: str
    notes: tuple[Note, ...] = ()
    who: Who | None = None
    """Where speakers are named, if they are."""
    key: tuple[Who | None, tuple[Piece, ...]] | None = None
    """The same in the key with which these trials were joined, and the pieces of that."""

    @classmethod
    def of(
        cls, pieces: Sequence[Piece], engine: Engine, source: str, *, check_repeated: bool = True
    ) -> TrialsInPieces:
        """The trials of some pieces.

        Raises
        ------
        TrialFileError
            If a trial occurs more than once, unless ``check_repeated`` is False.
        """
        if check_repeated:
            refuse_repeated(pieces, engine, source)
        rows = sum(piece.rows for piece in pieces)
        parts = "1 piece" if len(pieces) == 1 else f"{len(pieces):,} pieces"
        text = f"{source}: {parts} of about {rows:,} trials in all"
        return cls(tuple(pieces), engine, source, (Note.of("read", text),))

    @property
    def score_name(self) -> str | None:  # type: ignore[override]
        return self.pieces[0].score_name

    @property
    def forensic(self) -> bool:  # type: ignore[override]
        return any(piece.forensic for piece in self.pieces)

    def training(self, *, summarised: bool, ranked: bool, lower_is_better: bool) -> Training:
        trials = self.negated() if lower_is_better else self
        # Portraits need summaries, whatever methods need: now, or in a pass of their own.
        scores = Passes(trials.pieces, self.engine, summarised=True, ranked=ranked)
        are_named = self.who is not None or any(piece.names_speakers for piece in self.pieces)
        speakers = SpeakersInPieces(self.speaker_counts, are_named=are_named)
        return Training(scores, summarised=summarised, speakers=speakers)

    def speaker_counts(self) -> tuple[int, int] | None:
        """How many different speakers targets and non-targets have; None if that is not known."""
        who, pieces = self.key or (self.who, self.pieces)
        found = None if who is None else find_speakers(who, pieces, self.engine)
        return None if found is None else (len(found.tar), len(found.non))

    def llrs(self, thresholds: Floats) -> LLRs:
        return StreamedLLRs(self.pieces, self.engine, thresholds, self.who)

    def pooled(self) -> Summary:
        # One pass, unless the bins that a glance suggests are not those of all scores.
        if not self.pieces:
            raise ScoreError("there are no scores")
        new = partial(SideFold, plan_for(glance(self.pieces, self.engine).pooled()))
        found = self.engine.reduce(self.pieces, partial(fold_pieces, new, new), "reading")
        if not found.pooled().count:
            raise ScoreError(f"no scores in {self.pieces[0].name}")
        (summary,) = completed([found.pooled()], self.pieces, self.engine)
        tell_left_out(found.left_out)
        return summary

    def mapped(self, transform: Transform) -> TrialsInPieces:
        if isinstance(transform, Calibration):  # a piece knows too little to warn of its scores
            transform = transform.without_warnings
        return replace(self, pieces=with_transform(self.pieces, transform))

    def preview(self, counts: tuple[int, int]) -> Trials:
        tar, non = (partial(KeepFold, count // PREVIEW + 1) for count in counts)
        kept = self.engine.reduce(
            self.pieces, partial(fold_pieces, tar, non), "sampling for figures"
        )
        tar_scores, non_scores = (np.sort(side.scores) for side in kept.sides)
        return Trials(tar_scores, non_scores, self.source, totals=counts, allow_infinite=True)

    @property
    def in_memory(self) -> None:
        return None
