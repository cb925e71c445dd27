"""Resampled trials: the same draws for several sets of LLRs of the same trials.

Numbers of two calibrations can only be compared draw by draw if both are worked out on the same
drawn trials. Each calibration has cells of its own (:mod:`llrcal.evaluation.cells`); trials that
share a cell in every one of them need not be told apart, and are counted together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation.cells import Counted, InCells


@dataclass(frozen=True)
class Runs:
    """Cells of the trials of one class in the order of their scores, run by run.

    LLRs mostly rise with the scores, so that there are hardly more runs than cells.
    """

    starts: Counts
    """Where each run begins; the first at zero."""
    cell: Array

    @classmethod
    def of(cls, cell: Array, order: Array) -> Runs:
        """Runs of cells, which are given for each trial, in an order of the trials."""
        ordered = cell[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1)).astype(np.int64, copy=False)
        return cls(starts, ordered[starts])


@dataclass(frozen=True)
class Joint:
    """Trials of one class, counted where no set of LLRs tells them apart."""

    counts: Counts
    cell: tuple[Array, ...]
    """The cell of what is counted, for each set of LLRs."""

    @classmethod
    def of_one(cls, side: InCells) -> Joint:
        """The cells of one set of LLRs that have trials in them."""
        used = np.flatnonzero(side.counts)
        return cls(side.counts[used], (used,))

    @classmethod
    def of_runs(cls, every: Sequence[Runs], trials: int) -> Joint:
        """The joint cells of several sets of LLRs of so many trials in one order."""
        starts = np.unique(np.concatenate([runs.starts for runs in every]))
        cell = tuple(
            runs.cell[np.searchsorted(runs.starts, starts, side="right") - 1] for runs in every
        )
        return cls(np.diff(starts, append=trials), cell)

    def drawn(self, rng: np.random.Generator) -> Counts:
        """As many trials, drawn with replacement."""
        total = self.counts.sum()
        counts: Counts = rng.multinomial(total, self.counts / total)
        return counts


def drawn_numbers(
    every: Sequence[Counted],
    tar: Joint,
    non: Joint,
    *,
    replicates: int,
    seed: int,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[Floats]:
    """Numbers of every set of LLRs in the same drawn sets: a row a draw."""
    rng = np.random.default_rng(seed)
    rows: list[list[Floats]] = [[] for _ in every]
    for done in range(replicates):
        tar_drawn, non_drawn = tar.drawn(rng), non.drawn(rng)
        for i, cells in enumerate(every):
            size = len(cells.edges)
            tar_counts = _summed(tar.cell[i], tar_drawn, size)
            non_counts = _summed(non.cell[i], non_drawn, size)
            rows[i].append(cells.metrics(tar_counts, non_counts))
        progress(done + 1, replicates)
    return [np.array(numbers) for numbers in rows]


def _summed(cell: Array, drawn: Counts, size: int) -> Counts:
    """Drawn trials in each cell; doubles hold such counts exactly."""
    return np.bincount(cell, weights=drawn, minlength=size).astype(np.int64)
