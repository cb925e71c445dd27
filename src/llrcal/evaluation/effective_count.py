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
from llrcal.inputs.beside_scores import numbered, trials_of

Interval = tuple[float, float]
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
        effect = max(1.0, *map(self._shared.design_effect, asked))
        end = (1 + level) / 2
        few = float(ndtri(end) / stdtrit(self._shared.freedom, end)) ** 2
        found = max(self.count / effect * few, 1.0)
        if errors:
            return found
        people = len(self._shared.trials)  # and all that go right may be of easy ones
        return min(found, float(trials_of(people, in_pairs=self._shared.in_pairs)))

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

    def design_effect(self, errors: int) -> float:
        """The variance of the rate of so many errors, in units of that of independent trials."""
        count, speakers = len(self.who), len(self.trials)
        wrong = min(max(errors, 1), count - 1)
        if wrong < 1:
            return 1.0
        rate = wrong / count
        wrong_trials = np.bincount(self.who[:wrong].ravel(), minlength=speakers + 1)[:-1]
        # Of (errors - rate x trials)^2, summed over pairs of speakers, most of which have no error.
        pair, both = np.unique(self.pair[:wrong], return_counts=True)
        both = np.where(pair < len(self.sizes), both, 0)
        sizes = np.append(self.sizes, 0)[pair]
        twice = (both * (both - 2 * rate * sizes)).sum() + rate**2 * self.squared_sizes
        return self._effect(
            np.asarray(wrong_trials - rate * self.trials), twice, count * rate * (1 - rate)
        )

    def effect_on(self, moved: Floats) -> float:
        """The design effect of an estimate that each trial moves so far, which sums up to zero."""
        sums = np.bincount(self.who.T.ravel(), np.tile(moved, 2), len(self.trials) + 1)[:-1]
        twice = np.square(np.bincount(self.pair, moved, len(self.sizes) + 1)[:-1]).sum()
        return self._effect(np.asarray(sums, np.float64), twice, np.square(moved).sum())

    def _effect(self, sums: Array, twice: float, alone: float) -> float:
        """The design effect, given the sums of each speaker, and of squares of pairs and trials."""
        others = 1 - np.minimum(self.trials / len(self.who), _MOST)
        squares = np.square(sums / others).sum() * (1 - 1 / len(self.trials))
        return float(squares - twice) / alone

    @cached_property
    def squared_sizes(self) -> float:
        return float(np.square(self.sizes).sum())
