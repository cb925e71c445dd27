"""Bands: how much the curves of an evaluation could vary with the choice of the test set.

At each threshold or prior, a band is the interval that the bootstrap gives there. So each place of
a curve has its own share of drawn sets outside; a whole curve is outside somewhere more often.
Bands of rates and errors also reach as far as what nobody has seen could:
see :func:`llrcal.evaluation.error_rates.possible_rate`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from llrcal.arrays import ArrayLike, Floats
from llrcal.evaluation.bootstrap import Bootstrap, Progress, Replicates, unheard
from llrcal.evaluation.error_rates import normalised, possible_error, possible_rate
from llrcal.evaluation.forensic import STRENGTHS, misleading_thresholds
from llrcal.evaluation.intervals import Band, ForensicIntervals, Intervals, centred_band, pairs
from llrcal.evaluation.llrs import WholeLLRs
from llrcal.evaluation.operating_points import as_prior_log_odds
from llrcal.evaluation.statistics import (
    Statistic,
    entropy_statistic,
    evaluation_statistic,
    forensic_statistic,
    rates_statistic,
)
from llrcal.scoring_rule import ScoringRule


@dataclass(frozen=True)
class Bands:
    """Bands of the curves of an evaluation; see :meth:`llrcal.Evaluation.bands`."""

    llrs: WholeLLRs
    """In rising order."""
    bootstrap: Bootstrap
    level: float
    progress: Progress = unheard

    @property
    def by(self) -> str:
        """What is drawn: "trial" or "speaker"."""
        return self.bootstrap.by

    def rates(self, thresholds: ArrayLike) -> tuple[Band, Band]:
        """Bands of the miss rate and of the false-alarm rate at thresholds."""
        found = self._drawn_rates(np.asarray(thresholds, np.float64))
        tar, non = (
            self._rate_band(found, name, count)
            for name, count in zip(("pmiss", "pfa"), found.counts, strict=True)
        )
        return tar, non

    def bayes_error(self, prior_log_odds: ArrayLike) -> Band:
        """A band of the normalised error-rate of Bayes decisions at prior log-odds."""
        x = as_prior_log_odds(prior_log_odds)
        found = self._drawn_rates(-x)
        rates = found.actual["pmiss"], found.actual["pfa"]
        drawn = normalised(found.drawn["pmiss"], found.drawn["pfa"], x)
        low, high = centred_band(drawn, normalised(*rates, x), self.level)
        reach = possible_error(*rates, x, counts=found.counts, level=self.level)
        return low, np.maximum(high, reach)

    def cross_entropy(self, prior_log_odds: ArrayLike) -> Band:
        """A band of the empirical cross-entropy at prior log-odds, in bits."""
        x = as_prior_log_odds(prior_log_odds)
        found = self._drawn(entropy_statistic(self.llrs.tar, self.llrs.non, x))
        return centred_band(found.drawn["cross_entropy"], found.actual["cross_entropy"], self.level)

    def intervals(
        self, prior_log_odds: Floats, rules: Sequence[ScoringRule], *, forensic: bool
    ) -> Intervals:
        """Intervals of the numbers at operating points, by rules, and those of forensics."""
        tar, non = self.llrs.tar, self.llrs.non
        drawn = self._drawn(evaluation_statistic(tar, non, prior_log_odds, rules=rules))
        names = [rule.name for rule in rules]
        found = Intervals.of(drawn, prior_log_odds, names, self.level)
        if not forensic:
            return found
        of_tar, of_non = map(pairs, self.rates(misleading_thresholds(STRENGTHS)))
        middle = len(STRENGTHS)
        misleading = tuple(zip(of_tar[:middle], of_non[middle:], strict=True))
        drawn = self._drawn(forensic_statistic(tar, non))
        least = {"dev_pav": 0.0, "llr_tar": -math.inf, "llr_non": -math.inf}
        others = {
            name: pairs(centred_band(drawn.drawn[name], actual, self.level, least=least[name]))[0]
            for name, actual in drawn.actual.items()
        }
        return replace(found, misleading=misleading, forensic=ForensicIntervals(**others))

    def _rate_band(self, found: Replicates, name: str, count: int) -> Band:
        """The band of a rate among so many trials, and of what happened to none of them."""
        low, high = centred_band(found.drawn[name], found.actual[name], self.level, most=1.0)
        possible = possible_rate(count, self.level)
        return np.minimum(low, 1 - possible), np.maximum(high, possible)

    def _drawn_rates(self, thresholds: Floats) -> Replicates:
        return self._drawn(rates_statistic(self.llrs.tar, self.llrs.non, thresholds))

    def _drawn(self, statistic: Statistic) -> Replicates:
        (found,) = self.bootstrap.replicates([statistic], self.progress)
        return found
