"""The quality of log-likelihood-ratios at every operating point."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np

from llrcal.arrays import Array, ArrayLike, Counts, Floats
from llrcal.errors import OptionError
from llrcal.evaluation import bayes_error as _bayes
from llrcal.evaluation.cllr import in_bits, min_cllr, min_cost
from llrcal.evaluation.cross_entropy import WeightedLLRs, cross_entropy
from llrcal.evaluation.doubts import doubts
from llrcal.evaluation.eer import eer
from llrcal.evaluation.forensic import Forensic
from llrcal.evaluation.llrs import ArrayLLRs, Evaluable, LLRs
from llrcal.evaluation.operating_point import DEFAULT_POINTS, OperatingPoint
from llrcal.evaluation.rule_cost import RuleCost
from llrcal.evaluation.rule_of_30 import rule_of_30
from llrcal.inputs.scores import as_scores
from llrcal.notebook import html_table
from llrcal.notes import Note, Severity, warn
from llrcal.onepass.direction import WRONG_WAY, runs_backwards
from llrcal.onepass.hull import Hull
from llrcal.onepass.ranks import Groups
from llrcal.scoring_rule import LOG, RuleLike, ScoringRule

_TOO_FAR_APART = 1e100  # LLRs that no line can be drawn through: their squares are no doubles
_WRONG_WAY = Note.of(
    WRONG_WAY,
    "targets score lower than non-targets. If these are distances, evaluate their negatives; "
    "otherwise check whether the labels are swapped",
    severity=Severity.WARNING,
)


def evaluate(
    tar: ArrayLike | Evaluable, non: ArrayLike | None = None, *, prior_log_odds: ArrayLike = ()
) -> Evaluation:
    """Evaluate target and non-target LLRs (natural logarithms; they may be infinite).

    Parameters
    ----------
    tar, non
        One-dimensional arrays of LLRs of target and non-target trials; or, as the only argument,
        trials whose scores are LLRs, as for :func:`llrcal.fit`. To evaluate a calibration on raw
        scores, pass ``trials.mapped(cal)``.
    prior_log_odds
        Operating points that you are going to ask for. For trials that are not in memory, each
        request for others costs another pass; otherwise this makes no difference.

    Returns
    -------
    Evaluation
        Rates and costs, computed when they are needed.

    Raises
    ------
    ScoreError
        If a class is empty, or an LLR is NaN or not a real number.

    Warns
    -----
    LlrcalWarning
        If targets have lower LLRs than non-targets; if the LLRs look like raw scores; or if much
        is lost by their calibration.

    Examples
    --------
    >>> import llrcal
    >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
    >>> round(ev.cllr, 4), ev.eer
    (0.6016, 0.14285714285714285)
    >>> ev.bayes_error(0.0), ev.act_dcf(0.5), ev.min_dcf(p_target=0.5)
    (0.5833333333333333, 0.5833333333333333, 0.25)
    """
    evaluation = evaluated(tar, non, prior_log_odds=prior_log_odds)
    warn(evaluation.notes)
    return evaluation


def evaluated(
    tar: ArrayLike | Evaluable, non: ArrayLike | None = None, *, prior_log_odds: ArrayLike = ()
) -> Evaluation:
    """The same as :func:`evaluate`, for callers that handle the notes themselves."""
    thresholds = -_bayes.as_prior_log_odds(prior_log_odds).ravel() + 0.0
    if isinstance(tar, Evaluable) and non is None:
        return Evaluation(tar.llrs(thresholds))
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

    def cllr_multiplied(self, factor: float) -> float:
        """The Cllr of the LLRs if all were multiplied by a factor, to about six digits."""
        tar, non = (side.multiplied(factor) for side in self._llrs.weighted)
        return float(cross_entropy(tar, non, np.zeros(())))

    @cached_property
    def tar_range(self) -> tuple[float, float]:
        """Least and greatest finite LLR of the targets; NaN if none is finite."""
        return self._llrs.ranges[0]

    @cached_property
    def non_range(self) -> tuple[float, float]:
        """Least and greatest finite LLR of the non-targets; NaN if none is finite."""
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
    def direction_notes(self) -> tuple[Note, ...]:
        """Whether the LLRs, or scores of any kind, run the wrong way."""
        return (_WRONG_WAY,) if runs_backwards(self._llrs.order) else ()

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What is odd about the LLRs.

        They run the wrong way, look like raw scores, or like LLRs of other trials than these.
        """
        ends = np.abs([self.tar_range, self.non_range])
        if (ends > _TOO_FAR_APART).any():
            return self.direction_notes
        return self.direction_notes or doubts(
            self._llrs.weighted,
            (self.tar_count, self.non_count),
            cllr=self.cllr,
            min_cllr=lambda: self.min_cllr,
        )

    @cached_property
    def min_cllr(self) -> float:
        """Cllr after the best rising transformation, in bits."""
        return min_cllr(self.hull)

    @property
    def calibration_loss(self) -> float:
        """Cllr - minCllr, in bits: what better calibration could gain."""
        return self.cllr - self.min_cllr

    def cost(self, rule: RuleLike) -> RuleCost:
        """The cost by a proper scoring rule, and its minimum; by ``"log"`` it is Cllr.

        LLRs of zero cost one by every rule. For trials that are not in memory, each rule but
        ``"log"`` costs another pass.

        Parameters
        ----------
        rule
            ``"log"``, ``"brier"``, ``"boosting"``, or the two exponents of its weights: see
            :mod:`llrcal.scoring_rule`.

        Raises
        ------
        OptionError
            If there is no such rule.

        Examples
        --------
        >>> import llrcal
        >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
        >>> brier = ev.cost("brier")
        >>> round(brier.actual, 4), round(brier.minimum, 4), ev.cost("log").actual == ev.cllr
        (0.5859, 0.2857, True)
        """
        chosen = ScoringRule.of(rule)
        actual = self.cllr if chosen == LOG else in_bits(*self._llrs.costs_by(chosen))
        return RuleCost(chosen.name, actual, min_cost(self.hull, chosen))

    @cached_property
    def forensic(self) -> Forensic:
        """Figures of merit for forensic validation: devPAV, ELUB, misleading evidence."""
        return Forensic(self._llrs, self.hull)

    @cached_property
    def eer(self) -> float:
        """Equal error-rate of the ROC convex hull, as a fraction."""
        return eer(self.hull)

    @cached_property
    def rule_of_30(self) -> tuple[float, float]:
        """Lowest and highest prior log-odds with at least 30 errors of each kind."""
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

    def to_dict(
        self,
        points: Sequence[OperatingPoint] = DEFAULT_POINTS,
        *,
        rules: Sequence[RuleLike] = (),
        forensic: bool = False,
    ) -> dict[str, Any]:
        """The numbers of the evaluation as plain values; lists run over operating points.

        With ``rules``, also the costs by these scoring rules; with ``forensic``, also the numbers
        of :attr:`forensic`.
        """
        costs_by_rule = [self.cost(rule) for rule in rules]
        p_target = [point.p_target for point in points]
        c_miss, c_fa = [point.c_miss for point in points], [point.c_fa for point in points]
        costs = (p_target, c_miss, c_fa)
        priors = [point.prior_log_odds for point in points]
        numbers = ("tar_count", "non_count", "cllr", "min_cllr", "calibration_loss", "eer")
        return {
            **{name: getattr(self, name) for name in numbers},
            "rule_of_30": list(self.rule_of_30),
            "p_target": p_target,
            "c_miss": c_miss,
            "c_fa": c_fa,
            "prior_log_odds": priors,
            "act_dcf": self.act_dcf(*costs).tolist(),
            "min_dcf": self.min_dcf(*costs).tolist(),
            "act_dcf_unnormalised": self.act_dcf(*costs, normalised=False).tolist(),
            "min_dcf_unnormalised": self.min_dcf(*costs, normalised=False).tolist(),
            "pmiss": self.pmiss([-x for x in priors]).tolist(),
            "pfa": self.pfa([-x for x in priors]).tolist(),
            **({"rules": {one.rule: one.to_dict() for one in costs_by_rule}} if rules else {}),
            **({"forensic": self.forensic.to_dict()} if forensic else {}),
        }

    def _repr_html_(self) -> str:
        rows: dict[str, object] = {
            "targets": self.tar_count,
            "non-targets": self.non_count,
            "Cllr": self.cllr,
            "minCllr": self.min_cllr,
            "calibration loss": self.calibration_loss,
            "EER": f"{100 * self.eer:.4g} %",
            "rule of 30, prior log-odds": self.rule_of_30,
        }
        for point in DEFAULT_POINTS:
            x = point.prior_log_odds
            cost = f"{self.bayes_error(x):.4f}, minimum {self.min_bayes_error(x):.4f}"
            rows[f"DCF at prior {point.p_target:g}"] = cost
        return html_table("Evaluation of LLRs", rows, map(str, self.notes))

    def __repr__(self) -> str:
        return (
            f"<evaluation of {self.tar_count} target and {self.non_count} non-target LLRs: "
            f"Cllr {self.cllr:.4f}, minCllr {self.min_cllr:.4f}, EER {100 * self.eer:.3f} %>"
        )


def optimal_llrs(tar: ArrayLike, non: ArrayLike) -> tuple[Floats, Floats]:
    """The LLRs of these scores by the best rising transformation, infinities kept.

    The Cllr of the result is the minCllr of the scores. For new scores, fit ``pav`` instead.
    """
    tar = as_scores(tar, "target", allow_infinite=True)
    non = as_scores(non, "non-target", allow_infinite=True)
    evaluation = evaluated(tar, non)
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
