"""Finding repeated trials in sets that do not fit into memory.

Every trial is represented by a 64-bit hash of its ids. If all hashes fit into memory, they are
sorted there; otherwise they are divided by their leading bits into parts on disk, and sorted one
part at a time. Trials with equal hashes are looked up and compared by their ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add

import numpy as np
import polars as pl

from llrcal.arrays import Array
from llrcal.errors import TrialFileError
from llrcal.messages import Setting
from llrcal.scale.divided import Divided
from llrcal.scale.engines.engine import Engine
from llrcal.scale.pieces.piece import Piece
from llrcal.trials.joining import hashes_of_ids, named

MOST_AT_ONCE = 2**25
"""Hashes held in memory: 256 MB, and as much again while they are sorted."""
_HASH = np.dtype([("hash", np.uint64)])
_EXAMPLES = 1000  # repeated hashes whose trials are looked up
_WHAT = "looking for repeated trials"


def refuse_repeated(pieces: Sequence[Piece], engine: Engine, source: str) -> None:
    """Refuse trials that occur more than once.

    Files without trial ids are not checked.

    Raises
    ------
    TrialFileError
        If there are any; the message names the ids of one, and its files.
    """
    with_ids = [piece for piece in pieces if piece.has_ids]
    if not with_ids:
        return
    count, hashes = _repeated(with_ids, engine)
    if not count:
        return
    work = Named(tuple(hashes.tolist()))
    found = engine.reduce(with_ids, work, add, "looking up repeated trials")
    frame = pl.concat(found, how="diagonal")
    ids = [name for name in frame.columns if name != "file"]
    # Sorted, for pieces may be done in any order, and the same set gives the same message.
    same = frame.filter(pl.struct(ids).is_duplicated()).sort(*ids, "file")
    if not same.height:  # different trials that share a hash: rare, and harmless
        return
    trial = same.head(1).select(ids)
    files = same.join(trial, on=ids, nulls_equal=True)["file"].unique(maintain_order=True)
    raise TrialFileError(
        f"{source}: {count:,} repeated trials, such as {named(trial, ids)} in "
        f"{' and in '.join(files.head(2).to_list())}; remove them, or keep them all: ",
        Setting("duplicates", "all"),
    )


def _repeated(pieces: Sequence[Piece], engine: Engine) -> tuple[int, Array]:
    """The number of trials whose hash occurred before, and some of these hashes."""
    count, found = 0, [np.empty(0, np.uint64)]
    for hashes in _sorted_parts(pieces, engine):
        again = hashes[1:][hashes[1:] == hashes[:-1]]
        count += len(again)
        found.append(again[:_EXAMPLES])
    return count, np.unique(np.concatenate(found))[:_EXAMPLES]


def _sorted_parts(pieces: Sequence[Piece], engine: Engine) -> Iterator[Array]:
    """All hashes in rising order, in parts; equal hashes are always in the same part."""
    total = sum(piece.rows for piece in pieces)
    if total <= MOST_AT_ONCE:
        yield _sorted_hashes(pieces, engine)
        return
    bits = (4 * total // MOST_AT_ONCE).bit_length()  # a part is about a quarter of what fits
    divided = Divided(_HASH, bits)
    for some in _slices(pieces):
        divided.put(_sorted_hashes(some, engine).view(_HASH))
    for number in range(2**bits):
        hashes = divided.part(number).view(np.uint64)
        hashes.sort()
        yield hashes


def _slices(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Consecutive pieces with about as many trials as fit into memory."""
    some: list[Piece] = []
    rows = 0
    for piece in pieces:
        if some and rows + piece.rows > MOST_AT_ONCE:
            yield some
            some, rows = [], 0
        some.append(piece)
        rows += piece.rows
    yield some


def _sorted_hashes(pieces: Sequence[Piece], engine: Engine) -> Array:
    hashes = np.concatenate(engine.reduce(pieces, _hashes, add, _WHAT))
    hashes.sort()
    return hashes


def _hashes(piece: Piece) -> tuple[Array, ...]:
    """The work on one piece: the hashes of its trials."""
    none = np.empty(0, np.uint64)
    return (none, *(hashes_of_ids(frame, frame.columns).to_numpy() for frame in piece.ids()))


@dataclass(frozen=True)
class Named:
    """The work on one piece: the trials with the given hashes, and their file."""

    hashes: tuple[int, ...]
    ids: tuple[str, ...] | None = None
    """The ids that are hashed; all that a piece has if None."""
    seed: int = 0

    def __call__(self, piece: Piece) -> tuple[pl.DataFrame, ...]:
        found = []
        for frame in piece.ids():
            hashes = hashes_of_ids(frame, self.ids or frame.columns, self.seed)
            known = np.array(self.hashes, np.uint64)
            is_one = np.isin(hashes.to_numpy(), known, kind="sort")  # tables overflow in NumPy 2.0
            found.append(frame.filter(is_one).with_columns(file=pl.lit(piece.file)))
        return (pl.DataFrame(), *found)
