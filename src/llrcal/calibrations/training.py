"""Training scores, as the methods need them, wherever they are; and those in memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from llrcal.arrays import LARGEST, Array, Counts, Floats, is_number
from llrcal.calibrations.dependence import Dependence
from llrcal.calibrations.uncertainty import By, Influence, places
from llrcal.declaration import LEAST_WEIGHT
from llrcal.errors import DegenerateError, OptionError, changed_scores
from llrcal.inputs.beside_scores import Speakers, both_speakers
from llrcal.inputs.scores import as_scores, check_classes, check_finite
from llrcal.notes import Note
from llrcal.onepass.chunks import map_parts
from llrcal.onepass.grid import Grid
from llrcal.onepass.hull import Hull
from llrcal.onepass.rank_scale import Ordered, order, share_of_pairs
from llrcal.onepass.ranks import Distinct, EndsFold, edges_above
from llrcal.onepass.summary import Summary
from llrcal.onepass.two_classes import InArrays, InCounts, TwoClasses

_Answer = TypeVar("_Answer")
ONE_SPEAKER = Note.warning(
    "one speaker",
    "all trials are of one speaker, so nothing is known about others: intervals treat trials as "
    "independent, and are too narrow",
)
# With spreads outside this range, slopes, squares or sums of scores could overflow or underflow.
_LEAST_SPREAD, _GREATEST_SPREAD = 2.0**-1000, 2.0**1000
_ROUNDING = 1e-9  # of sums of shares


class Training(TwoClasses):
    """Target and non-target scores, and what the methods need to know, each computed once."""

    summarised: bool = True
    """Whether there are summaries. If not, only ranks are known, and scores may be infinite."""

    @cached_property
    @abstractmethod
    def tar(self) -> Summary:
        """Summary of the target scores."""

    @cached_property
    @abstractmethod
    def non(self) -> Summary:
        """Summary of the non-target scores."""

    @property
    def finite(self) -> Training:
        """The same scores, with infinite ones replaced by the largest finite double."""
        return self

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
    def score_range(self) -> tuple[float, float]:
        """Least and greatest score of both classes together."""
        least, greatest = min(self.tar.least, self.non.least), self.tar.greatest
        return least + 0.0, max(greatest, self.non.greatest) + 0.0  # -0.0 becomes 0.0

    def design_factor(self, scores: Floats, influence: Influence) -> tuple[Floats | float, By]:
        """How many times wider intervals are than those of independent trials, and why.

        Where speakers are not known, trials are taken to be independent.
        """
        return 1.0, "trial"

    @property
    def speakers(self) -> tuple[int, int] | None:
        """Where known, how many different speakers the trials of either class have."""
        return None

    @property
    def unused_speakers(self) -> Iterator[Note]:
        """Why trials are taken to be independent, although something is known of speakers."""
        yield from ()

    def first_scores(self, which: Counts) -> Floats:
        """The smallest score in each of some groups."""
        first, above = self.groups.low[which], self.groups.excludes_low[which]
        if above.any():
            new = partial(EndsFold, edges_above(first[above]))
            ends = self.fold_one(new, of_tar=not self.rare_is_tar, what="finding knots")
            first[above] = ends.next_above
        return first

    @cached_property
    def order(self) -> float:
        """Whether targets score higher than non-targets: see :mod:`llrcal.onepass.rank_scale`."""
        if not self.summarised:
            return order(self.higher, self.tar_count, self.non_count)
        tar, non = self.in_order.tar / self.tar_count, self.in_order.non / self.non_count
        return order(share_of_pairs(tar, non), self.tar_count, self.non_count)

    @cached_property
    def eer_score(self) -> float:
        """The score at which the classes meet: as many targets below it as non-targets above.

        As many in shares of their class. If all scores in a gap are such, it is the middle of that.
        """
        scores, tar, non = self.in_order.scores, self.in_order.tar, self.in_order.non
        # From 0 to 2, and 1 where they meet.
        balance = np.cumsum(tar / self.tar_count) + np.cumsum(non / self.non_count)
        before, after = scores[np.searchsorted(balance, [1 - _ROUNDING, 1 + _ROUNDING])]
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
    def _answers(self) -> dict[Callable[..., Any], Any]:
        return {}

    def once(self, work: Callable[[Training], _Answer]) -> _Answer:
        """What a function makes of these scores, which is worked out once."""
        if work not in self._answers:
            self._answers[work] = work(self)
        answer: _Answer = self._answers[work]
        return answer

    def weight(self, alpha: float | str) -> float:
        """The weight of the targets as a number."""
        return target_weight(alpha, self.tar_count, self.non_count)


class ArrayTraining(Training, InArrays):
    """Training scores in memory."""

    def __init__(
        self,
        tar: Any,
        non: Any,
        *,
        lower_is_better: bool = False,
        speakers: Speakers | None = None,
        summarised: bool = True,
    ) -> None:
        check_classes(tar, non)
        self.summarised = summarised
        # As given, so that errors show the distances rather than the negated ones.
        self._given = tuple(
            as_scores(scores, name, allow_infinite=True)
            for scores, name in ((tar, "target"), (non, "non-target"))
        )
        tar, non = (-side if lower_is_better else side for side in self._given)
        InArrays.__init__(self, tar, non)
        self._dependence: Dependence | None = None
        if speakers is not None:
            who = both_speakers(speakers, self.tar_count, self.non_count)
            self._dependence = Dependence(tar, non, *who)

    def design_factor(self, scores: Floats, influence: Influence) -> tuple[Floats | float, By]:
        if self._dependence is None or self._dependence.count < 2:
            return 1.0, "trial"
        return self._dependence.design_factor(scores, *influence()), "speaker"

    @property
    def speakers(self) -> tuple[int, int] | None:
        return None if self._dependence is None else self._dependence.counts

    @property
    def unused_speakers(self) -> Iterator[Note]:
        if self._dependence is not None and self._dependence.count < 2:
            yield ONE_SPEAKER

    @cached_property
    def tar(self) -> Summary:
        return _summary(self._tar, self._given[0], "target")

    @cached_property
    def non(self) -> Summary:
        return _summary(self._non, self._given[1], "non-target")

    @cached_property
    def finite(self) -> Training:
        if np.isfinite(self.score_range).all():
            return self
        tar, non = (
            np.clip(scores.astype(np.float64), -LARGEST, LARGEST)
            for scores in (self._tar, self._non)
        )
        return ArrayTraining(tar, non, summarised=self.summarised)

    @cached_property
    def score_range(self) -> tuple[float, float]:
        if self.summarised:
            return super().score_range
        low, above = self.groups.low, self.groups.excludes_low
        # Groups do not contain the greatest score of the larger class.
        larger = self._non if self.rare_is_tar else self._tar
        greatest = max(map_parts(np.max, larger)) if above[-1] else low[-1]
        if not low[0] <= greatest:
            raise changed_scores()
        return float(low[0]), float(greatest) + 0.0


class CountedTraining(Training, InCounts):
    """Training scores that were counted."""

    def __init__(self, tar: Distinct, non: Distinct, *, summarised: bool = True) -> None:
        InCounts.__init__(self, tar, non)
        self.summarised = summarised

    @cached_property
    def tar(self) -> Summary:
        return _summary(self._tar.values, self._tar.values, "target", self._tar.counts)

    @cached_property
    def non(self) -> Summary:
        return _summary(self._non.values, self._non.values, "non-target", self._non.counts)

    @cached_property
    def finite(self) -> Training:
        if np.isfinite(self.score_range).all():
            return self
        clipped = self.mapped(lambda scores: np.clip(scores, -LARGEST, LARGEST))
        return CountedTraining(clipped._tar, clipped._non, summarised=self.summarised)

    @cached_property
    def score_range(self) -> tuple[float, float]:
        ends = np.concatenate([side.values[[0, -1]] for side in (self._tar, self._non)]) + 0.0
        return float(ends.min()), float(ends.max())


def _summary(scores: Array, given: Array, name: str, counts: Counts | None = None) -> Summary:
    """Summary of finite scores; whether they are follows from it, without another pass."""
    try:
        grid = Grid.of(scores, counts)
        check_spread(grid.unit, name)
        summary = Summary.of(scores, grid, counts)
    except DegenerateError:
        check_finite(given, name)
        raise
    if not np.isfinite([summary.least, summary.greatest]).all():
        check_finite(given, name)
        raise changed_scores(name)
    return summary


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
    if not is_number(alpha) or not LEAST_WEIGHT <= alpha < 1 or float(alpha) == 1:
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
