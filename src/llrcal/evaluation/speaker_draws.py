"""Resampled speakers, and how often each of their trials then counts.

The scores of trials that share a speaker are correlated, so speakers are resampled with
replacement, and a speaker who is drawn k times represents k different ones. A non-target trial then
counts w(enrolment speaker) * w(test speaker) times, once for each pair of copies. A target trial
counts w(speaker) times, not the square of it: it compares a copy with itself, and comparing two
different copies would be a non-target trial, for which there is no valid score. The same holds for
any other trial of a single speaker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.errors import ScoreError
from llrcal.evaluation.cells import Counted
from llrcal.inputs.speakers import numbered
from llrcal.onepass.chunks import chunks, threads

_PIECE = 2**12  # trials whose counts are summed together
_BLOCK = 2**8  # replicates whose counts are held in memory together


@dataclass(frozen=True)
class SpeakerDraws:
    """How often each speaker was drawn in each replicate.

    The draws depend only on the speakers and the seed, not on the LLRs, and can be used for many
    evaluations of the same trials.
    """

    tar: Array
    """The two rows of ``weights`` whose product counts each target trial."""
    non: Array
    weights: Array
    """A row for each speaker, and a last row of ones; a column for each replicate."""

    @classmethod
    def of(cls, tar: Array, non: Array, *, replicates: int, seed: int) -> SpeakerDraws:
        """Draw speakers, given the enrolment and test speaker of each trial.

        Draws that leave a class without trials are repeated.
        """
        if (differs := tar[:, 0] != tar[:, 1]).any():
            first = int(differs.argmax())
            raise ScoreError(
                f"{int(differs.sum())} target trials have two speakers; the first is at index "
                f"{first}: {tar[first, 0]} and {tar[first, 1]}. A target trial has one speaker"
            )
        (tar, non), count = numbered(tar, non)
        for pairs in (tar, non):
            # The row of ones, so that no speaker counts twice.
            pairs[pairs[:, 0] == pairs[:, 1], 1] = count
        rng = np.random.default_rng(seed)
        weights = np.ones((replicates, count + 1), np.int32)
        for drawn in weights:
            while True:
                drawn[:-1] = np.bincount(rng.integers(count, size=count), minlength=count)
                if _any_left(drawn, tar) and _any_left(drawn, non):
                    break
        return cls(tar, non, np.ascontiguousarray(weights.T))

    def numbers(
        self, cells: Counted, progress: Callable[[int, int], None] = lambda _done, _total: None
    ) -> Floats:
        """Numbers of the evaluation of every drawn set: a row a draw."""
        rows, total = [], self.weights.shape[1]
        for done, (tar, non) in enumerate(self.counts(cells), 1):
            rows.append(cells.metrics(tar, non))
            progress(done, total)
        return np.array(rows)

    def counts(self, cells: Counted) -> Iterator[tuple[Counts, Counts]]:
        """Counts of target and non-target trials in each cell, for each replicate."""
        size = len(cells.edges)
        tar = self._sorted_keys(cells.tar.cell, self.tar)
        non = self._sorted_keys(cells.non.cell, self.non)
        for start in range(0, self.weights.shape[1], _BLOCK):
            weights = np.ascontiguousarray(self.weights[:, start : start + _BLOCK])
            tar_counts = _weighted_counts(tar, weights, size)
            non_counts = _weighted_counts(non, weights, size)
            yield from zip(tar_counts, non_counts, strict=True)

    def _sorted_keys(self, cell: Array, pairs: Array) -> Counts:
        """Cell, enrolment speaker and test speaker of each trial in one integer, sorted."""
        base = len(self.weights)
        key: Counts = (cell.astype(np.int64) * base + pairs[:, 0]) * base + pairs[:, 1]
        key.sort()
        return key


def _any_left(drawn: Array, pairs: Array) -> bool:
    """Whether any trial has all its speakers drawn; usually one of the first few has."""
    return any(drawn[part].all(axis=1).any() for part in chunks(pairs, _PIECE))


def _weighted_counts(keys: Counts, weights: Array, cells: int) -> Counts:
    """Sums of the products of the speakers' weights over trials, per draw (row) and cell (column).

    All replicates are summed in one pass over the trials. Trials of the same cell and enrolment
    speaker are consecutive, so the weight of that speaker multiplies their sum.
    """
    from scipy.sparse import csr_array

    base = len(weights)

    def summed(piece: Counts) -> tuple[Counts, Array]:
        row, test = np.divmod(piece, base)
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        cell, enrol = np.divmod(row[starts], base)
        # 32 bits suffice for so few trials, unless a speaker is drawn 700 times: 700^2 2^12 < 2^31.
        once = np.ones(len(piece), np.int32)
        trials = csr_array((once, test, np.append(starts, len(piece))), (len(starts), base))
        products = (trials @ weights) * weights[enrol]
        firsts = np.flatnonzero(np.diff(cell, prepend=-1))
        return cell[firsts], np.add.reduceat(products, firsts, axis=0)

    total = np.zeros((cells, weights.shape[1]), np.int64)
    with ThreadPoolExecutor(threads()) as pool:
        for cell, counts in pool.map(summed, chunks(keys, _PIECE)):
            total[cell] += counts
    return np.ascontiguousarray(total.T)
