"""Scores and labels matched by hashes of their ids, one part of the hashes at a time.

A part holds all rows of both sides whose hash begins with the same bits, so that parts can be
matched one by one, or on different machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from llrcal.arrays import Array, Floats
from llrcal.errors import TrialFileError
from llrcal.scale.pieces.piece import Piece
from llrcal.trials.joining import hashes_of_ids
from llrcal.trials.request import Request

SCORE = np.dtype([("hash", np.uint64), ("score", np.float64)])
LABEL = np.dtype([("hash", np.uint64), ("label", np.int8)])
ROWS_OF_A_PART = 2**21
"""Scores that are matched at a time."""
MOST_EXAMPLES = 1000
"""Hashes kept of the trials that do not match, to look up their ids."""


@dataclass(frozen=True)
class Hashed:
    """The work on one piece: its rows with a hash in place of the ids."""

    ids: tuple[str, ...]
    seed: int
    is_key: bool

    def __call__(self, piece: Piece) -> Array:
        kind = LABEL if self.is_key else SCORE
        name = "label" if self.is_key else "score"
        found = [np.empty(0, kind)]
        for table in piece.tables():
            absent = [role for role in self.ids if not table.has(role)]
            if absent:
                raise TrialFileError(
                    f"{piece.file}: has no column of {absent[0]}s, which other files have"
                )
            if not self.is_key and table.has("label"):
                raise TrialFileError(
                    f"{piece.file}: has labels of its own, and in pieces these cannot be compared "
                    "with those of the key; leave out the key"
                )
            rows = np.empty(len(table), kind)
            rows["hash"] = hashes_of_ids(table.frame, self.ids, self.seed).to_numpy()
            rows[name] = table.frame[name].to_numpy()
            found.append(rows)
        return np.concatenate(found)


@dataclass(frozen=True)
class Join:
    """What to join, and how."""

    scores: tuple[Piece, ...]
    key: tuple[Piece, ...]
    ids: tuple[str, ...]
    request: Request
    source: str
    seed: int = 0

    @property
    def bits(self) -> int:
        """Leading bits of the hashes that say which part a row belongs to."""
        rows = max(sum(piece.rows for piece in pieces) for pieces in (self.scores, self.key))
        return min((rows // ROWS_OF_A_PART).bit_length(), 16)

    @property
    def of_scores(self) -> Hashed:
        return Hashed(self.ids, self.seed, is_key=False)

    @property
    def of_key(self) -> Hashed:
        return Hashed(self.ids, self.seed, is_key=True)


@dataclass(frozen=True)
class Those:
    """Some trials: how many, and the hashes of a few of them."""

    count: int = 0
    hashes: tuple[int, ...] = ()

    @classmethod
    def of(cls, hashes: pl.Series, count: int | None = None) -> Those:
        some = hashes.unique().sort().head(MOST_EXAMPLES)
        return cls(len(hashes) if count is None else count, tuple(some.to_list()))

    def merge(self, other: Those) -> Those:
        some = sorted({*self.hashes, *other.hashes})[:MOST_EXAMPLES]
        return Those(self.count + other.count, tuple(some))


@dataclass(frozen=True)
class Tally:
    """What did not match, of one part or of all."""

    rows: int = 0
    """Scores."""
    missing: Those = field(default_factory=Those)
    unknown: Those = field(default_factory=Those)
    repeated: Those = field(default_factory=Those)
    """Scores of trials that have another one already."""
    repeated_in_key: Those = field(default_factory=Those)
    torn: Those = field(default_factory=Those)
    """Trials with different labels in the key."""

    def merge(self, other: Tally) -> Tally:
        return Tally(
            self.rows + other.rows,
            self.missing.merge(other.missing),
            self.unknown.merge(other.unknown),
            self.repeated.merge(other.repeated),
            self.repeated_in_key.merge(other.repeated_in_key),
            self.torn.merge(other.torn),
        )


@dataclass(frozen=True)
class Matched:
    """The scores of one part that have a label, and what did not match."""

    scores: Floats
    labels: Array
    tally: Tally

    def __len__(self) -> int:
        return len(self.scores)


def matched(scores: Array, key: Array) -> Matched:
    """One part of the scores, with labels from the same part of the key."""
    left, right = _frame(scores), _frame(key)
    repeated, repeated_in_key, torn = Those(), Those(), Those()
    if left["hash"].n_unique() < left.height:
        repeated = _again(left)
    if right["hash"].n_unique() < right.height:
        repeated_in_key = _again(right)
        kinds = right.group_by("hash").agg(pl.col("label").n_unique())
        torn = Those.of(kinds.filter(pl.col("label") > 1)["hash"])
        right = right.unique("hash")
    both = left.join(right, on="hash", how="left")
    unknown = both.filter(pl.col("label").is_null())["hash"]
    if len(unknown):
        both = both.filter(pl.col("label").is_not_null())
    missing = pl.Series("hash", [], pl.UInt64)
    if both["hash"].n_unique() < right.height:
        missing = right.join(both, on="hash", how="anti")["hash"]
    tally = Tally(
        left.height, Those.of(missing), Those.of(unknown), repeated, repeated_in_key, torn
    )
    return Matched(both["score"].to_numpy(), both["label"].to_numpy(), tally)


def _frame(rows: Array) -> pl.DataFrame:
    names: Sequence[str] = rows.dtype.names or ()
    return pl.DataFrame({name: np.ascontiguousarray(rows[name]) for name in names})


def _again(frame: pl.DataFrame) -> Those:
    several = frame.filter(pl.col("hash").is_duplicated())["hash"]
    return Those.of(several, count=len(several) - several.n_unique())
