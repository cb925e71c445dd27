"""Training scores, as the methods need them, wherever they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from llrcal.arrays import LARGEST, Array, Counts, Floats, is_number
from llrcal.calibrations.dependence import Dependence
from llrcal.calibrations.uncertainty import INDEPENDENT, Independent, interval_scores
from llrcal.declaration import LEAST_WEIGHT
from llrcal.errors import DegenerateError, OptionError, changed_scores
from llrcal.inputs.beside_scores import Speakers, both_speakers
from llrcal.inputs.scores import as_scores, check_classes, check_finite
from llrcal.onepass.hull import Hull
from llrcal.onepass.rank_scale import Ordered, auc, mann_whitney_z
from llrcal.onepass.ranks import EndsFold, edges_above
from llrcal.onepass.summary import Summary
from llrcal.onepass.two_classes import InArrays, TwoClasses

_Answer = TypeVar("_Answer")
_ROUNDING = 1e-9  # of sums of shares


class Training:
    """Scores to train on, and what the methods need to know of them, each computed once.

    Without summaries (``summarised=False``) only ranks are known, and scores may be infinite.
    """

    def __init__(
        self,
        scores: TwoClasses,
        *,
        summarised: bool = True,
        speakers: Independent = INDEPENDENT,
        given: tuple[Array, ...] = (),
    ) -> None:
        self.scores, self.summarised, self.speakers = scores, summarised, speakers
        self.tar_count, self.non_count = scores.tar_count, scores.non_count
        self._given = given

    @classmethod
    def of(
        cls,
        tar: Any,
        non: Any,
        *,
        lower_is_better: bool = False,
        speakers: Speakers | None = None,
        summarised: bool = True,
    ) -> Training:
        """Scores in memory, negated if lower ones are better."""
        check_classes(tar, non)
        # As given, so that errors show the distances rather than the negated ones.
        given = tuple(
            as_scores(scores, name, allow_infinite=True)
            for scores, name in ((tar, "target"), (non, "non-target"))
        )
        tar, non = (-side if lower_is_better else side for side in given)
        known: Independent = INDEPENDENT
        if speakers is not None:
            known = Dependence(tar, non, *both_speakers(speakers, len(tar), len(non)))
        return cls(InArrays(tar, non), summarised=summarised, speakers=known, given=given)

    @cached_property
    def tar(self) -> Summary:
        """Summary of the target scores."""
        return self._summary("target", of_tar=True)

    @cached_property
    def non(self) -> Summary:
        """Summary of the non-target scores."""
        return self._summary("non-target", of_tar=False)

    def _summary(self, name: str, *, of_tar: bool) -> Summary:
        """Summary of finite scores; whether they are follows from it, without another pass."""
        given = self._given[:1] if of_tar else self._given[1:]
        try:
            summary = self.scores.summary(of_tar=of_tar)
        except DegenerateError:
            for scores in given:
                check_finite(scores, name)
            raise
        if not np.isfinite([summary.least, summary.greatest]).all():
            for scores in given:
                check_finite(scores, name)
            raise changed_scores(name)
        return summary

    @cached_property
    def finite(self) -> Training:
        """The same scores, with infinite ones replaced by the largest finite double."""
        if np.isfinite(self.score_range).all():
            return self

        def clipped(scores: Array) -> Floats:
            return np.clip(scores.astype(np.float64), -LARGEST, LARGEST)

        return Training(self.scores.mapped(clipped), summarised=self.summarised)

    @cached_property
    def hull(self) -> Hull:
        """The groups as PAV pools them, with a dummy target first and a dummy non-target last.

        Neither of them stays in a block of its own, since the first has the highest possible share
        of targets, the last the lowest.
        """
        groups = self.scores.groups
        return Hull.pool(
            np.concatenate([[1], groups.tar, [0]]), np.concatenate([[0], groups.non, [1]])
        )

    @cached_property
    def score_range(self) -> tuple[float, float]:
        """Least and greatest score of both classes together."""
        if not self.summarised:
            return self.scores.score_range
        least, greatest = min(self.tar.least, self.non.least), self.tar.greatest
        return least + 0.0, max(greatest, self.non.greatest) + 0.0  # -0.0 becomes 0.0

    def first_scores(self, which: Counts) -> Floats:
        """The smallest score in each of some groups."""
        groups, of_tar = self.scores.groups, not self.scores.rare_is_tar
        first, above = groups.low[which], groups.excludes_low[which]
        if above.any():
            new = partial(EndsFold, edges_above(first[above]))
            ends = self.scores.fold_one(new, of_tar=of_tar, what="finding knots")
            first[above] = ends.next_above
        return first

    @cached_property
    def mann_whitney_z(self) -> float:
        """Whether targets score higher than non-targets: see :mod:`llrcal.onepass.rank_scale`."""
        if not self.summarised:
            return mann_whitney_z(self.scores.auc, self.tar_count, self.non_count)
        tar, non = self.in_order.tar / self.tar_count, self.in_order.non / self.non_count
        return mann_whitney_z(auc(tar, non), self.tar_count, self.non_count)

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
    def interval_scores(self) -> Floats:
        """Scores at which to ask how sure LLRs are."""
        return interval_scores(self.in_order)

    @cached_property
    def _answers(self) -> dict[Callable[..., Any], Any]:
        return {}

    def cached(self, work: Callable[[Training], _Answer]) -> _Answer:
        """What a function makes of these scores, which is worked out once."""
        if work not in self._answers:
            self._answers[work] = work(self)
        answer: _Answer = self._answers[work]
        return answer

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
    if not is_number(alpha) or not LEAST_WEIGHT <= alpha < 1 or float(alpha) == 1:
        raise OptionError(
            f'alpha is {alpha!r:.50}; give a number strictly between 0 and 1, or "empirical"'
        )
    return float(alpha)
