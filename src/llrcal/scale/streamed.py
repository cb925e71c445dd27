"""What calibrations and evaluations ask of trials, answered in passes over pieces of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from llrcal.arrays import Counts, Floats
from llrcal.calibrations.uncertainty import Independent
from llrcal.errors import DegenerateError, OptionError
from llrcal.evaluation.bootstrap import Bootstrap
from llrcal.evaluation.costs import WeightedLLRs
from llrcal.evaluation.llrs import LLRs, Range, WholeLLRs
from llrcal.evaluation.statistics import CellFold, Cells, InCells, Sides
from llrcal.messages import Setting
from llrcal.notes import Note
from llrcal.onepass.ranks import Ends, EndsFold, Groups
from llrcal.onepass.summary import Summary
from llrcal.onepass.sums import ExactSum
from llrcal.scale.engine import Engine
from llrcal.scale.passes import Passes
from llrcal.scale.piece import Piece
from llrcal.scale.speakers import FoundSpeakers, Who, find_speakers, gather
from llrcal.scoring_rule import Rule

_MOST_GATHERED = 2**28  # trials, in four gigabytes
NOT_IN_PIECES = Note.of(
    "by trial",
    "the trials name their speakers, but in pieces intervals take trials to be independent: they "
    "are too narrow where speakers have several trials. Train in memory to count them for what "
    "they are worth",
)


class SpeakersInPieces(Independent):
    """Speakers of trials in pieces, which are only counted."""

    def __init__(self, count: Callable[[], tuple[int, int] | None], *, are_named: bool) -> None:
        self._count, self._are_named = count, are_named

    @cached_property
    def counts(self) -> tuple[int, int] | None:
        return self._count()

    @property
    def notes(self) -> tuple[Note, ...]:
        return (NOT_IN_PIECES,) if self._are_named else ()


class StreamedLLRs(LLRs, Passes):
    """What an evaluation needs to know about LLRs."""

    def __init__(
        self, pieces: Sequence[Piece], engine: Engine, thresholds: Floats, who: Who | None = None
    ) -> None:
        # Summaries cost little here, and a pass of their own if notes are asked for later.
        Passes.__init__(self, pieces, engine, summarised=True, ranked=True, costed=True)
        self.tar_count, self.non_count = (side.count for side in self.survey.sides)
        self._thresholds, self._who = thresholds, who
        if who and not who.guessed:  # what the user says of speakers is refused, if it is wrong
            _ = self._speakers

    @cached_property
    def _speakers(self) -> FoundSpeakers | None:
        return None if self._who is None else find_speakers(self._who, self.pieces, self.engine)

    @cached_property
    def _with_speakers(self) -> WholeLLRs | None:
        """All LLRs, in memory, where their speakers are known: these are resampled."""
        if self._who is None or self._speakers is None:
            return None
        if self.tar_count + self.non_count > _MOST_GATHERED:
            raise OptionError(
                f"intervals by speaker need all trials in memory, and more than {_MOST_GATHERED:,} "
                "are too many; draw trials instead: ",
                Setting("speakers_from", "none"),
            )
        return gather(self._who, self._speakers, self.pieces, self.engine)

    def resampled(self, replicates: int, seed: int) -> tuple[Sides, Bootstrap]:
        if whole := self._with_speakers:
            return replace(whole).sides, Bootstrap(replicates, seed, whole.speakers)
        return _Streamed(self), Bootstrap(replicates, seed)

    def costs_by(self, rule: Rule) -> tuple[ExactSum, ExactSum]:
        if rule == "log":
            return self.survey.tar.cost, self.survey.non.cost
        return super().costs_by(rule)

    def below(self, thresholds: Floats, *, of_tar: bool) -> Counts:
        """No pass is made for thresholds beyond all finite LLRs of the class."""
        side = self.survey.tar if of_tar else self.survey.non
        found = np.full(np.shape(thresholds), side.infinite[0])
        found[thresholds > side.greatest] = side.count - side.infinite[1]
        found[thresholds == -np.inf] = 0
        inside = (thresholds > side.least) & (thresholds <= side.greatest)
        if inside.any():
            found[inside] = super().below(thresholds[inside], of_tar=of_tar)
        return found

    @cached_property
    def ranges(self) -> tuple[Range, Range]:
        return self.survey.tar.range, self.survey.non.range

    @cached_property
    def weighted(self) -> tuple[WeightedLLRs, WeightedLLRs]:
        (tar, non), sides = self.summaries, self.survey.sides
        return (
            _weighted(tar, sides[0].count, wrong=sides[0].infinite[0] > 0),
            _weighted(non, sides[1].count, wrong=sides[1].infinite[1] > 0),
        )


@dataclass(frozen=True)
class _Streamed(Sides):
    """LLRs in pieces, as statistics ask for them."""

    llrs: StreamedLLRs

    @property
    def groups(self) -> Groups:
        return self.llrs.groups

    @property
    def totals(self) -> tuple[int, int]:
        return self.llrs.tar_count, self.llrs.non_count

    @cached_property
    def ends(self) -> tuple[float, float]:
        tar, non = self.llrs.ranges
        finite = [end for end in (*tar, *non) if not math.isnan(end)]
        return min(0.0, *finite), max(0.0, *finite)

    def in_cells(self, tar: Cells, non: Cells) -> tuple[InCells, InCells]:
        of_tar, of_non = partial(CellFold, tar), partial(CellFold, non)
        found = self.llrs.fold(of_tar, of_non, "counting in cells")
        return tar.in_order(found.tar), non.in_order(found.non)

    def reach(self, edges: Floats) -> tuple[Ends, Ends]:
        new = partial(EndsFold, edges)
        return self.llrs.fold(new, new, "finding ends").sides


def _weighted(finite: Summary, count: int, *, wrong: bool) -> WeightedLLRs:
    try:
        return WeightedLLRs.summarised(finite, count, wrong=wrong)
    except DegenerateError:  # too far apart for bins, but few
        if finite.exact is None:
            raise
        values, times = np.unique(finite.exact, return_counts=True)
        return WeightedLLRs(values, times / finite.count * (finite.count / count), wrong)
