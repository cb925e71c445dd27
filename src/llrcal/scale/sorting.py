"""Both classes in rising order where neither fits into memory: sorted range by range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.onepass.direction import share_of_pairs
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Distinct, Groups
from llrcal.scale.pieces.piece import Piece
from llrcal.scale.spill import TRIALS, trial_rows


@dataclass(frozen=True)
class Pooled:
    """Pooled groups, and a number that can no longer be computed from them."""

    groups: Groups
    higher: float
    """Pairs of a target and a non-target in which the target scores higher; ties count half."""


def class_rows(piece: Piece) -> Array:
    """The scores of a piece as rows to be divided, each with its class."""
    batches = ((batch.non, batch.tar) for batch in piece.batches())
    found = (trial_rows(scores, label) for both in batches for label, scores in enumerate(both))
    return np.concatenate([np.empty(0, TRIALS), *found])


def pool_range(rows: pl.DataFrame, *, rare_is_tar: bool) -> tuple[Pooled, None]:
    """The groups of a range of scores, pooled by PAV.

    What is pooled within a range is also pooled in the whole, so few groups need to be kept.
    """
    scores, is_rare = rows["score"].to_numpy(), rows["label"].to_numpy() == int(rare_is_tar)
    rare, common = Distinct.of(scores[is_rare]), Distinct.of(scores[~is_rare])
    every = rare.groups(common.among(rare.values), is_tar=rare_is_tar)
    return Pooled(_pooled(every), share_of_pairs(every.tar, every.non)), None


def join_ranges(ranges: Sequence[Pooled]) -> Pooled:
    """The groups of consecutive ranges, in rising order, pooled again where they meet."""
    higher, below = 0.0, 0
    for one in ranges:
        higher += one.higher + float(one.groups.tar.sum()) * below
        below += int(one.groups.non.sum())
    every = Groups(
        *(
            np.concatenate([getattr(one.groups, name) for one in ranges])
            for name in ("low", "excludes_low", "tar", "non")
        )
    )
    return Pooled(_pooled(every), higher)


def _pooled(every: Groups) -> Groups:
    if not len(every.low):  # no score is in the range
        return every
    hull = Hull.of(every)
    first = hull.first_group
    return Groups(every.low[first], every.excludes_low[first], hull.tar, hull.non)
