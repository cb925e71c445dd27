"""The design factor of trials that share speakers, compared with independent ones.

Estimates move with the sum of what each trial does to them (its influence). If trials are
independent, the variance of that sum is the sum of the squares of the influences. If they are
independent only where no speaker is in both, it is the sum over all pairs of trials that share a
speaker: of the squared sums over the trials of each speaker, less the squared sums over the trials
of each pair of speakers, which count for both (Aronow, Samii and Assenova, *Political Analysis* 23,
2015; Cameron and Miller, 2014). Target trials count with the non-target trials of their speaker.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from llrcal.arrays import Array, Floats
from llrcal.calibrations.uncertainty import By, Independent, Influence
from llrcal.inputs.beside_scores import numbered, speaker_counts
from llrcal.notes import Note

Matrix = Any
"""A sparse matrix of SciPy, which is imported only where speakers are known."""
ONE_SPEAKER = Note.warning(
    "one speaker",
    "all trials are of one speaker, so nothing is known about others: intervals treat trials as "
    "independent, and are too narrow",
)
_AT = 0.025  # the lower tail of an interval of 95 %
_AT_ONCE = 2**14  # pairs of speakers whose sums are held in memory together


class Dependence(Independent):
    """The scores of both classes, and the two speakers of each trial."""

    def __init__(self, tar: Array, non: Array, tar_speakers: Array, non_speakers: Array) -> None:
        self._scores, self._who = (tar, non), (tar_speakers, non_speakers)
        self._known: dict[bytes, tuple[Matrix, Matrix, Matrix]] = {}

    @cached_property
    def _numbered(self) -> tuple[list[Array], int]:
        return numbered(*self._who)

    @property
    def count(self) -> int:
        """The number of speakers."""
        return self._numbered[1]

    @property
    def counts(self) -> tuple[int, int]:
        """The number of speakers of either class."""
        return speaker_counts(*self._who)

    @property
    def notes(self) -> tuple[Note, ...]:
        return () if self.count > 1 else (ONE_SPEAKER,)

    def factor(self, scores: Floats, influence: Influence) -> tuple[Floats | float, By]:
        if self.count < 2:
            return super().factor(scores, influence)
        return self.design_factor(scores, *influence()), "speaker"

    def design_factor(self, scores: Floats, tar: Floats, non: Floats) -> Floats:
        """How many times wider intervals are than those of independent trials, at least 1.

        That is Kish's design factor, the root of the design effect, given how much one more trial
        of a class at each of some rising scores (column) moves each of some estimates (row);
        influences in between are interpolated. There must be two speakers.
        """
        count = self.count
        trials, by_speaker, by_pair = self._placed(scores)
        shares = trials.sum(axis=0).reshape(2, -1) / [[len(side)] for side in self._scores]
        influence = np.stack([tar, non], axis=1)
        centred = influence - (influence * shares).sum(axis=2, keepdims=True)
        moved = centred.reshape(len(tar), -1).T
        alone = (moved * ((trials.T @ trials) @ moved)).sum(axis=0)
        together = ((by_speaker @ moved) ** 2).sum(axis=0)
        for piece in range(0, by_pair.shape[0], _AT_ONCE):
            together -= ((by_pair[piece : piece + _AT_ONCE] @ moved) ** 2).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):  # where nothing moves an estimate
            design_effect = together * (count / (count - 1)) / alone
        design_effect = np.nan_to_num(design_effect, nan=1.0, posinf=1.0)
        # Squares of so few sums: the quantiles of Student's T, as for a mean of so many values.
        few = float(stdtrit(count - 1, _AT) / ndtri(_AT))
        return np.asarray(np.sqrt(np.maximum(design_effect, 1.0)) * few)

    def _placed(self, scores: Floats) -> tuple[Matrix, Matrix, Matrix]:
        """How much of each trial (row), speaker, or pair of speakers is at each of some scores.

        There are as many columns for targets, and as many after these for non-targets. Most methods
        ask at the same scores, so that answers are kept.
        """
        key = scores.tobytes()
        if key not in self._known:
            trials, who = _interpolation(*self._scores, scores), np.concatenate(self._numbered[0])
            low, high = who.min(axis=1).astype(np.int64), who.max(axis=1)
            two = low != high
            apart = trials[two]
            _, pair = np.unique(low[two] * self.count + high[two], return_inverse=True)
            self._known[key] = (
                trials,
                _sums(trials, low, self.count) + _sums(apart, high[two], self.count),
                _sums(apart, pair, int(pair.max(initial=-1)) + 1),
            )
        return self._known[key]


def _interpolation(tar: Array, non: Array, scores: Floats) -> Matrix:
    """The shares of each trial (row) in the two scores next to it, by class."""
    from scipy.sparse import csr_array

    trials = np.concatenate([tar, non]).astype(np.float64)
    first = np.repeat([0, len(scores)], [len(tar), len(non)])
    # Halves, whose differences never overflow.
    half, edges = np.clip(trials, scores[0], scores[-1]) / 2, scores / 2
    left = np.clip(np.searchsorted(edges, half, side="right") - 1, 0, max(len(edges) - 2, 0))
    share = (half - edges[left]) / np.append(np.diff(edges), 1.0)[left]
    right = np.minimum(left + 1, len(scores) - 1)
    return csr_array(
        (
            np.concatenate([1 - share, share]),
            (np.tile(np.arange(len(trials)), 2), np.concatenate([first + left, first + right])),
        ),
        shape=(len(trials), 2 * len(scores)),
    )


def _sums(rows: Matrix, group: Array, groups: int) -> Matrix:
    """Sums of the rows of each group."""
    from scipy.sparse import csr_array

    members = csr_array(
        (np.ones(len(group)), (group, np.arange(len(group)))), shape=(groups, len(group))
    )
    return members @ rows
