"""LLRs, as an evaluation needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Protocol, runtime_checkable

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.evaluation.costs import WeightedLLRs, cost
from llrcal.inputs.scores import as_scores, check_classes
from llrcal.onepass.chunks import chunks
from llrcal.onepass.rank_scale import order, share_of_pairs
from llrcal.onepass.ranks import Ends, Groups, Ranked, groups
from llrcal.onepass.sums import ExactSum
from llrcal.scoring_rule import ScoringRule

Range = tuple[float, float]
_NO_SUM = ExactSum()


@dataclass(frozen=True)
class WholeLLRs:
    """All LLRs of a test set, for what cannot be found in passes over parts of them."""

    tar: Array
    non: Array
    speakers: tuple[Array, Array] | None
    """Where known, the two speakers of each target and of each non-target trial."""

    @property
    def in_order(self) -> WholeLLRs:
        """The same trials in rising order, so that no sum depends on how they came."""
        if self.speakers is None:
            return WholeLLRs(np.sort(self.tar), np.sort(self.non), None)
        tar, non = (np.argsort(side, kind="stable") for side in (self.tar, self.non))
        speakers = self.speakers[0][tar], self.speakers[1][non]
        return WholeLLRs(self.tar[tar], self.non[non], speakers)


@dataclass(frozen=True)
class EvidenceSums:
    """Sums over the LLRs of one class."""

    lr: ExactSum = _NO_SUM
    inverse_lr: ExactSum = _NO_SUM
    positive: ExactSum = _NO_SUM
    """The sum of LLRs above zero; those below it count as zero."""
    negative: ExactSum = _NO_SUM
    """The sum of LLRs below zero, negated."""

    @classmethod
    def of(cls, llrs: Array) -> EvidenceSums:
        return reduce(EvidenceSums.merge, map(_summed, chunks(llrs, 2**15)), cls())

    def merge(self, other: EvidenceSums) -> EvidenceSums:
        """The sums of both sets together; associative and commutative."""
        return EvidenceSums(
            self.lr.merge(other.lr),
            self.inverse_lr.merge(other.inverse_lr),
            self.positive.merge(other.positive),
            self.negative.merge(other.negative),
        )

    @property
    def mean_llr(self) -> float:
        """NaN if LLRs are infinite on both sides."""
        up, down = self.positive, self.negative
        if up.is_infinite or down.is_infinite:
            return up.mean - down.mean
        difference = ExactSum(up.count, abs(up.total - down.total)).mean
        return difference if up.total >= down.total else -difference


def _summed(llrs: Array) -> EvidenceSums:
    wide = llrs.astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        return EvidenceSums(
            ExactSum.of(np.exp(wide)),
            ExactSum.of(np.exp(-wide)),
            ExactSum.of(np.maximum(wide, 0.0)),
            ExactSum.of(np.maximum(-wide, 0.0)),
        )


class LLRs(Protocol):
    """Target and non-target LLRs, wherever they are. In pairs, targets come first."""

    @property
    def tar_count(self) -> int: ...

    @property
    def non_count(self) -> int: ...

    @property
    def whole(self) -> WholeLLRs | None:
        """All of them, where they are in memory."""

    def costs_by(self, rule: ScoringRule) -> tuple[ExactSum, ExactSum]:
        """The sums of the costs of each class by a scoring rule, in nats."""

    @property
    def ranges(self) -> tuple[Range, Range]:
        """Least and greatest finite LLR of each class; NaN if none is finite."""

    @property
    def groups(self) -> Groups:
        """Both classes in rising order, with ties pooled."""

    @property
    def order(self) -> float:
        """Whether targets score higher than non-targets: see :mod:`llrcal.onepass.rank_scale`."""

    @property
    def weighted(self) -> tuple[WeightedLLRs, WeightedLLRs]:
        """Each class as a few thousand points."""

    @property
    def evidence(self) -> tuple[EvidenceSums, EvidenceSums]:
        """Sums of the LRs and LLRs of each class."""

    def ends(self, edges: Floats) -> Ends:
        """The least and the greatest LLR of either class in stretches that begin at the edges."""

    def below(self, thresholds: Floats, *, of_tar: bool) -> Counts:
        """The number of targets, or else of non-targets, below each threshold."""


@runtime_checkable
class Evaluable(Protocol):
    """A set of trials whose scores can be evaluated as LLRs, wherever it is."""

    def llrs(self, thresholds: Floats) -> LLRs:
        """Its LLRs; ``thresholds`` announces those that will be asked for."""


class ArrayLLRs:
    """LLRs in memory, copied so that later changes to the caller's arrays have no effect."""

    def __init__(self, tar: Any, non: Any, speakers: tuple[Array, Array] | None = None) -> None:
        check_classes(tar, non)
        tar = as_scores(tar, "target", allow_infinite=True)
        non = as_scores(non, "non-target", allow_infinite=True)
        self._tar, self._non = tar.copy(), non.copy()
        self.tar_count, self.non_count = len(tar), len(non)
        self._speakers = speakers

    @property
    def whole(self) -> WholeLLRs:
        return WholeLLRs(self._tar, self._non, self._speakers)

    def costs_by(self, rule: ScoringRule) -> tuple[ExactSum, ExactSum]:
        return cost(self._tar, -1.0, rule), cost(self._non, 1.0, rule)

    @cached_property
    def ranges(self) -> tuple[Range, Range]:
        return _finite_range(self._tar), _finite_range(self._non)

    @cached_property
    def groups(self) -> Groups:
        return groups(self._tar, self._non)

    @cached_property
    def order(self) -> float:
        tar, non = self.groups.tar / self.tar_count, self.groups.non / self.non_count
        return order(share_of_pairs(tar, non), self.tar_count, self.non_count)

    @cached_property
    def weighted(self) -> tuple[WeightedLLRs, WeightedLLRs]:
        return (
            WeightedLLRs.of(self._tar, wrong=-np.inf),
            WeightedLLRs.of(self._non, wrong=np.inf),
        )

    @cached_property
    def evidence(self) -> tuple[EvidenceSums, EvidenceSums]:
        return EvidenceSums.of(self._tar), EvidenceSums.of(self._non)

    def ends(self, edges: Floats) -> Ends:
        return Ends.of(self._tar, edges).merge(Ends.of(self._non, edges))

    def below(self, thresholds: Floats, *, of_tar: bool) -> Counts:
        return self._sorted[of_tar].below(thresholds)

    @cached_property
    def _sorted(self) -> tuple[Ranked, Ranked]:
        return Ranked.of(self._non), Ranked.of(self._tar)


def _finite_range(llrs: Array) -> Range:
    least, greatest = float(llrs.min()), float(llrs.max())
    if np.isinf(least) or np.isinf(greatest):
        finite = llrs[np.isfinite(llrs)]
        least, greatest = (finite.min(), finite.max()) if len(finite) else (np.nan, np.nan)
    return float(least) + 0.0, float(greatest) + 0.0  # -0.0 becomes 0.0
