"""How many independent trials the trials of some speakers are worth, and intervals of their errors.

Trials that share a speaker tend to go wrong together. The variance of an error-rate is estimated by
leaving out one speaker after the other; what pairs of speakers have in common is then counted for
both of them, and taken off once. Divided by the variance that the rate of independent trials would
have, this is the design effect, and the number of trials divided by it is their effective number.
As in surveys (Korn and Graubard, Survey Methodology 24, 1998), intervals are those of binomials
with as many trials, and with somewhat fewer where speakers are few: by the square of the ratio of
quantiles of the normal distribution and of Student's T, whose degrees of freedom follow from
how evenly the trials are shared among the speakers. Where nothing goes wrong, no more trials count
than their speakers can make.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from llrcal.arrays import Array, Floats
from llrcal.evaluation.measures import Interval
from llrcal.inputs.beside_scores import numbered, trials_of

_MANY = 0.1  # a miss rate at which it shows how much speakers differ
_MOST = 0.5  # share of the trials of a speaker without whom the others can tell what they do


@dataclass(frozen=True)
class Errors:
    """The trials of one class, those that go wrong first in front."""

    count: int
    pairs: Array | None
    """Where known, the speakers of each trial."""

    @property
    def by(self) -> str:
        """What is taken to be independent: "trial" or "speaker"."""
        return "trial" if self.pairs is None else "speaker"

    def interval(self, errors: int, level: float) -> Interval:
        """The interval of the rate, by Clopper and Pearson, if so many go wrong."""
        tail, count = (1 - level) / 2, self.effective(errors, level)
        wrong = errors * count / self.count
        low = float(betaincinv(wrong, count - wrong + 1, tail)) if errors else 0.0
        right = errors == self.count
        return low, 1.0 if right else float(betaincinv(wrong + 1, count - wrong, 1 - tail))

    def numbers(self, errors: int, rate: float, level: float) -> tuple[int, int]:
        """How many errors may be expected at this rate: the ends of an interval."""
        from scipy.stats import binom  # which takes a while to import

        count = max(int(self.effective(errors, level)), 1)
        shares = (1 - level) / 2, (1 + level) / 2
        low, high = (int(binom.ppf(share, count, rate)) * self.count / count for share in shares)
        return int(low), math.ceil(high)

    def effective(self, errors: int, level: float) -> float:
        """How many independent trials these are worth, if so many go wrong."""
        if self._shared is None:
            return float(self.count)
        # A few misses may be those of one speaker, and say little about the others. At higher
        # false-alarm rates, though, pairs of speakers have far more in common.
        asked = {errors} if self._shared.in_pairs else {errors, round(_MANY * self.count)}
        effect = max(1.0, *map(self._effect_on_rate, asked))
        end = (1 + level) / 2
        few = float(ndtri(end) / stdtrit(self._shared.freedom, end)) ** 2
        found = max(self.count / effect * few, 1.0)
        if errors:
            return found
        people = len(self._shared.trials)  # and all that go right may be of easy ones
        return min(found, float(trials_of(people, in_pairs=self._shared.in_pairs)))

    def _effect_on_rate(self, errors: int) -> float:
        """The design effect of the rate of so many errors."""
        wrong = min(max(errors, 1), self.count - 1)
        if self._shared is None or wrong < 1:
            return 1.0
        rate = wrong / self.count
        return self._shared.design_effect(np.full(wrong, 1 - rate), -rate)

    @cached_property
    def _shared(self) -> SharedSpeakers | None:
        return None if self.pairs is None else SharedSpeakers.of(self.pairs)


@dataclass(frozen=True)
class SharedSpeakers:
    """Which trials share a speaker, or both."""

    who: Array
    """Both speakers, numbered; the second of equal ones is one more than there are."""
    trials: Floats
    """How many each speaker has."""
    pair: Array
    """The pair of speakers of each trial, numbered; of a single one, one more than there are."""
    sizes: Floats
    """How many trials each pair has."""

    @classmethod
    def of(cls, pairs: Array) -> SharedSpeakers:
        (numbers,), count = numbered(pairs)
        who = numbers.astype(np.int64)
        alone = who[:, 0] == who[:, 1]
        keys, pair = np.unique(who.min(axis=1) * count + who.max(axis=1), return_inverse=True)
        pair[alone], who[alone, 1] = len(keys), count
        trials, sizes = (
            np.bincount(one.ravel(), minlength=size + 1)[:-1].astype(np.float64)
            for one, size in ((who, count), (pair, len(keys)))
        )
        return cls(who, trials, pair, sizes)

    @property
    def in_pairs(self) -> bool:
        return bool(self.sizes.any())

    @property
    def freedom(self) -> float:
        """Degrees of freedom: one less than the speakers, if all had the same number of trials."""
        total = float(self.trials.sum())
        return max(total / (float(np.square(self.trials).sum()) / total) - 1, 1.0)

    def design_effect(self, moved: Floats, rest: float = 0.0) -> float:
        """The variance of an estimate, in units of that which independent trials would give it.

        The first trials move it by ``moved``, and each of the others by ``rest``; the sum is zero.
        """
        first, count, speakers = len(moved), len(self.who), len(self.trials)
        more = moved - rest
        sums = np.bincount(self.who[:first].ravel(), np.repeat(more, 2), speakers + 1)[:-1]
        shared = np.bincount(self.pair[:first], more, len(self.sizes) + 1)[:-1]
        others = 1 - np.minimum(self.trials / count, _MOST)
        squares = np.square((sums + rest * self.trials) / others).sum() * (1 - 1 / speakers)
        # What pairs of speakers have in common was counted for both of them.
        twice = np.square(shared + rest * self.sizes).sum()
        alone = np.square(moved).sum() + (count - first) * rest**2
        return float((squares - twice) / alone)
