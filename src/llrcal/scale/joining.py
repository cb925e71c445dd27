"""Trials compared by their ids: repeated ones found, and scores and a key joined.

Ids are compared by 64-bit hashes. Where two rows of one side share a hash, their ids are looked up:
either a trial is repeated, or, once in a blue moon, two trials share a hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Literal

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import TrialFileError
from llrcal.messages import Setting
from llrcal.notes import Note, Severity
from llrcal.scale.engines.engine import Engine
from llrcal.scale.pieces.piece import Piece
from llrcal.scale.spill import ByHash, Spill, parts_by_hash
from llrcal.trials.conventions import IDS
from llrcal.trials.joining import hashes_of_ids, named
from llrcal.trials.request import ReadOptions

_HASH = np.dtype([("hash", np.uint64)])
_SCORE = np.dtype([("hash", np.uint64), ("score", np.float64)])
_LABEL = np.dtype([("hash", np.uint64), ("label", np.int8)])
_EXAMPLES = 1000  # hashes kept of trials that are told of, to look up their ids
_SEEDS = 4  # attempts to join; even the second is hardly ever needed


@dataclass(frozen=True)
class HashRows:
    """The rows of a piece with a hash in place of the ids, and a score or a label."""

    kind: np.dtype
    ids: tuple[str, ...] = ()
    """All that the piece has if empty."""
    seed: int = 0

    def __call__(self, piece: Piece) -> Array:
        found = [np.empty(0, self.kind)]
        values = (self.kind.names or ())[1:]
        refused = ("label",) if self.kind == _SCORE else ()
        for frame in piece.read((*(self.ids or IDS), *values, *refused)):
            ids = self.ids or [role for role in IDS if role in frame.columns]
            self._check(frame, piece, refused)
            if "test" in ids:
                rows = np.empty(frame.height, self.kind)
                rows["hash"] = hashes_of_ids(frame, ids, self.seed).to_numpy()
                for name in values:
                    rows[name] = frame[name].to_numpy()
                found.append(rows)
        return np.concatenate(found)

    def _check(self, frame: pl.DataFrame, piece: Piece, refused: tuple[str, ...]) -> None:
        absent = [role for role in self.ids if role not in frame.columns]
        if absent:
            raise TrialFileError(
                f"{piece.file}: has no column of {absent[0]}s, which other files have"
            )
        if {*refused} & {*frame.columns}:
            raise TrialFileError(
                f"{piece.file}: has labels of its own, and in pieces these cannot be compared "
                "with those of the key; leave out the key"
            )


@dataclass(frozen=True)
class TrialExamples:
    """Some trials: how many, and the hashes of a few of them."""

    count: int = 0
    hashes: tuple[int, ...] = ()

    @classmethod
    def of(cls, hashes: pl.Series, count: int | None = None) -> TrialExamples:
        some = hashes.unique().sort().head(_EXAMPLES)
        return cls(len(hashes) if count is None else count, tuple(some.to_list()))

    @classmethod
    def repeated(cls, frame: pl.DataFrame) -> TrialExamples:
        """Rows of trials that have another one already."""
        if frame["hash"].n_unique() == frame.height:
            return cls()
        several = frame.filter(pl.col("hash").is_duplicated())["hash"]
        return cls.of(several, count=len(several) - several.n_unique())

    def merge(self, other: TrialExamples) -> TrialExamples:
        some = sorted({*self.hashes, *other.hashes})[:_EXAMPLES]
        return TrialExamples(self.count + other.count, tuple(some))


@dataclass(frozen=True)
class Lookup:
    """The work on some pieces: the ids of trials with the given hashes, and their files."""

    hashes: tuple[int, ...]
    ids: tuple[str, ...] = ()
    seed: int = 0

    def __call__(self, pieces: Sequence[Piece]) -> tuple[pl.DataFrame, ...]:
        found, known = [pl.DataFrame()], np.array(self.hashes, np.uint64)
        for piece, frame in ((one, frame) for one in pieces for frame in one.read(IDS)):
            hashes = hashes_of_ids(frame, self.ids or frame.columns, self.seed)
            is_one = np.isin(hashes.to_numpy(), known, kind="sort")  # tables overflow in NumPy 2.0
            found.append(frame.filter(is_one).with_columns(file=pl.lit(piece.file or piece.name)))
        return tuple(found)


# ----------------------------------------------------------------------------- repeated trials


def refuse_repeated(pieces: Sequence[Piece], engine: Engine, source: str) -> None:
    """Refuse trials that occur more than once.

    Files without trial ids are not checked.

    Raises
    ------
    TrialFileError
        If there are any; the message names the ids of one, and its files.
    """
    with_ids = tuple(piece for piece in pieces if piece.has_ids)
    if not with_ids:
        return
    parts = parts_by_hash(with_ids)
    spill = Spill(with_ids, _HASH, HashRows(_HASH), ByHash(parts), "reading ids")
    divided = engine.divide([spill], parts, _find_repeated, "looking for repeated trials")
    repeated = reduce(TrialExamples.merge, divided.values)
    if not repeated.count:
        return
    work = Lookup(repeated.hashes)
    frame = pl.concat(
        engine.reduce(with_ids, work, "looking up repeated trials", add), how="diagonal"
    )
    ids = [name for name in frame.columns if name != "file"]
    # Sorted, for pieces may be done in any order, and the same set gives the same message.
    same = frame.filter(pl.struct(ids).is_duplicated()).sort(*ids, "file")
    if not same.height:  # different trials that share a hash: rare, and harmless
        return
    trial = same.head(1).select(ids)
    files = same.join(trial, on=ids, nulls_equal=True)["file"].unique(maintain_order=True)
    raise TrialFileError(
        f"{source}: {repeated.count:,} repeated trials, such as {named(trial, ids)} in "
        f"{' and in '.join(files.head(2).to_list())}; remove them, or keep them all: ",
        Setting("duplicates", "all"),
    )


def _find_repeated(frame: pl.DataFrame) -> tuple[TrialExamples, None]:
    return TrialExamples.repeated(frame), None


# -------------------------------------------------------------------------------- scores and key


@dataclass(frozen=True)
class Tally:
    """What did not match, of one part or of all."""

    rows: int = 0
    """Scores."""
    missing: TrialExamples = field(default_factory=TrialExamples)
    unknown: TrialExamples = field(default_factory=TrialExamples)
    repeated: TrialExamples = field(default_factory=TrialExamples)
    """Scores of trials that have another one already."""
    repeated_in_key: TrialExamples = field(default_factory=TrialExamples)
    conflicting: TrialExamples = field(default_factory=TrialExamples)
    """Trials with different labels in the key."""

    def merge(self, other: Tally) -> Tally:
        return Tally(
            self.rows + other.rows,
            self.missing.merge(other.missing),
            self.unknown.merge(other.unknown),
            self.repeated.merge(other.repeated),
            self.repeated_in_key.merge(other.repeated_in_key),
            self.conflicting.merge(other.conflicting),
        )


def match(scores: pl.DataFrame, key: pl.DataFrame) -> tuple[Tally, pl.DataFrame]:
    """One part of the scores, with labels from the same part of the key; and what did not match."""
    repeated, repeated_in_key = TrialExamples.repeated(scores), TrialExamples.repeated(key)
    conflicting = TrialExamples()
    if repeated_in_key.count:
        kinds = key.group_by("hash").agg(pl.col("label").n_unique())
        conflicting = TrialExamples.of(kinds.filter(pl.col("label") > 1)["hash"])
        key = key.unique("hash")
    both = scores.join(key, on="hash", how="left")
    is_known = both["label"].is_not_null()
    unknown = both.filter(~is_known)["hash"]
    if len(unknown):
        both = both.filter(is_known)
    missing = key["hash"].head(0)
    if both["hash"].n_unique() < key.height:
        missing = key.join(both, on="hash", how="anti")["hash"]
    tally = Tally(
        scores.height,
        TrialExamples.of(missing),
        TrialExamples.of(unknown),
        repeated,
        repeated_in_key,
        conflicting,
    )
    return tally, both.select("score", "label")


def join_pieces(
    scores: Sequence[Piece],
    key: Sequence[Piece],
    engine: Engine,
    *,
    options: ReadOptions,
    sources: tuple[str, str],
) -> tuple[tuple[Piece, ...], tuple[Note, ...]]:
    """The trials of files with scores and of other files with labels, and notes.

    Raises
    ------
    TrialFileError
        If trials are missing, unknown or repeated and the options do not say what to do; the
        message names some of them.
    """
    for pieces, source in zip((scores, key), sources, strict=True):
        if not pieces:
            raise TrialFileError(f"{source}: holds no trials")
    ids = _ids_in_common(scores[0], key[0])
    parts = parts_by_hash(scores, key)
    number_of = ByHash(parts)
    for seed in range(_SEEDS):  # others if two trials share a hash
        of_scores, of_key = HashRows(_SCORE, ids, seed), HashRows(_LABEL, ids, seed)
        sides = [
            Spill(tuple(scores), _SCORE, of_scores, number_of, "reading the scores"),
            Spill(tuple(key), _LABEL, of_key, number_of, "reading the key"),
        ]
        found = engine.divide(sides, parts, match, "joining")
        tally = reduce(Tally.merge, found.values)
        check = _Check((scores, key), ids, seed, engine, options, sources, tally)
        if check.is_true():
            break
    notes = check.refuse()
    text = f"{tally.rows:,} scores joined with {sources[1]} on {' and '.join(ids)}"
    made = (
        replace(
            piece,
            name=sources[0],
            request=options.request("trials"),
            score_name=scores[0].score_name,
            forensic=key[0].forensic,
        )
        for piece in found.pieces
    )
    return tuple(made), (Note.of("joined", text).about(sources[0]), *notes)


def _ids_in_common(scores: Piece, key: Piece) -> tuple[str, ...]:
    first, other = next(scores.read(IDS), None), next(key.read(IDS), None)
    if first is None or other is None:
        empty = scores if first is None else key
        raise TrialFileError(f"{empty.file}: holds no trials")
    ids = tuple(role for role in first.columns if role in other.columns)
    if "test" not in ids:
        raise TrialFileError(
            f"{scores.file} and {key.file} have no ids in common to join them on, and in pieces "
            "they are joined in no other way; name the columns: ",
            Setting("columns", "enrol=NAME,test=NAME"),
            " and ",
            Setting("key_columns", "enrol=NAME,test=NAME"),
        )
    return ids


_Where = Literal[0, 1]  # in the scores, or in the key


@dataclass(frozen=True)
class _Check:
    """What became of a join, and whether it may be used."""

    sides: tuple[Sequence[Piece], Sequence[Piece]]
    ids: tuple[str, ...]
    seed: int
    engine: Engine
    options: ReadOptions
    sources: tuple[str, str]
    tally: Tally

    @property
    def _twice(self) -> list[tuple[TrialExamples, _Where, str]]:
        """Trials that may occur more than once."""
        tally = self.tally
        every: list[tuple[TrialExamples, _Where, str]] = [
            (tally.conflicting, 1, "trials are both target and non-target"),
        ]
        if self.options.duplicates == "error":
            every += [
                (tally.repeated, 0, "repeated trials"),
                (tally.repeated_in_key, 1, "repeated trials"),
            ]
        return [entry for entry in every if entry[0].count]

    def is_true(self) -> bool:
        """Whether rows that share a hash are of the same trial."""
        return all(self._ids_of(some, where, twice=True).height for some, where, _ in self._twice)

    def refuse(self) -> list[Note]:
        """Refuse what the options do not allow; notes on the rest."""
        for some, where, what in self._twice:
            examples = named(self._ids_of(some, where, twice=True), self.ids)
            message = f"{self.sources[where]}: {some.count:,} {what}, such as {examples}"
            if some is self.tally.conflicting:
                raise TrialFileError(message)
            raise TrialFileError(
                f"{message}; remove them, or keep them all: ", Setting("duplicates", "all")
            )
        tally, notes = self.tally, []
        if tally.unknown.count == tally.rows:
            raise TrialFileError(
                f"{self.sources[0]} and {self.sources[1]} have no trial in common: "
                f"{self._named(tally.unknown, 0)} against {self._named(tally.missing, 1)}"
            )
        cases: tuple[tuple[str, TrialExamples, _Where, str], ...] = (
            ("missing", tally.missing, 1, f"trials of {self.sources[1]} have no score"),
            ("unknown", tally.unknown, 0, f"scores of {self.sources[0]} are not in the key"),
        )
        for setting, some, where, what in cases:
            if some.count and getattr(self.options, setting) == "error":
                raise TrialFileError(
                    f"{some.count:,} {what}, such as {self._named(some, where)}; to leave them "
                    "out: ",
                    Setting(setting, "skip"),
                )
            if some.count:
                text = f"{some.count:,} {what}; left out"
                notes.append(Note.of(setting, text, severity=Severity.WARNING))
        return notes

    def _named(self, some: TrialExamples, where: _Where) -> str:
        return named(self._ids_of(some, where, twice=False), self.ids)

    def _ids_of(self, some: TrialExamples, where: _Where, *, twice: bool) -> pl.DataFrame:
        """The ids of some trials, each once, in order."""
        work = Lookup(some.hashes, self.ids, self.seed)
        found = self.engine.reduce(self.sides[where], work, "looking up trials", add)
        frame: pl.DataFrame = pl.concat(found, how="diagonal")
        ids = list(self.ids)
        if twice:
            frame = frame.filter(pl.struct(ids).is_duplicated())
        return frame.unique(ids).sort(ids)
