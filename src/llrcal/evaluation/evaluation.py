"""The quality of log-likelihood-ratios, overall and at every operating point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from llrcal.evaluation.bands import Bands
from llrcal.evaluation.bootstrap import (
    REPLICATES,
    Bootstrap,
    Progress,
    check_draws,
    speaker_pairs,
    unheard,
)
from llrcal.evaluation.costs import RuleCost, cross_entropy, in_bits, min_cost
from llrcal.evaluation.error_rates import eer, rule_of_30
from llrcal.evaluation.forensic import Forensic
from llrcal.evaluation.intervals import Intervals, interval_notes
from llrcal.evaluation.line_check import line_notes
from llrcal.evaluation.operating_curves import OperatingCurves
from llrcal.evaluation.operating_points import DEFAULT_POINTS, OperatingPoint
from llrcal.notebook import html_table
from llrcal.notes import Note
from llrcal.onepass.rank_scale import WRONG_WAY, runs_backwards
from llrcal.scoring_rule import LOG, RuleLike, ScoringRule

_TOO_FAR_APART = 1e100  # LLRs that no line can be drawn through: their squares are no doubles
_WRONG_WAY = Note.warning(
    WRONG_WAY,
    "targets score lower than non-targets. If these are distances, evaluate their negatives; "
    "otherwise check whether the labels are swapped",
)


class Evaluation(OperatingCurves):
    """Error-rates and costs of LLRs, actual and at the best thresholds."""

    @cached_property
    def cllr(self) -> float:
        """Cost over all operating points, in bits."""
        return in_bits(*self._llrs.costs_by(LOG))

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
        return self.direction_notes or line_notes(
            self._llrs.weighted,
            (self.tar_count, self.non_count),
            cllr=self.cllr,
            min_cllr=lambda: self.min_cllr,
        )

    @cached_property
    def min_cllr(self) -> float:
        """Cllr after the best rising transformation, in bits."""
        return min_cost(self.hull)

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

    def intervals(
        self,
        points: Sequence[OperatingPoint] = DEFAULT_POINTS,
        *,
        rules: Sequence[RuleLike] = (),
        forensic: bool = False,
        level: float = 0.95,
        replicates: int = REPLICATES,
        seed: int = 0,
        progress: Progress = unheard,
    ) -> Intervals:
        """Intervals of the numbers: how much they could vary with the choice of the test set.

        The test set is drawn again many times with replacement: by speaker, if the evaluation is
        of :class:`~llrcal.Trials` that know them, and by trial otherwise. See
        docs/evaluating.md.

        Parameters
        ----------
        points
            Operating points for detection costs.
        rules
            Scoring rules whose costs are wanted as well, as for :meth:`cost`.
        forensic
            Whether those of forensic figures of merit are wanted as well: rates of misleading
            evidence at the usual strengths, devPAV and mean LLRs.
        level
            Share of drawn sets that an interval covers.
        replicates
            How many sets to draw.
        seed
            The same seed gives the same intervals.
        progress
            Called with how many drawn sets are done, and how many there are.

        Raises
        ------
        OptionError
            If the LLRs are not in memory, or an option is out of range.

        Examples
        --------
        >>> import llrcal
        >>> ev = llrcal.evaluate([2.0, 3.0, -1.0], [-2.0, -3.0, 0.5, -1.5])
        >>> found = ev.intervals(replicates=99)
        >>> found.by, found.cllr[0] < ev.cllr < found.cllr[1]
        ('trial', True)
        """
        bands = self.bands(level=level, replicates=replicates, seed=seed, progress=progress)
        x = np.array([point.prior_log_odds for point in points])
        found = bands.intervals(x, [ScoringRule.of(rule) for rule in rules], forensic=forensic)
        return replace(found, notes=tuple(interval_notes(self, bands.llrs, points)))

    def bands(
        self,
        *,
        level: float = 0.95,
        replicates: int = REPLICATES,
        seed: int = 0,
        progress: Progress = unheard,
    ) -> Bands:
        """Bands of the curves, as :meth:`intervals` of the numbers; one interval at each place.

        ``ev.bands().bayes_error(x)`` is the lower and the upper end of ``ev.bayes_error(x)``.
        """
        check_draws(level=level, replicates=replicates, seed=seed)
        whole = self._whole("intervals need all LLRs")
        if whole.speakers is not None:
            pairs = speaker_pairs(whole.speakers, len(whole.tar), len(whole.non))
            whole = replace(whole, speakers=pairs)
        whole = whole.in_order
        draws = Bootstrap.of(whole.speakers, replicates=replicates, seed=seed)
        return Bands(whole, draws, level, progress)

    def mean_dcf(
        self, points: Sequence[OperatingPoint], *, normalised: bool = True
    ) -> tuple[float, float]:
        """Actual and minimum detection cost, averaged over operating points as NIST does."""
        costs = zip(*((p.p_target, p.c_miss, p.c_fa) for p in points), strict=True)
        p_target, c_miss, c_fa = map(list, costs)
        actual = self.act_dcf(p_target, c_miss, c_fa, normalised=normalised)
        least = self.min_dcf(p_target, c_miss, c_fa, normalised=normalised)
        return float(np.mean(actual)), float(np.mean(least))

    def to_dict(
        self,
        points: Sequence[OperatingPoint] = DEFAULT_POINTS,
        *,
        rules: Sequence[RuleLike] = (),
        forensic: bool = False,
        error_rates: bool = False,
        intervals: Intervals | None = None,
    ) -> dict[str, Any]:
        """The numbers of the evaluation as plain values; lists run over operating points.

        With ``rules``, also the costs by these scoring rules; with ``forensic``, also the numbers
        of :attr:`forensic`; with ``error_rates``, also thresholds and miss rates at false-alarm
        rates of 10^-2 to 10^-6; with what :meth:`intervals` gives, also that.
        """
        names = ("tar_count", "non_count", "cllr", "min_cllr", "calibration_loss", "eer")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        found["rule_of_30"] = list(self.rule_of_30)
        for name in ("p_target", "c_miss", "c_fa", "prior_log_odds"):
            found[name] = [getattr(point, name) for point in points]
        costs = found["p_target"], found["c_miss"], found["c_fa"]
        for end, normalised in (("", True), ("_unnormalised", False)):
            found[f"act_dcf{end}"] = self.act_dcf(*costs, normalised=normalised).tolist()
            found[f"min_dcf{end}"] = self.min_dcf(*costs, normalised=normalised).tolist()
        thresholds = [-x for x in found["prior_log_odds"]]
        found |= {"pmiss": self.pmiss(thresholds).tolist(), "pfa": self.pfa(thresholds).tolist()}
        if rules:
            found["rules"] = {one.rule: one.to_dict() for one in map(self.cost, rules)}
        if forensic:
            found["forensic"] = self.forensic.to_dict()
        if error_rates:
            found["error_rates"] = [one.to_dict() for one in self.error_rates]
        if intervals:
            found["intervals"] = intervals.to_dict()
        return found

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
