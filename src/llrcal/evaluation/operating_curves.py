"""Rates, errors and costs of LLRs as functions of a threshold or a prior."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import overload

import numpy as np

from llrcal.arrays import ArrayLike, Floats
from llrcal.errors import OptionError
from llrcal.evaluation.costs import WeightedLLRs, cross_entropy
from llrcal.evaluation.error_rates import least_error, normalised
from llrcal.evaluation.llrs import LLRs, WholeLLRs
from llrcal.evaluation.operating_points import (
    as_numbers,
    as_prior_log_odds,
    effective_prior_log_odds,
)
from llrcal.evaluation.score_threshold import RATES, ScoreThreshold, SortedScores
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Groups


class OperatingCurves:
    """Error-rates and costs of LLRs at any operating point, actual and at the best threshold."""

    def __init__(self, llrs: LLRs) -> None:
        self._llrs = llrs
        self.tar_count, self.non_count = llrs.tar_count, llrs.non_count

    @cached_property
    def groups(self) -> Groups:
        """Both classes in rising order, with ties pooled."""
        return self._llrs.groups

    @cached_property
    def hull(self) -> Hull:
        """The ROC convex hull."""
        return Hull.of(self.groups)

    @overload
    def pmiss(self, threshold: float) -> float: ...
    @overload
    def pmiss(self, threshold: ArrayLike) -> Floats: ...
    def pmiss(self, threshold: ArrayLike) -> Floats | float:
        """Share of targets below a threshold."""
        return _scalar(self._llrs.below(_thresholds(threshold), of_tar=True) / self.tar_count)

    @overload
    def pfa(self, threshold: float) -> float: ...
    @overload
    def pfa(self, threshold: ArrayLike) -> Floats: ...
    def pfa(self, threshold: ArrayLike) -> Floats | float:
        """Share of non-targets at or above a threshold."""
        accepted = self.non_count - self._llrs.below(_thresholds(threshold), of_tar=False)
        return _scalar(accepted / self.non_count)

    def roc(self) -> tuple[Floats, Floats]:
        """Every corner of the ROC as (pfa, pmiss), from accepting all to rejecting all."""
        misses = np.concatenate([[0], np.cumsum(self.groups.tar)])
        rejected = np.concatenate([[0], np.cumsum(self.groups.non)])
        return 1 - rejected / self.non_count, misses / self.tar_count

    def roc_thresholds(self) -> Floats:
        """The lowest threshold at each corner of :meth:`roc`, from the least score to infinity."""
        return np.append(self.groups.edges, np.inf)

    def threshold(
        self, *, pfa: float | None = None, pmiss: float | None = None, level: float = 0.95
    ) -> ScoreThreshold:
        """The threshold for a false-alarm rate (FMR), a miss rate (FNMR), or equal error-rates.

        It applies to whatever was evaluated: raw scores will do as well as LLRs. Its interval takes
        trials to be independent.

        Parameters
        ----------
        pfa
            The lowest threshold with no more false alarms than this share of the non-targets.
        pmiss
            The highest threshold with no more misses than this share of the targets. Without either
            rate, the threshold of equal error-rates.
        level
            Of the interval.

        Raises
        ------
        OptionError
            If both rates are given, one is out of range, or the LLRs are not in memory.

        Examples
        --------
        >>> import llrcal
        >>> ev = llrcal.evaluate([2.0, 3.0, 0.1], [-2.0, -3.0, 0.5, -1.5])
        >>> found = ev.threshold(pfa=0.25)
        >>> found.value, found.false_alarms, found.misses
        (0.1, 1, 0)
        """
        if pfa is not None and pmiss is not None:
            raise OptionError("a threshold is for one rate: give either pfa or pmiss")
        scores = self._sorted
        if pfa is not None:
            return scores.at_pfa(pfa, level)
        return scores.at_eer(level) if pmiss is None else scores.at_pmiss(pmiss, level)

    @property
    def error_rates(self) -> list[ScoreThreshold]:
        """Thresholds at false-alarm rates of 10^-2 to 10^-6, as far down as there are trials."""
        rates = [rate for rate in RATES if rate * self.non_count >= 1]
        return [self.threshold(pfa=rate) for rate in rates]

    @cached_property
    def _sorted(self) -> SortedScores:
        whole = self._whole("thresholds need all scores")
        return SortedScores(np.sort(whole.tar), np.sort(whole.non))

    def _whole(self, need: str) -> WholeLLRs:
        """All LLRs in memory."""
        if self._llrs.whole is None:
            raise OptionError(
                f"{need} in memory, and these are read in pieces: read the file whole, or evaluate "
                "a part of it that fits into memory"
            )
        return self._llrs.whole

    @overload
    def bayes_error(self, prior_log_odds: float) -> float: ...
    @overload
    def bayes_error(self, prior_log_odds: ArrayLike) -> Floats: ...
    def bayes_error(self, prior_log_odds: ArrayLike) -> Floats | float:
        """Normalised error-rate of Bayes decisions at the given prior log-odds."""
        x = as_prior_log_odds(prior_log_odds)
        return _scalar(normalised(self.pmiss(-x), self.pfa(-x), x))

    @overload
    def min_bayes_error(self, prior_log_odds: float) -> float: ...
    @overload
    def min_bayes_error(self, prior_log_odds: ArrayLike) -> Floats: ...
    def min_bayes_error(self, prior_log_odds: ArrayLike) -> Floats | float:
        """Normalised error-rate at the best threshold for the given prior log-odds."""
        x = as_prior_log_odds(prior_log_odds)
        return _scalar(least_error(self.hull, x))

    @overload
    def cross_entropy(self, prior_log_odds: float) -> float: ...
    @overload
    def cross_entropy(self, prior_log_odds: ArrayLike) -> Floats: ...
    def cross_entropy(self, prior_log_odds: ArrayLike) -> Floats | float:
        """Empirical cross-entropy at the given prior log-odds, in bits; Cllr at zero."""
        x = as_prior_log_odds(prior_log_odds)
        return _scalar(cross_entropy(*self._llrs.weighted, x))

    @overload
    def min_cross_entropy(self, prior_log_odds: float) -> float: ...
    @overload
    def min_cross_entropy(self, prior_log_odds: ArrayLike) -> Floats: ...
    def min_cross_entropy(self, prior_log_odds: ArrayLike) -> Floats | float:
        """Empirical cross-entropy after the best rising transformation; minCllr at zero."""
        x = as_prior_log_odds(prior_log_odds)
        return _scalar(cross_entropy(*WeightedLLRs.optimal(self.hull), x))

    @overload
    def act_dcf(
        self, p_target: float, c_miss: float = 1, c_fa: float = 1, *, normalised: bool = True
    ) -> float: ...
    @overload
    def act_dcf(
        self,
        p_target: ArrayLike,
        c_miss: ArrayLike = 1,
        c_fa: ArrayLike = 1,
        *,
        normalised: bool = True,
    ) -> Floats: ...
    def act_dcf(
        self,
        p_target: ArrayLike,
        c_miss: ArrayLike = 1,
        c_fa: ArrayLike = 1,
        *,
        normalised: bool = True,
    ) -> Floats | float:
        """Actual detection cost at a prior and costs.

        In units of the cost of deciding by the prior alone, min(p c_miss, (1 - p) c_fa); with
        ``normalised=False``, the plain expected cost.
        """
        return _cost(self.bayes_error, p_target, c_miss, c_fa, normalised=normalised)

    @overload
    def min_dcf(
        self, p_target: float, c_miss: float = 1, c_fa: float = 1, *, normalised: bool = True
    ) -> float: ...
    @overload
    def min_dcf(
        self,
        p_target: ArrayLike,
        c_miss: ArrayLike = 1,
        c_fa: ArrayLike = 1,
        *,
        normalised: bool = True,
    ) -> Floats: ...
    def min_dcf(
        self,
        p_target: ArrayLike,
        c_miss: ArrayLike = 1,
        c_fa: ArrayLike = 1,
        *,
        normalised: bool = True,
    ) -> Floats | float:
        """Detection cost at the best threshold; see :meth:`act_dcf`."""
        return _cost(self.min_bayes_error, p_target, c_miss, c_fa, normalised=normalised)


def _cost(
    error: Callable[[Floats], Floats],
    p_target: ArrayLike,
    c_miss: ArrayLike,
    c_fa: ArrayLike,
    *,
    normalised: bool,
) -> Floats | float:
    """A Bayes error as a detection cost."""
    found = error(effective_prior_log_odds(p_target, c_miss, c_fa))
    if not normalised:
        p, miss, fa = (np.asarray(value, np.float64) for value in (p_target, c_miss, c_fa))
        found = found * np.minimum(p * miss, (1 - p) * fa)
    return _scalar(found)


def _thresholds(threshold: ArrayLike) -> Floats:
    at = as_numbers(threshold, "the threshold")
    if np.isnan(at).any():
        raise OptionError("the threshold must be a number, not NaN")
    return at


def _scalar(value: Floats) -> Floats | float:
    """A float for one operating point, an array for several."""
    return value if np.ndim(value) else float(value)
