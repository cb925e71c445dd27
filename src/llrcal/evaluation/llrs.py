"""LLRs, as an evaluation needs them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from llrcal.arrays import Array, Counts, Floats
from llrcal.errors import OptionError
from llrcal.evaluation.bootstrap import Bootstrap, speaker_pairs
from llrcal.evaluation.costs import WeightedLLRs, cost_fold
from llrcal.evaluation.statistics import InMemory, Sides
from llrcal.inputs.scores import as_scores, check_classes
from llrcal.messages import Setting
from llrcal.onepass.chunks import MergedByFields, with_counts
from llrcal.onepass.rank_scale import mann_whitney_z
from llrcal.onepass.ranks import Counted, Distinct, Ends, EndsFold, Runs
from llrcal.onepass.sums import ExactSum, SumFold
from llrcal.onepass.two_classes import InArrays, InCounts, TwoClasses
from llrcal.scoring_rule import Rule

if TYPE_CHECKING:
    import polars as pl

Range = tuple[float, float]
_NONE: Floats = np.empty(0)
_IN_CACHE = 2**15  # LLRs; what is made of them stays in the cache


@dataclass(frozen=True)
class Names:
    """What trials and speakers are called, where that is known."""

    speakers: Array | None = None
    """By the numbers of the speakers."""
    ids: pl.DataFrame | None = None
    """Of model and recording, in the order of the file."""
    is_target: Array | None = None
    """Which trials of the file are targets; None if all targets come first."""

    def of_speakers(self, numbers: Array) -> Array:
        """The names of speakers, or else their numbers."""
        return numbers if self.speakers is None else self.speakers[numbers]

    def of_trials(self, places: Array, *, targets: bool, tar_count: int) -> pl.DataFrame | None:
        """The ids of trials of one class, given their places in that class."""
        if self.ids is None:
            return None
        if self.is_target is not None:
            return self.ids[np.flatnonzero(self.is_target == targets)[places]]
        return self.ids[places if targets else places + tar_count]


@dataclass(frozen=True)
class WholeLLRs:
    """All LLRs of a test set, for what cannot be found in passes over parts of them."""

    tar: Array
    non: Array
    speakers: tuple[Array, Array] | None = None
    """Where known, the two speakers of each target and of each non-target trial."""
    counts: tuple[Counts, Counts] | None = None
    """How often each LLR of either class occurs, where they were counted."""
    names: Names = Names()
    without: tuple[WholeLLRs, ...] = ()
    """Where known, the same without the trials of each group of speakers, for a jackknife."""

    @property
    def totals(self) -> tuple[int, int]:
        """How many targets and non-targets there are."""
        tar, non = self.counts or (None, None)
        return (
            len(self.tar) if tar is None else int(tar.sum()),
            len(self.non) if non is None else int(non.sum()),
        )

    @property
    def order(self) -> tuple[Counts, Counts]:
        """The places of the LLRs in rising order."""
        return np.argsort(self.tar, kind="stable"), np.argsort(self.non, kind="stable")

    @property
    def in_order(self) -> WholeLLRs:
        """The same trials in rising order, without names: no sum depends on how they came."""
        if self.speakers is None and self.counts is None:
            return WholeLLRs(np.sort(self.tar), np.sort(self.non))
        return replace(self.ordered(self.order), without=self.without)

    def ordered(self, order: tuple[Counts, Counts]) -> WholeLLRs:
        """The same trials in another order, without names."""
        (tar, non), speakers, counts = order, self.speakers, self.counts
        return WholeLLRs(
            self.tar[tar],
            self.non[non],
            speakers and (speakers[0][tar], speakers[1][non]),
            counts and (counts[0][tar], counts[1][non]),
        )

    @property
    def sides(self) -> Sides:
        """The same, as statistics ask for them."""
        return InMemory(*self.runs, self.speakers, tuple(group.sides for group in self.without))

    @cached_property
    def runs(self) -> tuple[Runs, Runs]:
        """Both classes, in this order."""
        tar, non = self.counts or (None, None)
        return Runs.of(self.tar, tar), Runs.of(self.non, non)


@dataclass(frozen=True)
class EvidenceSums(MergedByFields):
    """Sums over the LLRs of one class."""

    lr: ExactSum
    inverse_lr: ExactSum
    positive: ExactSum
    """The sum of LLRs above zero; those below it count as zero."""
    negative: ExactSum
    """The sum of LLRs below zero, negated."""

    @property
    def mean_llr(self) -> float:
        """NaN if LLRs are infinite on both sides."""
        up, down = self.positive, self.negative
        if up.infinite or down.infinite:
            return up.mean - down.mean
        difference = ExactSum(up.count, abs(up.total - down.total)).mean
        return difference if up.total >= down.total else -difference


class EvidenceFold:
    """The sums over arrays of LLRs."""

    def __init__(self) -> None:
        self._exp, self._linear = (SumFold(np.exp), SumFold(np.exp)), (SumFold(), SumFold())

    def add(self, llrs: Array, counts: Counts | None = None) -> None:
        """Add some LLRs, each once or as often as it was counted."""
        for chunk, times in with_counts(llrs, counts, _IN_CACHE):
            wide = chunk.astype(np.float64, copy=False)
            with np.errstate(over="ignore"):
                for sign, exp, linear in zip((1, -1), self._exp, self._linear, strict=True):
                    exp.add(sign * wide, times)
                    linear.add(np.maximum(sign * wide, 0.0), times)

    @property
    def value(self) -> EvidenceSums:
        """The sums of what was added."""
        return EvidenceSums(*(fold.value for fold in (*self._exp, *self._linear)))


class LLRs(TwoClasses):
    """Target and non-target LLRs, wherever they are. In pairs, targets come first.

    Thresholds that are known in advance are counted in the same pass as the groups. Others cost a
    pass when they are first asked for.
    """

    whole: WholeLLRs | None = None
    """All of them, where they are in memory."""
    _thresholds: Floats

    def resampled(self, replicates: int, seed: int) -> tuple[Sides, Bootstrap]:
        """What sets are drawn from, and how."""
        whole = self.checked("intervals need all LLRs").in_order
        return whole.sides, Bootstrap(replicates, seed, whole.speakers)

    def in_memory(self, need: str) -> WholeLLRs:
        """All of them; or an error, which begins with what needs them."""
        if self.whole is None:
            raise OptionError(
                f"{need} in memory, and these are read in pieces: read the file whole (",
                Setting("in_pieces", False),
                "), or evaluate a part of it that fits into memory",
            )
        return self.whole

    def checked(self, need: str) -> WholeLLRs:
        """The same, whose target trials have one speaker each, if speakers are known."""
        whole = self.in_memory(need)
        if whole.speakers is None:
            return whole
        pairs = speaker_pairs(whole.speakers, len(whole.tar), len(whole.non))
        return replace(whole, speakers=pairs)

    @cached_property
    @abstractmethod
    def ranges(self) -> tuple[Range, Range]:
        """Least and greatest finite LLR of each class; NaN if none is finite."""

    @cached_property
    @abstractmethod
    def weighted(self) -> tuple[WeightedLLRs, WeightedLLRs]:
        """Each class as a few thousand points."""

    def costs_by(self, rule: Rule) -> tuple[ExactSum, ExactSum]:
        """The sums of the costs of each class by a scoring rule, in nats."""
        tar, non = (partial(cost_fold, sign, rule) for sign in (-1.0, 1.0))
        return self.fold(tar, non, "adding up costs").sides

    @cached_property
    def evidence(self) -> tuple[EvidenceSums, EvidenceSums]:
        """Sums of the LRs and LLRs of each class."""
        return self.fold(EvidenceFold, EvidenceFold, "adding up likelihood-ratios").sides

    @cached_property
    def mann_whitney_z(self) -> float:
        """Whether targets score higher than non-targets: see :mod:`llrcal.onepass.rank_scale`."""
        return mann_whitney_z(self.auc, self.tar_count, self.non_count)

    def ends(self, edges: Floats) -> Ends:
        """The least and the greatest LLR of either class in stretches that begin at the edges."""
        new = partial(EndsFold, edges)
        return self.fold(new, new, "finding ends").pooled()

    @cached_property
    def _counted(self) -> dict[bool, Counted]:
        return {}

    def count(self, values: Floats, *, of_tar: bool) -> Counted:
        """A class, counted among rising values; what is counted once is kept."""
        known = self._counted.get(of_tar)
        if known is None:
            first = [values, self._thresholds, *([self.rare.values] if self.keeps_rare else [])]
            known = super().count(np.unique(np.concatenate(first)), of_tar=of_tar)
        place = np.searchsorted(known.values, values)
        is_new = np.append(known.values, np.nan)[place] != values
        if is_new.any():
            known = known.beside(super().count(values[is_new], of_tar=of_tar))
            place = np.searchsorted(known.values, values)
        self._counted[of_tar] = known
        return known.at(place)


@runtime_checkable
class Evaluable(Protocol):
    """A set of trials whose scores can be evaluated as LLRs, wherever it is."""

    def llrs(self, thresholds: Floats) -> LLRs:
        """Its LLRs; ``thresholds`` announces those that will be asked for."""

    def in_nats(self, unit: str | None = None) -> Evaluable:
        """The same trials with LLRs in nats, from this unit or from that of their file."""


class ArrayLLRs(LLRs, InArrays):
    """LLRs in memory, copied so that later changes to the caller's arrays have no effect."""

    def __init__(
        self,
        tar: Any,
        non: Any,
        speakers: tuple[Array, Array] | None = None,
        thresholds: Floats = _NONE,
        names: Names | None = None,
    ) -> None:
        check_classes(tar, non)
        tar = as_scores(tar, "target", allow_infinite=True).copy()
        non = as_scores(non, "non-target", allow_infinite=True).copy()
        InArrays.__init__(self, tar, non)
        self.whole = WholeLLRs(tar, non, speakers, names=names or Names())
        self._thresholds = thresholds

    @cached_property
    def ranges(self) -> tuple[Range, Range]:
        return _finite_range(self._tar), _finite_range(self._non)

    @cached_property
    def weighted(self) -> tuple[WeightedLLRs, WeightedLLRs]:
        return (
            WeightedLLRs.of(self._tar, wrong=-np.inf),
            WeightedLLRs.of(self._non, wrong=np.inf),
        )


class CountedLLRs(LLRs, InCounts):
    """LLRs that were counted; in rising order, and in that of the scores that they are of."""

    def __init__(
        self, tar: Distinct, non: Distinct, whole: WholeLLRs, thresholds: Floats = _NONE
    ) -> None:
        InCounts.__init__(self, tar, non)
        self.whole, self._thresholds = whole, thresholds

    @cached_property
    def ranges(self) -> tuple[Range, Range]:
        return _finite_range(self._tar.values), _finite_range(self._non.values)

    @cached_property
    def weighted(self) -> tuple[WeightedLLRs, WeightedLLRs]:
        return (
            WeightedLLRs.of(self._tar.values, self._tar.counts, wrong=-np.inf),
            WeightedLLRs.of(self._non.values, self._non.counts, wrong=np.inf),
        )


def _finite_range(llrs: Array) -> Range:
    least, greatest = float(llrs.min()), float(llrs.max())
    if np.isinf(least) or np.isinf(greatest):
        finite = llrs[np.isfinite(llrs)]
        least, greatest = (finite.min(), finite.max()) if len(finite) else (np.nan, np.nan)
    return float(least) + 0.0, float(greatest) + 0.0  # -0.0 becomes 0.0
