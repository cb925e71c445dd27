"""The bootstrap: test sets drawn from one, by speaker where speakers are known, by trial otherwise.

The test set is resampled many times with replacement (Efron and Tibshirani, An Introduction to the
Bootstrap, 1993), and statistics (:mod:`llrcal.evaluation.statistics`) of several sets of LLRs are
worked out on the same drawn sets: only so can two calibrations be compared draw by draw.

By trial, each set of LLRs has cells of its own. Trials that share a cell in every one of them need
not be told apart, and are drawn together.

By speaker, since the scores of trials that share a speaker are correlated, a speaker who is drawn k
times represents k different ones. A non-target trial then counts w(enrolment speaker) * w(test
speaker) times, once for each pair of copies. A target trial counts w(speaker) times, not the square
of it: it compares a copy with itself, and comparing two different copies would be a non-target
trial, for which there is no valid score. The same holds for any other trial of a single speaker.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Counts, check_level, is_whole
from llrcal.errors import OptionError, ScoreError
from llrcal.evaluation.statistics import Cells, InCells, Numbers, Statistic
from llrcal.inputs.beside_scores import Speakers, both_speakers, numbered
from llrcal.messages import Setting
from llrcal.onepass.chunks import chunks, threads

Pairs = tuple[Array, Array]
"""The enrolment and the test speaker of each target, and of each non-target trial."""

Progress = Callable[[int, int], None]
"""Called with how many sets are done, and how many there are."""

REPLICATES = 1000
"""Sets to draw, unless told otherwise: the ends of an interval hardly depend on the seed."""
_PIECE = 2**12  # trials whose counts are summed together
_BLOCK = 2**8  # replicates whose counts are held in memory together


def unheard(_done: int, _total: int) -> None:
    """Progress that nobody follows."""


def check_draws(*, level: float, replicates: int, seed: int = 0) -> None:
    """Raise an OptionError where no such intervals can be drawn."""
    check_replicates(replicates)
    if not is_whole(seed) or seed < 0:
        raise OptionError(f"seed is {seed!r}; it must be a non-negative integer")
    check_level(level)
    if replicates < enough_for(level):
        raise OptionError(
            f"level is {level!r}, which {replicates:,} replicates cannot show: give at least ",
            Setting("replicates", enough_for(level)),
        )


def enough_for(level: float) -> int:
    """The least number of drawn sets such that some lie outside at either end."""
    return math.ceil(2 / (1 - level) - 1 - 1e-9)


def check_replicates(replicates: int) -> None:
    """Raise an OptionError where that is no number of drawn sets."""
    if not is_whole(replicates) or replicates < 1:
        raise OptionError(f"replicates is {replicates!r}; it must be a positive integer")


def speaker_pairs(speakers: Speakers, tar_count: int, non_count: int) -> Pairs:
    """The speakers of both classes, of which target trials have one each."""
    tar, non = both_speakers(speakers, tar_count, non_count)
    if (differs := tar[:, 0] != tar[:, 1]).any():
        first = int(differs.argmax())
        raise ScoreError(
            f"{int(differs.sum())} target trials have two speakers; the first is at index "
            f"{first}: {tar[first, 0]} and {tar[first, 1]}. A target trial has one speaker"
        )
    return tar, non


@dataclass(frozen=True)
class Replicates:
    """Numbers of a set of trials, and of sets drawn from it."""

    actual: Numbers
    drawn: Numbers
    """The same with a row for each drawn set."""
    counts: tuple[int, int]
    """How many target and non-target trials there are."""
    by: str
    """What was drawn: "trial" or "speaker"."""

    def __len__(self) -> int:
        return len(next(iter(self.drawn.values())))


@dataclass(frozen=True)
class Bootstrap:
    """Draws of a test set: the same however often, and for whatever LLRs, they are asked for."""

    count: int
    """How many sets are drawn."""
    seed: int
    speakers: SpeakerDraws | None = None

    @classmethod
    def of(cls, speakers: Pairs | None, *, replicates: int, seed: int = 0) -> Bootstrap:
        """Draws of so many sets; speakers, if they are given, are drawn at once."""
        if speakers is None:
            return cls(replicates, seed)
        return cls(replicates, seed, SpeakerDraws.of(*speakers, replicates=replicates, seed=seed))

    @property
    def by(self) -> str:
        """What is drawn: "trial" or "speaker"."""
        return "trial" if self.speakers is None else "speaker"

    def replicates(
        self, statistics: Sequence[Statistic], progress: Progress = unheard
    ) -> list[Replicates]:
        """The numbers of every statistic in the same drawn sets.

        All are of the same trials in the same order, by speaker that of the speakers.
        """
        every: list[Cells] = [one.cells for one in statistics]
        drawn = self._by_trial(every) if self.speakers is None else self.speakers.counts(every)
        rows: list[list[Numbers]] = [[] for _ in statistics]
        for done, (i, tar, non) in enumerate(drawn, 1):
            rows[i].append(statistics[i].numbers(tar, non))
            progress(done, self.count * len(statistics))
        return [
            Replicates(
                one.actual,
                {name: np.array([row[name] for row in found]) for name in found[0]},
                (int(one.cells.tar.counts.sum()), int(one.cells.non.counts.sum())),
                self.by,
            )
            for one, found in zip(statistics, rows, strict=True)
        ]

    def _by_trial(self, every: Sequence[Cells]) -> Iterator[tuple[int, Counts, Counts]]:
        """The number of a set of cells, and drawn counts of both classes in them, draw by draw."""
        rng = np.random.default_rng(self.seed)
        sides = _joint([cells.tar for cells in every]), _joint([cells.non for cells in every])
        for _ in range(self.count):
            times = [rng.multinomial(n.sum(), n / n.sum()) for n, _ in sides]
            for i, cells in enumerate(every):
                # Doubles hold such counts exactly.
                tar, non = (
                    np.bincount(of_each[i], weights, len(cells.edges)).astype(np.int64)
                    for (_, of_each), weights in zip(sides, times, strict=True)
                )
                yield i, tar, non


def _joint(sides: Sequence[InCells]) -> tuple[Counts, list[Array]]:
    """Trials of one class, counted where no set of cells tells them apart; and their cells."""
    starts = np.unique(np.concatenate([side.starts for side in sides]))
    cells = [side.cell[np.searchsorted(side.starts, starts, side="right") - 1] for side in sides]
    return np.diff(starts, append=sides[0].counts.sum()), cells


@dataclass(frozen=True)
class SpeakerDraws:
    """How often each speaker was drawn in each replicate."""

    tar: Array
    """The two rows of ``weights`` whose product counts each target trial."""
    non: Array
    weights: Array
    """A row for each speaker, and a last row of ones; a column for each replicate."""

    @classmethod
    def of(cls, tar: Array, non: Array, *, replicates: int, seed: int) -> SpeakerDraws:
        """Draw speakers, given the enrolment and test speaker of each trial, as checked.

        Draws that leave a class without trials are repeated.
        """
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

    def counts(self, every: Sequence[Cells]) -> Iterator[tuple[int, Counts, Counts]]:
        """The number of a set of cells, and counts of both classes in them, for each replicate."""
        for i, cells in enumerate(every):
            tar = self._sorted_keys(cells.tar, self.tar)
            non = self._sorted_keys(cells.non, self.non)
            for start in range(0, self.weights.shape[1], _BLOCK):
                weights = np.ascontiguousarray(self.weights[:, start : start + _BLOCK])
                both = (_weighted_counts(keys, weights, len(cells.edges)) for keys in (tar, non))
                yield from ((i, *counts) for counts in zip(*both, strict=True))

    def _sorted_keys(self, side: InCells, pairs: Array) -> Counts:
        """Cell, enrolment speaker and test speaker of each trial in one integer, sorted."""
        base = len(self.weights)
        key: Counts = (side.cell_of_each.astype(np.int64) * base + pairs[:, 0]) * base + pairs[:, 1]
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
