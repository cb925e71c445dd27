"""The engine that runs in threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from operator import add
from typing import TypeVar

import numpy as np

from llrcal.arrays import Floats
from llrcal.onepass.chunks import threads, use_one_thread
from llrcal.scale.counting import Between, Pooled, Stretch
from llrcal.scale.divided import Divided, Pile, PilePiece
from llrcal.scale.engines.engine import JoinedPieces, Progress, silent
from llrcal.scale.matching import LABEL, SCORE, Hashed, Join, Tally, matched
from llrcal.scale.pieces.piece import BATCH, Piece, bundled

_Value = TypeVar("_Value")
_ROWS = 2 * BATCH  # of a piece of what was joined
_BUNDLES = 16  # for each thread: few to merge, yet no thread waits long for the last


def _put(side: Divided, hashed: Hashed) -> Callable[[Piece], int]:
    """The work on one piece: put its rows where they belong."""

    def work(piece: Piece) -> int:
        rows = hashed(piece)
        side.put(rows)
        return len(rows)

    return work


class Threads:
    """Threads of this process, each working on one piece at a time."""

    most_in_a_stretch = 2**24

    def __init__(self, progress: Progress = silent) -> None:
        self._progress = progress

    def bundled(self, pieces: Sequence[Piece]) -> Sequence[Piece]:
        return bundled(pieces, _BUNDLES * threads())

    def reduce(
        self,
        pieces: Sequence[Piece],
        work: Callable[[Piece], _Value],
        merge: Callable[[_Value, _Value], _Value],
        what: str,
    ) -> _Value:
        total, done = sum(piece.rows for piece in pieces), 0
        merged: list[_Value] = []
        self._progress(what, done, total)
        for piece, value in self._each(pieces, work):
            merged = [merge(merged[0], value)] if merged else [value]
            done += piece.rows
            self._progress(what, done, total)
        return merged[0]

    def stretches(
        self, pieces: Sequence[Piece], cuts: Floats, *, rare_is_tar: bool
    ) -> list[Pooled]:
        """One pass for each stretch, since only one at a time fits into memory."""
        edges = [-np.inf, *cuts.tolist()]
        found = []
        for number, (low, high) in enumerate(zip(edges, [*edges[1:], None], strict=True), 1):
            what = f"sorting, part {number} of {len(edges)}"
            stretch = self.reduce(pieces, Between(low, high), Stretch.merge, what)
            found.append(stretch.pooled(rare_is_tar=rare_is_tar))
        return found

    def joined(self, join: Join) -> JoinedPieces:
        """Both sides are divided by hashes into parts on disk, and matched part by part."""
        scores, key = Divided(SCORE, join.bits), Divided(LABEL, join.bits)
        self.reduce(join.key, _put(key, join.of_key), add, "reading the key")
        self.reduce(join.scores, _put(scores, join.of_scores), add, "reading the scores")
        found = Pile(np.dtype(np.float64)), Pile(np.dtype(np.int8))
        tally, total = Tally(), scores.count
        for number in range(2**join.bits):
            self._progress("joining", tally.rows, total)
            part = matched(scores.part(number), key.part(number))
            tally = tally.merge(part.tally)
            for pile, rows in zip(found, (part.scores, part.labels), strict=True):
                pile.put(rows)
        self._progress("joining", total, total)
        pieces = [
            PilePiece(
                name=join.source,
                rows=min(_ROWS, found[0].count - start),
                score_name=join.scores[0].score_name,
                forensic=join.key[0].forensic,
                held=found[0],
                labels=found[1],
                start=start,
                request=join.request,
            )
            for start in range(0, found[0].count, _ROWS)
        ]
        return JoinedPieces(pieces, self, tally)

    def _each(
        self, pieces: Sequence[Piece], work: Callable[[Piece], _Value]
    ) -> Iterable[tuple[Piece, _Value]]:
        """Pieces and their values as they are completed; only a few are in progress at a time."""
        waiting = iter(pieces)
        with ThreadPoolExecutor(threads(), initializer=use_one_thread) as pool:
            under_way: dict[Future[_Value], Piece] = {}
            try:
                while True:
                    while len(under_way) <= threads() and (piece := next(waiting, None)):
                        under_way[pool.submit(work, piece)] = piece
                    if not under_way:
                        return
                    finished = wait(under_way, return_when=FIRST_COMPLETED).done
                    if any(future.exception() for future in finished):
                        for future in under_way:  # raise for the first piece in order, not in time
                            future.result()
                    for done in finished:
                        yield under_way.pop(done), done.result()
            finally:
                for future in under_way:
                    future.cancel()
