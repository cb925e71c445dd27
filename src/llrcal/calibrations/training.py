"""Training scores, as the methods need them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from llrcal.arrays import Array, Counts, Floats, is_number
from llrcal.calibrations.intervals import By, Effects
from llrcal.calibrations.uncertainty import places
from llrcal.errors import DegenerateError, OptionError
from llrcal.fitting.stiffness import Averaged, averaged_spline
from llrcal.notes import Note
from llrcal.onepass.direction import order, share_of_pairs
from llrcal.onepass.elub import Ranked
from llrcal.onepass.hull import Hull
from llrcal.onepass.rank_scale import Ordered
from llrcal.onepass.ranks import Groups
from llrcal.onepass.summary import Summary

KNOTS = 31  # of splines
# With spreads outside this range, slopes, squares or sums of scores could overflow or underflow.
_LEAST_SPREAD, _GREATEST_SPREAD = 2.0**-1000, 2.0**1000
_ROUNDING = 1e-9  # of sums of shares
_LEAST_WEIGHT = 1e-300  # the inverse of a smaller weight would overflow


class Training(ABC):
    """Target and non-target scores, and what the methods need to know, each computed once."""

    tar_count: int
    non_count: int

    @cached_property
    @abstractmethod
    def tar(self) -> Summary:
        """Summary of the target scores."""

    @cached_property
    @abstractmethod
    def non(self) -> Summary:
        """Summary of the non-target scores."""

    @cached_property
    @abstractmethod
    def finite(self) -> Training:
        """The same scores, with infinite ones replaced by the largest finite double."""

    @cached_property
    @abstractmethod
    def groups(self) -> Groups:
        """Both classes in rising order, in the groups that PAV works on."""

    @cached_property
    def hull(self) -> Hull:
        """The groups as PAV pools them, with a dummy target first and a dummy non-target last.

        Neither of them stays in a block of its own, since the first has the highest possible share
        of targets, the last the lowest.
        """
        groups = self.groups
        return Hull.pool(
            np.concatenate([[1], groups.tar, [0]]), np.concatenate([[0], groups.non, [1]])
        )

    @cached_property
    @abstractmethod
    def score_range(self) -> tuple[float, float]:
        """Least and greatest score of both classes together."""

    @abstractmethod
    def _next_above(self, values: Floats) -> Floats:
        """The smallest score of the larger class above each of some values."""

    def inflation(self, scores: Floats, effects: Effects) -> tuple[Floats | float, By]:
        """How many times wider intervals are than those of independent trials, and why.

        Given what one more trial at each of some scores does to each of some estimates. Where
        speakers are not known, trials are taken to be independent.
        """
        return 1.0, "trial"

    @property
    def unused_speakers(self) -> Iterator[Note]:
        """Why trials are taken to be independent, although something is known of speakers."""
        yield from ()

    @abstractmethod
    def ranked(self, llrs: Callable[[Array], Floats]) -> tuple[Ranked, Ranked]:
        """The ranks of the LLRs that a function gives to the scores of each class."""

    def first_scores(self, which: Counts) -> Floats:
        """The smallest score in each of some groups."""
        first, above = self.groups.low[which], self.groups.excludes_low[which]
        if above.any():
            first[above] = self._next_above(first[above])
        return first

    @cached_property
    def order(self) -> float:
        """Whether targets score higher than non-targets: see :mod:`llrcal.onepass.direction`."""
        return order(self._higher(), self.tar_count, self.non_count)

    def _higher(self) -> float:
        """The share of pairs in which the target scores higher."""
        if self._is_summarised:
            return share_of_pairs(*self._shares)
        return share_of_pairs(self.groups.tar / self.tar_count, self.groups.non / self.non_count)

    @cached_property
    def meeting(self) -> float:
        """The score at which the classes meet: as many targets below it as non-targets above.

        As many in shares of their class. If all scores in a gap are such, it is the middle of that.
        """
        tar, non = self._shares
        balance = np.cumsum(tar) + np.cumsum(non)  # from 0 to 2, and 1 where they meet
        before, after = self.in_order.scores[
            np.searchsorted(balance, [1 - _ROUNDING, 1 + _ROUNDING])
        ]
        return float(0.5 * before + 0.5 * after)

    def share_between(self, low: float, high: float) -> float:
        """The share of all training scores strictly between two scores."""
        ordered = self.in_order
        inside = (low < ordered.scores) & (ordered.scores < high)
        count = ordered.tar[inside].sum() + ordered.non[inside].sum()
        return float(count / (self.tar_count + self.non_count))

    @cached_property
    def in_order(self) -> Ordered:
        """The scores of both classes in rising order, or points that stand for them."""
        return Ordered.of(self.tar.in_order(), self.non.in_order())

    @cached_property
    def places(self) -> Floats:
        """Scores at which to ask how sure LLRs are."""
        return places(self.in_order)

    @cached_property
    def spline(self) -> Averaged:
        """A rising spline through the labelled scores."""
        ordered = Ordered.of(self.tar.finely_in_order(), self.non.finely_in_order())
        return averaged_spline(ordered.cells(), *ordered.evenly_spaced(KNOTS))

    @property
    def _shares(self) -> tuple[Floats, Floats]:
        """The share of each class at each of the scores in order."""
        return self.in_order.tar / self.tar_count, self.in_order.non / self.non_count

    @property
    def _is_summarised(self) -> bool:
        return "tar" in vars(self) and "non" in vars(self)

    @property
    def empirical_alpha(self) -> float:
        """The share of targets, T / (T + N)."""
        return self.weight("empirical")

    def weight(self, alpha: float | str) -> float:
        """The weight of the targets as a number."""
        return target_weight(alpha, self.tar_count, self.non_count)


@runtime_checkable
class Trainable(Protocol):
    """A set of trials that calibrations can be trained on, wherever it is."""

    def training(self, *, summarised: bool, ranked: bool, lower_is_better: bool) -> Training:
        """Its scores; the arguments announce what is needed, so that one pass may be enough."""


def target_weight(alpha: object, tar_count: int, non_count: int) -> float:
    """The weight of the targets: a number strictly between 0 and 1, or "empirical"."""
    if isinstance(alpha, str) and alpha == "empirical":
        return tar_count / (tar_count + non_count)
    # Compared before the conversion to a double, in which large integers would overflow.
    if not is_number(alpha) or not _LEAST_WEIGHT <= alpha < 1 or float(alpha) == 1:
        raise OptionError(
            f'alpha is {alpha!r:.50}; give a number strictly between 0 and 1, or "empirical"'
        )
    return float(alpha)


def check_spread(spread: float, name: str) -> None:
    """Refuse scores that are too close together, or too far apart, for double precision."""
    if not _LEAST_SPREAD <= spread <= _GREATEST_SPREAD:
        raise DegenerateError(
            f"the spread of the {name} scores, about {spread:.1g}, is out of range; multiply "
            "all scores by a constant that brings them close to one"
        )
