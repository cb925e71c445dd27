"""A set of trials that is never in memory as a whole: pieces, and an engine to process them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from llrcal.arrays import Floats
from llrcal.calibrations.calibration import Calibration
from llrcal.calibrations.training import Training
from llrcal.errors import OptionError
from llrcal.evaluation.llrs import LLRs
from llrcal.messages import Setting
from llrcal.notes import Note, Severity, warn
from llrcal.onepass.summary import Summary
from llrcal.scale.engines.engine import Engine
from llrcal.scale.passes import Passes
from llrcal.scale.pieces.piece import Mapped, Piece
from llrcal.scale.pooling import pooled
from llrcal.scale.preview import preview
from llrcal.scale.repeated import refuse_repeated
from llrcal.scale.streamed_llrs import StreamedLLRs
from llrcal.scale.streamed_training import StreamedTraining
from llrcal.trials.trial_set import Transform, TrialSet
from llrcal.trials.trials import Trials


def check_duplicates(duplicates: str) -> None:
    """Raise an OptionError for a policy that does not work piece by piece."""
    if duplicates not in ("error", "all"):
        raise OptionError(
            f"duplicates is {duplicates!r}, which does not work in pieces; choose ",
            Setting("duplicates", "error"),
            " or ",
            Setting("duplicates", "all"),
        )


@dataclass(frozen=True)
class TrialsInPieces(TrialSet):
    """Trials in files or on a cluster, as :mod:`llrcal.out_of_core` opens them."""

    pieces: tuple[Piece, ...]
    engine: Engine
    source: str
    notes: tuple[Note, ...] = ()

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
        return self.pieces[0].forensic

    def training(self, *, summarised: bool, ranked: bool, lower_is_better: bool) -> Training:
        trials = self.negated() if lower_is_better else self
        passes = trials._passes(summarised=summarised, ranked=ranked)
        return StreamedTraining(passes, summarised=summarised)

    def llrs(self, thresholds: Floats) -> LLRs:
        # Summaries cost little here, and a pass of their own if notes are asked for later.
        passes = self._passes(summarised=True, ranked=True, costed=True)
        return StreamedLLRs(passes, thresholds)

    def _passes(self, **asked: bool) -> Passes:
        passes = Passes(self.pieces, self.engine, **asked)
        tell_left_out(passes.survey.left_out)
        return passes

    def pooled(self) -> Summary:
        summary, left_out = pooled(self.pieces, self.engine)
        tell_left_out(left_out)
        return summary

    def mapped(self, transform: Transform) -> TrialsInPieces:
        if isinstance(transform, Calibration):  # a piece knows too little to warn of its scores
            transform = transform.quietly
        return replace(self, pieces=tuple(Mapped.of(p, transform) for p in self.pieces))

    def preview(self, counts: tuple[int, int]) -> Trials:
        return preview(self.pieces, self.engine, counts, self.source)

    @property
    def in_memory(self) -> None:
        return None


def tell_left_out(left_out: int) -> None:
    """Warn of trials that are not among those that were read."""
    if left_out:
        text = f"{left_out:,} trials were left out, as requested"
        warn([Note.of("left out", text, severity=Severity.WARNING)])
