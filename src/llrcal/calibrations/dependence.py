"""What trials that share speakers are worth, compared with independent ones.

Estimates move with the sum of what each trial does to them (its influence). If trials are
independent, the variance of that sum is the sum of the squares of the influences. If they are
independent only where no speaker is in both, it is the sum over all pairs of trials that share a
speaker: of the squared sums over the trials of each speaker, less the squared sums over the trials
of each pair of speakers, which count for both (Aronow, Samii and Assenova, *Political Analysis* 23,
2015; Cameron and Miller, 2014). Target trials count with the non-target trials of their speaker.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri, stdtrit

from llrcal.arrays import Array, Floats
from llrcal.inputs.speakers import numbered

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_AT = 0.025  # the lower tail of an interval of 95 %
_AT_ONCE = 2**14  # pairs of speakers whose sums are held in memory together


@dataclass(frozen=True)
class Dependence:
    """The scores of both classes, and the two speakers of each trial."""

    tar: Array
    non: Array
    tar_speakers: Array
    non_speakers: Array
    _known: dict[bytes, tuple[_Grouped, _Grouped]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def inflation(self, scores: Floats, tar: Floats, non: Floats) -> Floats | None:
        """How many times wider intervals are than those of independent trials, at least 1.

        Given how much one more trial of a class at each of some rising scores (column) moves each
        of some estimates (row); influences in between are interpolated. None if all trials share
        one speaker.
        """
        count = self.count
        if count < 2:
            return None
        alone, by_pair = np.zeros(len(tar)), np.zeros(len(tar))
        by_speaker = np.zeros((count, len(tar)))
        for trials, influence in zip(self._grouped(scores), (tar, non), strict=True):
            centred = influence - trials.placed.mean(influence)[:, None]
            alone += trials.placed.squares(centred)
            by_speaker += trials.by_speaker @ centred.T
            for piece in range(0, trials.by_pair.shape[0], _AT_ONCE):
                of_pairs = trials.by_pair[piece : piece + _AT_ONCE] @ centred.T
                by_pair += (of_pairs**2).sum(axis=0)
        together = ((by_speaker**2).sum(axis=0) - by_pair) * (count / (count - 1))
        with np.errstate(divide="ignore", invalid="ignore"):  # where nothing moves an estimate
            ratio = np.nan_to_num(together / alone, nan=1.0, posinf=1.0)
        # Squares of so few sums: the quantiles of Student's T, as for a mean of so many values.
        few = float(stdtrit(count - 1, _AT) / ndtri(_AT))
        return np.asarray(np.sqrt(np.maximum(ratio, 1.0)) * few)

    @cached_property
    def _numbered(self) -> tuple[list[Array], int]:
        return numbered(self.tar_speakers, self.non_speakers)

    @property
    def count(self) -> int:
        """The number of speakers."""
        return self._numbered[1]

    def _grouped(self, scores: Floats) -> tuple[_Grouped, _Grouped]:
        """Both classes; most methods ask at the same scores, so that answers are kept."""
        key = scores.tobytes()
        if key not in self._known:
            tar, non = (
                _Grouped.of(_Placed.of(trials, scores), speakers, self.count)
                for trials, speakers in zip((self.tar, self.non), self._numbered[0], strict=True)
            )
            self._known[key] = tar, non
        return self._known[key]


@dataclass(frozen=True)
class _Grouped:
    """Trials of a class by place, and by who speaks in them."""

    placed: _Placed
    by_speaker: csr_array
    """How much of the trials of each speaker (row) is at each place."""
    by_pair: csr_array
    """The same for each pair of speakers."""

    @classmethod
    def of(cls, placed: _Placed, speakers: Array, count: int) -> _Grouped:
        low, high = speakers.min(axis=1).astype(np.int64), speakers.max(axis=1)
        two = low != high
        apart = placed.part(two)
        _, pair = np.unique(low[two] * count + high[two], return_inverse=True)
        return cls(
            placed,
            placed.sums(low, count) + apart.sums(high[two], count),
            apart.sums(pair, int(pair.max(initial=-1)) + 1),
        )


@dataclass(frozen=True)
class _Placed:
    """Trials between neighbouring places of some scores."""

    places: int
    left: Array
    """The place below each trial."""
    share: Floats
    """How near each trial is to the next place, from 0 to 1."""

    @classmethod
    def of(cls, trials: Array, scores: Floats) -> _Placed:
        # Halves, whose differences never overflow.
        half = np.clip(trials.astype(np.float64), scores[0], scores[-1]) / 2
        edges = scores / 2
        left = np.clip(np.searchsorted(edges, half, side="right") - 1, 0, max(len(edges) - 2, 0))
        width = np.append(np.diff(edges), 1.0)[left]
        return cls(len(scores), left, (half - edges[left]) / width)

    def part(self, chosen: Array) -> _Placed:
        return _Placed(self.places, self.left[chosen], self.share[chosen])

    def mean(self, influence: Floats) -> Floats:
        right = np.append(influence[:, 1:], influence[:, -1:], axis=1)
        near, far = (
            np.bincount(self.left, weights, self.places) for weights in (1 - self.share, self.share)
        )
        total: Floats = (influence * near + right * far).sum(axis=1)
        return total / len(self.left)

    def squares(self, influence: Floats) -> Floats:
        """The sums over trials of the squares of their influences."""
        right = np.append(influence[:, 1:], influence[:, -1:], axis=1)
        total = np.zeros(len(influence))
        parts = (
            ((1 - self.share) ** 2, influence * influence),
            (2 * self.share * (1 - self.share), influence * right),
            (self.share**2, right * right),
        )
        for weights, products in parts:
            total += (products * np.bincount(self.left, weights, self.places)).sum(axis=1)
        return total

    def sums(self, group: Array, groups: int) -> csr_array:
        """How much of the trials of each group (row) is at each place."""
        from scipy.sparse import csr_array

        right = np.minimum(self.left + 1, self.places - 1)
        return csr_array(
            (
                np.concatenate([1 - self.share, self.share]),
                (np.concatenate([group, group]), np.concatenate([self.left, right])),
            ),
            shape=(groups, self.places),
        )
