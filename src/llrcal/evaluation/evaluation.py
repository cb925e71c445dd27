"""How good log-likelihood-ratios are, at every operating point."""

from __future__ import annotations

from functools import cached_property
from typing import overload

import numpy as np

from llrcal.arrays import Array, ArrayLike, Counts, Floats
from llrcal.errors import OptionError
from llrcal.evaluation import bayes_error as _bayes
from llrcal.evaluation.cllr import in_bits, min_cllr
from llrcal.evaluation.cross_entropy import WeightedLLRs, cross_entropy
from llrcal.evaluation.eer import eer
from llrcal.evaluation.llrs import ArrayLLRs, LLRs
from llrcal.evaluation.rule_of_30 import rule_of_30
from llrcal.inputs.scores import as_scores
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Groups


def evaluate(tar: ArrayLike, non: ArrayLike) -> Evaluation:
    """Evaluate target and non-target LLRs (natural logs; infinite ones are legal).

    Parameters
    ----------
    tar, non
        One-dimensional arrays of LLRs of target and non-target trials.

    Returns
    -------
    Evaluation
        Rates and costs, worked out when asked for.

    Raises
    ------
    ScoreError
        If a class is empty, or an LLR is NaN or not a real number.

    Examples
    --------
    >>> import llrcal
    >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
    >>> round(ev.cllr, 4), ev.eer
    (0.6016, 0.14285714285714285)
    >>> ev.bayes_error(0.0), ev.act_dcf(0.5), ev.min_dcf(p_target=0.5)
    (0.5833333333333333, 0.5833333333333333, 0.25)
    """
    return Evaluation(ArrayLLRs(tar, non))


class Evaluation:
    """Error-rates and costs of LLRs, actual and at the best thresholds."""

    def __init__(self, llrs: LLRs) -> None:
        self._llrs = llrs
        self.tar_count, self.non_count = llrs.tar_count, llrs.non_count

    @cached_property
    def cllr(self) -> float:
        """Cost over all operating points, in bits."""
        return in_bits(*self._llrs.costs)

    @cached_property
    def tar_range(self) -> tuple[float, float]:
        """Least and greatest finite LLR of the targets; NaN where none is finite."""
        return self._llrs.ranges[0]

    @cached_property
    def non_range(self) -> tuple[float, float]:
        """Least and greatest finite LLR of the non-targets; NaN where none is finite."""
        return self._llrs.ranges[1]

    @cached_property
    def groups(self) -> Groups:
        """Both classes in rising order, with ties pooled."""
        return self._llrs.groups

    @cached_property
    def hull(self) -> Hull:
        """The ROC convex hull."""
        return Hull.of(self.groups)

    @property
    def runs_backwards(self) -> bool:
        """Whether most targets have lower LLRs than most non-targets."""
        tar, non = self.groups.tar / self.tar_count, self.groups.non / self.non_count
        return bool((tar * (np.cumsum(non) - non / 2)).sum() < 0.5)

    @cached_property
    def min_cllr(self) -> float:
        """Cllr after the best rising transformation, in bits."""
        return min_cllr(self.hull)

    @property
    def calibration_loss(self) -> float:
        """Cllr - minCllr, in bits: what better calibration could gain."""
        return self.cllr - self.min_cllr

    @cached_property
    def eer(self) -> float:
        """Equal error-rate of the ROC convex hull, as a fraction."""
        return eer(self.hull)

    @cached_property
    def rule_of_30(self) -> tuple[float, float]:
        """Lowest and highest prior log-odds that keep 30 errors of each kind."""
        return rule_of_30(self.hull)

    @overload
    def pmiss(self, threshold: float) -> float: ...
    @overload
    def pmiss(self, threshold: ArrayLike) -> Floats: ...
    def pmiss(self, threshold: ArrayLike) -> Floats | float:
        """Share of targets below a threshold."""
        return _scalar(self._llrs.targets_below(_thresholds(threshold)) / self.tar_count)

    @overload
    def pfa(self, threshold: float) -> float: ...
    @overload
    def pfa(self, threshold: ArrayLike) -> Floats: ...
    def pfa(self, threshold: ArrayLike) -> Floats | float:
        """Share of non-targets at or above a threshold."""
        accepted = self.non_count - self._llrs.nontargets_below(_thresholds(threshold))
        return _scalar(accepted / self.non_count)

    def roc(self) -> tuple[Floats, Floats]:
        """Every corner of the ROC as (pfa, pmiss), from accepting all to rejecting all."""
        misses = np.concatenate([[0], np.cumsum(self.groups.tar)])
        rejected = np.concatenate([[0], np.cumsum(self.groups.non)])
        return 1 - rejected / self.non_count, misses / self.tar_count

    @overload
    def bayes_error(self, prior_log_odds: float) -> float: ...
    @overload
    def bayes_error(self, prior_log_odds: ArrayLike) -> Floats: ...
    def bayes_error(self, prior_log_odds: ArrayLike) -> Floats | float:
        """Normalised error-rate of Bayes decisions at the given prior log-odds."""
        x = _bayes.as_prior_log_odds(prior_log_odds)
        return _scalar(_bayes.normalised(self.pmiss(-x), self.pfa(-x), x))

    @overload
    def min_bayes_error(self, prior_log_odds: float) -> float: ...
    @overload
    def min_bayes_error(self, prior_log_odds: ArrayLike) -> Floats: ...
    def min_bayes_error(self, prior_log_odds: ArrayLike) -> Floats | float:
        """Normalised error-rate at the best threshold for the given prior log-odds."""
        x = _bayes.as_prior_log_odds(prior_log_odds)
        vertex = self.hull.best_vertex(x)
        return _scalar(_bayes.normalised(self.hull.pmiss[vertex], self.hull.pfa[vertex], x))

    @overload
    def cross_entropy(self, prior_log_odds: float) -> float: ...
    @overload
    def cross_entropy(self, prior_log_odds: ArrayLike) -> Floats: ...
    def cross_entropy(self, prior_log_odds: ArrayLike) -> Floats | float:
        """Empirical cross-entropy at the given prior log-odds, in bits; Cllr at zero."""
        x = _bayes.as_prior_log_odds(prior_log_odds)
        return _scalar(cross_entropy(*self._llrs.weighted, x))

    @overload
    def min_cross_entropy(self, prior_log_odds: float) -> float: ...
    @overload
    def min_cross_entropy(self, prior_log_odds: ArrayLike) -> Floats: ...
    def min_cross_entropy(self, prior_log_odds: ArrayLike) -> Floats | float:
        """Empirical cross-entropy after the best rising transformation; minCllr at zero."""
        x = _bayes.as_prior_log_odds(prior_log_odds)
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
        x = _bayes.effective_prior_log_odds(p_target, c_miss, c_fa)
        scale = 1 if normalised else _bayes.default_cost(p_target, c_miss, c_fa)
        return _scalar(self.bayes_error(x) * scale)

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
        x = _bayes.effective_prior_log_odds(p_target, c_miss, c_fa)
        scale = 1 if normalised else _bayes.default_cost(p_target, c_miss, c_fa)
        return _scalar(self.min_bayes_error(x) * scale)

    def __repr__(self) -> str:
        return (
            f"<evaluation of {self.tar_count} target and {self.non_count} non-target LLRs: "
            f"Cllr {self.cllr:.4f}, minCllr {self.min_cllr:.4f}, EER {100 * self.eer:.3f} %>"
        )


def optimal_llrs(tar: ArrayLike, non: ArrayLike) -> tuple[Floats, Floats]:
    """The best rising transformation of these very scores, infinities kept.

    The Cllr of the result is the minCllr of the scores. For new scores, fit ``pav`` instead.
    """
    tar = as_scores(tar, "target", allow_infinite=True)
    non = as_scores(non, "non-target", allow_infinite=True)
    evaluation = evaluate(tar, non)
    edges = evaluation.groups.edges[evaluation.hull.first_group]
    llrs = evaluation.hull.llrs

    def apply(scores: Array) -> Floats:
        block: Counts = np.searchsorted(edges, scores, side="right") - 1
        return np.asarray(llrs[block])

    return apply(tar), apply(non)


def _thresholds(threshold: ArrayLike) -> Floats:
    at = _bayes.as_numbers(threshold, "the threshold")
    if np.isnan(at).any():
        raise OptionError("the threshold must be a number, not NaN")
    return at


def _scalar(value: Floats) -> Floats | float:
    """A float for one operating point, an array for several."""
    return value if np.ndim(value) else float(value)
