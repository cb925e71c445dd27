"""Training on trials in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.calibrations.training import Training, check_spread
from llrcal.notes import Note
from llrcal.onepass.elub import Ranked
from llrcal.onepass.ranks import Groups
from llrcal.onepass.summary import Summary
from llrcal.scale.passes import Passes

NOT_IN_PIECES = Note.of(
    "by trial",
    "the trials name their speakers, but in pieces they are taken to be independent: intervals "
    "are too narrow where speakers have several trials. Train in memory to count them for what "
    "they are worth",
)


class StreamedTraining(Training):
    """What methods need to know about training scores, computed in passes over pieces of them."""

    def __init__(self, passes: Passes, *, summarised: bool) -> None:
        self._passes, self.summarised = passes, summarised
        self.tar_count = passes.survey.tar.count
        self.non_count = passes.survey.non.count

    @property
    def unused_speakers(self) -> Iterator[Note]:
        if any(piece.names_speakers for piece in self._passes.pieces):
            yield NOT_IN_PIECES

    @cached_property
    def tar(self) -> Summary:
        summary = self._passes.summaries[0]
        check_spread(summary.grid.unit, "target")
        return summary

    @cached_property
    def non(self) -> Summary:
        summary = self._passes.summaries[1]
        check_spread(summary.grid.unit, "non-target")
        return summary

    @cached_property
    def groups(self) -> Groups:
        return self._passes.groups

    @cached_property
    def score_range(self) -> tuple[float, float]:
        sides = self._passes.survey.sides
        least, greatest = min(s.least for s in sides), max(s.greatest for s in sides)
        return least + 0.0, greatest + 0.0  # -0.0 becomes 0.0

    def _higher(self) -> float:
        if self.summarised or self._passes.rare is not None:
            return super()._higher()
        return self._passes.higher  # pooled groups no longer suffice

    def _next_above(self, values: Floats) -> Floats:
        return self._passes.next_above(values)

    def ranked(self, llrs: Callable[[Array], Floats]) -> tuple[Ranked, Ranked]:
        pieces = [replace(p, transforms=(*p.transforms, llrs)) for p in self._passes.pieces]
        passes = Passes(pieces, self._passes.engine)

        def below(thresholds: Floats, *, of_tar: bool) -> Counts:
            values, place = np.unique(thresholds, return_inverse=True)
            return passes.counted(values, of_tar=of_tar).below[place]

        return (
            Ranked(self.tar_count, partial(below, of_tar=True)),
            Ranked(self.non_count, partial(below, of_tar=False)),
        )
