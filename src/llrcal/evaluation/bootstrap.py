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
from functools import cached_property

import numpy as np

from llrcal.arrays import Array, Counts, check_level, check_whole
from llrcal.errors import OptionError, ScoreError
from llrcal.evaluation.statistics import InCells, Numbers, SetInCells, Statistic
from llrcal.inputs.beside_scores import (
    Speakers,
    both_speakers,
    numbered,
    speaker_counts,
    supporting,
)
from llrcal.messages import Setting
from llrcal.onepass.chunks import chunks, threads

Pairs = tuple[Array, Array]
"""The enrolment and the test speaker of each target, and of each non-target trial."""

Progress = Callable[[int, int], None]
"""Called with how many sets are done, and how many there are."""

REPLICATES = 1000
"""Sets to draw, unless told otherwise: the ends of an interval hardly depend on the seed."""
MOST_DRAWN = 2**17
"""Speakers that are drawn one by one; more are dealt into so many groups, which are drawn."""
_PIECE = 2**12  # trials whose counts are summed together
_BLOCK = 2**8  # replicates whose counts are held in memory together


def unheard(_done: int, _total: int) -> None:
    """Progress that nobody follows."""


def check_draws(*, level: float, replicates: int, seed: int = 0) -> None:
    """Raise an OptionError where no such intervals can be drawn."""
    check_whole("replicates", replicates, least=1)
    check_whole("seed", seed, least=0)
    check_level(level)
    if replicates < enough_for(level):
        raise OptionError(
            f"level is {level!r}, which {replicates:,} replicates cannot show: give at least ",
            Setting("replicates", enough_for(level)),
        )


def enough_for(level: float) -> int:
    """The least number of drawn sets such that some lie outside at either end."""
    return math.ceil(2 / (1 - level) - 1 - 1e-9)


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
    supporting: tuple[int, int]
    """How many of these tell of different speakers; all, where speakers are not known."""
    whole: SetInCells
    """The set of trials itself."""

    def __len__(self) -> int:
        return len(next(iter(self.drawn.values())))


@dataclass(frozen=True)
class Bootstrap:
    """Draws of a test set: the same however often, and for whatever LLRs, they are asked for."""

    count: int
    """How many sets are drawn."""
    seed: int = 0
    speakers: Pairs | None = None
    """Those of all trials, as checked; None where trials are drawn instead."""

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
        drawn = self._by_trial if self.speakers is None else self._by_speaker
        rows: list[list[Numbers]] = [[] for _ in statistics]
        for done, (i, tar, non) in enumerate(drawn(statistics), 1):
            rows[i].append(statistics[i].numbers(tar, non))
            progress(done, self.count * len(statistics))
        out = []
        for one, found in zip(statistics, rows, strict=True):
            numbers = {name: np.array([row[name] for row in found]) for name in found[0]}
            tar_count, non_count = (int(side.counts.sum()) for side in one.sides)
            counts = tar_count, non_count
            known = supporting(counts, self.speakers and speaker_counts(*self.speakers))
            out.append(Replicates(one.actual, numbers, counts, self.by, known, one.whole))
        return out

    def _by_trial(self, every: Sequence[Statistic]) -> Iterator[tuple[int, Counts, Counts]]:
        """The number of a statistic, and drawn counts of both classes in its cells."""
        rng = np.random.default_rng(self.seed)
        sides = [_joint(side) for side in zip(*(one.sides for one in every), strict=True)]
        for _ in range(self.count):
            times = [rng.multinomial(n.sum(), n / n.sum()) for n, _ in sides]
            for i, one in enumerate(every):
                # Doubles hold such counts exactly.
                tar, non = (
                    np.bincount(cells[i], weights, len(one.edges)).astype(np.int64)
                    for (_, cells), weights in zip(sides, times, strict=True)
                )
                yield i, tar, non

    def _by_speaker(self, every: Sequence[Statistic]) -> Iterator[tuple[int, Counts, Counts]]:
        """The same, one statistic after the other."""
        pairs, weights = self.drawn_speakers
        for i, one in enumerate(every):
            keys = [
                np.sort(keys_of(side.cell_of_each, who, len(weights)))
                for side, who in zip(one.sides, pairs, strict=True)
            ]
            for block in blocks(weights):
                tar, non = (weighted_counts(side, block, len(one.edges)) for side in keys)
                yield from ((i, *both) for both in zip(tar, non, strict=True))

    @cached_property
    def drawn_speakers(self) -> tuple[list[Array], Array]:
        """The speakers of each trial, numbered; and how often each (row) is drawn in each set.

        A last row is of ones: the second of equal speakers, so that none counts twice. Draws that
        leave a class without trials are repeated.
        """
        sides, people = numbered(*self.speakers or ())
        people, dealt = min(people, MOST_DRAWN), people > MOST_DRAWN
        sides = [_distinguished(pairs % people if dealt else pairs, people) for pairs in sides]
        rng = np.random.default_rng(self.seed)
        weights = np.ones((people + 1, self.count), np.int32)
        for column in weights.T:
            column[:people] = 0
            while not all(_any_left(column, pairs) for pairs in sides):
                column[:people] = np.bincount(rng.integers(people, size=people), minlength=people)
        return sides, weights


def _distinguished(pairs: Array, people: int) -> Array:
    """Pairs of numbered speakers; of equal ones, the second is the number beyond all."""
    enrol, test = pairs.T
    return np.stack([enrol, np.where(enrol == test, people, test)], axis=1)


def _joint(sides: Sequence[InCells]) -> tuple[Array, list[Array]]:
    """Trials of one class, counted where no set of cells tells them apart; and their cells."""
    starts = np.unique(np.concatenate([side.starts for side in sides]))
    cells = [side.cell[np.searchsorted(side.starts, starts, side="right") - 1] for side in sides]
    return np.diff(starts, append=sides[0].counts.sum()), cells


def _any_left(drawn: Array, pairs: Array) -> bool:
    """Whether any trial has all its speakers drawn; usually one of the first few has."""
    return any(drawn[part].all(axis=1).any() for part in chunks(pairs, _PIECE))


def keys_of(cell: Array, pairs: Array, base: int) -> Array:
    """Cell, enrolment speaker and test speaker of each trial in one integer."""
    return (cell.astype(np.int64) * base + pairs[:, 0]) * base + pairs[:, 1]


def blocks(weights: Array) -> Iterator[Array]:
    """The weights of some drawn sets at a time, so that counts of all need not be in memory."""
    for start in range(0, weights.shape[1], _BLOCK):
        yield np.ascontiguousarray(weights[:, start : start + _BLOCK])


def weighted_counts(keys: Array, weights: Array, cells: int) -> Counts:
    """Sums of the products of the speakers' weights over trials, per draw (row) and cell (column).

    All replicates are summed in one pass over the trials. Trials of the same cell and enrolment
    speaker are consecutive, so the weight of that speaker multiplies their sum.
    """
    from scipy.sparse import csr_array

    base = len(weights)

    def summed(piece: Array) -> tuple[Array, Array]:
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
