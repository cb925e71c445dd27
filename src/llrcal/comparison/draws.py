"""Smaller training sets, drawn from a larger one: by speaker where speakers are known.

So many speakers bring all trials among themselves, as a smaller collection would: half of the
speakers have half of the targets, and a quarter of the non-targets. Where speakers are not known,
trials of both classes are drawn in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llrcal.arrays import Array, Bools
from llrcal.comparison.parts import both, part
from llrcal.inputs.speakers import both_speakers, numbered
from llrcal.trials import Trials

_FEWEST = 10  # trials of either class in the smallest set, on average
_FEWEST_SPEAKERS = 5


@dataclass(frozen=True)
class Pool:
    """Trials to draw smaller sets from."""

    trials: Trials
    speakers: tuple[Array, Array] | None
    """The two speakers of each target and non-target trial, numbered from zero, where known."""
    size: int
    """How many speakers there are, or else how many targets."""

    @classmethod
    def of(cls, trials: Trials) -> Pool:
        if trials.tar_speakers is None or trials.non_speakers is None:
            return cls(trials, None, len(trials.tar))
        both_classes = trials.tar_speakers, trials.non_speakers
        (tar, non), count = numbered(*both_speakers(both_classes, *map(len, trials)))
        return cls(trials, (tar, non), count)

    @property
    def least(self) -> int:
        """The smallest size at which a few trials of either class are to be expected."""
        tar, non = (_FEWEST / len(side) for side in self.trials)
        # Of n speakers among S, the share of the targets is n / S, and of the non-targets its
        # square; of targets that were drawn, that of the non-targets is the same.
        share = max(tar, non if self.speakers is None else non**0.5)
        fewest = 1 if self.speakers is None else _FEWEST_SPEAKERS
        return min(max(int(np.ceil(self.size * share)), fewest), self.size)

    def drawn(self, size: int, rng: np.random.Generator) -> Trials | None:
        """A smaller set of trials; None if it has no trial of some class."""
        if size == self.size:
            return self.trials
        if self.speakers is not None:
            chosen = _chosen(size, self.size, rng)
            tar, non = (both(chosen[side]) for side in self.speakers)
        else:
            tar_count, non_count = (len(side) for side in self.trials)
            tar = _chosen(size, tar_count, rng)
            non = _chosen(max(round(non_count * size / tar_count), 1), non_count, rng)
        return part(self.trials, tar, non) if tar.any() and non.any() else None


def thinned(trials: Trials, most: int, *, seed: int) -> Trials:
    """The trials; of a class that has more of them, so many."""
    rng = np.random.default_rng(seed)
    tar, non = (_chosen(min(most, len(side)), len(side), rng) for side in trials)
    return trials if tar.all() and non.all() else part(trials, tar, non)


def _chosen(size: int, total: int, rng: np.random.Generator) -> Bools:
    """True for so many of a total, chosen at random."""
    chosen = np.zeros(total, np.bool_)
    chosen[rng.choice(total, size, replace=False, shuffle=False)] = True
    return chosen
