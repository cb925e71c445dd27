"""Trials compared by their ids: repeated ones found, and scores and a key joined.

Ids are compared by 64-bit hashes. Where two rows of one side share a hash, their ids are looked up:
either a trial is repeated, or, once in a blue moon, two trials share a hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import TrialFileError
from llrcal.messages import Message, Setting
from llrcal.notes import Note, Severity
from llrcal.onepass.chunks import MergedByFields, merged
from llrcal.scale.engine import Engine
from llrcal.scale.piece import Piece
from llrcal.scale.spill import Spill, number_by_hash, parts_by_hash
from llrcal.trials.conventions import IDS
from llrcal.trials.joining import examples, hashes_of_ids
from llrcal.trials.request import ReadOptions

_HASH = np.dtype([("hash", np.uint64)])
_SCORE = np.dtype([("hash", np.uint64), ("score", np.float64)])
_LABEL = np.dtype([("hash", np.uint64), ("label", np.int8)])
_EXAMPLES = 1000  # hashes kept of trials that are told of, to look up their ids
_SEEDS = 4  # attempts to join; even the second is hardly ever needed


def hash_rows(kind: np.dtype, ids: tuple[str, ...], seed: int, piece: Piece) -> Array:
    """The rows of a piece with a hash in place of the ids, and a score or a label.

    If no ids are given, they are all that the piece has.
    """
    found = [np.empty(0, kind)]
    values = (kind.names or ())[1:]
    refused = {"label"} if kind == _SCORE else set()
    for frame in piece.read((*(ids or IDS), *values, *refused)):
        if absent := [role for role in ids if role not in frame.columns]:
            raise TrialFileError(
                f"{piece.file}: has no column of {absent[0]}s, which other files have"
            )
        if refused & {*frame.columns}:
            raise TrialFileError(
                f"{piece.file}: has labels of its own, and in pieces these cannot be compared "
                "with those of the key; leave out the key"
            )
        known = ids or [role for role in IDS if role in frame.columns]
        if "test" in known:
            rows = np.empty(frame.height, kind)
            rows["hash"] = hashes_of_ids(frame, known, seed).to_numpy()
            for name in values:
                rows[name] = frame[name].to_numpy()
            found.append(rows)
    return np.concatenate(found)


@dataclass(frozen=True)
class TrialExamples(MergedByFields):
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


def looked_up(
    some: TrialExamples,
    ids: tuple[str, ...],
    seed: int,
    pieces: Sequence[Piece],
    engine: Engine,
) -> pl.DataFrame:
    """The ids of some trials, and their files, in order."""
    work = partial(look_up, sorted(some.hashes)[:_EXAMPLES], ids, seed)
    found: pl.DataFrame = pl.concat(
        engine.reduce(pieces, work, "looking up trials"), how="diagonal"
    )
    return found.sort(found.columns)  # pieces may be done in any order


def look_up(
    hashes: Sequence[int], ids: tuple[str, ...], seed: int, pieces: Sequence[Piece]
) -> tuple[pl.DataFrame, ...]:
    """The work on some pieces: the ids of trials with the given hashes, and their files."""
    found, known = [pl.DataFrame()], np.array(hashes, np.uint64)
    for piece, frame in ((one, frame) for one in pieces for frame in one.read(IDS)):
        own = hashes_of_ids(frame, ids or frame.columns, seed)
        is_one = np.isin(own.to_numpy(), known, kind="sort")  # tables overflow in NumPy 2.0
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
    rows_of, number_of = partial(hash_rows, _HASH, (), 0), partial(number_by_hash, parts)
    spill = Spill(with_ids, _HASH, rows_of, number_of, "reading ids")
    values, _ = engine.divide([spill], parts, _find_repeated, "looking for repeated trials")
    repeated = reduce(merged, values)
    if not repeated.count:
        return
    frame = looked_up(repeated, (), 0, with_ids, engine)
    ids = [name for name in frame.columns if name != "file"]
    same = frame.filter(pl.struct(ids).is_duplicated())
    if not same.height:  # different trials that share a hash: rare, and harmless
        return
    raise TrialFileError(
        f"{source}: {repeated.count:,} repeated trials, such as {_one_with_files(same, ids)}; "
        "remove them, or keep them all: ",
        Setting("duplicates", "all"),
    )


def _one_with_files(same: pl.DataFrame, ids: Sequence[str]) -> str:
    """The ids of the first of some trials, and two of the files that it is in."""
    trial = same.head(1).select(ids)
    files = same.join(trial, on=ids, nulls_equal=True)["file"].unique(maintain_order=True)
    return f"{examples(trial, ids)} in {' and in '.join(files.head(2).to_list())}"


def _find_repeated(frame: pl.DataFrame) -> tuple[TrialExamples, None]:
    return TrialExamples.repeated(frame), None


# -------------------------------------------------------------------------------- scores and key


_NONE = TrialExamples()


@dataclass(frozen=True)
class Tally(MergedByFields):
    """How many scores there are to join, and what did not match: see ``_faults``."""

    scores: int
    repeated: TrialExamples
    repeated_in_key: TrialExamples
    conflicting: TrialExamples = _NONE
    unknown: TrialExamples = _NONE
    missing: TrialExamples = _NONE


def match(scores: pl.DataFrame, key: pl.DataFrame) -> tuple[Tally, pl.DataFrame]:
    """One part of the scores, with labels from the same part of the key; and what did not match."""
    tally = Tally(scores.height, TrialExamples.repeated(scores), TrialExamples.repeated(key))
    if tally.repeated_in_key.count:
        kinds = key.group_by("hash").agg(pl.col("label").n_unique())
        conflicting = TrialExamples.of(kinds.filter(pl.col("label") > 1)["hash"])
        tally, key = replace(tally, conflicting=conflicting), key.unique("hash")
    both = scores.join(key, on="hash", how="left")
    is_known = both["label"].is_not_null()
    if not is_known.all():
        unknown = TrialExamples.of(both.filter(~is_known)["hash"])
        tally, both = replace(tally, unknown=unknown), both.filter(is_known)
    if both["hash"].n_unique() < key.height:
        missing = TrialExamples.of(key.join(both, on="hash", how="anti")["hash"])
        tally = replace(tally, missing=missing)
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
    sides = ((scores, _SCORE, "reading the scores"), (key, _LABEL, "reading the key"))
    number_of = partial(number_by_hash, parts)
    for seed in range(_SEEDS):
        spills = [
            Spill(tuple(pieces), kind, partial(hash_rows, kind, ids, seed), number_of, what)
            for pieces, kind, what in sides
        ]
        values, joined = engine.divide(spills, parts, match, "joining")
        tally: Tally = reduce(merged, values)
        faults = [fault for fault in _faults(tally, options, sources) if fault.some.count]
        ids_of = partial(_ids_of, (scores, key), engine, ids, seed)
        if all(ids_of(fault).height for fault in faults if fault.is_twice):
            break  # or else different trials share a hash
    text = f"{tally.scores:,} scores joined with {sources[1]} on {' and '.join(ids)}"
    notes = [Note.of("joined", text).about(sources[0])]
    for fault in faults:
        what = f"{fault.some.count:,} {fault.what}"
        if fault.is_twice:
            what = f"{sources[fault.side]}: {what}"
        elif tally.unknown.count == tally.scores:
            trials = " against ".join(examples(ids_of(one), ids) for one in reversed(faults))
            raise TrialFileError(f"{' and '.join(sources)} have no trial in common: {trials}")
        elif getattr(options, fault.kind) == "skip":
            notes.append(Note.of(fault.kind, f"{what}; left out", severity=Severity.WARNING))
            continue
        some = ids_of(fault)
        such = _one_with_files(some, ids) if fault.is_twice else examples(some, ids)
        raise TrialFileError(f"{what}, such as {such}", *fault.remedy)
    made = (
        replace(
            piece,
            name=sources[0],
            request=options.request("trials"),
            score_name=scores[0].score_name,
            forensic=any(piece.forensic for piece in key),
        )
        for piece in joined
    )
    return tuple(made), tuple(notes)


class _Fault(NamedTuple):
    kind: str
    some: TrialExamples
    side: int
    """0 if they are among the scores, 1 if they are in the key."""
    what: str
    remedy: Message

    @property
    def is_twice(self) -> bool:
        """Whether it is about several rows of a trial."""
        return self.kind not in ("missing", "unknown")


def _faults(tally: Tally, options: ReadOptions, sources: tuple[str, str]) -> Iterator[_Fault]:
    """What may be wrong with a join, in the order in which it is told."""
    keep: Message = ("; remove them, or keep them all: ", Setting("duplicates", "all"))
    missing, unknown = (
        ("; to leave them out: ", Setting(kind, "skip")) for kind in ("missing", "unknown")
    )
    cases: list[tuple[str, int, str, Message]] = [
        ("conflicting", 1, "trials are both target and non-target", ()),
        ("repeated", 0, "repeated trials", keep),
        ("repeated_in_key", 1, "repeated trials", keep),
        ("missing", 1, f"trials of {sources[1]} have no score", missing),
        ("unknown", 0, f"scores of {sources[0]} are not in the key", unknown),
    ]
    for kind, side, what, remedy in cases:
        if remedy is not keep or options.duplicates == "error":
            yield _Fault(kind, getattr(tally, kind), side, what, remedy)


def _ids_of(
    sides: Sequence[Sequence[Piece]],
    engine: Engine,
    ids: tuple[str, ...],
    seed: int,
    fault: _Fault,
) -> pl.DataFrame:
    """The ids of some trials, and their files, each once, in order."""
    frame = looked_up(fault.some, ids, seed, sides[fault.side], engine).select(*ids, "file")
    if fault.is_twice:
        frame = frame.filter(pl.struct(ids).is_duplicated())
    return frame.unique().sort(*ids, "file")


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
