"""All scores of some pieces in one summary, whatever their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from llrcal.errors import ScoreError
from llrcal.onepass.sample import ALL_KEYS, Sample, likely_ceiling
from llrcal.onepass.summary import KEPT_UP_TO, Summary
from llrcal.onepass.table import check_reach
from llrcal.scale.engines.engine import Engine
from llrcal.scale.passes import grid_of, known_sample, known_summary, some_of
from llrcal.scale.pieces.piece import Piece
from llrcal.scale.survey import Glance, GrowingSide, Plan, Side


@dataclass(frozen=True)
class Pooled:
    """What a pass found, and how many trials the user wants to leave out."""

    side: Side
    left_out: int

    def merge(self, other: Pooled) -> Pooled:
        return Pooled(self.side.merge(other.side), self.left_out + other.left_out)


@dataclass(frozen=True)
class _Pooling:
    """The work on one piece: survey both classes as one."""

    plan: Plan

    def __call__(self, piece: Piece) -> Pooled:
        side, left_out = GrowingSide(self.plan), 0
        for batch in piece.batches():
            side.add(batch.tar)
            side.add(batch.non)
            left_out += batch.left_out
        return Pooled(side.side, left_out)


def pooled(pieces: Sequence[Piece], engine: Engine) -> tuple[Summary, int]:
    """A summary of all scores, and how many trials were left out, as requested.

    It has the bits of the summary of the same scores in memory. That takes one pass, unless the
    bins that a glance at some pieces suggests are not those of all scores.

    Raises
    ------
    ScoreError
        If there are no scores.
    """
    if not pieces:
        raise ScoreError("there are no scores")

    def passed(plan: Plan, what: str) -> Pooled:
        return engine.reduce(pieces, _Pooling(plan), Pooled.merge, what)

    glance = engine.reduce(some_of(pieces), Glance.at, Glance.merge, "looking at a few pieces")
    guess = grid_of(Sample.of(np.concatenate([glance.tar, glance.non])))
    rows = sum(piece.rows for piece in pieces)
    found = passed(Plan(ceiling=likely_ceiling(rows // 4), grid=guess), "reading")
    side = found.side
    if not side.count:
        raise ScoreError(f"no scores in {pieces[0].name}")
    sample = known_sample(side) or passed(Plan(ceiling=ALL_KEYS), "sampling").side.sample
    grid = grid_of(sample) if sample is not None else guess
    if side.count > KEPT_UP_TO:  # fewer scores are kept exactly
        check_reach(side.least, side.greatest, grid)
    again = "reading again, in other bins"
    summary = known_summary(side, grid) or passed(Plan(grid=grid), again).side.summary
    if summary is None:
        raise AssertionError("a pass did not return what it was asked for")
    return summary, found.left_out
